"""The project in an app whose middleware compresses whatever it can."""

import os

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Mount

from litro import create_app

litro = create_app(os.environ["PROJECT"])
app = Starlette(
    routes=[Mount("/ai", litro)],
    middleware=[Middleware(GZipMiddleware, minimum_size=1)],
    lifespan=litro.lifespan,
)
