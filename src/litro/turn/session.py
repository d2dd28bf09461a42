"""A session in process: the same shape as the clients', without a server between.

It is not a second way to run turns: it calls what HTTP calls, and its events come from the log as well.
"""

from collections.abc import AsyncIterator, Awaitable, Callable

from litro.definitions import Principal
from litro.events import Event
from litro.sessions.base import SessionKey
from litro.turn.conversations import Conversations, Message
from litro.turn.runner import Turn
from litro.wire import events_of


class Session:
    """One agent's session, as `Litro.session(…)` answers it.

    Args:
        key: The session.
        principal: Who speaks. A session belongs to the principal that created it.
        conversations: Answers the running app's conversations, starting it first.
    """

    def __init__(
        self,
        key: SessionKey,
        principal: Principal,
        conversations: Callable[[], Awaitable[Conversations]],
    ) -> None:
        self.key = key
        self.principal = principal
        self._conversations = conversations

    async def send(self, text: str, *, id: str | None = None) -> AsyncIterator[Event]:  # noqa: A002
        """Say something; the turn's events as they become durable, `turn-end` last.

        Leaving the loop does not stop the turn: `cancel` does.

        Args:
            text: What to say.
            id: The message's id. A message that was sent before under it is not sent again: its turn's
                events are answered.

        Raises:
            LitroError: No turn was started, or it cannot be recorded. See `litro.errors`.
        """
        conversations = await self._conversations()
        turn = await conversations.begin(
            self.key, Message(text=text, id=id), principal=self.principal
        )
        if isinstance(turn, Turn):
            conversations.run(turn)
        async for block in conversations.follow(self.key, turn.start, turn=turn.number):
            for event in events_of(block):
                yield event

    async def resume(self, start: int = 0) -> AsyncIterator[Event]:
        """The events from seq `start` on, and those of a turn in flight to its end."""
        conversations = await self._conversations()
        meta = await conversations.meta(self.key, self.principal)
        if meta is not None:
            async for block in conversations.follow(self.key, start, turn=meta.running):
                for event in events_of(block):
                    yield event

    async def cancel(self) -> bool:
        """Cancel the running turn. False where none runs."""
        conversations = await self._conversations()
        return await conversations.cancel(self.key, principal=self.principal)
