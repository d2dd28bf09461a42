"""The page, and the agents below it: an ASGI app that `litro dev`, uvicorn or any other ASGI server runs."""

from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from litro import create_app

HERE = Path(__file__).parent
PAGE = HERE / "page"

# Nothing from other hosts, no inline script. Styles may be inline, since cards bring theirs in their shadow roots.
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


async def index(request: Request) -> FileResponse:
    """The chat page."""
    headers = {"content-security-policy": POLICY, "cache-control": "no-cache"}
    return FileResponse(PAGE / "index.html", headers=headers)


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
        Mount("/page", PageFiles(directory=PAGE)),
        Mount("/", litro),
    ],
    lifespan=litro.lifespan,
)
