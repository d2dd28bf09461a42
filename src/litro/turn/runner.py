"""Runs one turn: carries out what the machine commands, and tells it what happened.

It owns the turn's tasks, and neither the lease nor the mailbox: `litro.turn.tenure` does. A turn belongs to its session: no
request, stream or client can end it, only `stop`. Whatever raises in here, the turn is told as ended once, or its store is
what failed.
"""

import asyncio
import inspect
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from litro.definitions import Principal, Tool, ToolContext, ToolSession, TurnContext
from litro.discovery.load import LoadedAgent
from litro.encoding import well_formed
from litro.errors import Failure, LeaseLost, ProviderError, StoreFailed, tell
from litro.events import ErrorPayload, Event, Private
from litro.providers.base import (
    Finished,
    Message,
    ModelEvent,
    ModelRequest,
    Provider,
    ReasoningDelta,
    TextDelta,
    ToolSpec,
)
from litro.sessions.base import SessionKey, SessionMeta, SessionWriter
from litro.turn.machine import (
    Append,
    Ask,
    AskFailed,
    Begun,
    Broke,
    Called,
    Command,
    Flush,
    Happened,
    Machine,
    Progressed,
    Remember,
    Run,
    Steered,
    Stopped,
    StopWork,
    Withdrawn,
)
from litro.turn.render import Rendering
from litro.turn.threads import ToolThreads
from litro.turn.tools import Refusal, ToolCaller, progress_payload
from litro.turn.transcript import Transcript, check_history
from litro.ui.renderers.base import TemplateRenderer

logger: Final = logging.getLogger(__name__)

MAX_PENDING: Final = 1 << 20
"""Bytes that may wait for the disk before the provider waits too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a model is about to be asked."""

    session: SessionMeta
    """The session, as it was when its lease was taken."""
    turn: int
    round: int
    provider: Provider
    request: ModelRequest


class Surroundings:
    """What every turn of an app shares.

    Args:
        development: Whether failures are told in full.
        tool_threads: How many sync tools may run at once.
        templates: Renders the templates that tools return, where something can.
    """

    def __init__(
        self,
        *,
        development: bool,
        tool_threads: int,
        templates: TemplateRenderer | None = None,
    ) -> None:
        self.development = development
        self.threads: ToolThreads = ToolThreads(tool_threads)
        self.caller: ToolCaller = ToolCaller(self.threads, development=development)
        self.rendering: Rendering = Rendering(self.threads, templates, development=development)
        self.state: Any = None
        """What `Config(lifespan=…)` yielded."""
        self.asked: Callable[[Asked], None] | None = None
        """Told of every request before it is sent, in development. It never raises."""


class Turn:
    """One turn of a session.

    Args:
        key: The session.
        agent: Its agent, in the generation that the turn keeps to the end.
        provider: The agent's model.
        writer: The session's lease.
        transcript: The session so far; the turn extends it.
        surroundings: What every turn shares.
        principal: Who asks.
        request: The live HTTP request, where one started the turn.
    """

    def __init__(
        self,
        *,
        key: SessionKey,
        agent: LoadedAgent,
        provider: Provider,
        writer: SessionWriter,
        transcript: Transcript,
        surroundings: Surroundings,
        principal: Principal,
        request: Any,
    ) -> None:
        definition = agent.agent
        self.key = key
        self.number: int = transcript.turn + 1
        self.start: int = 0
        """The seq of its `turn-start`."""
        self.failure: LeaseLost | StoreFailed | None = None
        """Why the turn could not be recorded to its end."""
        self._agent = agent
        self._provider = provider
        self._writer = writer
        self._transcript = transcript
        self._around = surroundings
        self._principal = principal
        self._request = request
        self._machine = Machine(
            self.number, max_rounds=definition.max_rounds, parallel=definition.parallel_tools
        )
        self._happened: asyncio.Queue[Happened | LeaseLost | StoreFailed] = asyncio.Queue()
        self._work: set[asyncio.Task[None]] = set()
        self._calls: dict[str, int] = {}
        self._system: str | None = None
        self._rounds = 0
        self._next: Sequence[Command] = ()

    @property
    def has_ended(self) -> bool:
        """Whether its `turn-end` was appended."""
        return self._machine.status is not None

    async def begin(self, begun: Begun) -> None:
        """Make the turn's start and the message durable. Nothing is asked yet.

        Raises:
            LeaseLost, StoreFailed: They are not.
        """
        self.start = self._transcript.tail + 1
        commands = self._machine.feed(begun)
        durable = commands.index(Flush()) + 1
        await self._carry_out(commands[:durable])
        self._next = commands[durable:]

    async def run(self) -> None:
        """Run to the turn's end. Never raises for what happens in the turn."""
        try:
            await self._carry_out(self._next)
            while self._machine.status is None:
                await self._carry_out(self._machine.feed(await self._next_happened()))
        except (LeaseLost, StoreFailed) as error:
            self._give_up(error)
        except asyncio.CancelledError:
            # The loop is ending: what can still be recorded is that the turn was cut off.
            await self._end_with(Stopped("interrupted"))
            raise
        except Exception as error:
            logger.exception("Turn %d of %s/%s broke", self.number, *self.key)
            await self._end_with(Broke(self._internal("The turn", error)))
        finally:
            self._stop_work()

    def stop(self, status: Literal["cancelled", "interrupted"]) -> None:
        """End the turn early. What is under way is stopped; a turn that has ended stays as it ended."""
        self._happened.put_nowait(Stopped(status))

    def steer(self, message: str, text: str) -> None:
        """Let a message that was recorded as waiting join before the model is asked again."""
        self._machine.feed(Steered(message=message, text=text))

    def forget(self, message: str) -> None:
        """A message that was to join was withdrawn."""
        self._machine.feed(Withdrawn(message))

    async def _carry_out(self, commands: Sequence[Command]) -> None:
        for command in commands:
            match command:
                case Append(event):
                    self._append(event)
                case Remember(replay):
                    self._remember(replay)
                case Flush():
                    await self._writer.flush()
                case Ask():
                    self._spawn(self._ask())
                case Run():
                    self._spawn(self._run_tool(command))
                case StopWork():
                    self._stop_work()

    def _append(self, event: Event) -> None:
        seq = self._writer.append(event)
        if event.kind == "tool-call" and event.call is not None:
            self._calls[event.call] = seq
        self._transcript.feed(event, seq)

    def _remember(self, replay: Any) -> None:
        of, provider = self._transcript.tail, self._provider.name
        self._writer.append(Private({"replay": replay, "of": of, "provider": provider}))
        self._transcript.remember(replay, of=of, provider=provider)

    async def _ask(self) -> None:
        """Ask the model once, and append what it says as it comes."""
        try:
            request = await self._model_request()
            self._tell_asked(request)
            stream = self._provider.stream(request)
            try:
                finished = await self._listen(stream)
            finally:
                close = getattr(stream, "aclose", None)
                if close is not None:
                    await close()
        except ProviderError as error:
            logger.warning("Turn %d of %s/%s: %s: %s", self.number, *self.key, error.type, error)
            self._happen(AskFailed(self._of_provider(error)))
        except (LeaseLost, StoreFailed) as error:
            self._happen(error)
        except (Exception, SystemExit) as error:
            logger.exception("Turn %d of %s/%s: the model failed", self.number, *self.key)
            self._happen(AskFailed(self._internal("The model", error)))
        else:
            self._happen(finished)

    def _tell_asked(self, request: ModelRequest) -> None:
        self._rounds += 1
        if self._around.asked is not None:
            self._around.asked(
                Asked(
                    session=self._writer.meta,
                    turn=self.number,
                    round=self._rounds,
                    provider=self._provider,
                    request=request,
                )
            )

    async def _listen(self, stream: AsyncIterator[ModelEvent]) -> Finished:
        async for event in stream:
            if isinstance(event, Finished):
                return event
            appends = self._machine.feed(event)
            if isinstance(event, TextDelta | ReasoningDelta):
                await self._carry_out(appends)
                if self._writer.pending > MAX_PENDING:
                    await self._writer.flush()
        kind, msg = "stream-incomplete", "the provider's stream ended without Finished"
        raise ProviderError(kind, msg, retryable=True)

    async def _model_request(self) -> ModelRequest:
        if self._system is None:
            context = TurnContext(
                agent=self.key.agent,
                session=self.key.session,
                principal=self._principal,
                state=self._around.state,
            )
            self._system = await instructions_of(self._agent, context)
        return ModelRequest(
            system=self._system, messages=self._messages(), tools=specs_of(self._tools)
        )

    @property
    def _tools(self) -> Mapping[str, Tool[..., Any]]:
        return tools_for_models(self._agent)

    def _messages(self) -> tuple[Message, ...]:
        return history_of(self._agent, self._transcript.messages(self._provider.name))

    async def _run_tool(self, run: Run) -> None:
        async def report(value: Any) -> None:
            self._happen(Progressed(run.call, progress_payload(value)))
            if self._writer.pending > MAX_PENDING:
                await self._writer.flush()

        context = ToolContext(
            session=ToolSession(self.key.session, self._calls[run.call]),
            call_id=run.call,
            principal=self._principal,
            request=self._request,
            state=self._around.state,
            report=report,
        )
        answer = await self._around.caller.call(
            self._tools,
            run.name,
            run.input,
            context,
            timeout=self._agent.agent.tool_timeout,
        )
        if isinstance(answer, Refusal):
            self._happen(Called(run.call, "tool-error", answer.payload()))
        elif answer.shown is None:
            self._happen(Called(run.call, "tool-result", answer.data))
        else:
            shown = await self._around.rendering.payload(answer, name=run.name)
            if isinstance(shown, Refusal):
                self._happen(Called(run.call, "tool-error", shown.payload()))
            else:
                self._happen(Called(run.call, "ui", shown))

    async def _next_happened(self) -> Happened:
        happened = await self._happened.get()
        if isinstance(happened, LeaseLost | StoreFailed):
            raise happened
        return happened

    def _happen(self, happened: Happened | LeaseLost | StoreFailed) -> None:
        self._happened.put_nowait(happened)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._work_done)

    def _work_done(self, task: asyncio.Task[None]) -> None:
        self._work.discard(task)
        if task.cancelled() and (self.has_ended or self.failure is not None):
            return
        # Not cancelled by us, it is by users' code: the turn would wait for ever for what comes of it.
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if error is not None:
            logger.error("Turn %d of %s/%s broke", self.number, *self.key, exc_info=error)
            self._happen(Broke(self._internal("The turn", error)))

    def _stop_work(self) -> None:
        for task in self._work:
            task.cancel()

    async def _end_with(self, happened: Stopped | Broke) -> None:
        try:
            await self._carry_out(self._machine.feed(happened))
        except (LeaseLost, StoreFailed) as error:
            self._give_up(error)

    def _give_up(self, error: LeaseLost | StoreFailed) -> None:
        self.failure = error
        logger.error("Turn %d of %s/%s cannot be recorded: %s", self.number, *self.key, error)

    def _of_provider(self, error: ProviderError) -> ErrorPayload:
        failure = tell(error, what="The model", development=self._around.development)
        payload = _error(error.type, failure)
        if error.status is not None:
            payload["status"] = error.status
        return payload

    def _internal(self, what: str, error: BaseException) -> ErrorPayload:
        return _error("internal", tell(error, what=what, development=self._around.development))


def tools_for_models(agent: LoadedAgent) -> Mapping[str, Tool[..., Any]]:
    """The agent's tools, without those that only the app of an MCP host calls."""
    return {name: tool for name, tool in agent.tools.items() if tool.is_for_models}


def specs_of(tools: Mapping[str, Tool[..., Any]]) -> tuple[ToolSpec, ...]:
    """The tools as a model is told of them."""
    return tuple(
        ToolSpec(
            name=name,
            description=tool.schema.description,
            input_schema=tool.schema.input_schema,
        )
        for name, tool in sorted(tools.items())
    )


async def instructions_of(agent: LoadedAgent, context: TurnContext) -> str:
    """What the agent's model is told first.

    Raises:
        Exception: What the agent's own function raised.
    """
    if isinstance(agent.instructions, str):
        return agent.instructions
    text = agent.instructions(context)
    return await text if inspect.isawaitable(text) else text


def history_of(agent: LoadedAgent, messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """What the agent lets its model read of the conversation.

    Raises:
        Exception: What the agent's own function raised, or `AgentError` where no model can be asked with its answer.
    """
    history = agent.agent.history
    return messages if history is None else check_history(history(messages))


def _error(type: str, failure: Failure) -> ErrorPayload:  # noqa: A002
    payload: ErrorPayload = {"type": type, "message": well_formed(failure.message)}
    if failure.ref is not None:
        payload["ref"] = failure.ref
        logger.error("ref %s: see the exception logged above", failure.ref)
    return payload
