"""An agent with one tool and a model of somebody else's, spoken to in process, and what may be said of its turns."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from litro import Agent, tool
from litro.discovery.load import LoadedAgent
from litro.events import Event
from litro.sessions.base import SessionKey
from litro.sessions.file import FileStore
from litro.turn.conversations import Conversations
from litro.turn.runner import Surroundings
from litro.turn.session import Session

ENDINGS = frozenset({"tool-result", "ui", "tool-error"})


class Talk:
    """The conversation."""

    def __init__(self, folder: Path, model: Any) -> None:
        self.asked_for: list[str] = []
        self.model = model

        @tool
        async def get_weather(city: str):
            """Get the current weather for a city."""
            self.asked_for.append(city)
            return {"city": city, "degrees": 21}

        agent = LoadedAgent(
            name="demo",
            agent=Agent(model),
            instructions="Be brief.",
            tools={"get-weather": get_weather},
            folder=folder,
        )
        self.conversations = Conversations(
            FileStore(folder / "sessions"),
            {"demo": agent},
            surroundings=Surroundings(development=True, tool_threads=2),
            max_turns=4,
        )

    def session(self, name: str) -> Session:
        async def conversations() -> Conversations:
            return self.conversations

        return Session(SessionKey("demo", name), None, conversations)

    async def say(self, text: str, *, session: str = "s1") -> "Turn":
        """A whole turn, of which what holds for all turns is asserted."""
        turn = Turn([event async for event in self.session(session).send(text)])
        turn.is_sound()
        assert all(isinstance(city, str) and city for city in self.asked_for)
        assert await self._durable(session, since=turn.events[0].seq) == turn.events
        return turn

    async def _durable(self, session: str, *, since: int) -> list[Event]:
        return [event async for event in self.session(session).resume(since)]

    async def close(self) -> None:
        await self.conversations.leave(grace=0)
        await self.conversations.close()
        await self.model.aclose()


MakeTalk = Callable[[Any], Talk]


class Turn:
    """A turn that has ended."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events

    @property
    def status(self) -> str:
        return self.events[-1].payload["status"]

    @property
    def error(self) -> str | None:
        """The type of the error that it failed with."""
        errors = self.all("error")
        assert len(errors) <= 1
        return errors[0]["type"] if errors else None

    @property
    def text(self) -> str:
        return "".join(delta["text"] for delta in self.all("text-delta"))

    @property
    def tool_errors(self) -> list[str]:
        return [error["type"] for error in self.all("tool-error")]

    def all(self, kind: str) -> list[Any]:
        return [event.payload for event in self.events if event.kind == kind]

    def is_sound(self) -> None:
        """It ended exactly once, and so did each of its calls."""
        kinds = [event.kind for event in self.events]
        assert kinds.count("turn-end") == 1
        assert kinds[-1] == "turn-end"
        assert (self.error is None) == (self.status != "failed")
        calls = Counter(event.call for event in self.events if event.kind == "tool-call")
        ends = Counter(event.call for event in self.events if event.kind in ENDINGS)
        assert calls == ends
