"""Calling a tool: look it up, check its input, run it under a deadline, take what it answers.

Whatever a tool does, one `Answer` or `Refusal` comes of it: this is where users' code runs, so this is where everything
is caught. Chat and MCP share it. It renders nothing and appends nothing.
"""

import asyncio
import inspect
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import orjson

from litro.content import Content, Text, content_in
from litro.definitions import Progress, Result, Tool, ToolContext
from litro.encoding import to_jsonable, well_formed
from litro.errors import AgentError, EncodingError, InvalidInput, ToolErrorType, tell
from litro.turn.threads import ToolThreads
from litro.ui.result import UIResult

logger: Final = logging.getLogger(__name__)

MAX_RESULT: Final = 100_000
"""Bytes of JSON that one call may hand to the model."""

_FAREWELL: Final = 1.0
"""Seconds that a cancelled async tool gets for its `finally`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a tool answered."""

    data: Any
    """For the model: a JSON value."""
    shown: UIResult[Any] | None = None
    """For the person, not rendered yet."""
    content: tuple[Content, ...] = ()
    """Images and the like, for who takes them. `data` names them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a call has no result."""

    type: ToolErrorType
    message: str
    ref: str | None = None

    def payload(self) -> dict[str, Any]:
        """The payload of `tool-error`."""
        # An author's words may quote a file's name, which need not be whole characters.
        payload = {"type": self.type, "message": well_formed(self.message)}
        return payload if self.ref is None else {**payload, "ref": self.ref}


class ToolCaller:
    """Calls tools of any kind: sync, async, generators of both.

    Args:
        threads: Where sync tools run.
        development: Whether failures are told in full.
        max_result: Bytes of JSON that one call may answer.
    """

    def __init__(
        self, threads: ToolThreads, *, development: bool, max_result: int = MAX_RESULT
    ) -> None:
        self._threads = threads
        self._development = development
        self._max_result = max_result
        self._abandoned: set[asyncio.Task[object]] = set()

    async def call(
        self,
        tools: Mapping[str, Tool[..., Any]],
        name: str,
        input: Any,  # noqa: A002
        context: ToolContext,
        *,
        timeout: float,  # noqa: ASYNC109 - tasks that ignore cancellation are given up, which asyncio.timeout cannot
    ) -> Answer | Refusal:
        """Call the tool `name` with a model's input, and never raise for what it does.

        Args:
            tools: What there is to call, by name.
            name: What was asked for.
            input: As it was sent: nothing about it is trusted.
            context: For a tool that takes one.
            timeout: Seconds for a tool that declares none of its own.

        Raises:
            asyncio.CancelledError: The caller was cancelled; the tool was too.
        """
        tool = tools.get(name)
        if tool is None:
            known = ", ".join(sorted(tools)) or "none"
            return Refusal(
                type="unknown-tool", message=f"Unknown tool {name!r}. Available: {known}."
            )
        subject = f"Tool {name!r}"
        try:
            args, kwargs = tool.schema.arguments(input)
        except InvalidInput as error:
            return Refusal(type="invalid-input", message=f"Invalid input for {name!r}: {error}")
        except Exception as error:  # noqa: BLE001 - a validator is users' code
            return self._failed(subject, error)
        if tool.schema.context is not None:
            kwargs[tool.schema.context] = context
        work = asyncio.ensure_future(self._caught(tool, name, args, kwargs, context))
        return await self._within(work, name, timeout if tool.timeout is None else tool.timeout)

    def answer(self, value: object) -> Answer:
        """A tool's return value as an answer.

        Raises:
            EncodingError: `nested-ui`, `not-json` or `too-large`.
        """
        shown = cast("UIResult[Any]", value) if isinstance(value, UIResult) else None
        parts = content_in(cast("object", value))
        if parts is None:
            answer = Answer(
                data=to_jsonable(cast("object", value if shown is None else shown.data)),
                shown=shown,
            )
        else:
            answer = _of_content(parts, alone=isinstance(value, Content))
        size = len(orjson.dumps(answer.data))
        if size > self._max_result:
            msg = (
                f"The result has {size} bytes of JSON, and the model may read {self._max_result}. "
                "Ask for less, or for a part."
            )
            raise EncodingError("too-large", msg)
        return answer

    async def _within(
        self,
        work: "asyncio.Future[Answer | Refusal]",
        name: str,
        timeout: float,  # noqa: ASYNC109
    ) -> Answer | Refusal:
        try:
            done, _ = await asyncio.wait({work}, timeout=timeout)
        except asyncio.CancelledError:
            self._give_up(work, name)
            raise
        if done:
            return work.result()
        work.cancel()
        await asyncio.wait({work}, timeout=_FAREWELL)
        self._give_up(work, name)
        message = f"Tool {name!r} took longer than {timeout:g} s and was stopped. Whether it took effect is unknown."
        return Refusal(type="timeout", message=message)

    def _give_up(self, work: "asyncio.Future[Any]", name: str) -> None:
        work.cancel()
        if not work.done():
            task = cast("asyncio.Task[object]", work)
            self._abandoned.add(task)
            task.add_done_callback(self._abandoned.discard)
            logger.debug("Tool %r was cancelled", name)

    async def _caught(
        self,
        tool: Tool[..., Any],
        name: str,
        args: list[Any],
        kwargs: dict[str, Any],
        context: ToolContext,
    ) -> Answer | Refusal:
        """The tool's answer, whatever it raised."""
        try:
            return self.answer(await self._run(tool.function, name, args, kwargs, context))
        except EncodingError as error:
            return Refusal(type=error.type, message=f"Tool {name!r}: {error}")
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return self._failed(f"Tool {name!r}", error)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - users' code, which must not end the server
            return self._failed(f"Tool {name!r}", error)

    async def _run(
        self,
        function: Callable[..., Any],
        name: str,
        args: list[Any],
        kwargs: dict[str, Any],
        context: ToolContext,
    ) -> object:
        if inspect.isasyncgenfunction(function):
            return await _drain_async(function(*args, **kwargs), context)
        if inspect.iscoroutinefunction(function):
            return _unwrapped(await function(*args, **kwargs))
        loop = asyncio.get_running_loop()

        def work() -> object:
            value = function(*args, **kwargs)
            if not inspect.isgenerator(value):
                return value
            return _drain(cast("Generator[object, None, object]", value), context, loop)

        value = await self._threads.run(work, name=name)
        # A decorator may hide that the function is async.
        if inspect.isasyncgen(value):
            return await _drain_async(cast("AsyncGenerator[object, None]", value), context)
        if inspect.isawaitable(value):
            value = await cast("Awaitable[object]", value)
        return _unwrapped(value)

    def _failed(self, subject: str, error: BaseException) -> Refusal:
        failure = tell(error, what=subject, development=self._development)
        if isinstance(error, AgentError):
            # Words for people, as their author wants them: nothing is wrong that whoever runs the server could mend.
            logger.info("%s: %s", subject, failure.message)
        else:
            logger.error("%s failed (ref %s)", subject, failure.ref or "none", exc_info=error)
        return Refusal(type="failed", message=failure.message, ref=failure.ref)


def _of_content(parts: Sequence[object], *, alone: bool) -> Answer:
    """An answer with content: named in the data, beside what else the list holds."""
    data: list[Any] = []
    content: list[Content] = []
    for part in parts:
        if isinstance(part, Content):
            data.append(part.named())
            content.append(part)
        else:
            data.append(to_jsonable(part))
            told = data[-1]
            content.append(Text(told if isinstance(told, str) else orjson.dumps(told).decode()))
    return Answer(data=data[0] if alone else data, content=tuple(content))


def progress_payload(value: object) -> Any:
    """What a generator yielded, or `ctx.progress` was told, as a `tool-progress` payload.

    Raises:
        EncodingError: It has no JSON, holds what only people may see, or is too large.
    """
    payload = to_jsonable(value.payload() if isinstance(value, Progress) else value)
    if len(orjson.dumps(payload)) > MAX_RESULT:
        msg = f"A progress value may have {MAX_RESULT} bytes of JSON at the most."
        raise EncodingError("too-large", msg)
    return payload


def _unwrapped(value: object) -> object:
    return cast("Result[object]", value).value if isinstance(value, Result) else value


async def _drain_async(generator: AsyncGenerator[object, None], context: ToolContext) -> object:
    try:
        async for item in generator:
            if isinstance(item, Result):
                return cast("Result[object]", item).value
            await context.report(item)
    finally:
        await generator.aclose()
    return None


def _drain(
    generator: Generator[object, None, object],
    context: ToolContext,
    loop: asyncio.AbstractEventLoop,
) -> object:
    """In the tool's thread, one for the generator's whole life."""
    try:
        while True:
            try:
                item = next(generator)
            except StopIteration as end:
                return end.value
            if isinstance(item, Result):
                return cast("Result[object]", item).value
            asyncio.run_coroutine_threadsafe(context.report(item), loop).result()
    finally:
        generator.close()
