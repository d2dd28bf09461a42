"""A guard for a site without accounts: each browser is a visitor, known by a cookie, and has its own sessions.

It is no login, and keeps nobody out. The cookie's value is a secret that nobody can guess, and the principal is its hash, so
there is no key to configure, nothing to share between processes, and nothing in a log that opens a session.
"""

import re
from dataclasses import dataclass
from hashlib import sha256
from secrets import token_urlsafe
from typing import Final, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request

from litro.gates import Headers

_LIFE: Final = 400 * 24 * 60 * 60
"""Seconds that a browser keeps it, counted from the last message. The most that browsers grant (RFC 6265bis, section 5.5)."""

_SECRET_BYTES: Final = 32
_SECRET: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""What `token_urlsafe` makes of them. Anything else was not made here."""

_KEY: Final = "litro.jar"
_ELSEWHERE: Final = (
    "visitor: the page's origin, {origin!r:.120}, is on another site, where browsers neither keep nor send this server's cookies, "
    "so it would be somebody new with each request. Give the agent a guard that reads a header: Agent(…, access=…)."
)


@dataclass(slots=True)
class Jar:
    """Where a guard puts the cookie that the answer shall set.

    Attributes:
        scheme: Of the address that the browser sees, as far as trusted proxies tell.
    """

    scheme: str
    _secret: str | None = None
    _is_new: bool = False

    @property
    def name(self) -> str:
        """The cookie's name. Over https it has the prefix that keeps other hosts of the domain from planting one."""
        return "__Host-litro-visitor" if self.scheme == "https" else "litro-visitor"

    def secret(self, sent: str | None) -> str:
        """The visitor's secret: what the browser sent where it can be one of ours, else a new one."""
        if sent is None or not _SECRET.fullmatch(sent):
            sent, self._is_new = token_urlsafe(_SECRET_BYTES), True
        self._secret = sent
        return sent

    def headers(self, method: str) -> Headers:
        """What an answer says: the cookie where it is new, and with each message, from which its life is counted anew."""
        if self._secret is None or not (self._is_new or method == "POST"):
            return []
        # For the whole host, not the mount: a proxy may have cut off what the browser's path begins with.
        attributes = f"Path=/; Max-Age={_LIFE}; HttpOnly; SameSite=Lax"
        secure = "; Secure" if self.scheme == "https" else ""
        return [(b"set-cookie", f"{self.name}={self._secret}; {attributes}{secure}".encode())]


def with_jar(request: Request, scheme: str) -> Jar:
    """Let the request's guard set a cookie on its answer."""
    jar = Jar(scheme)
    request.scope[_KEY] = jar
    return jar


def visitor(request: Request) -> str:
    """A guard: each browser sees and opens its own sessions, without an account. `Config(access=visitor)`.

    Whoever reaches the server may speak. A guard of yours can fall back on it: `return user or visitor(request)`.

    Args:
        request: What is asked.

    Returns:
        The principal, `visitor:` and a hash of the browser's cookie. Where no cookie can be set, as over MCP, each request
        without one is somebody new.

    Raises:
        HTTPException: The page that asks is on another site, where browsers neither keep nor send the cookie.
    """
    jar = cast("Jar | None", request.scope.get(_KEY))
    if jar is None:
        # Not of `request.url`, which cannot be made where the query is no UTF-8.
        jar = Jar(request.scope["scheme"])
    elif request.headers.get("sec-fetch-site") == "cross-site":
        raise HTTPException(403, _ELSEWHERE.format(origin=request.headers.get("origin")))
    secret = jar.secret(request.cookies.get(jar.name))
    return f"visitor:{sha256(secret.encode()).hexdigest()[:32]}"
