"""Conversations on a real file store, with agents made in the test."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from litro import Agent, Tool
from litro.discovery.load import LoadedAgent
from litro.events import Event
from litro.providers.base import ModelRequest
from litro.providers.script import scripted
from litro.sessions.base import SessionKey, SessionStore
from litro.sessions.file import FileStore
from litro.turn.conversations import Conversations, Message, Queued
from litro.turn.runner import Surroundings
from litro.turn.session import Session
from litro.wire import events_of


class Talk:
    """One agent, spoken to in process."""

    def __init__(
        self,
        folder: Path,
        script: Callable[[ModelRequest, int], Any],
        *,
        tools: dict[str, Tool[..., Any]] | None = None,
        development: bool = False,
        instructions: Any = "Be brief.",
        store: SessionStore | None = None,
        **options: Any,
    ) -> None:
        self.folder = folder
        self.requests: list[ModelRequest] = []

        def recorded(request: ModelRequest, turn: int) -> Any:
            self.requests.append(request)
            return script(request, turn)

        agent = LoadedAgent(
            name="demo",
            agent=Agent(scripted(recorded), **options),
            instructions=instructions,
            tools=tools or {},
            folder=folder,
        )
        self.surroundings = Surroundings(development=development, tool_threads=4)
        self.conversations = Conversations(
            store or FileStore(folder / "sessions"),
            {"demo": agent},
            surroundings=self.surroundings,
            max_turns=10,
        )

    def session(self, session: str = "s1", principal: Any = None) -> Session:
        async def conversations() -> Conversations:
            return self.conversations

        return Session(SessionKey("demo", session), principal, conversations)

    async def say(self, text: str = "Hi", session: str = "s1", **options: Any) -> list[Event]:
        return [event async for event in self.session(session).send(text, **options)]

    async def waits(self, session: str = "s1") -> bool:
        return len(await self.session(session).queue()) > 0

    async def mail_is_taken(self, session: str = "s1") -> bool:
        return not await self.conversations.store.has_mail(SessionKey("demo", session))

    async def hear(self, queued: Queued, session: str = "s1") -> AsyncIterator[Event]:
        async for block in self.conversations.hear(SessionKey("demo", session), queued):
            for event in events_of(block):
                yield event

    async def log(self, session: str = "s1") -> bytes:
        blocks = self.conversations.store.read(SessionKey("demo", session), 0)
        return b"".join([block async for block in blocks])

    async def begin(self, text: str = "Hi", session: str = "s1") -> Any:
        turn = await self.conversations.begin(
            SessionKey("demo", session), Message(text=text), principal=None
        )
        self.conversations.run(turn)
        return turn


MakeTalk = Callable[..., Talk]


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[MakeTalk]:
    """Makes a `Talk`; all of them are closed at the end."""
    made: list[Talk] = []

    def make(script: Callable[[ModelRequest, int], Any], **options: Any) -> Talk:
        made.append(Talk(tmp_path, script, **options))
        return made[-1]

    yield make
    for one in made:
        await one.conversations.leave(grace=0)
        await one.conversations.close()


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def only(events: list[Event], kind: str) -> Any:
    """The payload of the one event of this kind."""
    (payload,) = [event.payload for event in events if event.kind == kind]
    return payload
