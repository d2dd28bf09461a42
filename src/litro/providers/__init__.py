"""Language models: the port, and its adapters.

Importing this package loads no HTTP client: an adapter is loaded when its name is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from litro.providers.base import Provider

if TYPE_CHECKING:
    from litro.providers.chat_completions import openai_compatible
    from litro.providers.messages import anthropic
    from litro.providers.retries import Retries
    from litro.providers.script import call, pause, reasoning, scripted
    from litro.providers.timeouts import Timeouts

__all__ = [
    "Retries",
    "Timeouts",
    "anthropic",
    "call",
    "openai_compatible",
    "parse_model",
    "pause",
    "reasoning",
    "resolve",
    "scripted",
]

_HOMES = {
    "Retries": "retries",
    "Timeouts": "timeouts",
    "anthropic": "messages",
    "call": "script",
    "openai_compatible": "chat_completions",
    "pause": "script",
    "reasoning": "script",
    "scripted": "script",
}
_PREFIXES = {"openai": "openai_compatible", "anthropic": "anthropic"}


if not TYPE_CHECKING:
    # A type checker that knew of it would take a misspelt name for one that is there.
    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            msg = f"module 'litro.providers' has no attribute {name!r}"
            raise AttributeError(msg)
        return _load(name)


def _load(name: str) -> Any:
    return getattr(import_module(f"litro.providers.{_HOMES[name]}"), name)


def resolve(model: str | Provider) -> Provider:
    """The provider that an agent's `model` names: `"openai:NAME"`, `"anthropic:NAME"`, or a provider itself.

    Raises:
        ValueError: The string names neither; the message lists both forms.
    """
    if not isinstance(model, str):
        return model
    adapter, name = parse_model(model)
    return _load(adapter)(name)


def parse_model(model: str) -> tuple[str, str]:
    """The adapter and the model's name that a string means. Loads neither.

    Raises:
        ValueError: as `resolve`.
    """
    prefix, _, name = model.partition(":")
    if prefix not in _PREFIXES or not name:
        msg = (
            f'model is {model!r}, so "openai:NAME" or "anthropic:NAME" is required.\n'
            "For any other server pass litro.providers.openai_compatible(NAME, base_url=…)."
        )
        raise ValueError(msg)
    return _PREFIXES[prefix], name
