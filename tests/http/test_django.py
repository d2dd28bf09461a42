"""Beside Django, which has neither mounts nor a lifespan of its own."""

from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from litro.providers import scripted
from litro.providers.base import Provider
from litro.testing import running

pytest.importorskip("django")

PROJECT = Path(__file__).parents[2] / "src" / "litro" / "scaffold" / "project"


async def test_django_and_litro_share_a_server():
    from django.conf import settings
    from django.http import HttpRequest, HttpResponse
    from django.test.utils import override_settings
    from django.urls import path

    def hello(request: HttpRequest) -> HttpResponse:
        return HttpResponse(f"Django at {request.path}")

    # Another test of this process may have been first to configure it, as a page of the docs does.
    if not settings.configured:
        settings.configure(SECRET_KEY="x")
    urls = (path("hello/", hello),)
    model = scripted(lambda request, turn: ["Hi."])
    with override_settings(ALLOWED_HOSTS=["*"], ROOT_URLCONF=urls):
        await _check(model)


async def _check(model: Provider) -> None:
    from django.core.asgi import get_asgi_application

    async with running(PROJECT, model=model) as project:
        routes = [Mount("/ai", project.app), Mount("/", get_asgi_application())]
        transport = httpx2.ASGITransport(app=Starlette(routes=routes))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            assert (await client.get("/hello/")).text == "Django at /hello/"
            told = await client.post(
                "/ai/__litro/agent/demo/s1", json={"text": "Hi"}, headers={"x-litro-agent": "1"}
            )
    assert '"text":"Hi."' in told.text
    assert told.text.endswith('{"done":true}\n')
