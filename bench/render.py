"""Components: what one costs through the whole path that a tool's result takes, and how far that scales.

In one run, taking turns: a card and a table of 200 rows through `Rendering.payload` (template, renderer, engine, payload), the same
two in a bare Node process that calls `@lit-labs/ssr` in a loop, and the same card by Jinja2. Then tables through one engine process and
through two. Ratios within the run count, not its milliseconds.

    .venv/bin/python bench/render.py [--quick]
"""

import argparse
import asyncio
import contextlib
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import jinja2
import orjson
import uvloop
from conditions import cpu_of, pressure

from litro.components import Components
from litro.components.rendering import Renderer
from litro.turn.render import Rendering
from litro.turn.threads import ToolThreads
from litro.turn.tools import Answer
from litro.ui import element, ui
from litro.ui.engine import find_node
from litro.ui.engine.sidecar import VENDOR

HERE = Path(__file__).parent
CARD = """
import { LitElement, css, html } from "lit";
class BenchCard extends LitElement {
  static properties = { city: {}, tempC: { type: Number }, summary: {} };
  static styles = css`:host { display: block; border: 1px solid } h3 { margin: 0 }`;
  render() { return html`<h3>${this.city}</h3><p>${Math.round(this.tempC * 9 / 5 + 32)} °F, ${this.summary}</p>`; }
}
customElements.define("bench-card", BenchCard);
"""
TABLE = """
import { LitElement, html } from "lit";
class BenchTable extends LitElement {
  static properties = { caption: {}, rows: { attribute: false } };
  render() {
    return html`<table><caption>${this.caption}</caption><tbody>${(this.rows ?? []).map(
      (row) => html`<tr class=${row.up ? "up" : "down"}><td>${row.id}</td><td>${row.name}</td><td>${row.price}</td></tr>`,
    )}</tbody></table>`;
  }
}
customElements.define("bench-table", BenchTable);
"""
JINJA = """<bench-card><template shadowroot="open" shadowrootmode="open"><style>:host { display: block; border: 1px solid } h3 { margin: 0 }</style><h3>{{ city }}</h3><p>{{ (tempC * 9 / 5 + 32) | round | int }} °F, {{ summary }}</p></template></bench-card>"""
ROWS = [{"id": n, "name": f"Part <{n}>", "price": n * 1.25, "up": n % 3 > 0} for n in range(200)]

Batch = Callable[[str, int], Awaitable[list[float]]]
Taken = dict[tuple[str, str], list[float]]


def card(n: int) -> Answer:
    data = {"city": "Lisbon", "temp_c": 21.5}
    shown = ui(
        element("bench-card", city=f"Lisbon {n}", tempC=21.5, summary="mild & dry"), data=data
    )
    return Answer(data=data, shown=shown)


def table(n: int) -> Answer:
    return Answer(
        data={"rows": 200},
        shown=ui(element("bench-table", caption=f"Prices {n}", rows=ROWS), data={"rows": 200}),
    )


MAKE = {"card": card, "table": table}


def project_in(folder: Path) -> Path:
    """A project with the two components."""
    project = folder.resolve()
    (project / "components").mkdir()
    (project / "components/card.js").write_text(CARD)
    (project / "components/table.js").write_text(TABLE)
    return project


@contextlib.asynccontextmanager
async def litro(project: Path, processes: int) -> AsyncIterator[tuple[Rendering, Components]]:
    """The path from a tool's result to its payload, with so many engine processes."""
    components = Components(project, node=None, processes=processes, development=False)
    renderer = Renderer(components, lambda: "lit")
    try:
        yield Rendering(ToolThreads(4), renderer, development=False), components
    finally:
        await components.close()


async def through_ui(rendering: Rendering, name: str, count: int) -> list[float]:
    taken: list[float] = []
    for n in range(count):
        begin = time.perf_counter()
        payload = await rendering.payload(MAKE[name](n), name=name)
        taken.append((time.perf_counter() - begin) * 1e3)
        assert isinstance(payload, dict), payload
    return taken


class Bare:
    """Node alone."""

    def __init__(self, node: Path, folder: Path, files: list[str]) -> None:
        rows = folder / "rows.json"
        rows.write_bytes(orjson.dumps(ROWS))
        command = [node, HERE / "bare_ssr.mjs", VENDOR, orjson.dumps(files).decode(), rows]
        self._process = subprocess.Popen(command, stdin=-1, stdout=-1, text=True)
        assert self._line() == "ready"

    @property
    def pid(self) -> int:
        return self._process.pid

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    async def batch(self, name: str, count: int) -> list[float]:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{name} {count}\n")
        self._process.stdin.flush()
        return orjson.loads(self._line())["taken"]

    def end(self) -> None:
        self._process.communicate()


def jinja() -> Batch:
    template = jinja2.Environment(autoescape=True).from_string(JINJA)

    async def batch(_name: str, count: int) -> list[float]:
        taken: list[float] = []
        for n in range(count):
            begin = time.perf_counter()
            template.render(city=f"Lisbon {n}", tempC=21.5, summary="mild & dry")
            taken.append((time.perf_counter() - begin) * 1e3)
        return taken

    return batch


def quantile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


async def latencies(
    rounds: int,
    contestants: dict[tuple[str, str], Batch],
    counts: dict[str, int],
    pids: dict[str, list[int]],
) -> tuple[Taken, dict[tuple[str, str], float]]:
    """Milliseconds of each render by contestant and what it renders, and of CPU. They take turns; the first round only warms up."""
    taken: Taken = {key: [] for key in contestants}
    used = dict.fromkeys(contestants, 0.0)
    for turn in range(rounds + 1):
        for (who, name), batch in contestants.items():
            before = sum(map(cpu_of, pids[who]))
            found = await batch(name, counts[name])
            if turn:
                taken[who, name] += found
                used[who, name] += sum(map(cpu_of, pids[who])) - before
    return taken, {key: 1e3 * cpu / len(taken[key]) for key, cpu in used.items()}


async def throughput(rendering: Rendering, seconds: float, at_once: int) -> float:
    """Tables a second, with so many asked for at once."""
    end = time.perf_counter() + seconds
    done = 0

    async def ask() -> None:
        nonlocal done
        while time.perf_counter() < end:
            payload = await rendering.payload(table(done), name="table")
            assert isinstance(payload, dict), payload
            done += 1

    begin = time.perf_counter()
    await asyncio.gather(*(ask() for _ in range(at_once)))
    return done / (time.perf_counter() - begin)


def told(taken: Taken, cpu: dict[tuple[str, str], float]) -> None:
    print(f"{'':22}{'p50 ms':>10}{'p99 ms':>10}{'CPU ms':>10}")
    for (who, name), values in taken.items():
        print(
            f"{name:6} {who:15}{quantile(values, 0.5):10.3f}{quantile(values, 0.99):10.3f}{cpu[who, name]:10.3f}"
        )
    p50 = {key: quantile(values, 0.5) for key, values in taken.items()}
    for name, others, wanted in (
        ("card", ("node", "jinja2"), f"p50 {p50['ui()', 'card']:.3f} ms (wanted: at most 0.3)"),
        ("table", ("node",), "wanted: at most 1.5 times Node's own p50"),
    ):
        ratios = ", ".join(
            f"{p50['ui()', name] / p50[who, name]:.2f} times {who}'s p50 and {cpu['ui()', name] / cpu[who, name]:.2f} its CPU"
            for who in others
        )
        print(f"{name}: {ratios}; {wanted}")


async def main(*, quick: bool) -> None:
    rounds, span = (5, 1.0) if quick else (20, 3.0)
    counts = {"card": 200, "table": 20}
    with tempfile.TemporaryDirectory() as name:
        project = project_in(Path(name))
        async with litro(project, 1) as (one, components), litro(project, 2) as (two, _):
            built = (await components.generation()).build
            files = [str(built.folder / "server" / file) for file in built.server.values()]
            node = find_node(None)
            bare = Bare(node.path, project, files)
            print(
                f"Node {node.version[0]}.{node.version[1]}, {os.cpu_count()} cores, pressure {pressure():.0f} %"
            )

            async def ours(name: str, count: int) -> list[float]:
                return await through_ui(one, name, count)

            contestants: dict[tuple[str, str], Batch] = {
                ("ui()", "card"): ours,
                ("node", "card"): bare.batch,
                ("jinja2", "card"): jinja(),
                ("ui()", "table"): ours,
                ("node", "table"): bare.batch,
            }
            pool = (await components.generation()).pool
            pids = {
                "ui()": [os.getpid(), *pool.pids],
                "node": [bare.pid],
                "jinja2": [os.getpid()],
            }
            told(*await latencies(rounds, contestants, counts, pids))
            for rendering in (one, two):
                await throughput(rendering, 0.5, 4)
            pairs = [
                (await throughput(one, span, 4), await throughput(two, span, 4)) for _ in range(3)
            ]
            ratio = statistics.median(b / a for a, b in pairs)
            print(
                f"tables a second: {statistics.median(a for a, _ in pairs):.0f} with one engine process, "
                f"{statistics.median(b for _, b in pairs):.0f} with two: {ratio:.2f} times (wanted: at least 1.7)"
            )
            print(f"pressure {pressure():.0f} %")
            bare.end()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="in half a minute")
    # As `litro serve` runs.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(quick=parser.parse_args().quick))
