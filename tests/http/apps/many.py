"""Many Litro apps in one process, each set differently and mounted differently."""

import os
from typing import Any

from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount

import litro.http.streams
from litro import create_app
from litro.app import Litro

litro.http.streams.HEARTBEAT_SECONDS = 0.2


def make(name: str, **settings: Any) -> Litro:
    return create_app(os.environ["PROJECT"], sessions=f"file:sessions-{name}", **settings)


async def pass_on(request: Request, call_next: Any) -> Response:
    return await call_next(request)


fastapi = FastAPI()


@fastapi.get("/own")
async def own() -> dict[str, str]:
    return {"of": "the host app"}


fastapi.mount("/deep/er", make("fastapi"))

app = Starlette(
    routes=[
        Mount("/fastapi", fastapi),
        Mount("/one-turn", make("one-turn", max_turns=1)),
        Mount("/small", make("small", max_body=100)),
        Mount("/hosts", make("hosts", allowed_hosts=["app.example.com", "*.tenants.example"])),
        Mount("/dev", make("dev", development=True)),
        Mount(
            "/proxied",
            make("proxied", trusted_proxies=["127.0.0.1"], allowed_hosts=["app.example.com"]),
        ),
        Mount("/cors", make("cors", allowed_origins=["https://partner.example"])),
        Mount("/gzip", GZipMiddleware(make("gzip"), minimum_size=1)),
        Mount("/base", BaseHTTPMiddleware(make("base"), pass_on)),
        Mount("/", make("root")),
    ]
)
