"""However the host ends it, and whatever a tool is doing, the process is gone within two seconds."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from mcp_host import ENDS_WITHIN, Host, environment, serving, write_project

TOOLS = {
    "sleeps": "@tool\ndef sleeps():\n    'Blocks its thread.'\n    begin()\n    time.sleep(60)\n",
    "spins": "@tool\ndef spins():\n    'Uses its thread up.'\n    begin()\n    while True:\n        pass\n",
    "blocks-loop": "@tool\nasync def blocks():\n    'Blocks everything.'\n    begin()\n    time.sleep(60)\n",
    "spins-loop": "@tool\nasync def spins():\n    'Uses everything up.'\n    begin()\n    while True:\n        pass\n",
    "computes": "@tool\nasync def computes():\n    'Native code in the main thread.'\n    threading.Timer(0.3, begin).start()\n"
    "    hashlib.pbkdf2_hmac('sha256', b'a', b'b', 10**9)\n",
    "ignores": """@tool
async def ignores():
    'Will not be cancelled.'
    begin()
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            pass
""",
    "holds-thread": """@tool
def holds():
    'Leaves a thread that Python waits for at exit.'
    threading.Thread(target=time.sleep, args=(60,)).start()
    begin()
    time.sleep(60)
""",
}
HEAD = """import asyncio, hashlib, os, threading, time
from litro import tool

def begin():
    os.write(2, b"it runs\\n")

"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tools = {name: HEAD + text for name, text in TOOLS.items()}
    return write_project(tmp_path_factory.mktemp("ending") / "shop", tools)


def eof(host: Host) -> None:
    host.process.stdin.close()


def closed_stdout(host: Host) -> None:
    host.process.stdout.close()


def interrupt(host: Host) -> None:
    host.process.send_signal(signal.SIGINT)


def terminate(host: Host) -> None:
    host.process.send_signal(signal.SIGTERM)


ENDINGS = {eof: 0, closed_stdout: 0, interrupt: 130, terminate: 0}


@pytest.mark.parametrize(
    ("end", "tool"),
    [
        *((end, None) for end in ENDINGS),
        *((eof, tool) for tool in TOOLS),
        (terminate, "sleeps"),
        (terminate, "spins-loop"),
        (terminate, "ignores"),
        (interrupt, "computes"),
        (closed_stdout, "spins-loop"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_it_ends_whatever_a_tool_is_doing(
    project: Path, end: Callable[[Host], None], tool: str | None
):
    with serving(project) as host:
        host.initialize()
        if tool is not None:
            host.start(tool)
            host.until("it runs")
        end(host)
        assert host.ended() == ENDINGS[end], host.stderr
        assert "Traceback" not in host.stderr


@pytest.mark.parametrize("end", [eof, interrupt], ids=lambda end: end.__name__)
def test_it_ends_while_a_module_never_finishes_to_import(
    tmp_path: Path, end: Callable[[Host], None]
):
    stuck = f"{HEAD}begin()\ntime.sleep(60)\n"
    with serving(write_project(tmp_path / "shop", {"stuck": stuck})) as host:
        host.until("it runs")
        end(host)
        assert host.ended() == ENDINGS[end], host.stderr


def test_it_ends_with_its_parent_though_the_pipe_stays_open(project: Path):
    """The host dies, and what it started besides keeps its ends of the pipes."""
    command = [sys.executable, "-P", "-m", "litro", "mcp", "serve", "--project", str(project)]
    parent = f"import subprocess\nchild = subprocess.Popen({command!r})\nchild.wait()\n"
    process = subprocess.Popen(
        [sys.executable, "-c", parent],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    with process:
        while b"[litro mcp] agent" not in process.stderr.readline():
            pass
        process.kill()
        # Nobody else has its stderr, so that it ends with it is seen here.
        assert process.stderr.read() == b""


def test_it_ends_though_the_host_reads_nothing_of_what_is_written(tmp_path: Path):
    much = f"{HEAD}@tool\nasync def much():\n    'M.'\n    begin()\n    return 'x' * 900_000\n"
    with serving(write_project(tmp_path / "shop", {"much": much})) as host:
        host.initialize()
        for _ in range(4):
            host.start("much")
        host.until("it runs\n" * 4)
        terminate(host)
        assert host.ended() == 0


def test_signals_that_a_module_took_are_taken_back(tmp_path: Path):
    taken = f"{HEAD}import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n@tool\ndef taken():\n    'T.'\n"
    with serving(write_project(tmp_path / "shop", {"taken": taken})) as host:
        host.initialize()
        terminate(host)
        assert host.ended() == 0


def test_async_tools_and_the_lifespan_leave_in_order(tmp_path: Path):
    patient = (
        f"{HEAD}@tool\nasync def patient():\n    'P.'\n    begin()\n"
        "    try:\n        await asyncio.sleep(60)\n    finally:\n        print('tool left')\n"
    )
    project = write_project(tmp_path / "shop", {"patient": patient})
    (project / "agents/_config.py").write_text(
        "import contextlib\nfrom litro import Config\n"
        "@contextlib.asynccontextmanager\nasync def life():\n    yield 'state'\n    print('life left')\n"
        "config = Config(lifespan=life)\n"
    )
    for end in (terminate, eof):
        with serving(project) as host:
            host.initialize()
            host.start("patient")
            host.until("it runs")
            end(host)
            assert host.ended() == 0
            assert "tool left\nlife left\n" in host.stderr


def test_calls_that_run_when_the_host_has_no_more_to_say_are_answered(tmp_path: Path):
    """As from a script: `litro mcp serve < requests`."""
    soon = (
        f"{HEAD}@tool\nasync def soon():\n    'S.'\n    await asyncio.sleep(0.2)\n    return 'ok'\n"
    )
    client = {"name": "script", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    asked = [("initialize", hello), ("tools/call", {"name": "soon"})]
    lines = [
        orjson.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(asked)
    ]
    with serving(write_project(tmp_path / "shop", {"soon": soon})) as host:
        out, _ = host.process.communicate(b"\n".join(lines), timeout=ENDS_WITHIN + 30)
        assert host.process.returncode == 0
        assert b'"ok' in out
        assert b"Connection closed" not in out
