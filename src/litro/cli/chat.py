"""`litro chat`: a conversation in the terminal, in process.

The app runs in a thread with its own event loop, so that the main thread is free for the keyboard: Ctrl-C interrupts
whatever it waits for, and the app lives on while somebody types.
"""

import asyncio
import contextlib
import logging
import sys
import threading
from collections.abc import Coroutine, Generator
from concurrent.futures import Future
from pathlib import Path
from secrets import token_hex
from typing import Any, Final, TypeVar

import click

from litro.app import Litro, create_app
from litro.cli.agents import agent_argument, require_agent
from litro.cli.main import examples, prepare, project_option
from litro.cli.remedies import remedy
from litro.cli.terminal import call_line, plain
from litro.cli.transcript import ended, lines_of, outcome, quiet, told, turns_of
from litro.errors import LitroError
from litro.events import Event
from litro.sessions.base import SessionKey
from litro.turn.session import Session
from litro.wire import events_of

with contextlib.suppress(ImportError):  # Windows has none
    # Importing it gives input() its line editing and history.
    import readline  # noqa: F401 # pyright: ignore[reportUnusedImport]

T = TypeVar("T")

_SHOWN: Final = 3
"""Turns of a continued session that are shown before it goes on."""

_SOON: Final = 0.5
"""Seconds after which somebody who waits wants to know for what."""

_GRACE: Final = 1.0
"""Seconds for a turn that is left running: whoever leaves does not want to wait."""


@click.command("chat", epilog=examples("litro chat demo", "litro chat demo --session s1"))
@agent_argument()
@project_option
@click.option("--session", help="Continue this session.  [default: a new one]")
def command(agent: str, project: Path, session: str | None) -> None:
    """Talk to AGENT in the terminal.

    Answers are shown as they come, tool calls as one line, the data of cards as a table. Ctrl-C cancels the running
    turn; a second Ctrl-C, or Ctrl-D, leaves. The session is kept: --session continues it. Where a turn runs in it already,
    in another process, a message waits until that has ended; Ctrl-C withdraws it.
    """
    project = prepare(project)
    # What went wrong in a turn is shown from its events.
    logging.getLogger("litro").setLevel(logging.CRITICAL)
    key = SessionKey(agent, session or f"chat-{token_hex(4)}")
    # Whoever types the command is the developer: failures are told in full. Ctrl-C is the keyboard's here.
    app = create_app(project, development=True, signals=False, grace=_GRACE)
    loop = _Loop()
    with loop.running():
        try:
            loop.run(_greet(app, key))
            _Chat(app.session(*key), loop).talk()
        finally:
            loop.run(app.shutdown())
    click.echo(quiet(f"To go on: litro chat {agent} --session {key.session}"), err=True)


class _Loop:
    """An event loop in a thread, for a main thread that waits with its ears open."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="litro-chat", daemon=True
        )

    @contextlib.contextmanager
    def running(self) -> Generator[None]:
        """Run the loop around a `with`."""
        self._thread.start()
        try:
            yield
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def start(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Begin `work` on the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do `work` on the loop and wait for it."""
        return self.start(work).result()


class _Chat:
    """The conversation: a line is read, a turn is heard, until somebody leaves."""

    def __init__(self, session: Session, loop: _Loop) -> None:
        self._session = session
        self._loop = loop
        self._interrupts = 0

    def talk(self) -> None:
        """Read and answer until the end of input.

        Raises:
            KeyboardInterrupt: Ctrl-C came a second time.
        """
        while (text := self._line()) is not None:
            if text.strip():
                self._interrupts = 0
                self._answer(text)

    def _line(self) -> str | None:
        """What was typed, or None at the end of input."""
        while True:
            try:
                return input("> " if sys.stdin.isatty() else "")
            except EOFError:
                click.echo()
                return None
            except KeyboardInterrupt:
                click.echo()
                self._interrupted("Ctrl-C again, or Ctrl-D, leaves.")
            except UnicodeDecodeError:
                click.echo(told("not sent", "that was not UTF-8. Type it again."), err=True)

    def _answer(self, text: str) -> None:
        """Hear the turn to its end; the first Ctrl-C cancels it."""
        message = token_hex(16)
        turn = self._loop.start(_hear(self._session, text, message))
        while True:
            try:
                turn.result()
            except KeyboardInterrupt:
                # First of all: the next Ctrl-C may come at any line.
                self._loop.start(_stop(self._session, message))
                click.echo()
                self._interrupted("Cancelling. Ctrl-C again leaves.")
                continue
            except LitroError as error:
                click.echo(told("not sent", str(error)), err=True)
            return

    def _interrupted(self, hint: str) -> None:
        self._interrupts += 1
        if self._interrupts > 1:
            raise KeyboardInterrupt
        click.echo(quiet(hint), err=True)


async def _greet(app: Litro, key: SessionKey) -> None:
    """Start the app, and show how the session ended last time."""
    running = await app.start()
    require_agent(key.agent, running.loaded.agents, running.loaded.problems)
    conversations = running.conversations
    # Somebody else's session is refused here, not after the first message.
    if await conversations.meta(key, None) is None:
        click.echo(quiet(f"A new session of {key.agent}. Ctrl-D leaves."), err=True)
        return
    events = [e async for block in conversations.store.read(key, 1) for e in events_of(block)]
    turns = turns_of(events)
    if len(turns) > _SHOWN:
        click.echo(
            quiet(f"{len(turns) - _SHOWN} earlier turns: litro sessions show {' '.join(key)}")
        )
    for said in turns[-_SHOWN:]:
        click.echo("\n".join(lines_of(said)))


async def _hear(session: Session, text: str, message: str) -> None:
    """Say something, and show the turn as it becomes durable."""
    screen = _Screen(session.key.agent)
    events = session.send(text, id=message, on_busy="queue")
    first = asyncio.ensure_future(anext(events, None))
    while not (await asyncio.wait({first}, timeout=_SOON))[0]:
        if any(waiting.id == message for waiting in await session.queue()):
            hint = "A turn is running in this session: the message waits until it has ended. Ctrl-C withdraws it."
            click.echo(quiet(hint), err=True)
            break
    event = await first
    while event is not None:
        screen.show(event)
        event = await anext(events, None)


async def _stop(session: Session, message: str) -> None:
    """Withdraw the message where it waits; else cancel its turn, which is the one that runs."""
    if not await session.withdraw(message):
        await session.cancel()


class _Screen:
    """A turn on the screen, event by event."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._at_start = True

    def show(self, event: Event) -> None:
        payload: Any = event.payload
        match event.kind:
            case "text-delta":
                self._stream(plain(payload["text"]))
            case "message" if payload["role"] == "assistant":
                self._lines()
            case "tool-call":
                self._lines(quiet(call_line(payload["name"], payload["input"])))
            case "ui":
                self._lines(*outcome(payload["data"], is_card=True))
            case "tool-error" | "error":
                self._lines(told(payload["type"], payload["message"]))
                if event.kind == "error" and (advice := remedy(payload["type"], self._agent)):
                    self._lines(quiet(advice))
            case "turn-end":
                self._lines(*ended(payload["status"]))
            case "withdrawn":
                self._lines(*ended("withdrawn"))
            case _:
                return

    def _stream(self, text: str) -> None:
        click.echo(text, nl=False)
        sys.stdout.flush()
        if text:
            self._at_start = text.endswith("\n")

    def _lines(self, *lines: str) -> None:
        """Whole lines, below what was streamed."""
        if not self._at_start:
            click.echo()
            self._at_start = True
        for line in lines:
            click.echo(line)
