"""Models behind an OpenAI-style `/chat/completions`: OpenAI, Ollama, vLLM, llama.cpp, Gemini's and Mistral's gateways.

This is the IO around `chat_request` and `chat_answer`, which know the format.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from litro.providers.base import Provider
from litro.providers.chat_answer import ChatAnswer
from litro.providers.chat_request import chat_body
from litro.providers.failures import no_key
from litro.providers.retries import Retries, as_retries
from litro.providers.steering import stop_sequences
from litro.providers.timeouts import DEFAULT, Timeouts
from litro.providers.transport import ApiKey, ServerModel, Transport, endpoint

_OPENAI: Final = "api.openai.com"


def openai_compatible(  # noqa: PLR0913 - options, each named where it is set
    model: str,
    *,
    base_url: str = "https://api.openai.com/v1",
    api_key: str | None = None,
    temperature: float | None = None,
    max_tokens: int | None = None,
    tool_choice: str | None = None,
    stop: str | Sequence[str] | None = None,
    headers: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
    name: str | None = None,
    retries: int | Retries = 2,
    timeouts: Timeouts = DEFAULT,
) -> Provider:
    """A model behind any server that speaks OpenAI's chat completions.

    Args:
        model: The model's name, as the server knows it.
        base_url: Where the API is, version included: `http://localhost:11434/v1` for Ollama.
        api_key: Sent as a bearer token. By default the environment's `OPENAI_API_KEY`, read at the first request;
            without one, and with an empty string, no key is sent.
        temperature: How freely the model chooses; the server's default without it.
        max_tokens: The most tokens of one answer.
        tool_choice: `"auto"`, `"required"`, `"none"`, or the name of a tool that the model must call. What is demanded
            is demanded once a turn: after the first results the model is free to answer.
        stop: Texts at which the model stops.
        headers: Further headers. They win over ours.
        extra: Further keys of the body. They win over ours, and a value of None takes one away.
        name: Who owns what the model wants back later, and who telemetry says it is. By default `openai`, or the
            host of another server.
        retries: How often a request is sent again that failed before anything of its answer came, or `Retries(…)`.
        timeouts: How long the server may take to be reached and to send each piece.

    Raises:
        ValueError: `base_url` is not an http URL, or another option cannot be used.
    """
    transport = Transport(
        endpoint(base_url, "/chat/completions", where="openai_compatible"), timeouts=timeouts
    )
    own = transport.host == _OPENAI
    # OpenAI's newer models refuse the older name of the limit, which is all that most other servers know.
    limit = "max_completion_tokens" if own else "max_tokens"
    options = {
        "temperature": temperature,
        limit: max_tokens,
        "stop": stop_sequences(stop, where="openai_compatible"),
    }
    secret = ApiKey(api_key, "OPENAI_API_KEY")
    given = {key.lower(): value for key, value in (headers or {}).items()}
    further = dict(extra or {})

    def all_headers() -> dict[str, str]:
        if secret.resolve():
            return {"authorization": f"Bearer {secret.resolve()}"} | given
        if own and "authorization" not in given:
            raise no_key("openai_compatible", secret.variable)
        return given

    return ServerModel(
        name=name or ("openai" if own else transport.host),
        model=model,
        label=f"openai_compatible {model!r}",
        transport=transport,
        headers=all_headers,
        body=lambda request: chat_body(
            request, model=model, options=options, extra=further, tool_choice=tool_choice
        ),
        answer=lambda: ChatAnswer(model),
        retries=as_retries(retries),
    )
