"""Files for browsers: our own ES modules, at stable addresses that are asked for anew each time.

They are plain modules, shipped as they are; a browser that has the current one is told so. Nothing outside the package's
`assets/` folder can be named.
"""

import hashlib
from importlib.resources import files
from typing import Final

from litro.gates import GatePolicy, Refusal, RequestHead, cors_headers
from litro.gates.checks import check_host, target_of
from litro.http.answers import Answer, Scope, Send, failure, of_refusal

_PREFIX: Final = "/__litro/"
_DEV_MODULE: Final = "dev.js"
_TYPE: Final = (b"content-type", b"text/javascript; charset=utf-8")


class Assets:
    """Serves `/__litro/<name>.js`.

    Args:
        gates: Which hosts are answered. Modules hold no secrets, so no other gate asks.
        development: Whether pages that load the client load what shows problems as well.
    """

    def __init__(self, gates: GatePolicy, *, development: bool = False) -> None:
        self._gates = gates
        self._development = development
        self._known: dict[str, tuple[bytes, bytes]] = {}

    async def __call__(self, path: str, scope: Scope, send: Send) -> bool:
        """Answer a request for `path` below the mount. False where no module has it."""
        found = self._module(path)
        if found is None:
            return False
        head = RequestHead.from_scope(scope)
        answer = refusal_of(head, self._gates) or module(head, *found)
        await answer.send(send, cors_headers(head, self._gates), with_body=head.method != "HEAD")
        return True

    def _module(self, path: str) -> tuple[bytes, bytes] | None:
        """The module's bytes and its entity tag."""
        name = path.removeprefix(_PREFIX)
        if not path.startswith(_PREFIX) or "/" in name or not name.endswith(".js"):
            return None
        if name == _DEV_MODULE and not self._development:
            return None
        if name not in self._known:
            file = files("litro").joinpath("assets", name)
            if not file.is_file():
                return None
            content = file.read_bytes()
            if name == "client.js" and self._development:
                content += f'import "./{_DEV_MODULE}";\n'.encode()
            self._known[name] = (content, tag_of(content))
        return self._known[name]


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
