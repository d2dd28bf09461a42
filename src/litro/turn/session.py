"""A session in process: the same shape as the clients', without a server between.

It is not a second way to run turns: it calls what HTTP calls, and its events come from the log as well.
"""

from collections.abc import AsyncIterator, Awaitable, Callable

from litro.definitions import Principal
from litro.events import Event, OnBusy
from litro.sessions.base import SessionKey
from litro.turn.conversations import Conversations, Message, Queued
from litro.turn.queue import QueuedMessage
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

    async def send(
        self,
        text: str,
        *,
        id: str | None = None,  # noqa: A002 - the message's own name for it
        on_busy: OnBusy | None = None,
    ) -> AsyncIterator[Event]:
        """Say something; the turn's events as they become durable, `turn-end` last.

        Where a turn runs already, and the message may wait: the events of the turn that it waits for; where it joins the
        running one, those from there on; where it is withdrawn, `withdrawn` alone.
        Leaving the loop does not stop the turn: `cancel` does.

        Args:
            text: What to say.
            id: The message's id. A message that was sent before under it is not sent again: its turn's
                events are answered.
            on_busy: What becomes of it while a turn runs: `"reject"`, `"queue"` or `"steer"`. None is as the agent has it.

        Raises:
            LitroError: No turn was started, or it cannot be recorded. See `litro.errors`.
        """
        conversations = await self._conversations()
        message = Message(text=text, id=id, on_busy=on_busy)
        begun = await conversations.begin(self.key, message, principal=self.principal)
        if isinstance(begun, Queued):
            blocks = conversations.hear(self.key, begun)
        else:
            if isinstance(begun, Turn):
                conversations.run(begun)
            blocks = conversations.follow(self.key, begun.start, turn=begun.number)
        async for block in blocks:
            for event in events_of(block):
                yield event

    async def queue(self) -> tuple[QueuedMessage, ...]:
        """The messages that wait, in the order in which they will start."""
        conversations = await self._conversations()
        return await conversations.queue(self.key, principal=self.principal)

    async def withdraw(self, message: str) -> bool:
        """Withdraw the message of this id, so that it never starts. False where it has started, or none of it waits."""
        conversations = await self._conversations()
        return await conversations.withdraw(self.key, message, principal=self.principal)

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
