"""The preview's addresses: its page, the cards' documents, what there is to show, and the agent.

It answers this machine alone, and nothing that another site's page asks for, a card's own document included.
"""

from collections.abc import Awaitable, Callable, Mapping
from importlib.resources import files
from typing import Any, Final

from starlette.datastructures import QueryParams

from litro.dev.preview.board import Board
from litro.dev.preview.frame import document
from litro.gates import GatePolicy, RequestHead, check
from litro.http.answers import (
    Answer,
    Receive,
    Scope,
    Send,
    failure,
    json_answer,
    of_error,
    of_refusal,
)
from litro.http.assets import refusal_of
from litro.http.body import read_json_object

Ask = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]

_TYPES: Final = {
    "css": b"text/css; charset=utf-8",
    "html": b"text/html; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
}
_PAGE_POLICY: Final = (
    b"default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'"
)
"""The frame goes nowhere else, even where a card sends it."""

_MAX_BODY: Final = 8 * 1024 * 1024


class Site:
    """Serves the preview.

    Args:
        gates: Whom it answers.
        board: What there is to show.
        ask: Answers for the host.
    """

    def __init__(self, gates: GatePolicy, board: Board, ask: Ask) -> None:
        self._gates = gates
        self._board = board
        self._ask = ask
        self._files = _page_files()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        path = scope["path"]
        if await self._board(path, scope, receive, send):
            return
        head = RequestHead.from_scope(scope)
        try:
            answer = await self._answer(path, head, scope, receive)
        except Exception as error:  # noqa: BLE001 - the outermost edge: whatever it was, the page gets an answer
            answer = of_error(error, development=True)
        await answer.send(send, [], with_body=head.method != "HEAD")

    async def _answer(self, path: str, head: RequestHead, scope: Scope, receive: Receive) -> Answer:
        if path in self._files:
            return refusal_of(head, self._gates) or self._file(path)
        refusal = check(head, self._gates)
        if refusal is not None:
            return of_refusal(refusal)
        if path == "/frame":
            return self._document(head, scope)
        if path == "/rpc":
            return await self._answered(head, receive)
        return failure(404, "not-found", f"The preview has nothing at {path[:200]!r}.")

    def _file(self, path: str) -> Answer:
        headers = (
            (b"content-type", _TYPES[path.rpartition(".")[2] if path != "/" else "html"]),
            (b"content-security-policy", _PAGE_POLICY),
            (b"x-content-type-options", b"nosniff"),
            (b"referrer-policy", b"no-referrer"),
        )
        return Answer(status=200, body=self._files[path], headers=headers)

    def _document(self, head: RequestHead, scope: Scope) -> Answer:
        if head.method not in {"GET", "HEAD"}:
            return _not_served(head, "GET, HEAD")
        name = QueryParams(scope["query_string"]).get("app", "")
        app = self._board.document(name)
        if app is None:
            return failure(404, "not-found", f"There is no app {name[:200]!r}.")
        return document(app)

    async def _answered(self, head: RequestHead, receive: Receive) -> Answer:
        if head.method != "POST":
            return _not_served(head, "POST")
        return json_answer(200, await self._ask(await read_json_object(receive, _MAX_BODY)))


def _not_served(head: RequestHead, allowed: str) -> Answer:
    message = f"{head.method} is not served here; {allowed} is."
    return failure(405, "method-not-allowed", message, (b"allow", allowed.encode()))


def _page_files() -> dict[str, bytes]:
    folder = files("litro").joinpath("assets", "preview")
    found = [file for file in folder.iterdir() if file.name.rpartition(".")[2] in _TYPES]
    return {
        "/" if file.name == "index.html" else f"/{file.name}": file.read_bytes() for file in found
    }
