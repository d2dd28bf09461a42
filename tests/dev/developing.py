"""A project that is edited while it is served, the process that serves it, and requests to it."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2

LITRO = ("-m", "litro")

PATIENCE = 30.0
"""Seconds for what must come."""

AGENT = """
from litro import Agent
from litro.providers import call, scripted
from litro.providers.base import ResultsMessage

def script(request, turn):
    last = request.messages[-1]
    if isinstance(last, ResultsMessage):
        return ["Done."]
    return ["Looking. ", call("version", gate=last.text)]

agent = Agent(scripted(script))
"""
TOOL = '''
import asyncio
from pathlib import Path
from litro import tool
from ..._shared.words import WORD

GATES = Path(__file__).parents[3] / "gates"

@tool
async def version(gate: str):
    """Tell which version this is."""
    if gate.startswith("wait"):
        (GATES / f"{gate}.reached").touch()
        while not (GATES / gate).exists():
            await asyncio.sleep(0.01)
    return {"tool": 1, "word": WORD}
'''
APP = """
from pathlib import Path
from fastapi import FastAPI
from litro import create_app
from answers import ANSWER

litro = create_app(Path(__file__).parent)
app = FastAPI(lifespan=litro.lifespan)

@app.get("/answer")
async def answer():
    return ANSWER

app.mount("/ai", litro)
"""
PROJECT = {
    "agents/demo/agent.py": AGENT,
    "agents/demo/tools/version.py": TOOL,
    "agents/_shared/words.py": "WORD = 'one'\n",
}
WITH_APP = {
    "app.py": APP,
    "answers.py": "ANSWER = 1\n",
    "pyproject.toml": '[tool.litro]\napp = "app:app"\n',
}


class Project:
    """A project's folder."""

    def __init__(self, folder: Path, files: dict[str, str]) -> None:
        self.folder = folder
        self.gates = folder / "gates"
        self.gates.mkdir(parents=True)
        for name, text in files.items():
            self.write(name, text)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def edit(self, name: str, before: str, after: str) -> None:
        text = (self.folder / name).read_text(encoding="utf-8")
        assert before in text
        self.write(name, text.replace(before, after))

    def reached(self, gate: str) -> None:
        """Wait until a tool waits at the gate."""
        deadline = time.monotonic() + PATIENCE
        pause = threading.Event()
        while not (self.gates / f"{gate}.reached").exists():
            assert time.monotonic() < deadline, f"nobody reached {gate}"
            pause.wait(0.01)


class Process:
    """A process that serves a project: `litro dev`, unless another command is given."""

    def __init__(
        self,
        project: Project,
        *options: str,
        command: Sequence[str] = (*LITRO, "dev", "--port", "0"),
        mount: str = "",
        **environment: str,
    ) -> None:
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("LITRO_", "PYTHONDONT"))
        }
        self.process = subprocess.Popen(
            [sys.executable, "-W", "always::ResourceWarning", *command, *options],
            cwd=project.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=clean | environment,
        )
        self.mount = mount
        self._said = ""
        self._from = 0
        self._more = threading.Condition()
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        try:
            self.url = self.says(r"http://[^/ ]+:\d+")[0]
        except AssertionError:
            self.process.kill()
            raise

    def says(self, pattern: str) -> "re.Match[str]":
        """Wait until it says what matches, after what it has said before."""
        deadline = time.monotonic() + PATIENCE
        with self._more:
            while True:
                match = re.compile(pattern).search(self._said, self._from)
                if match is not None:
                    self._from = match.end()
                    return match
                assert self._listener.is_alive(), f"it ended: {self._said}"
                assert self._more.wait(deadline - time.monotonic()), f"not said: {self._said}"

    @property
    def output(self) -> str:
        return self._said

    def get(self, path: str, **headers: str) -> httpx2.Response:
        return httpx2.get(f"{self.url}{path}", headers=headers, timeout=PATIENCE, trust_env=False)

    @contextmanager
    def post(self, session: str, text: str, agent: str = "demo") -> Iterator["Stream"]:
        url = f"{self.url}{self.mount}/__litro/agent/{agent}/{session}"
        with httpx2.stream(
            "POST",
            url,
            json={"text": text},
            headers={"x-litro-agent": "1"},
            timeout=PATIENCE,
            trust_env=False,
        ) as response:
            yield Stream(response)

    def answer(self, session: str, text: str = "now", agent: str = "demo") -> Any:
        """What the tool answered in a turn."""
        with self.post(session, text, agent) as stream:
            return result(stream.rest())

    def refusal(self, agent: str) -> tuple[int, dict[str, Any]]:
        with self.post("s", "now", agent) as stream:
            stream.response.read()
            return stream.response.status_code, stream.response.json()

    @contextmanager
    def page(self) -> Iterator["Stream"]:
        """What an open page hears."""
        with httpx2.stream(
            "GET", f"{self.url}{self.mount}/__litro/dev", timeout=PATIENCE, trust_env=False
        ) as response:
            yield Stream(response)

    def end(self, number: int = signal.SIGTERM) -> int:
        """End it, and look at what it has said."""
        self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self._listener.join()
        assert self.process.stderr is not None
        self.process.stderr.close()
        for noise in ("ResourceWarning", "Task was destroyed", "never retrieved", "Exception in"):
            assert noise not in self._said, self._said
        return code

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._more:
                self._said += line
                self._more.notify_all()
        with self._more:
            self._more.notify_all()


class Stream:
    """The lines of a response, as they come."""

    def __init__(self, response: httpx2.Response) -> None:
        self.response = response
        self._lines = (line for line in response.iter_lines() if line)

    def until(self, word: str) -> list[str]:
        lines: list[str] = []
        for line in self._lines:
            lines.append(line)
            if word in line:
                return lines
        raise AssertionError(lines)

    def rest(self) -> list[str]:
        return list(self._lines)

    def state(self) -> dict[str, Any]:
        """All that a page is told next."""
        line = self.until("data: ")[-1]
        return json.loads(line.removeprefix("data: "))

    def problems(self) -> list[dict[str, str]]:
        """What a page is told next of problems."""
        return self.state()["problems"]


def result(lines: list[str]) -> Any:
    (found,) = [event["payload"] for event in events(lines) if event["kind"] == "tool-result"]
    return found


def events(lines: list[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines if line.startswith('{"seq":')]
