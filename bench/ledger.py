"""What was heard of each session, by whomever, and what was promised: checked against whatever is heard later.

Of each event that reached a client a hash is kept at its seq, so that a second reader, a resumed stream, a reload after a
kill and the log itself can be held against it. It knows no server and no time. What a log may say is `folding`'s business.
"""

import re
from array import array
from collections import Counter
from dataclasses import dataclass, field

import orjson
from folding import Fold, Wrong

LINE = re.compile(rb'\{"seq":(\d+),"ts":\d+,"turn":(\d+),(?:"round":(\d+),)?"kind":"([a-z-]+)"')

SENT, ACCEPTED, REFUSED = "sent", "accepted", "refused"


@dataclass
class Tally:
    """What a campaign has done and seen."""

    events: int = 0
    """Events that reached a client, each checked."""
    counts: Counter[str] = field(default_factory=Counter[str])


class Record:
    """One session, from its creation to its deletion.

    Args:
        agent: Whose.
        name: The session's id.
        tally: Where events are counted.
    """

    def __init__(self, agent: str, name: str, tally: Tally) -> None:
        self.agent = agent
        self.name = name
        self.tally = tally
        self.heard: array[int] = array("q")
        """A hash of each event, by seq - 1; 0 where nobody has heard it."""
        self.said: dict[str, str] = {}
        """What became of each message, by its id: sent (nobody knows), accepted, refused."""
        self.titles: Counter[str] = Counter()
        """Acknowledged titles, and how often each was asked for without an answer."""
        self.withdrawals: dict[str, bool] = {}
        """What withdrawing a message was answered, where it was asked for once."""
        self.inherited: set[str] = set()
        """Messages that were said in the session that this one was forked from."""

    def __repr__(self) -> str:
        return f"{self.agent}/{self.name}"

    def hear(self, seq: int, line: bytes) -> None:
        """Somebody has heard an event.

        Raises:
            Wrong: Somebody else has heard another one at its place.
        """
        self.tally.events += 1
        value = hash(line) or 1
        missing = seq - len(self.heard)
        if missing > 0:
            self.heard.extend([0] * missing)
        known = self.heard[seq - 1]
        if known == 0:
            self.heard[seq - 1] = value
        elif known != value:
            msg = f"{self}: event {seq} was heard with other bytes before: {line[:400]!r}"
            raise Wrong(msg)

    def fork(self, agent: str, name: str, at: int) -> "Record":
        """The record of a session that was made of this one's beginning."""
        made = Record(agent, name, self.tally)
        made.heard = self.heard[:at]
        made.inherited = self.inherited | self.said.keys()
        return made

    def examine(self, lines: list[bytes], *, whole: bool = True) -> Fold:
        """Hold a log, or its beginning, against what was heard and promised.

        Raises:
            Wrong: Something is lost, repeated, changed, or cannot be.
        """
        fold = Fold()
        for seq, line in enumerate(lines, 1):
            try:
                fold.feed(orjson.loads(line))
            except Wrong as wrong:
                msg = f"{self}: {wrong}"
                raise Wrong(msg) from None
            self.hear(seq, line)
        if whole and len(lines) < len(self.heard):
            msg = f"{self}: LOST: the log ends with {len(lines)}, {len(self.heard)} was heard"
            raise Wrong(msg)
        return fold

    def keep_promises(self, fold: Fold) -> None:
        """Hold what came of a settled session against what was promised.

        Raises:
            Wrong: A message that was accepted has not come to its one end, or the like.
        """
        for message, became in self.said.items():
            is_there = message in fold.started or message in fold.withdrawn
            if became == ACCEPTED and not is_there:
                self._fail(f"message {message} was accepted, and never came to its turn")
            if became == REFUSED and is_there:
                self._fail(f"message {message} was refused, and is there")
        strangers = fold.started.keys() - self.said.keys() - self.inherited
        if strangers:
            self._fail(f"nobody has said {strangers}")
        for message, was in self.withdrawals.items():
            if was != (message in fold.withdrawn):
                self._fail(f"withdrawing {message} was answered {was}, the log says otherwise")
        for title, unsure in self.titles.items():
            if not 1 <= fold.titles[title] <= 1 + unsure:
                self._fail(f"the title {title!r} is there {fold.titles[title]} times")

    def _fail(self, what: str) -> None:
        msg = f"{self}: {what}"
        raise Wrong(msg)


class Heard:
    """One reader's way through a record.

    Args:
        record: Of which session.
        start: The seq that has to come first; 0 and 1 are the beginning.
    """

    def __init__(self, record: Record, start: int) -> None:
        self.record = record
        self.next = max(start, 1)
        self.count = 0
        self.ended: set[int] = set()
        """Turns whose end was heard."""
        self.met: set[str] = set()
        """Messages that were heard to start, to join, or to be withdrawn."""

    def take(self, line: bytes) -> bool:
        """Hear a line without its end. False where it is no event.

        Raises:
            Wrong: It is not the next one.
        """
        found = LINE.match(line)
        if found is None:
            return False
        seq = int(found[1])
        if seq != self.next:
            what = "REPEATED" if seq < self.next else "LOST"
            msg = f"{self.record}: {what}: {seq} came where {self.next} was next: {line[:400]!r}"
            raise Wrong(msg)
        self.record.hear(seq, line)
        self.next, self.count = seq + 1, self.count + 1
        kind = found[4]
        if kind == b"turn-end":
            self.ended.add(int(found[2]))
        elif kind in {b"message", b"withdrawn"}:
            self.met.add(orjson.loads(line)["payload"]["id"])
        return True


def sieved(lines: list[bytes], fold: Fold) -> list[bytes]:
    """A log without the text deltas of rounds that have their message."""
    kept: list[bytes] = []
    for line in lines:
        found = LINE.match(line)
        assert found is not None, line
        place = (int(found[2]), int(found[3]) if found[3] else None)
        if found[4] != b"text-delta" or place not in fold.told:
            kept.append(line)
    return kept
