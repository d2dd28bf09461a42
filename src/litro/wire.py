r"""Lines: the one encoding that the log, a live stream and a replay share, byte for byte.

An event is one line of JSON that begins with `{"seq":`. A line of the log without `seq` is private (a header,
a provider's replay state) and never leaves the process. A stream adds control lines, which have no `seq` either,
and blank lines as heartbeats. `\n` occurs at the end of a line only, since JSON escapes it, so lines can be
counted and cut without parsing.

It is not a transport: it opens nothing and sends nothing.
"""

from collections.abc import Iterator
from typing import Any, Final

import orjson

from litro.events import ErrorPayload, Event, Private

EVENT_PREFIX: Final = b'{"seq":'
HEARTBEAT: Final = b"\n"
DONE: Final = b'{"done":true}\n'
SSE_HEARTBEAT: Final = b":\n\n"

_KIND: Final = b'"kind":"'
_TURN_END: Final = b'"kind":"turn-end"'


def encode_event(event: Event, seq: int, ts: int) -> bytes:
    """The event's line, its payload already a JSON value or an `orjson.Fragment`."""
    line: dict[str, Any] = {"seq": seq, "ts": ts, "turn": event.turn}
    if event.round is not None:
        line["round"] = event.round
    line["kind"] = event.kind
    if event.call is not None:
        line["call"] = event.call
    line["payload"] = event.payload
    return orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)


def encode_private(private: Private) -> bytes:
    """The private line. Its first key is never `seq`."""
    return orjson.dumps(dict(private.fields), option=orjson.OPT_APPEND_NEWLINE)


def decode_event(line: bytes) -> Event | None:
    """The event that `line` holds, or None for a private, control or blank line.

    Raises:
        ValueError: The line is not JSON, or not an event's shape.
    """
    if not line.startswith(EVENT_PREFIX):
        return None
    fields = orjson.loads(line)
    try:
        return Event(
            seq=fields["seq"],
            ts=fields["ts"],
            turn=fields["turn"],
            round=fields.get("round"),
            kind=fields["kind"],
            call=fields.get("call"),
            payload=fields["payload"],
        )
    except KeyError as error:
        msg = f"event line: key {error.args[0]!r} is missing in {line[:200]!r}"
        raise ValueError(msg) from None


def events_of(block: bytes) -> Iterator[Event]:
    """The events of a block of whole lines, private and control lines left out."""
    for line in block.splitlines():
        event = decode_event(line)
        if event is not None:
            yield event


def public(block: bytes) -> bytes:
    """The block of whole lines without its private ones."""
    lines = block.count(b"\n")
    events = block.count(b"\n" + EVENT_PREFIX) + block.startswith(EVENT_PREFIX)
    if lines == events:
        return block
    return b"".join(
        line for line in block.splitlines(keepends=True) if line.startswith(EVENT_PREFIX)
    )


def through_turn_end(block: bytes, turn: int) -> tuple[bytes, bool]:
    """The block up to and with the `turn-end` of `turn`, and whether it holds one."""
    if _TURN_END not in block:
        return block, False
    # The bytes may also stand inside a payload, so only a decoded line counts.
    end = 0
    for line in block.splitlines(keepends=True):
        end += len(line)
        if _TURN_END in line:
            event = decode_event(line)
            if event is not None and event.kind == "turn-end" and event.turn == turn:
                return block[:end], True
    return block, False


def last_seq(block: bytes) -> int | None:
    """The `seq` of the block's last event, or None where it holds no event."""
    start = len(block)
    while start > 0:
        end = start
        start = block.rfind(b"\n", 0, end - 1) + 1
        if block.startswith(EVENT_PREFIX, start):
            return seq_of(block[start:end])
    return None


def seq_of(line: bytes) -> int:
    """The `seq` of an event's line, without parsing the rest."""
    return int(line[len(EVENT_PREFIX) : line.index(b",", len(EVENT_PREFIX))])


def kind_of(line: bytes) -> bytes:
    """The kind of an event's line, without parsing the rest.

    The first `"kind":` is the event's own: only numbers stand before it.

    Raises:
        ValueError: The line has none.
    """
    start = line.index(_KIND) + len(_KIND)
    return line[start : line.index(b'"', start)]


def encode_err(error: ErrorPayload) -> bytes:
    """The control line that ends a stream which failed."""
    return orjson.dumps({"err": error}, option=orjson.OPT_APPEND_NEWLINE)


def encode_bye(following: int) -> bytes:
    """The control line of a server that is going away: resume from seq `following`."""
    return orjson.dumps({"bye": {"next": following}}, option=orjson.OPT_APPEND_NEWLINE)


def to_sse(block: bytes) -> bytes:
    """A block of event lines as Server-Sent Events: `id` is the seq, `data` the line.

    There is no `event` field, so that `EventSource.onmessage` sees every event.
    Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
    """
    return b"".join(b"id: %d\ndata: %b\n\n" % (seq_of(line), line) for line in block.splitlines())


def control_to_sse(line: bytes) -> bytes:
    """A control line as a Server-Sent Event that is named by its key: `done`, `err` or `bye`."""
    name = line[2 : line.index(b'"', 2)]
    return b"event: %b\ndata: %b\n\n" % (name, line.rstrip(b"\n"))
