"""Nothing but messages is on stdout, whatever the user's modules do."""

import sys
from pathlib import Path

import orjson
import pytest
from mcp_host import Host, environment, serving, write_project

import descriptors

HOSTILE = '''
import ctypes, logging, os, subprocess, sys, threading
from litro import tool

def noise(when):
    print(f"print-{when}")
    sys.stdout.write(f"write-{when}\\n")
    sys.__stdout__.write(f"dunder-{when}\\n")
    sys.stdout.buffer.write(f"buffer-{when}\\n".encode())
    sys.stdout.flush()
    os.write(1, f"fd-{when}\\n".encode())
    libc = ctypes.CDLL(None)
    libc.puts(f"puts-{when}".encode())
    libc.fflush(None)
    subprocess.run([sys.executable, "-c", f"print('child-{when}')"])
    os.system(f"echo system-{when}")
    logging.StreamHandler(sys.stdout).emit(logging.makeLogRecord({"msg": f"log-{when}"}))
    thread = threading.Thread(target=print, args=(f"thread-{when}",))
    thread.start()
    thread.join()

noise("import")

@tool
def sync() -> str:
    """Noisy."""
    noise("sync")
    return "done"
'''
ASYNC = HOSTILE.replace("def sync", "async def later").replace('noise("sync")', 'noise("async")')
READER = """
import subprocess, sys
from litro import tool

@tool
def read_stdin():
    "What a tool and its child find on stdin."
    child = subprocess.run(["cat"], capture_output=True).stdout.decode()
    return {"own": sys.stdin.read(), "child": child}
"""
FORKER = """
import os, time
from litro import tool

@tool
def fork():
    "Leaves a child behind."
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
    return "forked"
"""
KILLER = """
import multiprocessing, time
from litro import tool

@tool
def kill():
    "Ends a child of its own as multiprocessing does."
    child = multiprocessing.get_context("fork").Process(target=time.sleep, args=(60,))
    child.start()
    child.terminate()
    child.join(20)
    return {"exit": child.exitcode}
"""
NESTED = """
import os
from litro import tool

@tool
def nested():
    "A child whose child writes to a pipe, which has the numbers that the wire had."
    child = os.fork()
    if child == 0:
        inlet, outlet = os.pipe()
        if os.fork() == 0:
            os.write(outlet, b"x")
            os._exit(0)
        os.close(outlet)
        os._exit(7 if os.read(inlet, 1) == b"x" else 1)
    return {"exit": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}
"""
KINDS = (
    "print", "write", "dunder", "buffer", "fd", "puts", "child", "system", "log", "thread",
)  # fmt: skip


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    tools = {
        "sync": HOSTILE,
        "later": ASYNC,
        "read-stdin": READER,
        "fork": FORKER,
        "kill": KILLER,
        "nested": NESTED,
    }
    return write_project(tmp_path / "shop", tools)


def test_whatever_prints_goes_to_stderr(hostile: Path):
    with serving(hostile) as host:
        host.initialize()
        assert host.call("sync")["result"]["content"][0]["text"] == '"done"'
        assert host.call("later")["result"]["content"][0]["text"] == '"done"'
        host.process.stdin.close()
        assert host.process.stdout.read() == b""
        assert host.ended() == 0
        told = host.stderr
    for when in ("import", "sync", "async"):
        assert [kind for kind in KINDS if f"{kind}-{when}" not in told] == []


def test_a_tool_and_its_children_find_stdin_empty_and_take_no_message(hostile: Path):
    with serving(hostile) as host:
        host.initialize()
        reading = host.start("read-stdin")
        listing = host.ask("tools/list")
        answers = {message["id"]: message for message in (host.read(), host.read())}
        assert answers[reading]["result"]["structuredContent"] == {"own": "", "child": ""}
        assert len(answers[listing]["result"]["tools"]) == 6


def test_a_child_that_stays_behind_does_not_hold_the_pipe(hostile: Path):
    with serving(hostile) as host:
        host.initialize()
        host.call("fork")
        host.process.stdin.close()
        assert host.process.stdout.read() == b""
        assert host.ended() == 0


def test_forked_children_have_their_own_signals_and_descriptors(hostile: Path):
    with serving(hostile) as host:
        host.initialize()
        assert host.call("kill")["result"]["structuredContent"] == {"exit": -15}
        assert host.call("nested")["result"]["structuredContent"] == {"exit": 7}
        assert host.request("ping")["result"] == {}


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_text_is_utf_8_whatever_the_locale(tmp_path: Path, locale: str):
    echo = "from litro import tool\n@tool\ndef echo(text: str) -> str:\n  'E.'\n  print(text)\n  return text\n"
    project = write_project(tmp_path / "shop", {"echo": echo})
    env = environment(LC_ALL=locale, PYTHONIOENCODING="latin-1", PYTHONCOERCECLOCALE="0")
    with serving(project, env=env) as host:
        host.initialize()
        result = host.call("echo", text="Lisboa às 21 °C, 日本 🎉")["result"]
        assert orjson.loads(result["content"][0]["text"]) == "Lisboa às 21 °C, 日本 🎉"
        host.until("日本 🎉")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_port_is_opened_and_two_serve_side_by_side(hostile: Path):
    with serving(hostile) as one, serving(hostile) as other:
        for host in (one, other):
            host.initialize()
            assert inet_sockets(host) == set()


def inet_sockets(host: Host) -> set[str]:
    process = Path(f"/proc/{host.process.pid}")
    links = descriptors.links(host.process.pid)
    own = {link.removeprefix("socket:[").rstrip("]") for link in links if "socket:" in link}
    tables = (process / "net" / name for name in ("tcp", "tcp6", "udp", "udp6"))
    lines = [line.split() for table in tables for line in table.read_text().splitlines()[1:]]
    return own & {fields[9] for fields in lines}
