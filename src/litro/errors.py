"""The errors that Litro raises on purpose, and how a failure is told to people.

    LitroError
    ├── AgentError          raised by an agent's own code; its message is written for people and shown verbatim
    ├── ProjectError        a project's files are wrong; carries every Problem found, with file, line and remedy
    ├── SettingsError       a flag, a variable or a config value is wrong
    ├── EncodingError       a value cannot be an event's payload; `type` is a tool-error type
    ├── TemplateError       a component's template is wrong; shown with the position
    ├── RenderFailed        a template cannot be rendered
    ├── EngineMissing       components need a Node.js, and there is none that can be used
    ├── InvalidInput        a tool's input does not fit its schema
    ├── ProviderError       a model server failed; `type` is an error type of the event log
    ├── RemoteError         what a client hears: a Litro server refused, failed, or cannot be reached
    ├── TurnRefused         no turn was started; nothing was recorded
    │   ├── UnknownAgent        the project has no such agent
    │   ├── BrokenAgent         the agent's files are wrong
    │   ├── MessageReused       the message's id was used for another text
    │   ├── TooManyTurns        as many turns run as may
    │   └── GoingAway           the server is shutting down
    └── SessionError
        ├── InvalidSessionId    the id cannot be one
        ├── NotOwner            the session belongs to another principal
        ├── UnknownSession      there is no such session
        ├── SessionExists       there is one already
        ├── SessionBusy         another turn holds the session's lease
        ├── SessionDamaged      the log is damaged in its middle; nothing was changed
        ├── NewerFormat         the log was written by a newer Litro; nothing was changed
        ├── LeaseLost           this writer no longer holds the session
        └── StoreFailed         the store cannot make anything durable

What one module alone refuses, and its own surface tells, stands there: a cursor, a title, an app that is not packed. It is
not the HTTP mapping: which status each gets is `litro.http`'s business.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from secrets import token_hex
from typing import Literal

ToolErrorType = Literal[
    "unknown-tool",
    "invalid-input",
    "failed",
    "timeout",
    "nested-ui",
    "not-json",
    "too-large",
    "render-failed",
    "not-started",
    "interrupted",
    "cancelled",
]
"""Why a tool call has no result. `not-started`: it never ran; `interrupted`: it ran and its outcome is unknown."""

ErrorType = Literal[
    "truncated",
    "stream-incomplete",
    "rate-limited",
    "overloaded",
    "refused",
    "unreachable",
    "timeout",
    "context-too-long",
    "provider",
    "max-rounds",
    "store",
    "internal",
]
"""Why a turn failed."""


class LitroError(Exception):
    """The base of every error that Litro raises on purpose."""


class AgentError(LitroError):
    """A failure that an agent's author words for people: the message reaches them, and the model, verbatim.

    Raise it in a tool, in `instructions`, in `access` or in a lifespan. Any other exception is told as
    "… failed (ref 3f9c)" in production, so that no secret leaves by way of a message.

    Args:
        message: Words for people.
        status: The HTTP status, where it refuses a request.
    """

    def __init__(self, message: str, *, status: int = 500) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong in a project's files."""

    path: Path
    line: int | None
    text: str
    """What is true, so what is required, then the one thing to do."""
    error: BaseException | None = field(default=None, compare=False, repr=False)
    """What was raised, where something was: its traceback is the developer's."""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{place}: {self.text}"


class ProjectError(LitroError):
    """A project's files are wrong. `problems` holds all of them, not only the first."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems: tuple[Problem, ...] = tuple(problems)


class SettingsError(LitroError):
    """A setting has a value that cannot be used."""


class EncodingError(LitroError):
    """A value cannot become an event's payload."""

    def __init__(self, type: ToolErrorType, message: str) -> None:  # noqa: A002 - the log's own name for it
        super().__init__(message)
        self.type: ToolErrorType = type


class TemplateError(LitroError, ValueError):
    """A template is wrong. The message shows the line, and below it where.

    Args:
        sentence: What is true, what is required, and what to do.
        template: The whole template.
        at: The offset in it.
    """

    def __init__(self, sentence: str, template: str, at: int) -> None:
        start = template.rfind("\n", 0, at) + 1
        line, column = template.count("\n", 0, at) + 1, at - start
        # Of a long line, what is around the place.
        shown_from = max(start, at - 60)
        shown = template[shown_from : at + 40].partition("\n")[0]
        super().__init__(
            f"line {line}, column {column + 1}: {sentence}\n    {shown}\n    {'^':>{at - shown_from + 1}}"
        )


class RenderFailed(LitroError):
    """A template cannot be rendered. The message is the developer's: it may quote a component's code.

    Attributes:
        stack: Where in JavaScript, where it was raised there.
    """

    def __init__(self, message: str, *, stack: str | None = None) -> None:
        super().__init__(message)
        self.stack = stack


class EngineMissing(LitroError):
    """Components need a Node.js, and there is none that can be used. The message says what to do."""


class InvalidInput(LitroError):
    """A tool's input does not fit its schema. The message is for the model: it names each field."""


class ProviderError(LitroError):
    """A model server failed, or could not be reached.

    The message may quote the server and is for logs and for development; people get `sentence()`.

    Attributes:
        type: An error type of the event log.
        retryable: Whether the same request may succeed later.
        status: The server's HTTP status, where it answered.
        retry_after: Seconds that the server asked to wait.
    """

    def __init__(
        self,
        type: ErrorType,  # noqa: A002 - the log's own name for it
        message: str,
        *,
        retryable: bool = False,
        status: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.type: ErrorType = type
        self.retryable = retryable
        self.status = status
        self.retry_after = retry_after

    def sentence(self) -> str:
        """Our own words for the failure's type: nothing in them comes from the server."""
        return PROVIDER_SENTENCES.get(self.type, PROVIDER_SENTENCES["provider"])


PROVIDER_SENTENCES: dict[ErrorType, str] = {
    "truncated": "The model's answer was cut off in the middle of a tool call, so the call was not run.",
    "stream-incomplete": "The connection to the model broke before its answer was complete.",
    "rate-limited": "The model's server is limiting requests. Try again in a moment.",
    "overloaded": "The model's server is overloaded. Try again in a moment.",
    "refused": "The request to the model was refused.",
    "unreachable": "The model's server cannot be reached.",
    "timeout": "The model's server took too long to answer.",
    "context-too-long": "The conversation has become too long for the model.",
    "provider": "The model's server failed.",
}


class RemoteError(LitroError):
    """A server refused, failed, or cannot be reached, as a client of it hears.

    Attributes:
        type: The answer's own type, such as `busy` or `refused`; `unreachable` where none came in time,
            `unexpected-answer` where what answers is no Litro server.
        status: The answer's HTTP status, where there was one.
        ref: Where the server's log has the rest.
        retry_after: Seconds that the server asked to wait.
    """

    def __init__(
        self,
        type: str,  # noqa: A002 - the wire's own name for it
        message: str,
        *,
        status: int | None = None,
        ref: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.type = type
        self.status = status
        self.ref = ref
        self.retry_after = retry_after


class TurnRefused(LitroError):
    """No turn was started, and nothing was recorded."""


class UnknownAgent(TurnRefused):
    """The project has no such agent."""


class BrokenAgent(TurnRefused):
    """The agent's files are wrong, so it was not loaded. The server's log has the problems."""


class MessageReused(TurnRefused):
    """The message's id was used before, for another text."""


class TooManyTurns(TurnRefused):
    """As many turns run as may."""


class GoingAway(TurnRefused):
    """The server is shutting down."""


class SessionError(LitroError):
    """A session cannot be used as asked."""


class InvalidSessionId(SessionError):
    """The id cannot name a session."""


class NotOwner(SessionError):
    """The session belongs to another principal."""


class UnknownSession(SessionError):
    """There is no session of this key."""


class SessionExists(SessionError):
    """There is a session of this key already. It was not changed."""


class SessionBusy(SessionError):
    """A turn is running in the session, here or in another process.

    Attributes:
        turn: The running turn's number, where it is known.
        since: When it started, in milliseconds since the epoch.
    """

    def __init__(self, turn: int | None = None, since: int | None = None) -> None:
        which = "a turn" if turn is None else f"turn {turn}"
        super().__init__(
            f"{which} is running in this session, so it must end or be cancelled first"
        )
        self.turn = turn
        self.since = since


class SessionDamaged(SessionError):
    """The log is damaged before its end. Nothing was changed."""


class NewerFormat(SessionError):
    """The log was written by a newer version of Litro. Nothing was changed."""


class LeaseLost(SessionError):
    """The writer's lease is gone, so nothing that it appends counts."""


class StoreFailed(SessionError):
    """The store cannot make anything durable, so nothing may leave the process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """How a failure is told: the one shape that payloads and HTTP answers share."""

    message: str
    ref: str | None = None
    """Where the server's log has the rest."""


def tell(error: BaseException, *, what: str, development: bool) -> Failure:
    """Words for `error` that may leave the process.

    An `AgentError` speaks for itself. A provider's failure gets our sentence, and its own text only in
    development. Anything else is hidden behind a reference in production, because a message may hold a secret.

    Args:
        error: What was raised.
        what: Its subject, such as `Tool 'get-weather'`.
        development: Whether the reader is the developer.
    """
    if isinstance(error, AgentError):
        return Failure(message=str(error))
    if isinstance(error, ProviderError):
        return Failure(message=f"{error.sentence()} ({error})" if development else error.sentence())
    if development:
        return Failure(message=f"{what} failed. {type(error).__name__}: {error}")
    ref = token_hex(4)
    return Failure(message=f"{what} failed (ref {ref})", ref=ref)
