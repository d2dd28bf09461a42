"""A project in process, for the tests of whoever wrote it: real turns, a scripted model, tools that can be stubbed.

Turns run as they do behind a server, on a store in a temporary folder. No model server is ever called: an agent whose
model is not scripted needs one to be given. It is not Starlette's TestClient, which ends its loop, and turns with it, when
a request ends.
"""

import contextlib
import copy
import dataclasses
import inspect
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from litro.app import Litro
from litro.definitions import Principal, Tool
from litro.discovery.load import LoadedAgent
from litro.discovery.scan import import_roots
from litro.errors import AgentError, ProjectError
from litro.events import Event
from litro.providers import resolve, scripted
from litro.providers.base import ModelEvent, ModelRequest, Provider
from litro.providers.script import ScriptedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """What a person was shown by one tool call."""

    html: str
    data: Any
    """What the model read in its place."""
    hydrate: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedTurn:
    """A turn that has ended, in the words that tests ask in."""

    events: tuple[Event, ...]
    requests: tuple[ModelRequest, ...]
    """What the model was told in each round. People's channel is in none of them."""

    @property
    def status(self) -> str:
        """How it ended: `completed`, `failed`, `cancelled`, `interrupted`."""
        return self.events[-1].payload["status"]

    @property
    def text(self) -> str:
        """What the model said, all rounds together."""
        return "".join(self._payloads("text-delta", "text"))

    @property
    def calls(self) -> list[tuple[str, Any]]:
        """Each tool call's name and input, in the model's order."""
        return [(call["name"], call["input"]) for call in self._payloads("tool-call")]

    @property
    def results(self) -> list[Any]:
        """The values that tools returned for the model, components' data included, as they came."""
        found = (e for e in self.events if e.kind in {"tool-result", "ui"})
        return [e.payload["data"] if e.kind == "ui" else e.payload for e in found]

    @property
    def cards(self) -> list[Card]:
        """The components that the person was shown."""
        return [
            Card(html=ui["html"], data=ui["data"], hydrate=ui.get("hydrate"))
            for ui in self._payloads("ui")
        ]

    @property
    def errors(self) -> list[dict[str, Any]]:
        """Why calls have no result, and why the turn failed: `type` and `message` each."""
        return [e.payload for e in self.events if e.kind in {"tool-error", "error"}]

    def _payloads(self, kind: str, key: str | None = None) -> list[Any]:
        payloads = [event.payload for event in self.events if event.kind == kind]
        return payloads if key is None else [payload[key] for payload in payloads]


class TestedAgent:
    """An agent of the project, to be spoken to."""

    __test__ = False  # pytest collects classes by their names

    def __init__(self, app: Litro, name: str, requests: list[ModelRequest]) -> None:
        self._app = app
        self._name = name
        self._requests = requests

    async def send(
        self, text: str, *, session: str = "test", principal: Principal = None
    ) -> ObservedTurn:
        """Say something and wait for the turn's end. The same `session` goes on where it was."""
        first = len(self._requests)
        spoken = self._app.session(self._name, session, principal=principal)
        events = [event async for event in spoken.send(text)]
        return ObservedTurn(events=tuple(events), requests=tuple(self._requests[first:]))


class RunningProject:
    """A project that runs in process.

    Attributes:
        app: The ASGI app, for tests of routes and guards.
    """

    def __init__(self, app: Litro, requests: Mapping[str, list[ModelRequest]]) -> None:
        self.app = app
        self._requests = requests

    def agent(self, name: str) -> TestedAgent:
        """The agent of this name.

        Raises:
            KeyError: The project has none; the message names those it has.
        """
        if name not in self._requests:
            msg = f"the project has no agent {name!r}, only {sorted(self._requests)}."
            raise KeyError(msg)
        return TestedAgent(self.app, name, self._requests[name])


Script = Callable[[ModelRequest, int], Any]


class ProjectRunner(Protocol):
    """What the fixture `litro_project` is: `running`, for pytest's root folder."""

    def __call__(
        self,
        *,
        model: Provider | Script | None = None,
        tools: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> AbstractAsyncContextManager[RunningProject]:
        """See `running`."""
        ...


@contextlib.asynccontextmanager
async def running(
    project: Path | str = ".",
    *,
    model: Provider | Script | None = None,
    tools: Mapping[str, Any] | None = None,
    **settings: Any,
) -> AsyncGenerator[RunningProject]:
    """Run the project in process, around an `async with`.

    Args:
        project: The folder with `agents/` in it.
        model: Every agent's model: a script as `litro.providers.scripted` takes it, or a provider. Without it each
            agent keeps its own where that is scripted; another is refused, because tests call no model server.
        tools: Stubs by tool name, for every agent that has the tool: a function of its arguments, an exception to
            raise, or the value to return. Inputs are checked by the real tool's schema all the same.
        settings: Settings by name. Sessions are in a temporary folder unless named.

    Raises:
        ProjectError: The project has a problem; all of them are told.
        KeyError: A stub is for a tool that no agent has.
    """
    with tempfile.TemporaryDirectory(prefix="litro-test-") as folder, _importable(Path(project)):
        given: dict[str, Any] = {
            "sessions": f"file:{folder}",
            "signals": False,
            "development": True,
            "watch": False,
        }
        given |= settings
        app = Litro(Path(project), **given)
        async with app.lifespan():
            conversations = (await app.start()).conversations
            if (await app.start()).loaded.problems:
                raise ProjectError((await app.start()).loaded.problems)
            stubs = _stubs(tools or {}, conversations.agents)
            requests: dict[str, list[ModelRequest]] = {name: [] for name in conversations.agents}
            conversations.agents = {
                name: _tested(agent, model, stubs, requests[name])
                for name, agent in conversations.agents.items()
            }
            # Only now, so that what waited in a session is answered by the model and the tools of the test.
            conversations.recovery.begin()
            yield RunningProject(app, requests)


def _stubs(tools: Mapping[str, Any], agents: Mapping[str, LoadedAgent]) -> Mapping[str, Any]:
    known = {name for agent in agents.values() for name in agent.tools}
    unknown = sorted(tools.keys() - known)
    if unknown:
        msg = f"running(tools=…): no agent has the tools {unknown!r}, only {sorted(known)}."
        raise KeyError(msg)
    return tools


def _tested(
    loaded: LoadedAgent,
    model: Provider | Script | None,
    stubs: Mapping[str, Any],
    requests: list[ModelRequest],
) -> LoadedAgent:
    agent = copy.copy(loaded.agent)
    agent.model = _Recording(_model(loaded, model), requests)
    tools = {
        name: _stubbed(tool, stubs[name]) if name in stubs else tool
        for name, tool in loaded.tools.items()
    }
    return dataclasses.replace(loaded, agent=agent, tools=tools)


def _model(loaded: LoadedAgent, model: Provider | Script | None) -> Provider:
    if model is None:
        own = resolve(loaded.agent.model)
        return own if isinstance(own, ScriptedModel) else _Refusing(loaded.name)
    return model if isinstance(model, Provider) else scripted(model)


class _Recording:
    """Another provider, and what it was asked."""

    def __init__(self, provider: Provider, requests: list[ModelRequest]) -> None:
        self._provider = provider
        self._requests = requests

    @property
    def name(self) -> str:
        return self._provider.name

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self._requests.append(request)
        return self._provider.stream(request)


class _Refusing:
    """In place of a model that tests must not call."""

    name = "refusing"

    def __init__(self, agent: str) -> None:
        self._agent = agent

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:  # noqa: ARG002 - the port
        msg = (
            f"agent {self._agent!r} has a model that answers from elsewhere, and tests call none. "
            "Script it: running(…, model=lambda request, turn: ['Hello.'])"
        )
        raise AgentError(msg)
        yield  # what makes this an async generator


def _stubbed(tool: Tool[..., Any], stub: Any) -> Tool[..., Any]:
    """The tool with its schema, and another function behind it."""
    stubbed = copy.copy(tool)
    # Read once, so that the copy keeps the real function's schema.
    context = tool.schema.context
    stubbed.__dict__["schema"] = tool.schema

    async def answer(*args: Any, **kwargs: Any) -> Any:
        if isinstance(stub, BaseException):
            raise stub
        if not callable(stub):
            return stub
        if context is not None and context not in inspect.signature(stub).parameters:
            kwargs.pop(context, None)
        value = stub(*args, **kwargs)
        return await value if inspect.isawaitable(value) else value

    stubbed.function = answer
    return stubbed


@contextlib.contextmanager
def _importable(project: Path) -> Generator[None]:
    before = list(sys.path)
    sys.path[:0] = [str(root) for root in import_roots(project.absolute())]
    try:
        yield
    finally:
        sys.path[:] = before
