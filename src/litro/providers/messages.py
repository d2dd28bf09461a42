"""Models behind Anthropic's Messages API.

This is the IO around `messages_request` and `messages_answer`, which know the format.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from litro.providers.base import Provider
from litro.providers.failures import no_key
from litro.providers.messages_answer import MessagesAnswer
from litro.providers.messages_request import messages_body
from litro.providers.retries import Retries, as_retries
from litro.providers.steering import stop_sequences
from litro.providers.timeouts import DEFAULT, Timeouts
from litro.providers.transport import ApiKey, ServerModel, Transport, endpoint

_ANTHROPIC: Final = "api.anthropic.com"
_VERSION: Final = "2023-06-01"
_KEY_HEADERS: Final = frozenset({"x-api-key", "authorization"})


def anthropic(  # noqa: PLR0913 - options, each named where it is set
    model: str,
    *,
    base_url: str = "https://api.anthropic.com",
    api_key: str | None = None,
    max_tokens: int = 4096,
    temperature: float | None = None,
    tool_choice: str | None = None,
    stop: str | Sequence[str] | None = None,
    cache: bool = True,
    headers: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
    retries: int | Retries = 2,
    timeouts: Timeouts = DEFAULT,
) -> Provider:
    """A model of Anthropic's, or one behind a server that speaks its Messages API.

    Args:
        model: The model's name.
        base_url: Where the API is, without its version.
        api_key: By default the environment's `ANTHROPIC_API_KEY`, read at the first request.
        max_tokens: The most tokens of one answer.
        temperature: How freely the model chooses; the server's default without it.
        tool_choice: `"auto"`, `"required"`, `"none"`, or the name of a tool that the model must call. What is demanded
            is demanded once a turn: after the first results the model is free to answer.
        stop: Texts at which the model stops.
        cache: Whether to mark what the API shall keep in its prompt cache: tools, instructions, the conversation so far.
        headers: Further headers, such as `anthropic-beta`. They win over ours.
        extra: Further keys of the body, such as `thinking`. They win over ours, and a value of None takes one away.
        retries: How often a request is sent again that failed before anything of its answer came, or `Retries(…)`.
        timeouts: How long the server may take to be reached and to send each piece.

    Raises:
        ValueError: `base_url` is not an http URL, or another option cannot be used.
    """
    transport = Transport(endpoint(base_url, "/v1/messages", where="anthropic"), timeouts=timeouts)
    options = {
        "max_tokens": max_tokens,
        "temperature": temperature,
        "stop_sequences": stop_sequences(stop, where="anthropic", blank=False),
    }
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
        model=model,
        label=f"anthropic {model!r}",
        transport=transport,
        headers=all_headers,
        body=lambda request: messages_body(
            request,
            model=model,
            options=options,
            extra=further,
            tool_choice=tool_choice,
            cache=cache,
        ),
        answer=lambda: MessagesAnswer(model),
        retries=as_retries(retries),
    )
