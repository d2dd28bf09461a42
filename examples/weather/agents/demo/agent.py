"""The demo agent. It speaks to the model server at LLM_URL, and to a script of ours where that is not set."""

import os

from litro import Agent
from litro.providers import openai_compatible, scripted

from .script import answer

url = os.environ.get("LLM_URL")

agent = Agent(
    openai_compatible("local", base_url=f"{url}/v1", temperature=0, max_tokens=200)
    if url
    else scripted(answer),
)
