"""`GET /__litro/dev`: what is wrong, told to an open page as it changes. Server-Sent Events, in development only.

One event is the whole state, so a page that comes or comes again knows all of it. `bye` says that the process goes away.
"""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import orjson

from litro.dev.trouble import Trouble
from litro.events import ErrorPayload
from litro.gates import GatePolicy, RequestHead, check, cors_headers
from litro.http.answers import Receive, Scope, Send, failure, of_refusal, of_stream
from litro.http.streams import Stream, Streams


class Page:
    """What open pages are told.

    Args:
        gates: Who may ask, which is who may read an agent's session.
        streams: The app's open streams.

    Attributes:
        path: Where it is asked for, below the mount.
    """

    path: ClassVar[str] = "/__litro/dev"

    def __init__(self, gates: GatePolicy, streams: Streams) -> None:
        self._gates = gates
        self._streams = streams
        self._troubles: tuple[Trouble, ...] = ()
        self._components = ""
        self._number = 1
        self._changed = asyncio.Event()

    def show(self, troubles: tuple[Trouble, ...]) -> None:
        """Tell every open page what is wrong now; nothing is good news."""
        self._troubles = troubles
        self.change()

    def use(self, components: str) -> None:
        """Tell every open page which build of the components is in use: a page with another one has to load anew."""
        if components != self._components:
            self._components = components
            self.change()

    def state(self) -> dict[str, Any]:
        """All that a page is told."""
        problems = [{"place": t.place, "text": t.text, "detail": t.detail} for t in self._troubles]
        return {"problems": problems, "components": self._components}

    def change(self) -> None:
        """Tell every open page how things are."""
        self._number += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def __call__(self, path: str, scope: Scope, receive: Receive, send: Send) -> bool:
        """Answer a request for `path` below the mount. False where it is another's."""
        if path != self.path:
            return False
        head = RequestHead.from_scope(scope)
        cors = cors_headers(head, self._gates)
        if head.method not in {"GET", "HEAD"}:
            message = f"{head.method} is not served here; GET and HEAD are."
            answer = failure(405, "method-not-allowed", message, (b"allow", b"GET, HEAD"))
            await answer.send(send, cors)
            return True
        refusal = check(head, self._gates)
        if refusal is not None:
            await of_refusal(refusal).send(send, cors, with_body=head.method != "HEAD")
            return True
        stream = Stream(receive, send, self._streams, sse=True, tell=_tell)
        if head.method == "HEAD":
            await stream.open_head(cors)
        else:
            await stream.open(cors)
            await stream.run(self._states(), self._number)
        return True

    async def _states(self) -> AsyncIterator[bytes]:
        while True:
            changed = self._changed
            yield self._line()
            await changed.wait()

    def _line(self) -> bytes:
        state = {"seq": self._number, **self.state()}
        return orjson.dumps(state, option=orjson.OPT_APPEND_NEWLINE)


def _tell(error: BaseException) -> ErrorPayload:
    return of_stream(error, development=True)
