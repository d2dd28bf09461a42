"""One round as the inspector tells it: the request that the model saw, in Litro's words and in its server's. Pure.

No header is in it, and so no key.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal, cast

from litro.dev.inspector.masking import masked_body
from litro.encoding import encode_value
from litro.providers.base import (
    AssistantMessage,
    Message,
    ModelRequest,
    Provider,
    ResultsMessage,
    UserMessage,
)

Source = Literal["recorded", "rebuilt"]


def encode_round(
    number: int,
    request: ModelRequest,
    provider: Provider | None,
    *,
    source: Source,
    at: int | None = None,
) -> bytes:
    """A round as JSON.

    Args:
        number: Its number in the turn.
        request: What the model was, or would be, asked.
        provider: Whom it is for, where that is known.
        source: Whether the request is what was sent, or made anew of the log.
        at: When it was sent, in milliseconds since the epoch.

    Raises:
        EncodingError: Something in it has no JSON.
    """
    return encode_value(
        {
            "round": number,
            "source": source,
            "at": at,
            "model": None if provider is None else model_of(provider),
            "request": {
                "system": request.system,
                "messages": [_message(message) for message in request.messages],
                "tools": [
                    {
                        "name": spec.name,
                        "description": spec.description,
                        "input_schema": spec.input_schema,
                    }
                    for spec in request.tools
                ],
            },
            "body": None if provider is None else _body(provider, request),
        }
    )


def model_of(provider: Provider) -> dict[str, str | None]:
    """Which model it is: whose, and its name where the provider tells it."""
    name: object = getattr(provider, "model", None)
    return {"provider": provider.name, "name": name if isinstance(name, str) else None}


def _body(provider: Provider, request: ModelRequest) -> dict[str, Any] | None:
    make: object = getattr(provider, "body", None)
    if not callable(make):
        return None
    try:
        body: object = cast("Callable[[ModelRequest], object]", make)(request)
    except Exception:  # noqa: BLE001 - a provider may be the user's own, and the turn is told what it raises
        return None
    return masked_body(cast("Mapping[str, Any]", body)) if isinstance(body, Mapping) else None


def _message(message: Message) -> dict[str, Any]:
    match message:
        case UserMessage(text):
            return {"role": "user", "text": text}
        case AssistantMessage():
            return _said(message)
        case ResultsMessage(results):
            told = [
                {"id": one.id, "name": one.name, "content": one.content, "failed": one.failed}
                for one in results
            ]
            return {"role": "results", "results": told}


def _said(message: AssistantMessage) -> dict[str, Any]:
    calls = [{"id": call.id, "name": call.name, "input": call.input} for call in message.calls]
    told: dict[str, Any] = {"role": "assistant", "text": message.text, "calls": calls}
    return told if message.replay is None else {**told, "replay": message.replay}
