"""A tool called by hand: checked, run and rendered as in a turn, but in no session and for no model.

Whoever leaves stops it. It judges nothing: what the tool answers is told as it is.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, Final

import orjson
from starlette.requests import Request

from litro.definitions import Principal, ToolContext, ToolSession, owner_of
from litro.discovery.load import LoadedAgent
from litro.http.answers import Refused, failure
from litro.http.call import invalid_body
from litro.turn.conversations import Conversations
from litro.turn.runner import Surroundings
from litro.turn.tools import Refusal, progress_payload

SESSION: Final = "inspector"
"""What a tool that is called by hand sees as its session's id, with seq 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ByHand:
    """A call that somebody makes."""

    agent: LoadedAgent
    tool: str
    input: Any
    principal: Principal
    request: Request


class Calling:
    """Calls tools.

    Args:
        conversations: Whose agents have them.
        surroundings: What calls share with turns.
        retired: Called when a call to an agent that is not served any more has ended.
    """

    def __init__(
        self,
        conversations: Conversations,
        surroundings: Surroundings,
        retired: Callable[[], None],
    ) -> None:
        self._conversations = conversations
        self._around = surroundings
        self._retired = retired
        self.in_use: list[LoadedAgent] = []
        """The agents whose tools are being called."""

    def by_hand(
        self, agent: str, tool: str, content: Mapping[str, Any], request: Request
    ) -> ByHand:
        """The call that these fields ask for: `input`, and for whom: `principal`.

        Raises:
            UnknownAgent, BrokenAgent: There is no such agent, or its files are wrong.
            Refused: 404, it has no such tool; 400, no principal is like that, or there is no input.
        """
        loaded = self._conversations.agent(agent)
        if tool not in loaded.tools:
            known = ", ".join(loaded.tools) or "none"
            message = f"Agent {agent!r} has no tool {tool[:200]!r}. Available: {known}."
            raise Refused(failure(404, "unknown-tool", message))
        if "input" not in content:
            message = "`input` is missing, so it is required: `{}` for a tool without parameters."
            raise invalid_body(message)
        principal = content.get("principal")
        try:
            owner_of(principal)
        except TypeError:
            message = (
                f"`principal` is {principal!r:.80}, so a non-empty string, an object with a string `id`, or null is "
                "required."
            )
            raise invalid_body(message) from None
        return ByHand(
            agent=loaded, tool=tool, input=content["input"], principal=principal, request=request
        )

    async def lines(self, call: ByHand) -> AsyncIterator[bytes]:
        """The call's progress as it is reported, then how it ended. Closing it stops the call."""
        reports: asyncio.Queue[list[Any]] = asyncio.Queue()

        async def report(value: Any) -> None:
            reports.put_nowait([progress_payload(value)])

        seq = 0
        self.in_use.append(call.agent)
        task = asyncio.create_task(self._ended(call, report))
        # An empty report says that there is no other.
        task.add_done_callback(lambda _: reports.put_nowait([]))
        try:
            while reported := await reports.get():
                seq += 1
                yield _line(seq, {"progress": reported[0]})
            yield _line(seq + 1, task.result())
        finally:
            task.cancel()
            await asyncio.wait({task})
            self.in_use.remove(call.agent)
            self._retired()

    async def _ended(self, call: ByHand, report: Callable[[Any], Any]) -> dict[str, Any]:
        started = time.monotonic()
        context = ToolContext(
            session=ToolSession(SESSION, 0),
            call_id=f"{SESSION}-{token_hex(8)}",
            principal=call.principal,
            request=call.request,
            state=self._around.state,
            report=report,
        )
        told = await self._told(call, context)
        return {**told, "ms": round((time.monotonic() - started) * 1000)}

    async def _told(self, call: ByHand, context: ToolContext) -> dict[str, Any]:
        loaded = call.agent
        answer = await self._around.caller.call(
            loaded.tools, call.tool, call.input, context, timeout=loaded.agent.tool_timeout
        )
        if isinstance(answer, Refusal):
            return {"error": answer.payload()}
        if answer.shown is None:
            return {"result": answer.data}
        shown = await self._around.rendering.payload(answer, name=call.tool)
        return {"error": shown.payload()} if isinstance(shown, Refusal) else {"ui": shown}


def _line(seq: int, fields: Mapping[str, Any]) -> bytes:
    return orjson.dumps({"seq": seq, **fields}, option=orjson.OPT_APPEND_NEWLINE)
