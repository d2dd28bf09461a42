"""What a project's files declare: agents, tools, and the configuration of both.

Declaring does nothing else: no file is read, no environment, no schema built. `litro.discovery` finds the
declarations, `litro.turn` runs them.
"""

import functools
import inspect
import math
import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    Never,
    ParamSpec,
    TypeVar,
    cast,
    get_args,
    overload,
)

from litro.encoding import well_formed
from litro.errors import AgentError
from litro.events import OnBusy
from litro.providers import parse_model
from litro.providers.base import Message, Provider

if TYPE_CHECKING:
    from starlette.requests import Request

    from litro.schema import ToolSchema
    from litro.sessions.base import SessionStore

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

Principal = str | Mapping[str, Any] | None
"""Who asks: a string, or a JSON mapping with a string `id`. None is nobody in particular."""


def owner_of(principal: Principal) -> str | None:
    """The string that sessions are owned by: the principal itself, or its `id`.

    Raises:
        TypeError: It is neither a string nor a mapping with a string `id`, or one that no log can hold.
    """
    owner: object = principal.get("id") if isinstance(principal, Mapping) else principal
    if owner is None and principal is None:
        return None
    if not isinstance(owner, str) or not owner or owner != well_formed(owner):
        msg = (
            f"access returned {principal!r:.80}, so a non-empty string, a mapping with a string `id`, or None is "
            "required."
        )
        raise TypeError(msg)
    return owner


Access = Callable[["Request"], Principal | Awaitable[Principal]]
"""Answers the principal of a request, or raises (an HTTPException, an AgentError) to refuse it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a tool has come. A generator tool may yield it; `ToolContext.progress` takes the same three."""

    done: float
    total: float | None = None
    message: str | None = None

    def payload(self) -> dict[str, Any]:
        """The payload of `tool-progress`."""
        fields = {"done": self.done, "total": self.total, "message": self.message}
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Result(Generic[T]):
    """A generator tool's result: `yield Result(value)`, last."""

    value: T


@dataclass(frozen=True, slots=True)
class ToolSession:
    """The session that a tool runs in. An MCP host's calls belong to none: they have the id `mcp` and seq 0."""

    id: str
    seq: int
    """The seq of the call's `tool-call` event."""


class ToolContext:
    """What a tool may know about the call. A parameter annotated `ToolContext` receives it.

    Attributes:
        request: The HTTP request that started the turn: headers, url, state. Its body has been read. None
            whenever no live request did.
        principal: What the agent's `access` answered.
        state: What `Config(lifespan=…)` yielded, on every surface.
        session: The session's id, and the seq of this call.
        call_id: The call's id, unique in the session: a key for work that must not be done twice.
    """

    __slots__ = ("_report", "call_id", "principal", "request", "session", "state")

    def __init__(
        self,
        *,
        session: ToolSession,
        call_id: str,
        principal: Principal = None,
        request: "Request | None" = None,
        state: Any = None,
        report: Callable[[Any], Awaitable[None]] | None = None,
    ) -> None:
        self.session: ToolSession = session
        self.call_id: str = call_id
        self.principal: Principal = principal
        self.request: Request | None = request
        self.state: Any = state
        self._report = report

    async def progress(
        self, done: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Tell the person how far the call has come. The model does not read it."""
        await self.report(Progress(done, total, message))

    async def report(self, value: Any) -> None:
        """As `progress`, for any JSON value: what a generator tool's `yield` does."""
        if self._report is not None:
            await self._report(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """What `instructions` may know about the turn, when it is a callable."""

    agent: str
    session: str
    principal: Principal
    state: Any


Instructions = str | Path | Callable[[TurnContext], str | Awaitable[str]]
"""What an agent is told: text, a file beside agent.py, or what a callable answers, each turn anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolHints:
    """What a tool's author says of it to MCP hosts. A host may show it, and may ask its user before some calls.

    None says nothing. They are hints: nothing here enforces them.
    """

    title: str | None = None
    read_only: bool | None = None
    destructive: bool | None = None
    idempotent: bool | None = None
    open_world: bool | None = None
    icons: tuple[Mapping[str, Any], ...] = ()


Audience = Literal["model", "app"]
"""Who may call a tool: a model, or the app that a host shows."""


class Tool(Generic[P, R]):
    """A function that the model may call. It stays callable as the function that it wraps.

    Attributes:
        function: The function as written.
        input: What `@tool(input=…)` named, or None where the signature is the schema.
        module: The name of the module that it was made in.
        timeout: Seconds that one call may take, or None for the agent's own.
        hints: What MCP hosts are told of it.
        app: The packed MCP app that shows its results, by its name or its `ui://` address.
        visibility: Who may call it, where its author said so. None is everybody.
    """

    def __init__(
        self,
        function: Callable[P, R],
        *,
        input: Any = None,  # noqa: A002
        timeout: float | None = None,
        hints: ToolHints | None = None,
        app: str | None = None,
        visibility: tuple[Audience, ...] | None = None,
    ) -> None:
        # First, because it copies the function's own attributes, which ours must not be lost to.
        functools.update_wrapper(cast("Callable[P, R]", self), function)
        self.function = function
        self.input = input
        self.module: str = function.__module__
        self.timeout = timeout
        self.hints: ToolHints = hints or ToolHints()
        self.app = app
        self.visibility = visibility

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function, as its own tests do."""
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<tool {self.function.__qualname__} of {self.module}>"

    @property
    def line(self) -> int:
        """The line of its file where the function begins."""
        return inspect.unwrap(self.function).__code__.co_firstlineno

    @property
    def is_for_models(self) -> bool:
        """Whether a model may call it, rather than an app alone."""
        return self.visibility is None or "model" in self.visibility

    @functools.cached_property
    def schema(self) -> "ToolSchema":
        """What the model is told, and what checks its input.

        Raises:
            TypeError: The signature cannot be a schema; the message says what is required.
        """
        from litro.schema import ToolSchema  # noqa: PLC0415 - pydantic, which `import litro` must not load

        return ToolSchema.of(self.function, input=self.input, context=ToolContext, result=Result)


Icons = str | Sequence[str | Mapping[str, Any]]
"""An address, or several; or MCP's own form: `{"src": …, "mimeType": …, "sizes": ["48x48"]}`."""


@overload
def tool(function: Callable[P, R], /) -> Tool[P, R]: ...
@overload
def tool(
    *,
    input: Any = None,
    timeout: float | None = None,
    title: str | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    icons: Icons = (),
    app: str | None = None,
    visibility: Collection[Audience] | None = None,
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...
def tool(  # noqa: PLR0913 - each is a word of its own, as in MCP
    function: Callable[P, R] | None = None,
    /,
    *,
    input: Any = None,  # noqa: A002 - the field's name, in MCP and in the original
    timeout: float | None = None,
    title: str | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    icons: Icons = (),
    app: str | None = None,
    visibility: Collection[Audience] | None = None,
) -> Tool[P, R] | Callable[[Callable[P, R]], Tool[P, R]]:
    """Declare a tool. The file's stem is its name; the signature is its schema.

    Every parameter is annotated; the docstring's first paragraph tells the model what the tool does, its
    argument docs what each parameter means; the return annotation describes the result. The function is sync
    (it runs in a thread), async, or a generator whose yields are progress and whose last yield is `Result(value)`.

    Args:
        function: The function, when used as plain `@tool`.
        input: In place of the signature: a pydantic model, a dataclass, a TypedDict, or an object with
            `validate(value)` and optionally `json_schema()`. The function then takes the validated value.
        timeout: Seconds that one call may take, on every surface. By default the agent's `tool_timeout`.
        title: A name for people. MCP hosts show it.
        read_only: It changes nothing. This and the next three are hints to MCP hosts.
        destructive: It may delete or overwrite, rather than only add.
        idempotent: The same call once more changes nothing further.
        open_world: It reaches beyond this system: the web, other people.
        icons: Addresses of images (`https:` or `data:`) that hosts may show.
        app: The packed app in which MCP hosts show its results: its name, `"weather-card"`, or its address, `"ui://…"`.
        visibility: Who may call it: `("model",)`, or `("app",)` for what only an app's buttons call. By default both.

    Raises:
        TypeError, ValueError: What is decorated is not a function, or an option cannot be what it is.
    """
    _check_timeout(timeout)
    hints = ToolHints(
        title=_title(title),
        read_only=read_only,
        destructive=destructive,
        idempotent=idempotent,
        open_world=open_world,
        icons=_icons(icons),
    )
    _check_hints(hints)
    shown_by, seen_by = _app(app), _visibility(visibility)

    def declare(function: Callable[P, R]) -> Tool[P, R]:
        if not inspect.isfunction(function):
            msg = f"@tool: {function!r:.80} is not a function, so it cannot be a tool. Decorate a def or an async def."
            raise TypeError(msg)
        return Tool(
            function,
            input=input,
            timeout=timeout,
            hints=hints,
            app=shown_by,
            visibility=seen_by,
        )

    return declare if function is None else declare(function)


def _check_timeout(timeout: object) -> None:
    if timeout is None:
        return
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if not is_number or not 0 < cast("float", timeout) < math.inf:
        msg = f"@tool: timeout is {timeout!r:.80}, so a positive number of seconds is required."
        raise ValueError(msg)


def _title(title: object) -> str | None:
    if title is None or (isinstance(title, str) and title.strip()):
        return title
    msg = f"@tool: title is {title!r:.80}, so words are required. Leave it out to have none."
    raise TypeError(msg)


def _check_hints(hints: ToolHints) -> None:
    for name in ("read_only", "destructive", "idempotent", "open_world"):
        value: object = getattr(hints, name)
        if value is not None and not isinstance(value, bool):
            msg = f"@tool: {name} is {value!r:.80}, so True or False is required."
            raise TypeError(msg)
    if hints.read_only and hints.destructive:
        msg = "@tool: read_only and destructive are both True, but what only reads destroys nothing. Keep one of them."
        raise ValueError(msg)


def _icons(icons: Icons) -> tuple[Mapping[str, Any], ...]:
    given = [icons] if isinstance(icons, str) else icons
    made = [{"src": icon} if isinstance(icon, str) else dict(icon) for icon in given]
    for icon in made:
        src: object = icon.get("src")
        if not isinstance(src, str) or not src.startswith(("https://", "http://", "data:")):
            msg = f'@tool: an icon is at {src!r:.80}, so an address that begins with "https://" or "data:" is required.'
            raise ValueError(msg)
    return tuple(made)


_APP = re.compile(r"ui://.*\S|[^:]*[^:\s]")


def _app(app: object) -> str | None:
    if app is None or (isinstance(app, str) and _APP.fullmatch(app)):
        return app
    msg = (
        f'@tool: app is {app!r:.80}, so the name of a packed app, such as "weather-card", or its whole address, '
        '"ui://…", is required. `litro mcp-app build` prints the addresses.'
    )
    raise ValueError(msg)


def _visibility(visibility: object) -> tuple[Audience, ...] | None:
    if visibility is None:
        return None
    known = get_args(Audience)
    given = (
        list(cast("Collection[object]", visibility))
        if isinstance(visibility, Collection) and not isinstance(visibility, str)
        else []
    )
    if not given or any(one not in known for one in given):
        msg = (
            f'@tool: visibility is {visibility!r:.80}, so some of "model" and "app" are required: ("app",) for a tool that '
            'only an app\'s buttons call, ("model",) for one that no app may call. Leave it out for both.'
        )
        raise ValueError(msg)
    return tuple(one for one in known if one in given)


History = Callable[[tuple[Message, ...]], Sequence[Message]]
"""Answers what the model is to read of the conversation so far."""

_RESERVED = {
    "tools": "Tools are files: move each into the agent's tools/ folder.",
    "skills": "Put what the agent should know into instructions.md.",
    "extends": "Share code by a plain import, for example from agents/_shared/.",
    "mcp": "Call the MCP server in a tool of your own.",
    "subagents": "Call the other agent in a tool of your own.",
}


class Agent:
    """An agent: a model, what it is told, and who may talk to it. Its tools are the files beside it.

    Args:
        model: A provider, or `"openai:NAME"` or `"anthropic:NAME"`.
        instructions: A string that starts with `./` or `../`, or a Path: a file beside agent.py. Any other
            string: the text. A callable gets a `TurnContext`, sync or async. By default the file
            `instructions.md`, where there is one.
        access: Answers a request's principal, or raises to refuse. Without it everybody may talk to the agent.
        max_rounds: How often one turn may ask the model.
        tool_timeout: Seconds that one tool call may take. `@tool(timeout=…)` wins.
        parallel_tools: How many calls of one round may run at once.
        history: What the model reads of the conversation: a pure function of its messages, each round anew. The log
            keeps everything. It begins with a `UserMessage`, and keeps calls together with their results.
        on_busy: What becomes of a message that comes while a turn runs: `"reject"` refuses it, `"queue"` lets it wait for
            a turn of its own, `"steer"` lets it join the running turn at its next round. A message may say otherwise.

    Raises:
        AgentError: A key that is reserved for a later version was given.
        TypeError, ValueError: An argument cannot be what it is.
    """

    __slots__ = (
        "access",
        "history",
        "instructions",
        "max_rounds",
        "model",
        "on_busy",
        "parallel_tools",
        "tool_timeout",
    )

    def __init__(
        self,
        model: Provider | str,
        instructions: Instructions | None = None,
        *,
        access: Access | None = None,
        max_rounds: int = 16,
        tool_timeout: float = 60,
        parallel_tools: int = 8,
        history: History | None = None,
        on_busy: OnBusy = "reject",
        # Told about when they are given; to type checkers there are none.
        **reserved: Never,
    ) -> None:
        _refuse_reserved(reserved)
        if isinstance(model, str):
            # A misspelt name is told where it stands, not at the first turn.
            parse_model(model)
        elif not isinstance(cast("object", model), Provider):
            msg = (
                f"Agent: model is {model!r:.80}, so a provider is required. Pass litro.providers.openai_compatible(…), "
                'anthropic(…), scripted(…), or a string such as "openai:gpt-5".'
            )
            raise TypeError(msg)
        for name, value in (
            ("max_rounds", max_rounds),
            ("tool_timeout", tool_timeout),
            ("parallel_tools", parallel_tools),
        ):
            if value <= 0:
                msg = f"Agent: {name} is {value!r}, so a positive number is required."
                raise ValueError(msg)
        if on_busy not in get_args(OnBusy):
            msg = f'Agent: on_busy is {on_busy!r:.80}, so "reject", "queue" or "steer" is required.'
            raise ValueError(msg)
        self.model: Provider | str = model
        self.instructions: Instructions | None = instructions
        self.access: Access | None = access
        self.max_rounds: int = max_rounds
        self.tool_timeout: float = tool_timeout
        self.parallel_tools: int = parallel_tools
        self.history: History | None = history
        self.on_busy: OnBusy = on_busy

    def __repr__(self) -> str:
        return f"Agent({self.model if isinstance(self.model, str) else self.model.name!r})"


def _refuse_reserved(given: Mapping[str, Any]) -> None:
    for key, value in given.items():
        if key not in _RESERVED:
            msg = f"Agent() got an unexpected keyword argument {key!r}"
            raise TypeError(msg)
        if value is not None and value not in ([], ()):
            msg = f"Agent: {key} is {value!r:.80}, but {key} is not supported yet. {_RESERVED[key]}"
            raise AgentError(msg)


Lifespan = Callable[[], AbstractAsyncContextManager[Any]]
"""Entered when the app starts; what it yields is `ctx.state`."""


@dataclass(frozen=True, slots=True)
class Config:
    """`agents/_config.py` holds `config = Config(…)`. Everything is optional; None takes the next source's value.

    Precedence: flag, environment (`LITRO_*`), this, `[tool.litro]` in pyproject.toml, default. Relative paths
    count from the project.
    """

    _: KW_ONLY
    sessions: "str | SessionStore | None" = None
    """Where sessions are kept: `file:DIR`, `sqlite:FILE`, `postgresql://…`, or a store of your own. Default `file:.litro/sessions`."""
    access: Access | None = None
    """The guard of every agent that has none of its own."""
    allowed_hosts: Sequence[str] | None = None
    """`Host` values to answer, against DNS rebinding. `*.example.com` covers subdomains."""
    allowed_origins: Sequence[str] | None = None
    """Exact origins of other sites whose pages may call."""
    trusted_proxies: Sequence[str] | None = None
    """Addresses or networks whose `X-Forwarded-Host` and `X-Forwarded-Proto` count."""
    max_body: int | None = None
    """Bytes of a request's body. Default 1 MiB."""
    max_turns: int | None = None
    """Turns that may run at once. Default 1000."""
    tool_threads: int | None = None
    """Threads for sync tools. Default 32."""
    grace: float | None = None
    """Seconds that running turns get at shutdown. Default 3."""
    lifespan: Lifespan | None = field(default=None, repr=False)
    """An async context manager around the app's life; what it yields is `ctx.state`."""
    mcp: bool | None = None
    """Whether agents are served as MCP servers too."""
    signals: bool | None = None
    """Whether SIGTERM and SIGINT end streams in order. Default True, in the main thread only."""
