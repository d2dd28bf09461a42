"""What the model says in tests."""

from collections.abc import Iterator

from litro.providers import call, pause, reasoning
from litro.providers.base import ModelRequest, ResultsMessage
from litro.providers.script import ScriptItem


def answer(request: ModelRequest, turn: int) -> Iterator[ScriptItem]:
    last = request.messages[-1]
    if isinstance(last, ResultsMessage):
        yield f"{len(last.results)} results."
        return
    yield reasoning("Everything that is there.")
    yield pause(0)
    yield call("get_price", symbol="ABC")
    yield call("count_stock", piece="hat")
    yield call("import_orders", count=2)
    yield call("export_orders", count=2)
    yield call("order", piece="hat", pieces=1)
    yield call("move", to="shelf")
    yield call("find", text="hat")
    yield call("name_colour", code="0f0")
    yield call("draw_chart", symbol="ABC")
