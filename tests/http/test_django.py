"""Beside Django, which has neither mounts nor a lifespan of its own."""

from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from litro.providers import scripted
from litro.testing import running

pytest.importorskip("django")

PROJECT = Path(__file__).parents[2] / "src" / "litro" / "scaffold" / "project"


async def test_django_and_litro_share_a_server():
    from django.conf import settings
    from django.core.asgi import get_asgi_application
    from django.http import HttpRequest, HttpResponse
    from django.urls import path

    def hello(request: HttpRequest) -> HttpResponse:
        return HttpResponse(f"Django at {request.path}")

    if not settings.configured:
        settings.configure(
            SECRET_KEY="x", ALLOWED_HOSTS=["*"], ROOT_URLCONF=(path("hello/", hello),)
        )
    async with running(PROJECT, model=scripted(lambda request, turn: ["Hi."])) as project:
        routes = [Mount("/ai", project.app), Mount("/", get_asgi_application())]
        transport = httpx2.ASGITransport(app=Starlette(routes=routes))
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            assert (await client.get("/hello/")).text == "Django at /hello/"
            told = await client.post(
                "/ai/__litro/agent/demo/s1", json={"text": "Hi"}, headers={"x-litro-agent": "1"}
            )
    assert '"text":"Hi."' in told.text
    assert told.text.endswith('{"done":true}\n')
