"""The demo agent. Its name is this folder's; its tools are the files in tools/."""

import os

from litro import Agent
from litro.providers import openai_compatible, scripted
from litro.providers.base import Provider

from ._script import answer


def model() -> Provider | str:
    """The first model that the environment (or .env) gives access to, else a script."""
    if url := os.environ.get("LLM_URL"):
        name = os.environ.get("LLM_MODEL", "local")
        # Small models call tools more surely at temperature 0, and some ramble.
        return openai_compatible(
            name, base_url=f"{url.rstrip('/')}/v1", temperature=0, max_tokens=500
        )
    if os.environ.get("OPENAI_API_KEY"):
        return "openai:gpt-5-mini"
    if os.environ.get("ANTHROPIC_API_KEY"):
        return "anthropic:claude-sonnet-4-5"
    return scripted(answer)


# Who may talk to it, agents/_config.py says.
agent = Agent(model())
