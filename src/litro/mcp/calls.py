"""The calls to agents that run, and what answers them: one server of the SDK's for each agent.

It is told which agent is called, in whichever generation, and knows no path and no gate.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from starlette.requests import Request

from litro.definitions import Principal
from litro.discovery.load import LoadedAgent
from litro.errors import BrokenAgent, GoingAway
from litro.http.answers import Receive
from litro.mcp.agent import McpAgent
from litro.mcp.hangup import while_connected
from litro.mcp.packed import AppMissing
from litro.mcp.reply import Reply
from litro.mcp.sdk import load
from litro.turn.conversations import Conversations

if TYPE_CHECKING:
    from litro.mcp.exchange import Exchange

logger: Final = logging.getLogger(__name__)

EXCHANGE: Final = "litro.mcp.exchange"
_LEAVING: Final = "The server is shutting down."


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message to an agent that has passed every gate."""

    agent: LoadedAgent
    body: bytes
    request: Request
    principal: Principal


class Calls:
    """The calls that run.

    Args:
        conversations: Whose agents are served.
        made: Makes of an agent what hosts see of it. What it raises concerns that agent alone.
        state: What `Config(lifespan=…)` yielded.
        retired: Called when a call to an agent that is not served any more has ended.
        development: Whether failures are told in full.
        settled: Waits until what `made` looks at is there for the first time.
    """

    def __init__(
        self,
        conversations: Conversations,
        made: Callable[[LoadedAgent], McpAgent],
        *,
        state: Any,
        retired: Callable[[], None],
        development: bool,
        settled: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._conversations = conversations
        self._made = made
        self._state = state
        self._retired = retired
        self._development = development
        self._settled = settled
        self._exchanges: dict[str, tuple[LoadedAgent, Exchange]] = {}
        self._running: dict[asyncio.Task[None], LoadedAgent] = {}
        self._is_leaving = False

    def prepare(self) -> list[str]:
        """Make ready what answers for every agent, which takes a second.

        Returns:
            What their authors should know before a host finds out. Agents that cannot be served are in the log.

        Raises:
            McpMissing: The SDK cannot be imported.
        """
        made = load(EXCHANGE).Exchange
        reports: list[str] = []
        for agent in self._conversations.agents.values():
            with contextlib.suppress(BrokenAgent):
                seen = self._seen(agent)
                reports += (f"Agent {agent.name!r} over MCP: {report}" for report in seen.reports)
                self._exchanges[agent.name] = (agent, made(seen))
        return reports

    @property
    def in_use(self) -> list[LoadedAgent]:
        """The agents that are being called."""
        return list(self._running.values())

    def renew(self) -> None:
        """From the next message on, answer with agents that are made anew. Calls that run keep theirs."""
        self._exchanges.clear()

    async def answer(self, message: Message, reply: Reply, receive: Receive) -> None:
        """Answer one message, unless the client hangs up before.

        Raises:
            GoingAway: The server is shutting down, and nothing was said.
            BrokenAgent, McpMissing: The agent cannot be served.
        """
        if self._is_leaving:
            raise GoingAway(_LEAVING)
        task = asyncio.create_task(self._work(message, reply))
        self._running[task] = message.agent
        try:
            was_there = await while_connected(task, receive)
        finally:
            reply.stop()
            self._ended(task)
        if not was_there:
            # Nobody reads it, but middleware of a host app may insist on an answer.
            with contextlib.suppress(OSError):
                await reply.break_off()
        elif task.cancelled():
            if not reply.is_begun:
                raise GoingAway(_LEAVING)
            await reply.break_off()

    async def leave(self, grace: float) -> None:
        """Take no more calls. Those that run get their grace, and are cancelled then.

        Args:
            grace: Seconds.
        """
        self._is_leaving = True
        if not self._running:
            return
        _, late = await asyncio.wait(set(self._running), timeout=grace)
        for task in late:
            task.cancel()
        if late:
            await asyncio.wait(late)

    async def _work(self, message: Message, reply: Reply) -> None:
        exchange = await self._exchange(message.agent)
        given: Mapping[str, Any] = {"principal": message.principal, "state": self._state}
        await exchange.answer(message.body, message.request, given, reply)

    def _ended(self, task: "asyncio.Task[None]") -> None:
        agent = self._running.pop(task)
        if self._conversations.agents.get(agent.name) is not agent:
            if self._exchanges.get(agent.name, (None,))[0] is agent:
                del self._exchanges[agent.name]
            self._retired()

    async def _exchange(self, agent: LoadedAgent) -> "Exchange":
        known, exchange = self._exchanges.get(agent.name, (None, None))
        if exchange is None or known is not agent:
            # Not on the loop, where everybody else's streams would stand still for a second.
            module = await asyncio.to_thread(load, EXCHANGE)
            if self._settled is not None:
                await self._settled()
            exchange = module.Exchange(self._seen(agent))
            self._exchanges[agent.name] = (agent, exchange)
        return exchange

    def _seen(self, agent: LoadedAgent) -> McpAgent:
        try:
            return self._made(agent)
        except AppMissing as error:
            logger.error("Agent %r cannot be served over MCP: %s", agent.name, error)  # noqa: TRY400 - where it was noticed says nothing
            why = str(error) if self._development else error.brief
            msg = f"Agent {agent.name!r} cannot be served over MCP: {why}"
            raise BrokenAgent(msg) from error
        except Exception as error:
            logger.exception("Agent %r cannot be served over MCP", agent.name)
            why = str(error) if self._development else "the server's log says why."
            msg = f"Agent {agent.name!r} cannot be served over MCP: {why}"
            raise BrokenAgent(msg) from error
