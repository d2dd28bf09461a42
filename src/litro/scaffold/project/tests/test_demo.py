"""The demo agent, in process: real turns, a scripted model, no server and no key. Run it with `pytest`."""

import pytest

from litro.providers import call
from litro.providers.base import ModelRequest
from litro.providers.script import ScriptItem
from litro.testing import running

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("anyio_backend", ["asyncio"])]


def script(request: ModelRequest, turn: int) -> list[ScriptItem]:
    return [call("get-weather", city="Lisbon")] if turn == 1 else ["Take a hat."]


async def test_a_question_about_the_weather_is_answered_with_a_card() -> None:
    async with running(".", model=script) as project:
        turn = await project.agent("demo").send("What is the weather in Lisbon?")
    assert turn.status == "completed"
    assert turn.calls == [("get-weather", {"city": "Lisbon"})]
    assert turn.cards[0].data == {"city": "Lisbon", "temp_c": 21, "summary": "sunny"}
    assert "70&nbsp;°F" in turn.cards[0].html
