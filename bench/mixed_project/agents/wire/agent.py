"""The same, by way of a server that speaks chat completions, refuses at times and breaks off."""

import os

from litro import Agent
from litro.providers import Retries, openai_compatible

model = openai_compatible(
    "mixed",
    base_url=os.environ["MIXED_MODEL"],
    api_key="",
    retries=Retries(count=3, first_wait=0.05),
)
agent = Agent(model, "Follow the order.", on_busy="queue")
