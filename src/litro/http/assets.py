"""Files for browsers: our own ES modules and those that they need, at stable addresses that are asked for anew each time.

They are plain modules, sent without the comments between their lines in production; a browser that has the current one is told so.
Of the package's folders only those that are named here can be reached, and nothing outside of them.
"""

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.resources import files
from typing import Final

from litro.gates import GatePolicy, Headers, Refusal, RequestHead, cors_headers
from litro.gates.checks import check_host, target_of
from litro.http.answers import Answer, Scope, Send, failure, of_refusal

_DEV_MODULE: Final = "dev.js"

_FOLDERS: Final[Mapping[str, str]] = {
    "": "assets",
    "chat": "assets/chat",
    "vendor": "vendor/assets",
}
"""Where the modules of a folder in an address are in the package."""

_DEV_FOLDERS: Final[Mapping[str, str]] = {"inspector": "assets/inspector"}
"""The same, for those that exist in development only."""

_TYPE: Final = (b"content-type", b"text/javascript; charset=utf-8")

# One folder at most, and nothing in a name by which one could leave it.
_PATH: Final = re.compile(
    r"/__litro/(?:(?P<folder>[a-z][a-z0-9-]*)/)?(?P<file>[a-z][a-z0-9-]*\.js)", re.ASCII
)

# Lines of nothing but comment, which are a third of a module. That no line of code is one is tested.
_COMMENTS: Final = re.compile(
    rb"^[ \t]*(?:/\*\*(?:(?!\*/).)*\*/|//[^\n]*)[ \t]*\n", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True, kw_only=True)
class _Module:
    """A module's bytes, and what is known of them."""

    content: bytes

    @cached_property
    def tag(self) -> bytes:
        # Weak, since it is of the module, however that was packed on its way.
        return b"W/" + tag_of(self.content)

    @cached_property
    def gzipped(self) -> bytes:
        return gzip.compress(self.content, mtime=0)


class Assets:
    """Serves `/__litro/<name>.js`, `/__litro/<folder>/<name>.js` and `/__litro/vendor/<name>.js`.

    Args:
        gates: Which hosts are answered. Modules hold no secrets, so no other gate asks.
        development: Whether pages that load the client load what shows problems as well.
    """

    def __init__(self, gates: GatePolicy, *, development: bool = False) -> None:
        self._gates = gates
        self._development = development
        self._folders = {**_FOLDERS, **(_DEV_FOLDERS if development else {})}
        self._known: dict[str, _Module] = {}

    async def __call__(self, path: str, scope: Scope, send: Send) -> bool:
        """Answer a request for `path` below the mount. False where no module has it."""
        found = self._module(path)
        if found is None:
            return False
        head = RequestHead.from_scope(scope)
        answer = refusal_of(head, self._gates) or _answer(head, found)
        more = _varied(cors_headers(head, self._gates))
        await answer.send(send, more, with_body=head.method != "HEAD")
        return True

    def _module(self, path: str) -> _Module | None:
        match = _PATH.fullmatch(path)
        if match is None or (match["file"] == _DEV_MODULE and not self._development):
            return None
        folder = self._folders.get(match["folder"] or "")
        if folder is None:
            return None
        if path not in self._known:
            file = files("litro").joinpath(folder, match["file"])
            if not file.is_file():
                return None
            content = file.read_bytes()
            if not self._development:
                content = without_comments(content)
            elif path == "/__litro/client.js":
                content += f'import "./{_DEV_MODULE}";\n'.encode()
            self._known[path] = _Module(content=content)
        return self._known[path]


def without_comments(content: bytes) -> bytes:
    """A module of ours without the lines that are nothing but comment. `/*! … */`, a licence, stays."""
    return _COMMENTS.sub(b"", content)


def _answer(head: RequestHead, found: _Module) -> Answer:
    plain = module(head, found.content, found.tag)
    if plain.status == 304 or not _takes_gzip(head.headers):
        return plain
    headers = (*plain.headers, (b"content-encoding", b"gzip"))
    return replace(plain, body=found.gzipped, headers=headers)


def _varied(headers: Headers) -> Headers:
    """The headers, and that the answer depends on the encodings that are taken."""
    varies = [value for name, value in headers if name == b"vary"]
    others = [(name, value) for name, value in headers if name != b"vary"]
    return [*others, (b"vary", b", ".join([b"Accept-Encoding", *varies]))]


def _takes_gzip(headers: Mapping[str, str]) -> bool:
    """Whether `Accept-Encoding` has gzip, other than to refuse it."""
    for item in headers.get("accept-encoding", "").split(","):
        name, _, weight = item.partition(";")
        if name.strip().lower() in {"gzip", "x-gzip"}:
            return re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight) is None
    return False


def refusal_of(head: RequestHead, gates: GatePolicy) -> Answer | None:
    """Why a request for a file goes no further, or None where it does. Files hold no secrets, so few gates ask."""
    target = target_of(head, gates)
    refusal = target if isinstance(target, Refusal) else check_host(head, target, gates)
    if refusal is not None:
        return of_refusal(refusal)
    if head.method not in {"GET", "HEAD"}:
        message = f"{head.method} is not served here; GET and HEAD are."
        return failure(405, "method-not-allowed", message, (b"allow", b"GET, HEAD"))
    return None


def module(head: RequestHead, content: bytes, tag: bytes, *, cache: bytes = b"no-cache") -> Answer:
    """The answer that brings a module, or says that the browser has it."""
    # `no-cache` is "ask me each time", so a deploy is seen at once and costs an unchanged module nothing.
    headers = ((b"etag", tag), (b"x-content-type-options", b"nosniff"))
    if tag.decode() in head.headers.get("if-none-match", ""):
        return Answer(status=304, headers=headers, cache=cache)
    return Answer(status=200, body=content, headers=(_TYPE, *headers), cache=cache)


def tag_of(content: bytes) -> bytes:
    """The content's entity tag."""
    return f'"{hashlib.sha256(content).hexdigest()[:24]}"'.encode()
