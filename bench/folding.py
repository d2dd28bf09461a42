"""What a log says when it is read from its beginning, and whether that can be: the laws of turns, calls, queues and texts.

It is fed events in order and keeps what the session came to. It knows no server, and nothing of who heard what: that is
`ledger`. It reads a log as the documentation describes it, and uses nothing of Litro.
"""

import re
import zlib
from collections import Counter
from typing import Any

Event = dict[str, Any]

TAG = re.compile(r"\[(\d+) (\d+)\] ")
NONCE = re.compile(r"#(\w+)")
ENDS = ("tool-result", "ui", "tool-error")


class Wrong(Exception):
    """A law does not hold."""


class Fold:
    """A session as its log tells it."""

    def __init__(self) -> None:
        self.tail = 0
        self.turn = 0
        self.is_open = False
        self.started: dict[str, str] = {}
        """How each message of a person came into the conversation: "turn", or "joined"."""
        self.waiting: dict[str, None] = {}
        self.withdrawn: set[str] = set()
        self.titles: Counter[str] = Counter()
        self.statuses: Counter[str] = Counter()
        self.failures: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.calls: dict[str, str] = {}
        """How each call stands: "open", "started", or how it ended."""
        self.told: set[tuple[int, int | None]] = set()
        """The rounds that have their message."""
        self._nonces: list[str] = []
        self._said = ""
        self._starting: str | None = None

    @property
    def is_settled(self) -> bool:
        """Whether every turn has ended and nothing waits."""
        return not self.is_open and not self.waiting

    def feed(self, event: Event) -> None:
        """Take the next event.

        Raises:
            Wrong: It cannot stand there.
        """
        seq, kind = event["seq"], event["kind"]
        self._require(seq == self.tail + 1, event, f"stands behind {self.tail}")
        self.tail = seq
        self.kinds[kind] += 1
        payload = event["payload"]
        match kind:
            case "turn-start":
                self._start(event, payload)
            case "message":
                self._message(event, payload)
            case "text-delta":
                self._delta(event, payload)
            case "turn-end":
                self._end(event, payload)
            case "queued":
                self._require(payload["id"] not in self.started, event, "had started")
                self._require(payload["id"] not in self.withdrawn, event, "had been withdrawn")
                self.waiting[payload["id"]] = None
            case "withdrawn":
                self._require(payload["id"] in self.waiting, event, "did not wait")
                del self.waiting[payload["id"]]
                self.withdrawn.add(payload["id"])
            case "title":
                self.titles[payload["text"]] += 1
            case "error":
                self.failures[payload["type"]] += 1
            case _:
                self._of_call(event, kind)

    def _start(self, event: Event, payload: Event) -> None:
        self._require(not self.is_open, event, f"began while turn {self.turn} ran")
        self._require(event["turn"] == self.turn + 1, event, f"came after turn {self.turn}")
        self._require(payload["message"] not in self.started, event, "began twice")
        self._require(payload["message"] not in self.withdrawn, event, "had been withdrawn")
        self.turn, self.is_open = event["turn"], True
        self._starting = payload["message"]
        self._said = ""

    def _message(self, event: Event, payload: Event) -> None:
        self._in_turn(event)
        if payload["role"] != "user":
            self._require(payload["text"] == self._said, event, f"after {self._said[-200:]!r}")
            self.told.add((event["turn"], event.get("round")))
            self._said = ""
            return
        message = payload["id"]
        self._require(message not in self.started, event, "was said twice")
        joined = self._starting is None
        self._require(joined or message == self._starting, event, f"not {self._starting}")
        self._starting = None
        self.started[message] = "joined" if joined else "turn"
        self.waiting.pop(message, None)
        self._nonces += NONCE.findall(payload["text"])

    def _delta(self, event: Event, payload: Event) -> None:
        self._in_turn(event)
        if not self._said:
            found = TAG.match(payload["text"])
            read = (len(self._nonces), zlib.crc32(" ".join(self._nonces).encode()))
            told = found and (int(found[1]), int(found[2]))
            self._require(told == read, event, f"though {read} is what was said before")
        self._said += payload["text"]

    def _end(self, event: Event, payload: Event) -> None:
        self._in_turn(event)
        left = [call for call, how in self.calls.items() if how in {"open", "started"}]
        self._require(not left, event, f"with calls {left} open")
        self._require(self._starting is None, event, f"without the message {self._starting}")
        self.is_open = False
        self.statuses[payload["status"]] += 1

    def _of_call(self, event: Event, kind: str) -> None:
        self._in_turn(event)
        call = event.get("call")
        if call is None:
            return
        how = self.calls.get(call)
        match kind:
            case "tool-call":
                self._require(how is None, event, f"of a call that was {how}")
                self.calls[call] = "open"
            case "tool-start":
                self._require(how == "open", event, f"of a call that was {how}")
                self.calls[call] = "started"
            case "tool-progress":
                self._require(how == "started", event, f"of a call that was {how}")
            case _:
                self._require(kind in ENDS, event, "is a kind that nobody knows")
                self._require(how in {"open", "started"}, event, f"of a call that was {how}")
                self.calls[call] = kind

    def _in_turn(self, event: Event) -> None:
        self._require(self.is_open and event["turn"] == self.turn, event, "out of its turn")

    def _require(self, so: object, event: Event, otherwise: str) -> None:
        if not so:
            msg = f"event {event['seq']} ({event['kind']}) {otherwise}: {str(event)[:400]}"
            raise Wrong(msg)
