"""How a model server's refusals become `ProviderError`s: statuses, error bodies of every known shape, errors in a stream.

Pure: it reads no clock and no socket. It is not a retry policy: it says only what may be retried.
"""

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, cast

from litro.errors import ErrorType, ProviderError
from litro.providers.pieces import load_json

_MAX_TEXT: Final = 500

_TOO_LONG: Final = re.compile(
    r"context[ _-]?(length|size|window|limit)|maximum context|prompt is too long|input is too long"
    r"|reduce the length|input token count|too many (input )?tokens",
    re.IGNORECASE,
)

_BY_CODE: Final[tuple[tuple[re.Pattern[str], ErrorType], ...]] = (
    (re.compile(r"overloaded|unavailable|capacity|insufficient_system_resource"), "overloaded"),
    (re.compile(r"rate.?limit|too_many_requests|quota|resource_exhausted|throttl"), "rate-limited"),
    (re.compile(r"timeout|deadline"), "timeout"),
    (
        re.compile(
            r"invalid|authentication|permission|unauthori[sz]ed|forbidden|not_found|billing|request_too_large"
            r"|content_filter|policy"
        ),
        "refused",
    ),
)


def failure_of_answer(
    status: int, headers: Mapping[str, str], body: bytes, *, server: str, now: datetime
) -> ProviderError:
    """The failure that an answer with a status other than 2xx means.

    Args:
        status: Its status.
        headers: Its headers, names in lower case or looked up without regard to case.
        body: Its body, or the beginning of it.
        server: Who answered, for the message.
        now: The time, for a `Retry-After` that is a date.
    """
    if 300 <= status < 400:
        to = headers.get("location", "nowhere")
        msg = (
            f"{server} answered {status}, a redirect to {to[:200]!r}, which is not followed: a key would go to another "
            "address.\nCorrect base_url."
        )
        return ProviderError("refused", msg, status=status)
    error = _first_error(_parsed(body))
    text = _text_of(error) or body.decode(errors="replace").strip() or "no reason given"
    codes = _codes_of(error)
    kind = _type_of_status(status, codes, text)
    return ProviderError(
        kind,
        f"{server} answered {status}: {text[:_MAX_TEXT]}",
        retryable=_retryable(kind, status, codes),
        status=status,
        retry_after=_retry_after(headers, now),
    )


def failure_in_stream(error: Any) -> ProviderError:
    """The failure that an error inside a stream means, after the status had been 200.

    Args:
        error: The frame's `error`, or the whole frame where it has none.
    """
    error = _first_error(error)
    text = _text_of(error) or "no reason given"
    codes = _codes_of(error)
    status = next((int(code) for code in codes if re.fullmatch(r"[45]\d\d", code)), None)
    kind = _type_of_codes(codes, text) if status is None else _type_of_status(status, codes, text)
    return ProviderError(
        kind,
        f"the model's server ended its stream with an error: {text[:_MAX_TEXT]}",
        retryable=_retryable(kind, status, codes),
        status=status,
    )


def _parsed(body: bytes) -> Any:
    try:
        return load_json(body.decode(errors="replace"))
    except (ValueError, RecursionError):
        return None


def _first_error(value: Any) -> Any:
    """The innermost object or text that tells of the error: `[{"error": {…}}]` and its many relatives."""
    for _ in range(4):
        if isinstance(value, list):
            items = cast("list[Any]", value)
            value = items[0] if items else None
        elif isinstance(value, dict):
            fields = cast("dict[str, Any]", value)
            inner = fields.get("error") or fields.get("errors")
            if not isinstance(inner, dict | list):
                if _text_in(fields):
                    return fields
                inner = inner or fields.get("detail")
            if not inner:
                return fields
            value = cast("Any", inner)
        else:
            break
    return value


def _text_in(fields: Mapping[str, Any]) -> str:
    for key in ("message", "msg", "error_message", "detail", "title"):
        text = fields.get(key)
        if isinstance(text, str) and text.strip():
            return text.strip()
    return ""


def _text_of(error: Any) -> str:
    if isinstance(error, str):
        return error.strip()
    return _text_in(cast("dict[str, Any]", error)) if isinstance(error, dict) else ""


def _codes_of(error: Any) -> tuple[str, ...]:
    def found() -> Iterator[str]:
        if isinstance(error, dict):
            fields = cast("dict[str, Any]", error)
            for key in ("type", "code", "status"):
                value = fields.get(key)
                if isinstance(value, str | int):
                    yield str(value).lower()

    return tuple(found())


def _type_of_status(status: int, codes: tuple[str, ...], text: str) -> ErrorType:
    if status == 429:
        return "rate-limited"
    if status in {503, 529}:
        return "overloaded"
    if status >= 500:
        return "provider"
    if status in {400, 413, 422} and _is_too_long(codes, text):
        return "context-too-long"
    return "refused"


def _type_of_codes(codes: tuple[str, ...], text: str) -> ErrorType:
    if _is_too_long(codes, text):
        return "context-too-long"
    for pattern, kind in _BY_CODE:
        if any(pattern.search(code) for code in codes):
            return kind
    return "provider"


def _is_too_long(codes: tuple[str, ...], text: str) -> bool:
    return any(_TOO_LONG.search(part) for part in (*codes, text))


def _retryable(kind: ErrorType, status: int | None, codes: tuple[str, ...]) -> bool:
    if any("insufficient_quota" in code or "billing" in code for code in codes):
        return False
    return kind not in {"refused", "context-too-long"} or status in {408, 409}


def _retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    text = headers.get("retry-after", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            date = parsedate_to_datetime(text)
        except ValueError:
            return None
        seconds = ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds()
    return max(0.0, seconds) if math.isfinite(seconds) else None


def no_key(where: str, variable: str) -> ProviderError:
    """The failure of a request that no server would answer without a key."""
    msg = (
        f"{where}: no API key is given and {variable} is not set, so the request was not sent.\n"
        f"Set {variable} in the environment (or in .env), or pass api_key=."
    )
    return ProviderError("refused", msg)
