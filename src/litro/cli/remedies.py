"""What to do about a turn that failed, for whoever sits at the terminal: said once, below what the turn itself told."""

from collections.abc import Mapping
from typing import Final

_REMEDIES: Final[Mapping[str, str]] = {
    "refused": "See the model's name and its key, in agents/{agent}/agent.py and .env: `litro doctor` names the keys that are set.",
    "timeout": "See that the model's server is not overloaded, and its address in agents/{agent}/agent.py.",
    "context-too-long": "Begin another session: this one stays where it is.",
    "max-rounds": "Raise Agent(…, max_rounds=…) in agents/{agent}/agent.py, or see why the model asks so often.",
    "store": "See that the sessions' folder can be written: `litro doctor` does.",
}


def remedy(error_type: str, agent: str) -> str | None:
    """What to do about a failure of this type, where there is something."""
    found = _REMEDIES.get(error_type)
    return None if found is None else found.format(agent=agent)
