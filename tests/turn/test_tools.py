"""Tools of every kind, and everything that they may do wrong, in real turns."""

import asyncio
import logging
import threading
import time
from typing import Any

import pytest
from markupsafe import Markup

from litro import AgentError, Progress, Result, ToolContext, tool
from litro.content import Image, Text
from litro.providers import call
from litro.providers.base import ResultsMessage
from litro.ui import UIResult, ui
from turn.conftest import MakeTalk, kinds, only


def calling(*names: str, **arguments: Any) -> Any:
    """A script that calls the tools once, then speaks."""

    def script(request: Any, turn: int) -> list[Any]:
        if isinstance(request.messages[-1], ResultsMessage):
            return ["Done."]
        return [call(name, **arguments) for name in names]

    return script


@tool
async def an_async_tool(city: str):
    """Does it."""
    return {"city": city}


@tool
def a_sync_tool(city: str):
    """Does it."""
    assert threading.current_thread() is not threading.main_thread()
    return {"city": city}


@tool
async def an_async_generator(city: str):
    """Does it."""
    yield Progress(1, 2, "half")
    yield {"any": "json"}
    yield Result({"city": city})


@tool
def a_sync_generator(city: str):
    """Does it."""
    yield Progress(1)
    return {"city": city}


@tool
def a_sync_generator_that_yields_its_result(city: str):
    """Does it."""
    yield Result({"city": city})
    raise AssertionError


@pytest.mark.parametrize(
    "declared",
    [
        an_async_tool,
        a_sync_tool,
        an_async_generator,
        a_sync_generator,
        a_sync_generator_that_yields_its_result,
    ],
    ids=lambda t: t.__name__,
)
async def test_tools_of_every_kind_answer(talk: MakeTalk, declared: Any):
    events = await talk(calling("t", city="Rome"), tools={"t": declared}).say()
    assert only(events, "tool-result") == {"city": "Rome"}
    assert events[-1].payload == {"status": "completed"}


async def test_progress_is_told_before_the_result_and_the_model_never_reads_it(talk: MakeTalk):
    one = talk(calling("t", city="Rome"), tools={"t": an_async_generator})
    events = await one.say()
    assert [e.payload for e in events if e.kind == "tool-progress"] == [
        {"done": 1, "total": 2, "message": "half"},
        {"any": "json"},
    ]
    assert kinds(events).index("tool-result") > kinds(events).index("tool-progress")
    assert "half" not in repr(one.requests)


async def test_a_tool_knows_its_call(talk: MakeTalk):
    seen: list[ToolContext] = []

    @tool
    async def look(ctx: ToolContext):
        """Looks."""
        seen.append(ctx)
        await ctx.progress(1, 3)

    events = await talk(calling("t"), tools={"t": look}).say()
    (context,) = seen
    called = next(e for e in events if e.kind == "tool-call")
    assert (context.call_id, context.session.id, context.session.seq) == (
        called.call,
        "s1",
        called.seq,
    )
    assert (context.request, context.principal) == (None, None)
    assert only(events, "tool-progress") == {"done": 1, "total": 3}
    assert only(events, "tool-result") is None


async def test_a_tools_own_time_limit_wins(talk: MakeTalk):
    @tool(timeout=0.05)
    async def hangs():
        """Hangs."""
        await asyncio.Event().wait()

    events = await talk(calling("t"), tools={"t": hangs}, tool_timeout=3600).say()
    assert "longer than 0.05 s" in only(events, "tool-error")["message"]


async def test_the_model_reads_what_content_is(talk: MakeTalk):
    @tool
    def draw():
        """Draws."""
        return [Image(b"\x89PNG\r\n\x1a\n" * 100_000), Text("a chart"), {"n": 1}]

    @tool
    def show():
        """Shows."""
        return Image(b"\x89PNG\r\n\x1a\n")

    one = talk(calling("draw", "show"), tools={"draw": draw, "show": show})
    events = await one.say()
    assert [e.payload for e in events if e.kind == "tool-result"] == [
        ["image/png, 800000 bytes", "a chart", {"n": 1}],
        "image/png, 8 bytes",
    ]
    assert "PNG" not in repr(one.requests)


async def test_calls_of_a_round_run_side_by_side_and_the_model_reads_them_in_order(talk: MakeTalk):
    met = asyncio.Barrier(2)
    second_is_done = asyncio.Event()

    @tool
    async def first():
        """First."""
        await met.wait()
        await second_is_done.wait()
        return 1

    @tool
    async def second():
        """Second."""
        await met.wait()
        second_is_done.set()
        return 2

    one = talk(calling("first", "second"), tools={"first": first, "second": second})
    events = await one.say()
    assert [e.payload for e in events if e.kind == "tool-result"] == [2, 1]
    assert [r.content for r in one.requests[1].messages[-1].results] == ["1", "2"]


def raising(error: BaseException) -> Any:
    @tool
    async def fails():
        """Fails."""
        raise error

    return fails


def raising_in_a_thread(error: BaseException) -> Any:
    @tool
    def fails():
        """Fails."""
        raise error

    return fails


@pytest.mark.parametrize(
    ("declared", "type_", "message"),
    [
        (raising(AgentError("No such city.")), "failed", "No such city."),
        (raising(AgentError("No file a\udcff.")), "failed", "No file a\ufffd."),
        (raising(ValueError("password=hunter2")), "failed", "Tool 't' failed (ref "),
        (raising(SystemExit(3)), "failed", "Tool 't' failed (ref "),
        (raising(asyncio.CancelledError()), "failed", "Tool 't' failed (ref "),
        (raising(StopIteration()), "failed", "Tool 't' failed (ref "),
        (raising_in_a_thread(StopIteration()), "failed", "Tool 't' failed (ref "),
        (raising_in_a_thread(asyncio.CancelledError()), "failed", "Tool 't' failed (ref "),
    ],
)
async def test_whatever_a_tool_raises_is_told_without_its_secrets(
    talk: MakeTalk, declared: Any, type_: str, message: str
):
    one = talk(calling("t"), tools={"t": declared})
    events = await one.say()
    error = only(events, "tool-error")
    assert error["type"] == type_
    assert error["message"].startswith(message)
    assert "hunter2" not in repr(events) + repr(one.requests)
    assert events[-1].payload == {"status": "completed"}


@pytest.mark.parametrize(
    ("error", "level"),
    [(AgentError("No such city."), logging.INFO), (ValueError("why"), logging.ERROR)],
)
async def test_the_log_has_a_traceback_of_what_nobody_meant(
    talk: MakeTalk, caplog: pytest.LogCaptureFixture, error: Exception, level: int
):
    with caplog.at_level(logging.INFO, logger="litro.turn.tools"):
        await talk(calling("t"), tools={"t": raising(error)}).say()
    (record,) = [record for record in caplog.records if record.name == "litro.turn.tools"]
    assert record.levelno == level
    assert (record.exc_info is not None) == (level == logging.ERROR)


async def test_in_development_the_developer_reads_what_was_raised(talk: MakeTalk):
    events = await talk(
        calling("t"), tools={"t": raising(ValueError("why"))}, development=True
    ).say()
    assert only(events, "tool-error")["message"] == "Tool 't' failed. ValueError: why"


def returning(value: Any) -> Any:
    @tool
    def returns():
        """Returns."""
        return value

    return returns


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        ({"in": [ui(Markup("<b>x</b>"), data=1)]}, "nested-ui"),
        (object(), "not-json"),
        (float("nan"), "not-json"),
        ("x" * 100_001, "too-large"),
        (ui(Markup("<b>x</b>"), data="x" * 100_001), "too-large"),
        (ui(Markup("<b>x</b>"), data=ui(Markup("<b>x</b>"), data=1)), "nested-ui"),
    ],
    ids=["nested", "object", "nan", "large", "large data", "component as data"],
)
async def test_a_result_that_the_model_cannot_read_is_a_tool_error(
    talk: MakeTalk, value: Any, type_: str
):
    one = talk(calling("t"), tools={"t": returning(value)})
    events = await one.say()
    assert only(events, "tool-error")["type"] == type_
    assert "<b>" not in repr(events)
    assert events[-1].payload == {"status": "completed"}


async def test_a_component_that_is_yielded_as_progress_is_refused(talk: MakeTalk):
    @tool
    async def leaks():
        """Leaks."""
        yield {"deep": [ui(Markup("<b>x</b>"), data=1)]}

    events = await talk(calling("t"), tools={"t": leaks}).say()
    assert only(events, "tool-error")["type"] == "nested-ui"
    assert "<b>" not in repr(events)


async def test_an_unknown_tool_and_bad_input_are_told_to_the_model(talk: MakeTalk):
    one = talk(calling("nope", "t", country="x"), tools={"t": an_async_tool})
    events = await one.say()
    errors = [e.payload for e in events if e.kind == "tool-error"]
    assert {e["type"] for e in errors} == {"unknown-tool", "invalid-input"}
    unknown = next(e for e in errors if e["type"] == "unknown-tool")
    assert unknown["message"] == "Unknown tool 'nope'. Available: t."
    assert "city" in next(e for e in errors if e["type"] == "invalid-input")["message"]


async def test_arguments_that_are_no_object_never_reach_the_tool(talk: MakeTalk):
    from litro.providers.base import ToolCall

    def script(request: Any, turn: int) -> list[Any]:
        done = isinstance(request.messages[-1], ResultsMessage)
        return ["Done."] if done else [ToolCall("t", '{"city": "Ro')]

    events = await talk(script, tools={"t": an_async_tool}).say()
    assert only(events, "tool-call")["input"] == '{"city": "Ro'
    assert only(events, "tool-error")["type"] == "invalid-input"


async def test_an_async_tool_that_takes_too_long_is_stopped(talk: MakeTalk):
    cleaned_up = asyncio.Event()

    @tool
    async def hangs():
        """Hangs."""
        try:
            await asyncio.Event().wait()
        finally:
            cleaned_up.set()

    events = await talk(calling("t"), tools={"t": hangs}, tool_timeout=0.05).say()
    assert only(events, "tool-error")["type"] == "timeout"
    assert cleaned_up.is_set()


async def test_a_sync_tool_that_takes_too_long_is_given_up_counted_and_logged(
    talk: MakeTalk, caplog: Any
):
    release = threading.Event()

    @tool
    def blocks():
        """Blocks."""
        release.wait(30)

    one = talk(calling("t"), tools={"t": blocks}, tool_timeout=0.05)
    events = await one.say()
    threads = one.surroundings.threads
    assert only(events, "tool-error")["type"] == "timeout"
    assert threads.abandoned == 1
    assert "cannot be stopped" in caplog.text
    release.set()
    deadline = time.monotonic() + 10
    while threads.abandoned and time.monotonic() < deadline:
        await asyncio.sleep(0)
    assert threads.abandoned == 0


async def test_context_variables_reach_a_sync_tool(talk: MakeTalk):
    import contextvars

    trace: contextvars.ContextVar[str] = contextvars.ContextVar("trace", default="none")

    @tool
    def reads():
        """Reads."""
        return trace.get()

    trace.set("abc")
    events = await talk(calling("t"), tools={"t": reads}).say()
    assert only(events, "tool-result") == "abc"


CARD = Markup("<demo-card><template shadowrootmode='open'>70 °F</template></demo-card>")


async def test_the_person_gets_the_component_and_the_model_the_data(talk: MakeTalk, caplog: Any):
    one = talk(
        calling("t"),
        tools={"t": returning(ui(CARD, data={"temp_c": 21}, hydrate={"props": {"a": 1}}))},
    )
    with caplog.at_level("DEBUG"):
        events = await one.say()
    assert only(events, "ui") == {
        "type": "ui",
        "html": str(CARD),
        "data": {"temp_c": 21},
        "hydrate": {"props": {"a": 1}},
    }
    assert one.requests[1].messages[-1].results[0].content == '{"temp_c":21}'
    await one.say("And again?")
    assert "demo-card" not in repr(one.requests)
    assert "demo-card" not in caplog.text


class Template:
    def __init__(self, html: Any) -> None:
        self.html = html

    def __html__(self) -> Any:
        return self.html() if callable(self.html) else self.html


def explode() -> str:
    msg = "secret"
    raise ValueError(msg)


@pytest.mark.parametrize(
    "html", [explode, 7, lambda: "x" * 2_000_001], ids=["raises", "no string", "huge"]
)
async def test_a_component_that_cannot_be_rendered_costs_its_call_only(talk: MakeTalk, html: Any):
    result: UIResult[int] = ui(Template(html), data=1)
    events = await talk(calling("t"), tools={"t": returning(result)}).say()
    assert only(events, "tool-error")["type"] in {"render-failed", "too-large"}
    assert "secret" not in repr(events)
    assert events[-1].payload == {"status": "completed"}


@pytest.mark.parametrize("template", ["<b>text</b>", None, {"html": 1}])
def test_a_template_that_escapes_nothing_is_refused_at_once(template: Any):
    with pytest.raises(TypeError, match="cannot be rendered safely"):
        ui(template, data=1)


async def test_htpy_and_jinja_templates_are_components(talk: MakeTalk):
    import htpy
    import jinja2

    page = jinja2.Environment(autoescape=True).from_string("<b>{{ city }}</b>")
    for template in (htpy.b["<Rome>"], Markup(page.render(city="<Rome>"))):
        one = talk(calling("t"), tools={"t": returning(ui(template, data=1))})
        events = await one.say(session=type(template).__name__)
        assert only(events, "ui")["html"] == "<b>&lt;Rome&gt;</b>"
