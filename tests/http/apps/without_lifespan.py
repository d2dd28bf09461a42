"""A FastAPI app that mounts Litro and does nothing else for it."""

import os

from fastapi import FastAPI

from litro import create_app

app = FastAPI()
app.mount("/ai", create_app(os.environ["PROJECT"]))
