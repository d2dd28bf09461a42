"""The app that `litro dev` serves, or, where it cannot be served, what is wrong with it at every address.

A browser that asks while the author is still typing gets an answer, and a page that is open hears of it. It restarts
nothing: a change does.
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from litro.dev.page import Page
from litro.dev.trouble import Trouble, tell, tell_all
from litro.gates import GatePolicy, Refusal, RequestHead
from litro.gates.checks import check_host, target_of
from litro.http.answers import Answer, Receive, Scope, Send, of_refusal
from litro.http.signals import Signals
from litro.http.streams import Streams

App = Callable[[Scope, Receive, Send], Awaitable[None]]

_TEXT: Final = (
    (b"content-type", b"text/plain; charset=utf-8"),
    (b"x-content-type-options", b"nosniff"),
)


class Stage:
    """An ASGI app for the app of a project.

    Args:
        project: Its folder.
        app: The app, where it could be imported.
        troubles: Why it could not.
    """

    def __init__(self, project: Path, app: App | None, troubles: tuple[Trouble, ...] = ()) -> None:
        self._project = project
        self._app = app
        self._stand_in = _StandIn(troubles)

    @property
    def is_waiting(self) -> bool:
        """Whether the app cannot be served, so that any change may be the remedy."""
        return self._app is None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        if scope["type"] == "lifespan":
            await self._lifespan(scope, receive, send)
        elif self._app is None:
            await self._stand_in(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _lifespan(self, scope: Scope, receive: Receive, send: Send) -> None:
        told = _Told(receive, send)
        app = self._app
        if app is not None:
            try:
                await app(scope, told.receive, told.send)
            except Exception:
                # Many apps know no lifespan, and say so by raising; those that fail to start have said why.
                if told.has_started:
                    raise
            if told.has_ended:
                return
        if told.failure is not None:
            self._fail(told.failure)
        if self._app is None:
            tell_all(self._stand_in.troubles)
            tell("Waiting for a change.")
            self._stand_in.listen()
        if not told.has_started:
            await told.receive_unless_told("lifespan.startup")
            await send({"type": "lifespan.startup.complete"})
        await told.receive_unless_told("lifespan.shutdown")
        self._stand_in.leave()
        await send({"type": "lifespan.shutdown.complete"})

    def _fail(self, message: str) -> None:
        # A message of many lines is a traceback, whose last line says what it is about.
        before, _, last = message.strip().rpartition("\n")
        self._app = None
        text = last or "the app did not start, and did not say why."
        trouble = Trouble(place=str(self._project), text=text, detail=message if before else "")
        self._stand_in.show((trouble,))


class _Told:
    """A lifespan's messages on their way between a server and an app."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._received: list[str] = []
        self.has_started = False
        self.has_ended = False
        self.failure: str | None = None

    async def receive(self) -> Any:
        message = await self._receive()
        self._received.append(message["type"])
        return message

    async def send(self, message: Any) -> None:
        if message["type"] == "lifespan.startup.failed":
            self.failure = message.get("message", "")
            return
        self.has_started = True
        self.has_ended = message["type"].startswith("lifespan.shutdown.")
        await self._send(message)

    async def receive_unless_told(self, kind: str) -> None:
        while kind not in self._received:
            await self.receive()


class _StandIn:
    """Answers every address with what is wrong."""

    def __init__(self, troubles: tuple[Trouble, ...]) -> None:
        self._gates = GatePolicy(loopback_only=True)
        self._streams = Streams()
        self._page = Page(self._gates, self._streams)
        self._signals = Signals(self._leave)
        self.show(troubles)

    def show(self, troubles: tuple[Trouble, ...]) -> None:
        self.troubles = troubles
        self._page.show(troubles)

    def listen(self) -> None:
        self._signals.install(hold=False)

    def leave(self) -> None:
        self._streams.leave()
        self._signals.restore()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1011, "reason": "the app is broken"})
        elif scope["type"] == "http":
            mount, found, _ = scope["path"].partition("/__litro/dev")
            # Where the app would have mounted Litro is not known, so any mount will do.
            if not found or not await self._page(scope["path"][len(mount) :], scope, receive, send):
                await self._tell(scope, send)

    async def _tell(self, scope: Scope, send: Send) -> None:
        head = RequestHead.from_scope(scope)
        target = target_of(head, self._gates)
        refusal = target if isinstance(target, Refusal) else check_host(head, target, self._gates)
        if refusal is not None:
            answer = of_refusal(refusal)
        else:
            text = "\n\n".join(map(str, self.troubles)) + "\n\nlitro dev waits for a change.\n"
            answer = Answer(status=500, body=text.encode(), headers=_TEXT)
        await answer.send(send, [], with_body=head.method != "HEAD")

    def _leave(self) -> "asyncio.Future[None]":
        self._streams.leave()
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done.set_result(None)
        return done
