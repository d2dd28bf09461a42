"""The agent in process, and its tools called as the functions that they are."""

from pathlib import Path
from typing import assert_type

import pytest

from agents.demo.tools.count_stock import count_stock
from agents.demo.tools.export_orders import export_orders
from agents.demo.tools.get_price import Price, get_price
from litro import ToolContext
from litro.definitions import ToolSession
from litro.providers import call
from litro.providers.base import ModelRequest, ResultsMessage
from litro.providers.script import ScriptItem
from litro.testing import ProjectRunner, check_chat_request, running, stores
from litro.sessions.file import FileStore
from litro.ui import UIResult

pytestmark = pytest.mark.anyio

SHOP = Path(__file__).parents[1]


def script(request: ModelRequest, turn: int) -> list[ScriptItem]:
    if isinstance(request.messages[-1], ResultsMessage):
        return ["Take a hat."]
    return [call("count_stock", piece="hat")]


async def test_a_tool_is_called_as_its_function() -> None:
    price = await get_price("ABC")
    assert_type(price, UIResult[Price])
    assert_type(price.data["cents"], int)
    assert price.data == {"symbol": "ABC", "cents": 1230}
    assert [progress.done for progress in export_orders(2)] == [0, 1]


async def test_a_context_is_made_by_hand() -> None:
    class Stock:
        pieces = {"hat": 24}

    context = ToolContext(
        session=ToolSession("s1", 1), call_id="t1c1", principal="ann", state=Stock()
    )
    counted = await count_stock(context, "hat", unit="dozens")
    assert_type(counted, dict[str, int])
    assert counted == {"dozens": 2}


async def test_every_kind_of_tool_has_a_result(litro_project: ProjectRunner) -> None:
    async with litro_project() as project:
        turn = await project.agent("demo").send("Everything?", principal={"id": "ann"})
    assert_type(turn.text, str)
    assert (turn.errors, turn.status) == ([], "completed")
    assert turn.text == "9 results."
    assert [card.data for card in turn.cards] == [{"symbol": "ABC", "cents": 1230}]


async def test_a_stubbed_tool_and_a_script_of_the_test() -> None:
    async with running(SHOP, model=script, tools={"count_stock": 5}) as project:
        turn = await project.agent("demo").send("How many hats?", session="s2", principal="ann")
    assert turn.calls == [("count_stock", {"piece": "hat"})]
    assert turn.results == [5]


def test_a_request_is_one_that_the_api_takes() -> None:
    check_chat_request({"model": "m", "messages": [{"role": "user", "content": "Hi"}]})


@pytest.mark.parametrize("check", stores.CHECKS[:1], ids=lambda check: check.__name__)
async def test_a_store(check: stores.Check, tmp_path: Path) -> None:
    await check(lambda: FileStore(tmp_path))
