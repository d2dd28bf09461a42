"""Calls as a host makes them: results, errors, time limits, progress, cancellation."""

import asyncio
import dataclasses
import json
import logging
import threading
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mapping import call, serve, text_of
from markupsafe import Markup
from pydantic import BaseModel

from litro import AgentError, Progress, Result, ToolContext, tool
from litro.content import Audio, File, Image, Text
from litro.mcp.agent import CallContext, Limits, UnknownTool
from litro.ui import ui

PNG = b"\x89PNG\r\n\x1a\n"


def answering(value: Any) -> Any:
    @tool
    async def answer():
        """Answers."""
        return value

    return answer


async def test_an_object_is_text_and_structure():
    result = await call(answering({"city": "Lissabon", "temp": 21}))
    assert result == {
        "content": [{"type": "text", "text": '{"city":"Lissabon","temp":21}'}],
        "structuredContent": {"city": "Lissabon", "temp": 21},
    }


@pytest.mark.parametrize("value", ["ok", 3, 2.5, True, None, [1, 2], []])
async def test_what_is_no_object_is_wrapped_where_the_era_demands_an_object(value: Any):
    old = await call(answering(value))
    assert old["structuredContent"] == {"value": value}
    new = await call(answering(value), era="modern")
    assert new["structuredContent"] == value
    assert old["content"] == new["content"]


async def test_a_string_is_told_as_json():
    assert text_of(await call(answering('say "hi"'))) == '"say \\"hi\\""'


async def test_a_return_annotation_is_a_promise_that_wraps_in_both_eras():
    @tool
    def count() -> int:
        """Counts."""
        return 3

    (listed,) = serve(count).tools()["tools"]
    assert listed["outputSchema"]["properties"] == {"value": {"type": "integer"}}
    for era in ("handshake", "modern"):
        assert (await call(count, era=era))["structuredContent"] == {"value": 3}


async def test_a_result_that_breaks_its_promise_is_withheld(caplog: pytest.LogCaptureFixture):
    class Order(BaseModel):
        id: int
        lines: list[str]

    @tool
    def order() -> Order:
        """Looks."""
        return {"id": "geheim", "lines": []}  # pyright: ignore[reportReturnType]

    result = await call(order)
    assert result["isError"] is True
    assert "structuredContent" not in result
    assert "$.id: type" in text_of(result)
    assert "geheim" not in repr(result)
    assert "broke its return annotation" in caplog.text


async def test_a_kept_promise_of_any_kind_is_served():
    @dataclasses.dataclass
    class Order:
        id: int

    @tool
    async def order(found: bool) -> Order | None:
        """Looks."""
        return Order(7) if found else None

    assert (await call(order, {"found": True}))["structuredContent"] == {"value": {"id": 7}}
    assert (await call(order, {"found": False}))["structuredContent"] == {"value": None}


async def test_a_large_result_is_held_to_its_promise_too():
    @tool
    async def numbers(last: int | str) -> list[int]:
        """Counts."""
        return [*range(10_000), last]  # pyright: ignore[reportReturnType]

    assert len((await call(numbers, {"last": 1}))["structuredContent"]["value"]) == 10_001
    assert "$.value[10000]: type" in text_of(await call(numbers, {"last": "x"}))


async def test_a_component_reaches_a_host_as_its_data_alone():
    @tool
    def card(nested: bool):
        """Shows."""
        shown = ui(Markup("<b>MARKUP</b>"), data={"city": "Rome"})
        return {"card": shown} if nested else shown

    result = await call(card, {"nested": False})
    assert result["structuredContent"] == {"city": "Rome"}
    refused = await call(card, {"nested": True}, development=True)
    assert refused["isError"] is True
    assert "MARKUP" not in repr([result, refused])


def shown() -> Any:
    return ui(Markup("<b>MARKUP</b>"), data={"city": "Rome"}, hydrate={"modules": ["/MARKUP.js"]})


hiding = st.recursive(
    st.builds(shown) | st.just(Text("x")) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
        | st.tuples(inner)
        | st.builds(Result, inner)
        | st.builds(Progress, st.just(1), inner, inner)
        | st.builds(AgentError, inner)
        | st.builds(ValueError, inner)
    ),
    max_leaves=4,
)


@given(hiding, st.lists(hiding, max_size=2), st.sampled_from([20, 1_000_000]))
def test_no_markup_is_on_any_wire(value: Any, yields: list[Any], limit: int):
    told: list[Any] = []

    async def report(*said: Any) -> None:
        told.append(said)

    @tool
    async def answer():
        """Answers."""
        for one in yields:
            yield one
        if isinstance(value, Exception):
            raise value
        yield Result(value)

    limits = Limits(max_result=limit)
    result = asyncio.run(call(answer, limits=limits, report=report, development=True))
    assert "MARKUP" not in json.dumps([result, told])


async def test_a_component_is_never_progress():
    told: list[Any] = []

    async def report(*said: Any) -> None:
        told.append(said)

    @tool
    async def card():
        """Shows."""
        yield ui(Markup("<b>MARKUP</b>"), data=1)

    result = await call(card, report=report, development=True)
    assert result["isError"] is True
    assert "MARKUP" not in repr([result, told])


async def test_content_passes_through_as_content():
    @tool
    def report():
        """Draws."""
        return [
            "a chart:",
            Image(PNG),
            Audio(b"RIFF0000WAVE"),
            File("a,b", "a b.csv", mime_type="text/csv"),
            File(b"\x00", uri="test://x"),
            Text("done"),
            {"n": 1},
        ]

    result = await call(report)
    assert "structuredContent" not in result
    assert result["content"] == [
        {"type": "text", "text": "a chart:"},
        {"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"},
        {"type": "audio", "data": "UklGRjAwMDBXQVZF", "mimeType": "audio/wav"},
        {
            "type": "resource",
            "resource": {"uri": "file:///a%20b.csv", "mimeType": "text/csv", "text": "a,b"},
        },
        {
            "type": "resource",
            "resource": {
                "uri": "test://x",
                "mimeType": "application/octet-stream",
                "blob": "AA==",
            },
        },
        {"type": "text", "text": "done"},
        {"type": "text", "text": '{"n":1}'},
    ]


async def test_text_alone_is_told_without_quotes():
    assert text_of(await call(answering(Text("This is it.")))) == "This is it."


async def test_content_keeps_a_promise_that_its_names_keep():
    @tool
    def draw(well: bool) -> list[str]:
        """Draws."""
        return [Image(PNG), "x"] if well else [Image(PNG), 3]  # pyright: ignore[reportReturnType]

    result = await call(draw, {"well": True})
    assert [block["type"] for block in result["content"]] == ["image", "text"]
    assert result["structuredContent"] == {"value": ["image/png, 8 bytes", "x"]}
    assert (await call(draw, {"well": False}))["isError"] is True


async def test_content_inside_another_value_is_refused():
    refused = await call(answering({"chart": Image(PNG)}))
    assert refused["isError"] is True
    assert "value.chart" in text_of(refused)


async def test_content_over_the_limit_is_left_out_and_named():
    result = await call(answering([Text("small"), Image(PNG * 100)]), limits=Limits(max_result=200))
    first, last = result["content"]
    assert first["text"] == "small"
    assert last["text"].startswith("[truncated by litro mcp: the tool returned ")
    assert last["text"].endswith("Left out: image/png, 800 bytes.")


async def test_a_result_at_the_limit_passes_and_one_byte_more_is_cut(
    caplog: pytest.LogCaptureFixture,
):
    whole = await call(answering("x" * 98), limits=Limits(max_result=100))
    assert whole["structuredContent"] == {"value": "x" * 98}
    cut = await call(answering("x" * 99), limits=Limits(max_result=100))
    assert cut["structuredContent"] == {"truncated": True, "bytes": 101, "limit": 100}
    assert text_of(cut) == '"' + "x" * 99 + (
        "\n[truncated by litro mcp: the tool returned 101 bytes of JSON, over the 100 byte limit. "
        "Ask for less, or narrow the arguments.]"
    )
    assert "isError" not in cut
    assert "'answer': the result has 101 bytes" in caplog.text


@given(st.text(min_size=1), st.integers(min_value=1, max_value=60))
def test_a_cut_goes_through_no_character(text: str, limit: int):
    result = asyncio.run(call(answering(text), limits=Limits(max_result=limit)))
    told = text_of(result).split("\n[truncated")[0]
    assert "\ufffd" not in told or "\ufffd" in text
    assert len(told.encode()) <= max(limit, len(told.encode()) if "isError" in result else limit)


async def test_a_cut_result_that_had_a_promise_is_an_error_so_that_hosts_read_it():
    @tool
    def long() -> str:
        """Talks."""
        return "x" * 1000

    cut = await call(long, limits=Limits(max_result=100))
    assert cut["isError"] is True
    assert "structuredContent" not in cut
    assert "[truncated by litro mcp" in text_of(cut)


async def test_an_unknown_tool_is_no_result():
    agent = serve(answering(1))
    for name in ("nope", "", "../answer", "\ud800", "x" * 100_000):
        with pytest.raises(UnknownTool, match="Unknown tool") as caught:
            await agent.call(name, {}, CallContext())
        assert len(str(caught.value).encode()) < 1000


async def test_arguments_that_do_not_fit_are_a_result_that_names_each_field():
    @tool
    def book(city: str, days: int):
        """Books."""

    result = await call(book, {"days": "many", "extra": 1})
    assert result["isError"] is True
    for field in ("city: ", "days: ", "extra: "):
        assert field in text_of(result)


async def test_missing_arguments_are_none():
    assert (await call(answering(1), None))["structuredContent"] == {"value": 1}


async def test_an_agent_error_is_told_verbatim():
    @tool
    def refuse():
        """Refuses."""
        raise AgentError("We are closed. \ud800")

    assert await call(refuse) == {
        "content": [{"type": "text", "text": "We are closed. \ufffd"}],
        "isError": True,
    }


async def test_another_failure_is_told_by_reference_and_without_a_stack():
    @tool
    def fail():
        """Fails."""
        raise RuntimeError("password=hunter2")

    told = text_of(await call(fail))
    assert told.startswith("Tool 'fail' failed (ref ")
    developers = text_of(await call(fail, development=True))
    assert developers == "Tool 'fail' failed. RuntimeError: password=hunter2"
    assert "Traceback" not in told + developers


async def hang():
    """Hangs."""
    await asyncio.Event().wait()


async def test_a_call_has_the_agents_time_unless_the_server_or_the_tool_says_otherwise():
    slow = tool(hang)
    assert "longer than 0.02 s" in text_of(await call(slow, tool_timeout=0.02))
    served = Limits(timeout=0.03)
    assert "longer than 0.03 s" in text_of(await call(slow, limits=served, tool_timeout=9))
    own = tool(timeout=0.04)(hang)
    assert "longer than 0.04 s" in text_of(await call(own, limits=served, tool_timeout=9))


async def test_a_sync_tool_that_is_out_of_time_is_given_up():
    done = threading.Event()

    @tool(timeout=0.02)
    def block():
        """Blocks."""
        done.wait(30)

    result = await call(block)
    done.set()
    assert result["isError"] is True


async def test_a_cancelled_call_cancels_its_tool():
    started, ended = asyncio.Event(), asyncio.Event()

    @tool
    async def wait():
        """Waits."""
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    calling = asyncio.create_task(call(wait))
    await started.wait()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    await ended.wait()


async def test_a_tool_knows_its_call():
    @tool
    async def look(ctx: ToolContext):
        """Looks."""
        seen.append(ctx)

    seen: list[ToolContext] = []
    agent = serve(look)
    context: Any = CallContext(request="the request", principal="ada", state={"db": 1})  # pyright: ignore[reportArgumentType]
    await agent.call("look", {}, context)
    await agent.call("look", {}, CallContext())
    first, second = seen
    assert (first.session.id, first.session.seq) == ("mcp", 0)
    assert (first.request, first.principal, first.state) == ("the request", "ada", {"db": 1})
    assert (second.request, second.principal) == (None, None)
    assert first.call_id != second.call_id


async def test_progress_only_grows():
    told: list[tuple[Any, ...]] = []

    async def report(*said: Any) -> None:
        told.append(said)

    @tool
    async def work(ctx: ToolContext):
        """Works."""
        await ctx.progress(1, 4, "begins")
        await ctx.progress(1, 4, "still")
        await ctx.progress(0, 5)
        yield "a word"
        yield {"a": 1}
        yield Progress(4, 5)
        yield Result("done")

    assert text_of(await call(work, report=report)) == '"done"'
    done = [said[0] for said in told]
    assert done == sorted(set(done))
    assert [said[1:] for said in told] == [
        (4, "begins"),
        (4, "still"),
        (5, None),
        (5, "a word"),
        (5, '{"a":1}'),
        (5, None),
    ]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False, width=32), max_size=20))
def test_whatever_a_tool_reports_progress_only_grows(numbers: list[float]):
    told: list[float] = []

    async def report(done: float, total: Any, message: Any) -> None:
        told.append(done)

    @tool
    def work():
        """Works."""
        for number in numbers:
            yield Progress(number)

    assert "isError" not in asyncio.run(call(work, report=report))
    assert told == sorted(set(told))
    assert len(told) == len(numbers)


async def test_a_silent_tool_has_a_heartbeat():
    beats: list[float] = []
    enough = asyncio.Event()

    async def report(done: float, total: Any, message: Any) -> None:
        assert message == "still running"
        beats.append(done)
        if len(beats) == 3:
            enough.set()

    @tool
    async def work():
        """Works."""
        await enough.wait()

    await call(work, report=report, limits=Limits(heartbeat=0.01))
    assert beats == sorted(set(beats))
    assert not [
        task
        for task in asyncio.all_tasks()
        if "beat" in repr(task.get_coro()) and not task.cancelling()
    ]


async def test_nothing_is_reported_after_the_result(caplog: pytest.LogCaptureFixture):
    told: list[Any] = []
    kept: list[ToolContext] = []

    async def report(*said: Any) -> None:
        told.append(said)

    @tool
    async def keep(ctx: ToolContext):
        """Keeps its context."""
        kept.append(ctx)

    caplog.set_level(logging.DEBUG)
    await call(keep, report=report)
    await kept[0].progress(1)
    assert told == []
