"""A turn said once more: the session is forked before it, and its message, or another, starts a turn there.

The fork has the session's owner. Nothing happens to the session itself.
"""

import contextlib
from collections.abc import Mapping
from secrets import token_hex
from typing import Any

from litro.dev.inspector.turns import beginning_of, known
from litro.errors import LitroError, UnknownSession
from litro.http.call import invalid_body
from litro.sessions.base import ANY, SessionKey, SessionMeta
from litro.turn.catalogue import Catalogue, NoTurnEnd
from litro.turn.conversations import Conversations, Message
from litro.turn.runner import Turn


class Resending:
    """Says turns once more.

    Args:
        conversations: Whose they are.
    """

    def __init__(self, conversations: Conversations) -> None:
        self._conversations = conversations
        self._catalogue = Catalogue(conversations.store)

    async def resend(self, key: SessionKey, turn: int, content: Mapping[str, Any]) -> Turn:
        """Start the turn once more, in a session of its own.

        Args:
            key: The session.
            turn: The turn's number.
            content: The fields that were sent: `text`, in place of what was said.

        Raises:
            UnknownSession: There is no such session.
            Refused: 404, it has no such turn; 400, the text cannot be said.
            LitroError: No turn was started, and there is no fork.
        """
        # Asked first: a fork in which nothing can be said helps nobody.
        self._conversations.agent(key.agent)
        session = await known(self._conversations.store, key)
        beginning = await beginning_of(self._conversations.store, key, turn)
        text = content.get("text", beginning.text)
        if not isinstance(text, str) or not text.strip():
            message = f"`text` is {text!r:.80}, so a string that is not blank is required."
            raise invalid_body(message)
        into = SessionKey(key.agent, token_hex(16))
        # Before the first turn there is nothing, which any new session begins with.
        with contextlib.suppress(NoTurnEnd):
            await self._catalogue.fork(key, into, principal=ANY, at=beginning.start - 1)
        return await self._begun(session, into, text)

    async def _begun(self, session: SessionMeta, into: SessionKey, text: str) -> Turn:
        try:
            turn = await self._conversations.begin(
                into, Message(text=text, on_busy="reject"), principal=session.owner
            )
        except LitroError:
            # Where nothing comes before the turn, there is none.
            with contextlib.suppress(UnknownSession):
                await self._catalogue.delete(into, principal=ANY)
            raise
        # Nobody else knows the fork, so that nothing waits there.
        assert isinstance(turn, Turn)  # noqa: S101
        self._conversations.run(turn)
        return turn
