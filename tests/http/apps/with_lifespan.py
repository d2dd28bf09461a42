"""A FastAPI app that mounts Litro and runs its lifespan."""

import os

from fastapi import FastAPI

from litro import create_app

litro = create_app(os.environ["PROJECT"])
app = FastAPI(lifespan=litro.lifespan)
app.mount("/ai", litro)
