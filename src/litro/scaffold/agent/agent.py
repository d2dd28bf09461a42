"""An agent. Its name is this folder's; its tools are the files in tools/."""

import os

from litro import Agent
from litro.providers import openai_compatible
from litro.providers.base import Provider


def model() -> Provider | str:
    """The first model that the environment (or .env) gives access to."""
    if url := os.environ.get("LLM_URL"):
        name = os.environ.get("LLM_MODEL", "local")
        return openai_compatible(name, base_url=f"{url.rstrip('/')}/v1")
    if os.environ.get("ANTHROPIC_API_KEY") and not os.environ.get("OPENAI_API_KEY"):
        return "anthropic:claude-sonnet-4-5"
    return "openai:gpt-5-mini"


# Who may talk to it: Agent(model(), access=…), or for all agents Config(access=…) in agents/_config.py.
agent = Agent(model())
