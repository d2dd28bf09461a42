"""The page, and the agents below it: an ASGI app that `litro dev`, uvicorn or any other ASGI server runs."""

from pathlib import Path
from typing import Any

from markupsafe import Markup
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from weather import card, current

from litro import create_app

HERE = Path(__file__).parent
PAGE = HERE / "page"

# Nothing from other hosts, no inline script. Styles may be inline, since cards bring theirs in their shadow roots.
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {"content-security-policy": POLICY, "cache-control": "no-cache"}


async def index(request: Request) -> FileResponse:
    """The chat page."""
    return FileResponse(PAGE / "index.html", headers=HEADERS)


async def weather_page(request: Request) -> HTMLResponse:
    """An ordinary page, with the component that the agent's tool answers with."""
    city = request.path_params["city"]
    # Markup's format escapes what is text, such as the city, and leaves what is markup.
    page = Markup((PAGE / "weather.html").read_text(encoding="utf-8"))  # noqa: S704 - a file of ours
    shown = await litro.render(card(current(city)))
    return HTMLResponse(page.format(city=city, card=shown), headers=HEADERS)


class PageFiles(StaticFiles):
    """The page's files. Browsers ask each time whether they have changed, so that an edit is seen at once."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers["cache-control"] = "no-cache"
        return response


litro = create_app(HERE)

app = Starlette(
    routes=[
        Route("/", index),
        Route("/weather/{city}", weather_page),
        Mount("/page", PageFiles(directory=PAGE)),
        Mount("/", litro),
    ],
    lifespan=litro.lifespan,
)
