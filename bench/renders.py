"""A campaign: many renders, memory flat. It counts what the server and its engine process hold, and what cannot grow for ever.

.venv/bin/python bench/renders.py [RENDERS]
"""

import asyncio
import gc
import os
import statistics
import sys
import tempfile
from pathlib import Path

import render
from conditions import resident

TENTH = 10
ALLOWED = 8_000_000
"""Bytes that memory may be larger by, at the end of the second half: an allocator's and V8's own ups and downs."""


async def campaign(renders: int) -> list[tuple[int, int]]:
    """The private memory of the server and of its engine process, after each tenth."""
    held: list[tuple[int, int]] = []
    with tempfile.TemporaryDirectory() as name:
        project = render.project_in(Path(name))
        async with render.litro(project, 1) as (rendering, components):
            pool = (await components.generation()).pool
            for tenth in range(TENTH):
                tables = renders // TENTH // 20
                await render.through_ui(rendering, "card", renders // TENTH - tables)
                await render.through_ui(rendering, "table", tables)
                gc.collect()
                # One that has been replaced, as all are after so many, begins anew.
                await pool.ready()
                (engine,) = pool.pids
                held.append((resident(os.getpid()), resident(engine)))
                print(f"{(tenth + 1) * renders // TENTH:7} renders: server {held[-1][0] / 1e6:6.1f} MB, engine {held[-1][1] / 1e6:6.1f} MB")  # fmt: skip
    return held


def grown(held: list[int]) -> int:
    """Bytes that the second half holds more than the first one, of which the beginning is left out."""
    half = len(held) // 2
    return round(statistics.median(held[half:]) - statistics.median(held[1:half]))


def main(renders: int) -> int:
    held = asyncio.run(campaign(renders))
    for who, values in zip(("server", "engine"), zip(*held, strict=True), strict=True):
        more = grown(list(values))
        if more > ALLOWED:
            print(f"{who}: {more / 1e6:.1f} MB more in the second half of {renders} renders")
            return 1
    print(f"{renders} renders: memory flat")
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
