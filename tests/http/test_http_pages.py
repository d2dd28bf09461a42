"""Pages of other frameworks show the project's components."""

import shutil
from pathlib import Path

import httpx2
import jinja2
import pytest
from fastapi import FastAPI
from fastapi.responses import HTMLResponse

from litro.app import Litro, create_app
from litro.errors import RenderFailed
from litro.ui import element

EXAMPLE = Path(__file__).parents[2] / "examples" / "weather"
PAGE = jinja2.Environment(autoescape=True).from_string("<h1>{{ city }}</h1>{{ card }}")


@pytest.fixture
def litro(tmp_path: Path) -> Litro:
    (tmp_path / "agents").mkdir()
    shutil.copytree(EXAMPLE / "components", tmp_path / "components")
    return create_app(tmp_path, signals=False)


async def test_a_page_of_fastapi_and_jinja2_shows_a_component(litro: Litro):
    app = FastAPI(lifespan=litro.lifespan)
    app.mount("/ai", litro)

    @app.get("/weather/{city}", response_class=HTMLResponse)
    async def weather(city: str) -> str:
        card = element("demo-weather-card", city=city, tempC=21, summary="sunny")
        return PAGE.render(city=city, card=await litro.render(card))

    transport = httpx2.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client,
    ):
        page = (await client.get("/weather/<Rome>")).text
        module = await client.get("/ai/__litro/components/demo-weather-card.js")
    assert page.startswith("<h1>&lt;Rome&gt;</h1><!--lit-part")
    assert page.count('<template shadowroot="open" shadowrootmode="open">') == 1
    assert "70 °F" in page
    assert "<Rome>" not in page
    assert 'export * from "./demo-weather-card-' in module.text


async def test_a_page_learns_what_is_wrong_with_its_template(litro: Litro):
    async with litro.lifespan():
        with pytest.raises(RenderFailed, match="<demo-card> is registered by no component"):
            await litro.render(element("demo-card"))
