"""The demo agent, in process: real turns, a scripted model, no server and no key. Run it with `pytest`."""

import json
import sys
from pathlib import Path

import anyio
import httpx2
import pytest

from litro.providers import call
from litro.providers.base import ModelRequest
from litro.testing import running

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("anyio_backend", ["asyncio"])]


def script(request: ModelRequest, turn: int):
    return [call("get-weather", city="Lisbon")] if turn == 1 else ["Take a hat."]


@pytest.mark.parametrize(
    ("adapter", "tag"), [("lit", "demo-weather-card"), ("fast", "f-weather-card")]
)
async def test_a_question_about_the_weather_is_answered_with_a_card(
    adapter: str, tag: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LITRO_ADAPTER", adapter)
    async with running(".", model=script) as project:
        turn = await project.agent("demo").send("What is the weather in Lisbon?")
    assert turn.status == "completed"
    assert turn.calls == [("get-weather", {"city": "Lisbon"})]
    assert turn.errors == []
    card = turn.cards[0]
    assert card.data == {"city": "Lisbon", "temp_c": 21, "summary": "sunny"}
    assert f"<{tag}" in card.html
    # Between the two, the renderer leaves comments, by which the browser finds its way.
    assert "70" in card.html
    assert "°F" in card.html


@pytest.mark.parametrize(("adapter", "tag"), [("lit", "weather-explorer"), ("fast", "ul")])
async def test_cities_are_compared(adapter: str, tag: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LITRO_ADAPTER", adapter)
    comparing = [call("compare-weather", cities=["Lisbon", "Oslo"])]
    async with running(
        ".", model=lambda _, turn: comparing if turn == 1 else ["Lisbon."]
    ) as project:
        turn = await project.agent("demo").send("Where is it warmer, in Lisbon or in Oslo?")
    assert turn.errors == []
    card = turn.cards[0]
    assert [place["temp_c"] for place in card.data["places"]] == [21, -3]
    assert f"<{tag}" in card.html
    assert "Oslo" in card.html


async def test_every_app_is_packed(tmp_path: Path):
    command = [sys.executable, "-m", "litro", "mcp-app", "build", "--out", str(tmp_path)]
    done = await anyio.run_process(command, check=False)
    assert done.returncode == 0, done.stderr.decode()
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    packed = {app["name"] for app in manifest}
    assert packed == {"weather-card", "weather-explorer", "weather-live", "weather-refresh"}


async def test_a_page_shows_the_same_card():
    from app import app, litro  # noqa: PLC0415 - it starts with the test

    transport = httpx2.ASGITransport(app=app)
    async with (
        litro.lifespan(app),
        httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        page = await client.get("/weather/<Lisbon>")
    assert page.status_code == 200
    assert "<demo-weather-card" in page.text
    assert "70" in page.text
    assert "<Lisbon>" not in page.text
