"""Chats of 10, 200 and 2,000 messages in a browser: `<litro-chat>` on `litro serve`, and Gradio's ChatInterface.

The same Markdown, the same pieces of answers at the same pace, in one run, taking turns, each time in a browser context of its own:

* from navigation to the last message in sight, the first time (nothing is cached) and again; what is loaded, held and drawn then;
* 20 screens scrolled up: frames, and how long the first message that is there stopped who scrolls;
* one answer of 100 pieces: from the key to its first word, and what each piece costs the page's main thread.

Times of the main thread are its CPU time, which neighbours do not change. Medians of the rounds, and ratios.

    .venv/bin/python bench/chat.py [--quick] [--rounds N] [--sizes 10,200,2000] [--only litro] [--parts]

What Gradio needs is in an environment of its own, .venv-bench-chat, which the first run makes.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import runpy
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conditions import pressure
from playwright.sync_api import Browser, CDPSession, Page, sync_playwright
from serving import BENCH, SOURCE, port_of, start
from talk import BEGUN, answer, last_words, pieces, question

from litro.events import Event
from litro.sessions import open_store
from litro.sessions.base import SessionKey

HERE = Path(__file__).parent.absolute()
HOME = HERE.parent / ".venv-bench-chat"
GRADIO = "gradio==6.31.0"
CHROMIUM = runpy.run_path(str(HERE.parent / "tests/chromium.py"))
SIZES = (10, 200, 2000)
PIECES = 100
INTERVAL = 0.02
LONGEST = 30
"""Seconds that are listened to an answer."""
SAID_AT_LEAST = 20
VIEWPORT = {"width": 1280, "height": 800}
SCREENS = 20
SPEED = 3000
"""Pixels a second: about what a person does who looks for something."""

AGENT = f"""from collections.abc import Iterator

from litro import Agent
from litro.providers import pause, scripted
from litro.providers.base import ModelRequest
from litro.providers.script import ScriptItem
from talk import ordered


def reply(request: ModelRequest, turn: int) -> Iterator[ScriptItem]:
    for piece in ordered(request.messages[-1].text):
        yield piece
        yield pause({INTERVAL})


agent = Agent(scripted(reply), "Say as much as you are asked for.")
"""
APP = """from pathlib import Path

from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route

from litro import create_app

PAGE = '''<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Chat</title>
<link rel="icon" href="data:,">
<style>body { margin: 0 } litro-chat { height: 100dvh }</style>
<script type="module" src="/__litro/chat.js"></script>
<litro-chat agent="bench" hash></litro-chat>'''

litro = create_app(Path(__file__).parent)
routes = [Route("/", lambda _: HTMLResponse(PAGE)), Mount("/", litro)]
app = Starlette(routes=routes, lifespan=litro.lifespan)
"""
PYPROJECT = '[project]\nname = "bench"\nversion = "1"\n\n[tool.litro]\napp = "app:app"\n'

WATCH = """
  window.seen = {};
  addEventListener("keydown", ({ key }) => key === "Enter" && (seen.key = performance.now()), true);
  new PerformanceObserver((list) => seen.slow?.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: "long-animation-frame" });

  /** The last answer on the page. */
  window.last = () => [...(document.querySelector("litro-chat")?.shadowRoot?.querySelectorAll(".answer") ??
    document.querySelectorAll(".message.bot, .bot.message"))].at(-1);
  /** When the last answer says so, its end in sight where that is asked for, and that frame drawn; from the key on, where one was pressed. */
  window.until = (name, words, isInSight) => requestAnimationFrame(function look() {
    const answer = last();
    const { bottom } = answer?.textContent.includes(words) ? answer.getBoundingClientRect() : {};
    if (bottom === undefined || (isInSight && (bottom <= 0 || bottom > innerHeight))) return requestAnimationFrame(look);
    requestAnimationFrame(() => (seen[name] = performance.now() - (seen.key ?? 0)));
  });

  /** How many pieces of an answer that counts them are shown. */
  window.shown = () => Number([...last().textContent.matchAll(/\\((\\d+)\\)/g)].at(-1)?.[1] ?? 0);

  /** Where the chat scrolls. */
  window.scroller = () => {
    for (let at = last(); at; at = at.parentElement ?? at.getRootNode().host) {
      if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
    }
    return document.scrollingElement;
  };
  window.count = () => {
    const at = scroller();
    seen.frames = [];
    seen.slow = [];
    seen.stopped = 0;
    let before = performance.now();
    requestAnimationFrame(function look(now) {
      const took = now - before;
      if (took > 0) seen.frames.push(took);
      if (at.scrollTop <= 0) seen.stopped += took;
      before = now;
      if (seen.frames) requestAnimationFrame(look);
    });
  };
"""

Found = dict[str, float]
Samples = dict[str, dict[str, dict[int, list[float]]]]
"""By what, contestant and number of messages."""


@dataclass(frozen=True, slots=True)
class Contestant:
    name: str
    address: Callable[[int], str]
    """Of a chat with so many messages, which is opened for the first time."""


# --- contestants


def turn(number: int) -> list[Event]:
    """What a turn leaves in the log, its pieces among it."""
    place: dict[str, Any] = {"turn": number, "round": 1}
    asked = {"id": f"m{number}", "role": "user", "text": question(number)}
    text = answer(number)
    said = {"id": f"t{number}r1", "role": "assistant", "text": text, "stop": "end"}
    begin = {"trigger": "message", "message": f"m{number}"}
    return [
        Event(kind="turn-start", payload=begin, turn=number),
        Event(kind="message", payload=asked, turn=number),
        *(Event(kind="text-delta", payload={"text": piece}, **place) for piece in pieces(text)),
        Event(kind="message", payload=said, **place),
        Event(kind="turn-end", payload={"status": "completed"}, turn=number),
    ]


async def write(url: str, sizes: list[int]) -> None:
    """Sessions of so many messages."""
    store = open_store(url)
    for size in sizes:
        writer = await store.open(SessionKey("bench", f"s{size}"), owner=None)
        for number in range(1, size // 2 + 1):
            writer.append(*turn(number))
            if number % 50 == 0:
                await writer.flush()
        await writer.close()
    await store.close()


@contextlib.contextmanager
def own(sizes: list[int]) -> Iterator[Contestant]:
    """`litro serve` with a page."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        agent = root / "agents/bench"
        agent.mkdir(parents=True)
        (agent / "agent.py").write_text(AGENT)
        (root / "app.py").write_text(APP)
        (root / "pyproject.toml").write_text(PYPROJECT)
        url = f"file:{root / 'logs'}"
        asyncio.run(write(url, sizes))
        command = ["-m", "litro", "serve", "--project", folder, "--port", "0", "--sessions", url]
        server = start(command, {"PYTHONPATH": f"{SOURCE}{os.pathsep}{BENCH}"})
        try:
            base = f"http://127.0.0.1:{port_of(server)}/"
            yield Contestant("litro", lambda size: f"{base}#{fork(base, size)}")
        finally:
            server.terminate()
            server.wait(20)


IDS = itertools.count(1)


def fork(base: str, size: int) -> str:
    """A session that begins as the one of this size, so that no round finds what another one said."""
    headers = {"x-litro-agent": "1", "content-type": "application/json"}
    session = f"s{size}-{next(IDS)}"
    at = f"{base}__litro/agent/bench/"
    body = json.dumps({"session": session}).encode()
    request = urllib.request.Request(f"{at}s{size}/fork", body, headers)
    urllib.request.urlopen(request).close()
    return session


@contextlib.contextmanager
def gradio(sizes: list[int]) -> Iterator[Contestant]:
    """Its own server, as its own launcher starts it."""
    if not (HOME / "ready").exists():
        print(f"making {HOME.name} for {GRADIO}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
        subprocess.run([HOME / "bin/python", "-m", "pip", "install", "-q", GRADIO], check=True)
        (HOME / "ready").touch()
    command = [HOME / "bin/python", HERE / "rivals/gradio_chat.py", *map(str, sizes)]
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "INTERVAL": str(INTERVAL)}
        server = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            ports = dict(zip(sizes, json.loads(server.stdout.readline()), strict=True))
            yield Contestant("gradio", lambda size: f"http://127.0.0.1:{ports[size]}/")
        finally:
            server.terminate()
            server.wait(20)


# --- the run


def metrics(devtools: CDPSession) -> Found:
    """Seconds of the main thread since the page's beginning, by what it did."""
    found = devtools.send("Performance.getMetrics")["metrics"]
    return {item["name"]: item["value"] for item in found}


def opened(page: Page, address: str, size: int) -> float:
    page.add_init_script(
        f"{WATCH}\nuntil('opened', {json.dumps(last_words(size // 2))}, 'bottom');"
    )
    page.goto(address, wait_until="commit")
    page.wait_for_function("seen.opened", polling=100, timeout=120_000)
    return page.evaluate("seen.opened")


def open_first(page: Page, devtools: CDPSession, address: str, size: int) -> Found:
    """Everything is loaded anew."""
    loaded: list[float] = []
    devtools.on("Network.dataReceived", lambda of: loaded.append(of["encodedDataLength"]))
    found = {"opened, ms": opened(page, address, size)}
    found["its main thread, ms"] = metrics(devtools)["TaskDuration"] * 1e3
    page.wait_for_timeout(1000)  # What comes late is not to be part of what follows.
    found["loaded, KB"] = sum(loaded) / 1e3
    devtools.send("HeapProfiler.collectGarbage")
    found["heap, MB"] = devtools.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    found["nodes"] = devtools.send("Memory.getDOMCounters")["nodes"]
    return found


def scroll(page: Page, devtools: CDPSession) -> Found:
    """Up, from the end."""
    height = VIEWPORT["height"]
    place = {"x": VIEWPORT["width"] // 2, "y": height // 2}
    before = metrics(devtools)
    page.evaluate("count()")
    gesture = {"yDistance": SCREENS * height, "speed": SPEED, "gestureSourceType": "mouse"}
    devtools.send("Input.synthesizeScrollGesture", {**place, **gesture})
    after = metrics(devtools)
    seen = page.evaluate("({ ...seen, frames: seen.frames.slice(1), ended: (seen.frames = null) })")
    used = after["TaskDuration"] - before["TaskDuration"]
    return {
        "scroll: median frame, ms": statistics.median(seen["frames"]),
        "scroll: frames over 50 ms": sum(took > 50 for took in seen["frames"]),
        "scroll: longest frame, ms": max(seen["frames"]),
        "scroll: held up, ms": seen["stopped"],
        "scroll: main thread, ms a screen": used * 1e3 / SCREENS,
    }


def stream(page: Page, devtools: CDPSession, *, parts: bool) -> Found:
    """One turn, said in the chat: all of it, or as much as there is time for."""
    page.locator("textarea").last.fill(f"say {PIECES}")
    page.evaluate("words => until('begun', words, false)", f"{BEGUN}.")
    page.evaluate("seen.slow = []")
    before, begun, said = metrics(devtools), time.perf_counter(), 0
    page.keyboard.press("Enter")
    # A page that is busy answers late, so that only the whole can be measured, from before the key.
    while said < PIECES and time.perf_counter() < begun + LONGEST:
        page.wait_for_timeout(100)
        said = page.evaluate("seen.begun ? shown() : 0")
    after, took = metrics(devtools), time.perf_counter() - begun
    if said < SAID_AT_LEAST:
        print(f"chat: only {said} pieces in {LONGEST} s", file=sys.stderr)
    used = {name: (after[name] - value) * 1e3 / max(said, 1) for name, value in before.items()}
    slow = page.evaluate("seen.slow")
    found = {
        "said: first word, ms": page.evaluate("seen.begun ?? NaN"),
        "said: main thread, ms a piece": used["TaskDuration"],
        "said: pieces a second": said / took,
        "said: frames over 50 ms, a second": len(slow) / took,
    }
    for name in ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration") if parts else ():
        found[f"said: {name[:-8].lower()}, ms a piece"] = used[name]
    return found


def visit(browser: Browser, contestant: Contestant, size: int, *, parts: bool) -> Found:
    """One chat in a context, and so a process, of its own."""
    address = contestant.address(size)
    with browser.new_context(viewport=VIEWPORT) as context:
        page = context.new_page()
        devtools = context.new_cdp_session(page)
        for domain in ("Network", "Runtime", "HeapProfiler"):
            devtools.send(f"{domain}.enable")
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        found = open_first(page, devtools, address, size)
        if size >= 200:
            found |= scroll(page, devtools)
        page.close()
        page = context.new_page()
        found["opened again, ms"] = opened(page, address, size)
        page.wait_for_timeout(1000)
        devtools = context.new_cdp_session(page)
        devtools.send("Performance.enable", {"timeDomain": "threadTicks"})
        return found | stream(page, devtools, parts=parts)


def measure(
    contestants: list[Contestant], sizes: list[int], rounds: int, *, parts: bool
) -> Samples:
    """They take turns."""
    samples: Samples = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    flags = [*CHROMIUM["FLAGS"], "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    with sync_playwright() as playwright:
        path = CHROMIUM["find_chromium"]()
        assert path, CHROMIUM["INSTALL"]
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        print(f"Chromium {browser.version}, {os.cpu_count()} cores, {rounds} rounds", flush=True)
        for turn in range(rounds):
            for size in sizes:
                for contestant in contestants[turn % 2 :] + contestants[: turn % 2]:
                    begun = time.perf_counter()
                    found = visit(browser, contestant, size, parts=parts)
                    for what, value in found.items():
                        samples[what][contestant.name][size].append(value)
                    took = f"{contestant.name} {size}: {time.perf_counter() - begun:.0f} s"
                    all_of = {what: round(value, 2) for what, value in found.items()}
                    print(took, all_of if parts else "", file=sys.stderr, flush=True)
        browser.close()
    return samples


def tell(samples: Samples, names: list[str], sizes: list[int]) -> None:
    heads = [f"{name} {size:,}" for name in names for size in sizes]
    print(f"  {'':34}" + "".join(f"{head:>14}" for head in heads) + f"{'ratio':>8}")
    for what, of in samples.items():
        row = [statistics.median(of[n][s]) if of[n][s] else None for n in names for s in sizes]
        cells = "".join(f"{'' if it is None else f'{it:.1f}':>14}" for it in row)
        own, other = row[len(sizes) - 1], row[-1]
        ratio = f"{own / other:8.2f}" if own is not None and other and len(names) > 1 else ""
        print(f"  {what:34}{cells}{ratio}")
    print(f"  ratio: {names[0]} to {names[-1]}, {sizes[-1]:,} messages each")
    print("  wanted: opened in less than 1,000 ms; no frames over 50 ms; a piece costs the same")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="three rounds")
    parser.add_argument("--rounds", type=int, help="how often each chat is visited")
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="numbers of messages")
    parser.add_argument("--only", choices=["litro", "gradio"], help="one of them")
    parser.add_argument("--parts", action="store_true", help="what the main thread does a piece")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    before = pressure()
    with contextlib.ExitStack() as stack:
        makers = {"litro": own, "gradio": gradio}
        names = [options.only] if options.only else list(makers)
        contestants = [stack.enter_context(makers[name](sizes)) for name in names]
        rounds = options.rounds or (3 if options.quick else 7)
        samples = measure(contestants, sizes, rounds, parts=options.parts)
    tell(samples, names, sizes)
    print(f"  CPU pressure {before:.0f} % before, {pressure():.0f} % after")


if __name__ == "__main__":
    main()
