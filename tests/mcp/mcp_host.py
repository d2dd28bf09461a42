"""A host: it starts `litro mcp serve` as hosts do, and reads the raw bytes of the pipe."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

AGENT = 'from litro import Agent\nagent = Agent("openai:gpt-5")\n'
ENDS_WITHIN = 5
"""Seconds that the process is waited for. It has two; machines are busy."""

_OURS = ("LITRO_", "LLM_", "OPENAI_", "ANTHROPIC_")


def write_project(folder: Path, tools: dict[str, str], agent: str = "demo") -> Path:
    home = folder / "agents" / agent
    (home / "tools").mkdir(parents=True)
    (home / "agent.py").write_text(AGENT)
    for name, text in tools.items():
        (home / "tools" / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    return {**kept, **more}


class Host:
    """The other end of the pipe."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self._log = ""
        self._ids = iter(range(1, 10**6))

    def write(self, line: bytes) -> None:
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        self.write(orjson.dumps({"jsonrpc": "2.0", **message}))

    def read(self) -> dict[str, Any]:
        """The next line, which has to be a message."""
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), (line, self.stderr)
        message = orjson.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def ask(self, method: str, params: dict[str, Any] | None = None) -> int:
        number = next(self._ids)
        self.send({"id": number, "method": method, "params": params or {}})
        return number

    def answer(self, number: int) -> dict[str, Any]:
        while (message := self.read()).get("id") != number:
            pass
        return message

    def request(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return self.answer(self.ask(method, params))

    def initialize(self, version: str = "2025-11-25") -> dict[str, Any]:
        client = {"name": "host", "version": "1"}
        params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
        answer = self.request("initialize", params)
        self.send({"method": "notifications/initialized"})
        return answer["result"]

    def start(self, tool: str, **arguments: Any) -> int:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.answer(self.start(tool, **arguments))

    def until(self, text: str) -> None:
        """Wait until it is on stderr."""
        while text not in self._log:
            line = self.process.stderr.readline()
            assert line, self._log
            self._log += line.decode()

    @property
    def stderr(self) -> str:
        """All of it, once the process has ended."""
        self._log += self.process.stderr.read().decode()
        return self._log

    def ended(self, within: float = ENDS_WITHIN) -> int:
        return self.process.wait(within)


@contextlib.contextmanager
def serving(project: Path, *arguments: str, env: dict[str, str] | None = None) -> Iterator[Host]:
    command = [
        sys.executable, "-P", "-m", "litro", "mcp", "serve", "--project", str(project), *arguments,
    ]  # fmt: skip
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd="/",
        env=env or environment(),
    )
    try:
        yield Host(process)
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            with contextlib.suppress(OSError):
                pipe.close()
