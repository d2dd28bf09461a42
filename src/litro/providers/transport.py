"""The way to a model server: a provider that posts a body and feeds an assembler the stream that comes back.

Both wire formats use it. It knows no wire format: every failure is one `ProviderError`, and `litro.providers.retries`
decides which of them is final.
"""

import asyncio
import os
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any, Final, Protocol
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import httpx2

from litro.encoding import encode_value
from litro.errors import ProviderError
from litro.providers.base import ModelEvent, ModelRequest
from litro.providers.failures import failure_in_stream, failure_of_answer
from litro.providers.pieces import load_json
from litro.providers.retries import Retries, with_retries
from litro.providers.sse import SseEvent, SseParser
from litro.providers.timeouts import DEFAULT, Timeouts

_MAX_ERROR_BODY: Final = 64 * 1024
_ERROR_BODY: Final = 5.0
_DRAIN: Final = 0.1


class Assembler(Protocol):
    """A wire format's reader: events of the stream in, model events out, without IO."""

    @property
    def complete(self) -> bool:
        """Whether the terminal signal has come, so that a connection that breaks now breaks nothing."""
        ...

    @property
    def done(self) -> bool:
        """Whether nothing more is to come."""
        ...

    def feed(self, event: SseEvent) -> Iterator[ModelEvent]:
        """What the event adds to the answer, and then perhaps a `ProviderError`."""
        ...

    def end(self) -> list[ModelEvent]:
        """What the end of the stream completes, `Finished` last."""
        ...


class ApiKey:
    """A key that is given, or read from the environment at the first request. Its repr does not show it."""

    def __init__(self, given: str | None, variable: str) -> None:
        self._key = None if given is None else given.strip()
        self.variable = variable

    def __repr__(self) -> str:
        return f"<key of {self.variable}>"

    def resolve(self) -> str:
        """The key, or an empty string where there is none."""
        if self._key is None:
            self._key = os.environ.get(self.variable, "").strip()
        return self._key


class ServerModel:
    """A provider behind a server: what its wire format makes of a request, sent and read.

    Its repr shows neither key nor headers.
    """

    def __init__(
        self,
        *,
        name: str,
        model: str,
        label: str,
        transport: "Transport",
        headers: Callable[[], Mapping[str, str]],
        body: Callable[[ModelRequest], Mapping[str, Any]],
        answer: Callable[[], Assembler],
        retries: Retries,
    ) -> None:
        self.name = name
        self.model = model
        self._label = label
        self._transport = transport
        self._headers = headers
        self._body = body
        self._answer = answer
        self._retries = retries

    def __repr__(self) -> str:
        return f"<{self._label} at {self._transport.host}>"

    def body(self, request: ModelRequest) -> Mapping[str, Any]:
        """What is posted for a request. The key is not in it: that is a header's."""
        return self._body(request)

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        """The answer as it comes; see `Provider.stream`."""

        def once() -> AsyncGenerator[ModelEvent]:
            return self._transport.stream(self._headers(), self._body(request), self._answer())

        return with_retries(once, self._retries)

    async def aclose(self) -> None:
        """Close the connections of the running event loop; a later request opens new ones."""
        await self._transport.aclose()


class _Patience:
    """How long the next event may take. Time that the reader takes for itself does not count."""

    def __init__(self, timeouts: Timeouts) -> None:
        self._later = timeouts.between_tokens
        self._deadline: float | None = None
        self.limit = timeouts.first_token
        self.what = "the first event of its answer"

    def deadline(self) -> float | None:
        """The loop's time at which waiting ends."""
        if self._deadline is None and self.limit is not None:
            self._deadline = asyncio.get_running_loop().time() + self.limit
        return self._deadline

    def heard(self) -> None:
        """An event has come."""
        self.limit, self._deadline = self._later, None
        self.what = "the next event of its answer"


class Transport:
    """A URL that is posted to. The client behind it is made at the first request, one for each event loop."""

    def __init__(self, url: str, *, timeouts: Timeouts = DEFAULT) -> None:
        self._url = url
        self._timeouts = timeouts
        self._clients: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx2.AsyncClient] = (
            WeakKeyDictionary()
        )
        self.host: str = host_of(url)

    async def stream(
        self, headers: Mapping[str, str], body: Mapping[str, Any], assembler: Assembler
    ) -> AsyncGenerator[ModelEvent]:
        """Post `body` and answer what `assembler` makes of the stream. Closing it early closes the connection.

        Raises:
            ProviderError: The server refused, failed, or went away.
        """
        parser, patience = SseParser(), _Patience(self._timeouts)
        async with aclosing(self._post(headers, encode_value(body))) as chunks:
            while not assembler.done:
                chunk = await self._next(chunks, assembler, patience)
                events = parser.close() if chunk is None else self._feed(parser, chunk)
                if events:
                    patience.heard()
                for event in events:
                    for model_event in assembler.feed(event):
                        yield model_event
                if chunk is None:
                    break
            else:
                await _drain(chunks)
        for model_event in assembler.end():
            yield model_event

    async def aclose(self) -> None:
        """Close the running loop's client."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    async def _next(
        self, chunks: AsyncGenerator[bytes], assembler: Assembler, patience: _Patience
    ) -> bytes | None:
        try:
            async with asyncio.timeout_at(patience.deadline()):
                return await anext(chunks, None)
        except (ProviderError, TimeoutError) as error:
            if assembler.complete:
                return None
            if isinstance(error, ProviderError):
                raise
            msg = f"{self.host} did not send {patience.what} within {patience.limit:g} s."
            raise ProviderError("timeout", msg, retryable=True) from None

    def _feed(self, parser: SseParser, chunk: bytes) -> list[SseEvent]:
        try:
            return parser.feed(chunk)
        except ValueError as error:
            msg = f"{self.host}: {error}"
            raise ProviderError("provider", msg) from None

    async def _post(self, headers: Mapping[str, str], body: bytes) -> AsyncGenerator[bytes]:
        answered = False
        try:
            async with self._client().stream(
                "POST", self._url, content=body, headers=_all_headers(headers)
            ) as response:
                answered = True
                await self._check(response)
                async for chunk in response.aiter_bytes():
                    yield chunk
        except (httpx2.LocalProtocolError, UnicodeEncodeError):
            # Its text would quote the header, and so the key.
            msg = f"the request to {self.host} was not sent: its key or another header holds a character that none may."
            raise ProviderError("refused", msg) from None
        except httpx2.TimeoutException as error:
            msg = f"{self.host} did not take the connection within {self._timeouts.connect} s."
            raise ProviderError("timeout", msg, retryable=True) from error
        except httpx2.HTTPError as error:
            what = f"({type(error).__name__}: {error})"
            if answered:
                msg = f"the connection to {self.host} broke in the middle of the answer {what}."
                raise ProviderError("stream-incomplete", msg, retryable=True) from error
            msg = f"{self.host} cannot be reached {what}.\nSee that it runs, and that base_url is its address."
            raise ProviderError("unreachable", msg, retryable=True) from error

    async def _check(self, response: httpx2.Response) -> None:
        """Raise what an answer means that is not a stream."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.is_success and kind != "application/json":
            return
        body = await _beginning(response)
        if not response.is_success:
            raise failure_of_answer(
                response.status_code,
                response.headers,
                body,
                server=self.host,
                now=datetime.now(UTC),
            )
        raise _failure_of_json(body, self.host)

    def _client(self) -> httpx2.AsyncClient:
        loop = asyncio.get_running_loop()
        client = self._clients.get(loop)
        if client is None:
            # How many turns may run at once is the app's limit, so the pool sets none.
            limits = httpx2.Limits(max_connections=None, max_keepalive_connections=20)
            # What an event may take is not what a read may take, so that is counted above the client.
            timeout = httpx2.Timeout(None, connect=self._timeouts.connect)
            client = httpx2.AsyncClient(timeout=timeout, limits=limits, follow_redirects=False)
            self._clients[loop] = client
        return client


def host_of(url: str) -> str:
    """The host, with its port where the URL names one: who the server is, without a password that the URL may hold."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    return f"{host}:{parts.port}" if parts.port else host


def endpoint(base_url: str, path: str, *, where: str) -> str:
    """The URL of `path` under `base_url`.

    Raises:
        ValueError: `base_url` is not an http URL.
    """
    if not base_url.startswith(("http://", "https://")) or not host_of(base_url):
        msg = f'{where}: base_url is {base_url!r}, so an address such as "https://host/v1" is required.'
        raise ValueError(msg)
    return base_url.rstrip("/") + path


def _all_headers(headers: Mapping[str, str]) -> httpx2.Headers:
    # A compressed stream waits in the compressor's buffer.
    ours = httpx2.Headers(
        {
            "content-type": "application/json",
            "accept": "text/event-stream",
            "accept-encoding": "identity",
        }
    )
    ours.update(headers)
    return ours


async def _drain(chunks: AsyncGenerator[bytes]) -> None:
    """Read to the end of a finished answer, so that its connection can serve the next request."""
    try:
        async with asyncio.timeout(_DRAIN):
            async for _ in chunks:
                pass
    except (TimeoutError, ProviderError):
        return


async def _beginning(response: httpx2.Response) -> bytes:
    body = b""
    try:
        async with asyncio.timeout(_ERROR_BODY):
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) >= _MAX_ERROR_BODY:
                    break
    except (httpx2.HTTPError, TimeoutError):
        # The status is known; a body that breaks off adds less than it would hide.
        return body
    return body


def _failure_of_json(body: bytes, host: str) -> ProviderError:
    try:
        value = load_json(body.decode(errors="replace"))
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and "error" in value:
        return failure_in_stream(value)
    msg = f"{host} answered {body[:200]!r} in one piece, so a stream of events is missing.\nUse a server that streams."
    return ProviderError("provider", msg)
