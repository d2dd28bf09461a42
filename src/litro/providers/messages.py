"""Models behind Anthropic's Messages API.

This is the IO around `messages_request` and `messages_answer`, which know the format.
"""

from collections.abc import Mapping
from typing import Any, Final

from litro.providers.base import Provider
from litro.providers.failures import no_key
from litro.providers.messages_answer import MessagesAnswer
from litro.providers.messages_request import messages_body
from litro.providers.transport import ApiKey, ServerModel, Transport, endpoint

_ANTHROPIC: Final = "api.anthropic.com"
_VERSION: Final = "2023-06-01"
_KEY_HEADERS: Final = frozenset({"x-api-key", "authorization"})


def anthropic(
    model: str,
    *,
    base_url: str = "https://api.anthropic.com",
    api_key: str | None = None,
    max_tokens: int = 4096,
    temperature: float | None = None,
    headers: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> Provider:
    """A model of Anthropic's, or one behind a server that speaks its Messages API.

    Args:
        model: The model's name.
        base_url: Where the API is, without its version.
        api_key: By default the environment's `ANTHROPIC_API_KEY`, read at the first request.
        max_tokens: The most tokens of one answer.
        temperature: How freely the model chooses; the server's default without it.
        headers: Further headers, such as `anthropic-beta`. They win over ours.
        extra: Further keys of the body, such as `thinking`. They win over ours, and a value of None takes one away.

    Raises:
        ValueError: `base_url` is not an http URL.
    """
    transport = Transport(endpoint(base_url, "/v1/messages", where="anthropic"))
    options = {"max_tokens": max_tokens, "temperature": temperature}
    secret = ApiKey(api_key, "ANTHROPIC_API_KEY")
    given = {key.lower(): value for key, value in (headers or {}).items()}
    further = dict(extra or {})

    def all_headers() -> dict[str, str]:
        ours = {"anthropic-version": _VERSION}
        if secret.resolve():
            ours["x-api-key"] = secret.resolve()
        elif _KEY_HEADERS.isdisjoint(given):
            raise no_key("anthropic", secret.variable)
        return ours | given

    return ServerModel(
        name="anthropic" if transport.host == _ANTHROPIC else transport.host,
        label=f"anthropic {model!r}",
        transport=transport,
        headers=all_headers,
        body=lambda request: messages_body(request, model=model, options=options, extra=further),
        answer=lambda: MessagesAnswer(model),
    )
