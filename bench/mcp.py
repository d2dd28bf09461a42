"""MCP: what a host waits for, from Litro, from a bare server on the official SDK, and from FastMCP, with the same 20 tools.

In one run, taking turns, each round starts each server anew: the time from launch to the answer of `tools/list`, the latency of a list
and of a call, calls a second with 16 in flight, and memory, over stdio and over HTTP (SSE, no sessions), in both eras. Medians of the
rounds, and ratios to the bare SDK. The host is this file: bytes in, bytes out, so that no SDK of a client is measured.

    .venv/bin/python bench/mcp.py [--quick] [--rounds N]

FastMCP has an environment of its own, .venv-bench, which the first run makes. Nobody imports this file: it would be taken for the SDK.
"""

import argparse
import asyncio
import contextlib
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
from conditions import pressure, resident

HERE = Path(__file__).parent.absolute()
RIVALS = HERE / "rivals"
VENV = HERE.parent / ".venv-bench"
FASTMCP = ("fastmcp==4.2.3", "uvloop", "httptools")
MODERN = "2026-07-28"
ERAS = ("2025-11-25", MODERN)
IN_FLIGHT = 16
TOOL = '''from litro import tool


@tool
async def {name}(city: str, days: int = 1):
    """The weather in a city.

    Args:
        city: Where.
        days: How many.
    """
    return {{"city": city, "days": days, "temp_c": 21.5}}
'''
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALL = {"name": "tool_07", "arguments": {"city": "Lisbon", "days": 3}}

Samples = dict[tuple[str, str], dict[str, list[float]]]
"""By row and unit, then by contestant."""


def message(era: str, number: int, method: str, params: dict[str, Any] | None = None) -> bytes:
    given: dict[str, Any] = dict(params or {})
    if era == MODERN:
        given["_meta"] = META
    return orjson.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": given})


def checked(answer: dict[str, Any]) -> dict[str, Any]:
    """A benchmark of errors would be fast."""
    result = answer.get("result")
    assert isinstance(result, dict), answer
    assert not result.get("isError"), answer
    return answer


# --- contestants


def project_in(folder: Path) -> Path:
    tools = folder / "agents" / "bench" / "tools"
    tools.mkdir(parents=True)
    (tools.parent / "agent.py").write_text(
        'from litro import Agent\n\nagent = Agent("openai:gpt-5")\n'
    )
    for number in range(20):
        (tools / f"tool_{number:02}.py").write_text(TOOL.format(name=f"tool_{number:02}"))
    return folder


def fastmcp_python() -> str:
    python = VENV / "bin/python"
    if not (VENV / "ready").exists():
        print(f"making {VENV.name} for {FASTMCP[0]}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *FASTMCP], check=True)
        (VENV / "ready").touch()
    return str(python)


def commands(project: Path) -> dict[str, Callable[[int | None], list[str]]]:
    """How each is started: over stdio, or on a port."""

    def litro(port: int | None) -> list[str]:
        start = [sys.executable, "-P", "-m", "litro"]
        if port is None:
            return [*start, "mcp", "serve", "--project", str(project)]
        return [*start, "serve", "--project", str(project), "--port", str(port)]

    def rival(python: str, name: str) -> Callable[[int | None], list[str]]:
        return lambda port: [
            python,
            str(RIVALS / f"{name}.py"),
            *(["stdio"] if port is None else ["http", str(port)]),
        ]

    return {
        "sdk": rival(sys.executable, "bare"),
        "litro": litro,
        "fastmcp": rival(fastmcp_python(), "fast"),
    }


@contextlib.contextmanager
def process(command: list[str]) -> Iterator["subprocess.Popen[bytes]"]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("LITRO_")}
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=env | {"LITRO_MCP_LOCAL": "1"},
    ) as started:
        try:
            yield started
        finally:
            started.kill()


# --- stdio


class Pipe:
    """A host at its end of the pipe."""

    def __init__(self, process: "subprocess.Popen[bytes]", era: str) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin, self.stdout, self.era = process.stdin, process.stdout, era
        self.number = 0

    def send(self, method: str, params: dict[str, Any] | None = None) -> None:
        self.number += 1
        self.stdin.write(message(self.era, self.number, method, params) + b"\n")
        self.stdin.flush()

    def answer(self) -> dict[str, Any]:
        while True:
            answer = orjson.loads(self.stdout.readline())
            if "id" in answer:
                return checked(answer)

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.send(method, params)
        return self.answer()

    def open(self) -> None:
        if self.era != MODERN:
            client = {"name": "bench", "version": "1"}
            known = {"protocolVersion": self.era, "capabilities": {}, "clientInfo": client}
            self.ask("initialize", known)
            self.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            self.stdin.flush()


def over_stdio(command: list[str], era: str, calls: int) -> dict[tuple[str, str], float]:
    begin = time.perf_counter()
    with process(command) as started:
        pipe = Pipe(started, era)
        pipe.open()
        assert len(pipe.ask("tools/list")["result"]["tools"]) == 20
        found = {("start to tools/list", "ms"): (time.perf_counter() - begin) * 1e3}
        found["tools/list", "ms"] = latency(calls // 8, lambda: pipe.ask("tools/list"))
        found["tools/call", "ms"] = latency(calls // 4, lambda: pipe.ask("tools/call", CALL))
        found["calls, 16 in flight", "/s"] = calls / in_flight(pipe, calls)
        found["memory", "MB"] = resident(started.pid) / 1e6
        return found


def latency(times: int, ask: Callable[[], object]) -> float:
    taken: list[float] = []
    for _ in range(times):
        begin = time.perf_counter()
        ask()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken) * 1e3


def in_flight(pipe: Pipe, calls: int) -> float:
    """Seconds that so many calls take."""
    places = threading.Semaphore(IN_FLIGHT)

    def send() -> None:
        for _ in range(calls):
            places.acquire()
            pipe.send("tools/call", CALL)

    begin = time.perf_counter()
    sender = threading.Thread(target=send)
    sender.start()
    for _ in range(calls):
        pipe.answer()
        places.release()
    sender.join()
    return time.perf_counter() - begin


# --- HTTP


class Web:
    """A host on a connection that is kept."""

    def __init__(self, port: int, path: str, era: str) -> None:
        self.port, self.path, self.era = port, path, era

    async def open(self) -> "Web":
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        return self

    async def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        body = message(self.era, 1, method, params)
        named = ""
        if self.era == MODERN:
            named = f"mcp-method: {method}\r\n"
            named += f"mcp-name: {params['name']}\r\n" if params else ""
        self.writer.write(
            (
                f"POST {self.path} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\ncontent-type: application/json\r\n"
                f"accept: application/json, text/event-stream\r\nmcp-protocol-version: {self.era}\r\n{named}"
                f"content-length: {len(body)}\r\n\r\n"
            ).encode()
            + body
        )
        head = (await self.reader.readuntil(b"\r\n\r\n")).lower()
        assert head.startswith(b"http/1.1 200"), head
        content = await self._content(head)
        if b"text/event-stream" in head:
            lines = content.replace(b"\r\n", b"\n").split(b"\n")
            content = next(x[5:] for x in lines if x.startswith(b"data:") and b'"id"' in x)
        return checked(orjson.loads(content))

    async def _content(self, head: bytes) -> bytes:
        if b"\r\ncontent-length: " in head:
            length = int(head.partition(b"\r\ncontent-length: ")[2].partition(b"\r\n")[0])
            return await self.reader.readexactly(length)
        whole = b""
        while size := int(await self.reader.readline(), 16):
            whole += (await self.reader.readexactly(size + 2))[:-2]
        await self.reader.readline()
        return whole


async def web_rows(port: int, path: str, era: str, calls: int) -> dict[tuple[str, str], float]:
    hosts = [await Web(port, path, era).open() for _ in range(IN_FLIGHT)]
    found: dict[tuple[str, str], float] = {}
    for name, params, times in (("tools/list", None, calls // 8), ("tools/call", CALL, calls // 4)):
        taken: list[float] = []
        for _ in range(times):
            begin = time.perf_counter()
            await hosts[0].ask(name, params)
            taken.append(time.perf_counter() - begin)
        found[name, "ms"] = statistics.median(taken) * 1e3

    async def share(host: Web) -> None:
        for _ in range(calls // IN_FLIGHT):
            await host.ask("tools/call", CALL)

    begin = time.perf_counter()
    await asyncio.gather(*map(share, hosts))
    found["calls, 16 in flight", "/s"] = (
        calls // IN_FLIGHT * IN_FLIGHT / (time.perf_counter() - begin)
    )
    for host in hosts:
        host.writer.close()
    return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def over_http(
    start: Callable[[int | None], list[str]], path: str, era: str, calls: int
) -> dict[tuple[str, str], float]:
    port = free_port()
    begin = time.perf_counter()
    with process(start(port)) as started:
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            assert started.poll() is None, f"{start(port)} ended"
            time.sleep(0.005)

        async def run() -> dict[tuple[str, str], float]:
            host = await Web(port, path, era).open()
            assert len((await host.ask("tools/list"))["result"]["tools"]) == 20
            first = (time.perf_counter() - begin) * 1e3
            host.writer.close()
            rows = await web_rows(port, path, era, calls)
            return {("start to tools/list", "ms"): first, **rows}

        found = asyncio.run(run())
        return {**found, ("memory", "MB"): resident(started.pid) / 1e6}


# --- the run


def measure(rounds: int, calls: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        contestants = commands(project_in(Path(folder, "app")))
        names = list(contestants)
        for transport in ("stdio", "http"):
            for era in ERAS:
                samples: Samples = defaultdict(lambda: defaultdict(list))
                for turn in range(rounds):
                    for place in range(len(names)):
                        name = names[(turn + place) % len(names)]
                        start = contestants[name]
                        path = "/__litro/mcp/bench" if name == "litro" else "/mcp"
                        rows = (
                            over_stdio(start(None), era, calls)
                            if transport == "stdio"
                            else over_http(start, path, era, calls)
                        )
                        for row, value in rows.items():
                            samples[row][name].append(value)
                tell(f"{transport}, {era}", samples)


def tell(title: str, samples: Samples) -> None:
    print(f"\n{title} (CPU pressure {pressure():.0f} %)")
    print(f"  {'':24}{'sdk':>10}{'litro':>10}{'fastmcp':>10}   litro/sdk  fastmcp/sdk")
    for (row, unit), by_name in samples.items():
        sdk, litro, fastmcp = (
            statistics.median(by_name[name]) for name in ("sdk", "litro", "fastmcp")
        )
        digits = 0 if sdk > 100 else 2
        print(
            f"  {f'{row}, {unit}':24}{sdk:10.{digits}f}{litro:10.{digits}f}{fastmcp:10.{digits}f}"
            f"{litro / sdk:12.2f}{fastmcp / sdk:13.2f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a few rounds of few calls")
    parser.add_argument("--rounds", type=int, help="servers of each kind to start")
    options = parser.parse_args()
    rounds = options.rounds or (3 if options.quick else 9)
    measure(rounds, 800 if options.quick else 4000)


if __name__ == "__main__":
    main()
