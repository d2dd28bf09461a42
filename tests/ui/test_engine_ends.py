"""No engine process outlives its server, however that ends, and none is told of when it ends."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest

from ui.engines import behaves, component, is_running

SERVER = """
import asyncio, sys
from pathlib import Path
from ui.engines import children_of, element, load, node
from litro.ui.engine import Pool
import os

async def main(how):
    module = {"name": "card", "file": sys.argv[2]}
    pool = Pool(node, size=1, setup=load(module), reads=[Path(sys.argv[2]).parent])
    await pool.ready()
    print(*children_of(os.getpid()), flush=True)
    if how == "forgotten":
        return
    try:
        if how == "idle":
            await asyncio.sleep(100)
        elif how in ("busy", "cancelled"):
            if how == "cancelled":
                asyncio.get_running_loop().call_later(0.1, asyncio.current_task().cancel)
            await pool.request(element("demo-bad"), timeout=100)
    finally:
        await pool.close()

if sys.argv[3] == "uvloop":
    import uvloop
    uvloop.run(main(sys.argv[1]))
else:
    asyncio.run(main(sys.argv[1]))
"""


def _server(folder: Path, how: str, loop: str = "asyncio") -> "subprocess.Popen[str]":
    module = component(folder, behaves("for (;;) {}"))["file"]
    environ = {**os.environ, "PYTHONPATH": "tests"}
    command = [sys.executable, "-W", "error", "-c", SERVER, how, module, loop]
    return subprocess.Popen(command, stdout=-1, stderr=-1, text=True, env=environ)


async def _is_gone(pid: int) -> None:
    with anyio.fail_after(5):
        while is_running(pid):
            await asyncio.sleep(0.02)


@pytest.mark.parametrize("how", ["idle", "busy"])
async def test_a_server_that_is_killed_leaves_no_process(tmp_path: Path, how: str) -> None:
    server = _server(tmp_path, how)
    assert server.stdout is not None
    pid = int(await asyncio.to_thread(server.stdout.readline))
    await asyncio.sleep(0.2)
    assert is_running(pid)
    server.send_signal(signal.SIGKILL)
    await asyncio.to_thread(server.communicate)
    await _is_gone(pid)


@pytest.mark.parametrize(
    ("how", "loop"),
    [
        ("closed", "asyncio"),
        ("closed", "uvloop"),
        ("cancelled", "asyncio"),
        ("forgotten", "asyncio"),
    ],
)
async def test_a_server_that_ends_says_nothing(tmp_path: Path, how: str, loop: str) -> None:
    server = _server(tmp_path, how, loop)
    try:
        said, errors = await asyncio.to_thread(server.communicate, timeout=30)
    finally:
        server.kill()
    await _is_gone(int(said))
    if how == "cancelled":
        assert errors.strip().endswith("CancelledError")
        assert "ignored" not in errors
    else:
        assert errors == ""
