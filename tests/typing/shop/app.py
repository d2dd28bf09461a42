"""The app: a page with a component, and the agents below it."""

from pathlib import Path

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route

from litro import create_app
from litro.ui import element

litro = create_app(Path(__file__).parent, grace=1)


async def page(request: Request) -> HTMLResponse:
    card = await litro.render(element("price-card", symbol=request.path_params["symbol"]))
    return HTMLResponse(Markup("<!doctype html><title>Price</title>{}").format(card))


async def ask(question: str) -> str:
    text = ""
    async for event in litro.session("demo", "s1", principal={"id": "ann"}).send(question):
        if event.kind == "text-delta":
            text += event.payload["text"]
    return text


app = Starlette(
    routes=[Route("/prices/{symbol}", page), Mount("/ai", litro)], lifespan=litro.lifespan
)
