"""One page with one `<litro-chat>`, and the agents below it. Its attributes are the address's query."""

from html import escape
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route

from litro import create_app

HERE = Path(__file__).parent

# As strict as a page with cards can be: cards of a template bring a <style> in their shadow roots.
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


async def index(request: Request) -> HTMLResponse:
    """The page."""
    given = {"agent": "demo", "hash": "", "heading": "Weather", **request.query_params}
    attributes = " ".join(f'{name}="{escape(value)}"' for name, value in given.items())
    policy = POLICY.replace(" 'unsafe-inline'", "") if "strict" in request.query_params else POLICY
    page = (HERE / "index.html").read_text(encoding="utf-8").replace("%attributes%", attributes)
    return HTMLResponse(page, headers={"content-security-policy": policy})


litro = create_app(HERE)
app = Starlette(
    routes=[
        Route("/", index),
        Route("/page.css", lambda _: HTMLResponse(STYLE, media_type="text/css")),
        Mount("/", litro),
    ],
    lifespan=litro.lifespan,
)
STYLE = "html, body { height: 100%; margin: 0 } main { height: 100dvh }"
