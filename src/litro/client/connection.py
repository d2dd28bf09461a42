"""Requests to one server, and what their answers mean: a stream, an error, or that it is worth asking again.

It asks once: when to ask again is `litro.client.outage`'s business.
"""

import re
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal
from urllib.parse import quote, urlsplit

import httpx2
import orjson

from litro.client.course import Broken, error_of
from litro.encoding import encode_value
from litro.errors import RemoteError

_CONNECT: Final = 10.0
_MAX_ERROR_BODY: Final = 64 * 1024
_PASSING: Final = frozenset({502, 503, 504})
"""Statuses that may be gone in a moment, whoever on the way said so."""

_STREAM: Final = "application/x-ndjson"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One request."""

    method: Literal["GET", "POST", "PATCH", "DELETE"]
    url: str
    headers: Mapping[str, str]
    """The caller's own."""
    body: Mapping[str, Any] | None = None
    """What is sent, as JSON."""


class Connection:
    """A server's address, and the HTTP client behind it.

    Args:
        base_url: Where Litro is mounted.
        headers: Sent with every request; ours win.
        transport: Another way to the server than the network.
        silence: Seconds without a byte.

    Raises:
        ValueError: `base_url` is not an http address.
    """

    def __init__(
        self,
        base_url: str,
        *,
        headers: Mapping[str, str],
        transport: httpx2.AsyncBaseTransport | None,
        silence: float,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            msg = (
                f"AgentClient: base_url is {base_url!r}, so it is no web address.\n"
                'Give the address of the app with its mount, such as "https://example.com/ai".'
            )
            raise ValueError(msg)
        self.host: str = parts.hostname + (f":{parts.port}" if parts.port else "")
        self._base = base_url.rstrip("/")
        self._client = httpx2.AsyncClient(
            headers=headers,
            transport=transport,
            timeout=httpx2.Timeout(silence, connect=min(silence, _CONNECT)),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=20),
            follow_redirects=False,
        )

    def url(self, *names: str) -> str:
        """The address of an agent, of its session, or of what that has."""
        return "/".join([f"{self._base}/__litro/agent", *(quote(name, safe="") for name in names)])

    async def aclose(self) -> None:
        """Close every connection."""
        await self._client.aclose()

    @asynccontextmanager
    async def ask(self, ask: Ask, *, is_repeated: bool) -> AsyncGenerator[httpx2.Response]:
        """The answer, its body unread. Leaving the context closes the connection unless the body was read.

        Args:
            ask: What is asked.
            is_repeated: Whether it was asked before.

        Raises:
            Broken: It is worth asking again.
            RemoteError: It is not.
            ValueError: A header holds what no header may.
        """
        content = None if ask.body is None else encode_value(ask.body)
        try:
            async with self._client.stream(
                ask.method, ask.url, content=content, headers=_headers(ask)
            ) as response:
                if not response.is_success:
                    raise await self._refusal(response, is_repeated=is_repeated)
                yield response
        except (httpx2.LocalProtocolError, UnicodeEncodeError):
            # Their text would quote the header, and so perhaps a key.
            msg = f"AgentClient: the request to {self.host} was not sent, since one of its headers holds a character that none may."
            raise ValueError(msg) from None
        except (httpx2.TransportError, httpx2.DecodingError) as error:
            raise Broken(_words(error)) from error

    def check_stream(self, response: httpx2.Response) -> None:
        """Refuse what is no stream of events, such as a portal's page that says to sign in.

        Raises:
            RemoteError: It is none.
        """
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != _STREAM:
            message = (
                f"{self.host} answered {kind or 'no type'!r} where {_STREAM!r} is due, so it is no Litro server.\n"
                "See that base_url is the app's address with its mount."
            )
            raise RemoteError("unexpected-answer", message, status=response.status_code)

    async def _refusal(self, response: httpx2.Response, *, is_repeated: bool) -> Exception:
        status, content = response.status_code, await _json(response)
        location = response.headers.get("location")
        message = f"{self.host} answered {status} without saying why."
        if response.is_redirect and location:
            message = f"{self.host} answered {status}, a redirect to {location!r}, so nothing was sent.\nUse that address as base_url."
        wait = _seconds(response.headers.get("retry-after", ""))
        error = error_of(content, otherwise=message, status=status, retry_after=wait)
        # A 409 to a repeated message may be our own first attempt, still under way.
        if status in _PASSING or (status == 409 and is_repeated):
            return Broken(f"it answered {status}", error)
        return error


def _headers(ask: Ask) -> httpx2.Headers:
    headers = httpx2.Headers(ask.headers)
    # A compressed stream waits in the compressor's buffer.
    headers.update({"x-litro-agent": "1", "accept": _STREAM, "accept-encoding": "identity"})
    if ask.body is not None:
        headers["content-type"] = "application/json"
    return headers


def _words(error: httpx2.RequestError) -> str:
    if isinstance(error, httpx2.TimeoutException):
        return f"it was silent for too long ({type(error).__name__})"
    return f"the connection broke ({type(error).__name__}: {error})"


def _seconds(text: str) -> float | None:
    """`Retry-After` in seconds. A date is left to our own waits."""
    return float(text) if re.fullmatch(r"[0-9]{1,6}", text) else None


async def _json(response: httpx2.Response) -> object:
    body = b""
    try:
        async for chunk in response.aiter_bytes():
            body += chunk
            if len(body) >= _MAX_ERROR_BODY:
                break
        return orjson.loads(body)
    except (httpx2.TransportError, httpx2.DecodingError, orjson.JSONDecodeError):
        # The status is known; half a body adds less than it would hide.
        return None
