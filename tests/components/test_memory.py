"""What rendering leaves behind: nothing. `scripts/soak renders` is the long form."""

import asyncio
import os
from pathlib import Path

import pytest

from components.projects import CARD, components_of, html_of, write
from ui.engines import children_of

RENDERS = 1500
MORE = 12_000_000
"""Bytes that V8's heap may go up and down by. 500 tables left behind would hold more than twice that."""

TABLE = CARD.replace(
    "this.city}", "Array.from({ length: 200 }, (_, row) => html`<tr>${row} ${this.city}</tr>`)}"
)


def private(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_Dirty:"))


async def test_rendering_leaves_no_memory_no_task_and_no_process_behind(tmp_path: Path) -> None:
    if not Path("/proc/self/smaps_rollup").exists():
        pytest.skip("the system does not tell what a process holds")
    before, tasks = children_of(os.getpid()), asyncio.all_tasks()
    async with components_of(write(tmp_path, {"card.js": TABLE})) as components:
        generation = await components.generation()
        held: list[int] = []
        for _ in range(3):
            for _ in range(RENDERS // 3):
                await html_of(generation, "demo-card")
            (engine,) = generation.pool.pids
            held.append(private(engine))
        assert held[2] - held[1] < MORE
        assert children_of(os.getpid()) - before == {engine}
        assert asyncio.all_tasks() == tasks
