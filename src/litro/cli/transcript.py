"""A session's events as what was said: for people who read a log, and for programs that do.

It is not what the model reads: that is `litro.turn.transcript`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import click

from litro.cli.terminal import call_line, plain, table
from litro.events import Event
from litro.sessions.facts import BETWEEN_TURNS


@dataclass(slots=True)
class Said:
    """One turn: its messages and calls in order, and how it ended."""

    turn: int
    started: int
    """Milliseconds since the epoch."""
    status: str = "open"
    items: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def json(self) -> dict[str, Any]:
        """The turn as `litro sessions show --json` has it."""
        return {
            "turn": self.turn,
            "started": self.started,
            "status": self.status,
            "items": self.items,
        }


def turns_of(events: Iterable[Event]) -> list[Said]:
    """The turns that a log's events tell of."""
    turns: dict[int, Said] = {}
    calls: dict[str, dict[str, Any]] = {}
    for event in events:
        if event.kind in BETWEEN_TURNS:
            # A message that waited is told where it was answered.
            continue
        said = turns.setdefault(event.turn, Said(event.turn, event.ts))
        payload: Any = event.payload
        if event.kind == "message":
            if payload["text"]:
                said.items.append({"role": payload["role"], "text": payload["text"]})
        elif event.kind == "tool-call":
            item = {"role": "tool", "name": payload["name"], "input": payload["input"]}
            calls[event.call or ""] = item
            said.items.append(item)
        elif event.kind == "error":
            said.items.append({"role": "error", **payload})
        elif event.kind == "turn-end":
            said.status = payload["status"]
        else:
            _end_call(event, calls.get(event.call or "", {}))
    return list(turns.values())


def _end_call(event: Event, item: dict[str, Any]) -> None:
    match event.kind:
        case "tool-result":
            item["result"] = event.payload
        case "ui":
            item["result"], item["card"] = event.payload["data"], True
        case "tool-error":
            item["error"] = event.payload
        case _:
            return


def lines_of(said: Said) -> Iterator[str]:
    """The turn for a terminal."""
    for item in said.items:
        match item["role"]:
            case "user":
                yield click.style(f"> {plain(item['text'])}", bold=True)
            case "assistant":
                yield plain(item["text"])
            case "tool":
                yield from _call(item)
            case _:
                yield told(item["type"], item["message"])
    yield from ended(said.status)


def _call(item: dict[str, Any]) -> Iterator[str]:
    yield quiet(call_line(item["name"], item["input"]))
    if "error" in item:
        yield told(item["error"]["type"], item["error"]["message"])
    elif "result" in item:
        yield from outcome(item["result"], is_card=item.get("card", False))


def quiet(text: str) -> str:
    """A line that stands back behind what was said."""
    return click.style(f"  · {text}", dim=True)


def told(what: str, message: str) -> str:
    """A failure in words."""
    return click.style(f"  ! {what}: {plain(message)}", fg="red")


def ended(status: str) -> Iterator[str]:
    """How a turn ended, where that is worth a word."""
    if status != "completed":
        yield click.style(f"  ({status})", fg="yellow")


def outcome(value: object, *, is_card: bool) -> Iterator[str]:
    """What a call came to: a card's data as a table, for the page has the card itself; a plain value on one line."""
    lines = table(value)
    if is_card:
        yield from (f"    {line}" for line in lines)
    else:
        yield from (quiet(line) for line in lines)


def moment(milliseconds: int) -> str:
    """A time for people, in their own zone."""
    return datetime.fromtimestamp(milliseconds / 1000).astimezone().strftime("%Y-%m-%d %H:%M:%S")
