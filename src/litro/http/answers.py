"""Answers that are no streams: one JSON shape for every failure, and which status each error gets."""

import logging
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

import orjson
from starlette.exceptions import HTTPException

from litro.encoding import well_formed
from litro.errors import (
    AgentError,
    BrokenAgent,
    GoingAway,
    InvalidSessionId,
    LeaseLost,
    MessageReused,
    NotOwner,
    SessionBusy,
    SessionExists,
    StoreFailed,
    TooManyTurns,
    UnknownAgent,
    UnknownSession,
    tell,
)
from litro.events import ErrorPayload
from litro.gates import Headers, Refusal
from litro.turn.catalogue import NoTurnEnd
from litro.turn.cursor import InvalidCursor
from litro.turn.title import InvalidTitle

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

logger: Final = logging.getLogger(__name__)

STORE_SENTENCE: Final = (
    "The conversation cannot be stored or read now, so nothing of it can be shown. Try again later."
)
_SOON: Final = ((b"retry-after", b"1"),)


class Refused(Exception):
    """Ends the handling of a request with an answer."""

    def __init__(self, answer: "Answer") -> None:
        super().__init__(answer)
        self.answer = answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A response that is known whole."""

    status: int
    body: bytes = b""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    cache: bytes = b"no-store"

    async def send(self, send: Send, more: Headers, *, with_body: bool = True) -> None:
        """Send it, with `more` headers."""
        headers = [*self.headers, (b"cache-control", self.cache), *more]
        if self.status not in {204, 304}:
            headers.append((b"content-length", str(len(self.body)).encode()))
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body if with_body else b""})


def json_answer(status: int, content: Mapping[str, Any], *headers: tuple[bytes, bytes]) -> Answer:
    """An answer of JSON."""
    return Answer(
        status=status,
        body=orjson.dumps(content, option=orjson.OPT_APPEND_NEWLINE),
        headers=(
            (b"content-type", b"application/json"),
            (b"x-content-type-options", b"nosniff"),
            *headers,
        ),
    )


def failure(status: int, kind: str, message: str, *headers: tuple[bytes, bytes]) -> Answer:
    """An answer that says what is wrong, in the one shape `{type, message, status}`."""
    # Others' words may hold half a character, which has no JSON.
    fields = {"type": kind, "message": well_formed(message), "status": status}
    return json_answer(status, fields, *headers)


def of_refusal(refusal: Refusal) -> Answer:
    """A gate's refusal."""
    return failure(refusal.status, refusal.type, refusal.message, *refusal.headers)


def of_error(error: BaseException, *, development: bool) -> Answer:
    """The answer for whatever was raised before a stream began."""
    if isinstance(error, Refused):
        return error.answer
    if isinstance(error, HTTPException):
        # The app's own guard chose the status, and words for its caller.
        headers = [(k.lower().encode(), v.encode()) for k, v in (error.headers or {}).items()]
        # FastAPI's may be anything that it can show.
        detail: object = error.detail
        return failure(error.status_code, "refused", str(detail), *headers)
    if isinstance(error, AgentError):
        return failure(error.status, "refused", str(error))
    if isinstance(error, SessionBusy):
        return _busy(error)
    for kinds, status, kind, headers in _KNOWN:
        if isinstance(error, kinds):
            return failure(status, kind, _words(error, kind), *headers)
    payload = internal(error, what="The request", development=development)
    return json_answer(500, {**payload, "status": 500})


def of_stream(error: BaseException, *, development: bool) -> ErrorPayload:
    """The `err` line for whatever ended a stream."""
    if isinstance(error, StoreFailed | LeaseLost):
        logger.error("A stream ended: %s", error)
        return {"type": "store", "message": STORE_SENTENCE, "status": 503}
    return internal(error, what="The stream", development=development)


def internal(error: BaseException, *, what: str, development: bool) -> ErrorPayload:
    """Words for an error that nobody foresaw; the server's log has the rest under its reference."""
    told = tell(error, what=what, development=development)
    logger.error("%s failed (ref %s)", what, told.ref or "none", exc_info=error)
    payload: ErrorPayload = {"type": "internal", "message": well_formed(told.message)}
    if told.ref is not None:
        payload["ref"] = told.ref
    return payload


_KNOWN: Final[
    tuple[tuple[type[BaseException], int, str, Headers | tuple[tuple[bytes, bytes], ...]], ...]
] = (
    (InvalidSessionId, 400, "invalid-session", ()),
    (UnknownAgent, 404, "unknown-agent", ()),
    (NotOwner, 404, "unknown-session", ()),
    (UnknownSession, 404, "unknown-session", ()),
    (SessionExists, 409, "session-exists", ()),
    (NoTurnEnd, 409, "no-turn-end", ()),
    (InvalidTitle, 400, "invalid-title", ()),
    (InvalidCursor, 400, "invalid-cursor", ()),
    (MessageReused, 422, "message-reused", ()),
    (BrokenAgent, 500, "broken-agent", ()),
    (TooManyTurns, 503, "too-many-turns", _SOON),
    (GoingAway, 503, "going-away", _SOON),
    (StoreFailed, 503, "store", _SOON),
    (LeaseLost, 503, "store", _SOON),
)


def _words(error: BaseException, kind: str) -> str:
    if kind == "store":
        # A path or a host may be in the store's own words.
        logger.error("%s", error)
        return STORE_SENTENCE
    if kind == "unknown-session":
        # The same for what is somebody else's and for what is not there.
        return "There is no such session for you."
    return str(error)


def _busy(error: SessionBusy) -> Answer:
    content: dict[str, Any] = {
        "type": "busy",
        "message": f"{str(error)[0].upper()}{str(error)[1:]}.",
        "status": 409,
    }
    if error.turn is not None:
        content["turn"] = error.turn
    if error.since is not None:
        content["since"] = error.since
    return json_answer(409, content, *_SOON)
