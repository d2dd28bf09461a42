"""The catalogue of sessions over HTTP: list, rename, delete, fork."""

from secrets import token_hex
from typing import Any

from litro.http.answers import Answer, json_answer
from litro.http.call import Call, check_session, invalid_body
from litro.http.excerpt import limit_of
from litro.sessions.base import SessionKey, SessionMeta
from litro.turn.catalogue import MAX_PAGE, Catalogue

_PAGE = 50


class Listing:
    """The catalogue's routes.

    Args:
        catalogue: What is served.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    async def page(self, call: Call) -> Answer:
        """The principal's sessions with the agent."""
        page = await self._catalogue.page(
            call.route.agent,
            principal=call.principal,
            cursor=call.parameter("cursor"),
            limit=limit_of(call, MAX_PAGE) or _PAGE,
        )
        sessions = [_fields(meta) for meta in page.sessions]
        return json_answer(200, {"sessions": sessions, "next": page.next})

    async def rename(self, call: Call) -> Answer:
        """Give the session a title."""
        content = await call.fields("title")
        title = content.get("title")
        if not isinstance(title, str):
            message = f"`title` is {title!r:.80}, so a string is required."
            raise invalid_body(message)
        title = await self._catalogue.rename(call.key, title, principal=call.principal)
        return json_answer(200, {"session": call.key.session, "title": title})

    async def delete(self, call: Call) -> Answer:
        """Delete the session for good."""
        await call.no_body()
        await self._catalogue.delete(call.key, principal=call.principal)
        return Answer(status=204)

    async def fork(self, call: Call) -> Answer:
        """Make a session of this one's beginning."""
        content = await call.fields("at", "session", may_be_empty=True)
        at, session = content.get("at"), content.get("session", token_hex(16))
        if "at" in content and (not isinstance(at, int) or isinstance(at, bool) or at < 1):
            message = f"`at` is {at!r:.80}, so a seq of 1 or more is required."
            raise invalid_body(message)
        if not isinstance(session, str):
            message = f"`session` is {session!r:.80}, so a string is required."
            raise invalid_body(message)
        check_session(session)
        into = SessionKey(call.key.agent, session)
        fork = await self._catalogue.fork(call.key, into, principal=call.principal, at=at)
        return json_answer(201, {"session": fork.meta.key.session, "at": fork.at})


def _fields(meta: SessionMeta) -> dict[str, Any]:
    return {
        "session": meta.key.session,
        "title": meta.title,
        "created": meta.created,
        "updated": meta.updated,
        "tail": meta.tail,
        "running": meta.running,
    }
