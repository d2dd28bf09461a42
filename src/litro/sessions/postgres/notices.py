"""Notifications: which sessions have changed, to the other processes, by ids alone.

At most one NOTIFY a batch, in as many payloads as it takes: each is below the server's 8000 bytes. All processes listen
to one fixed channel: what they need not hear costs a dictionary look-up, and a channel a session would cost a LISTEN
each. Where no other process listens nobody is notified: committing a NOTIFY takes a lock of the whole server.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from litro.sessions.base import SessionKey

PAYLOAD: Final = 7900
"""Bytes of a payload. The server takes fewer than 8000."""

HEARD: Final = 15
"""Seconds after its last sign for which a process counts as listening."""

NOTIFY: Final = (
    "SELECT pg_notify($1::text, p) FROM unnest($2::text[]) AS p WHERE EXISTS (SELECT FROM {s}.listeners "
    f"WHERE id <> $3::bigint AND seen > clock_timestamp() - interval '{HEARD} seconds')"
)


class Notice(NamedTuple):
    """The first three arguments of `NOTIFY`, and of statements that hold it."""

    channel: str
    payloads: Sequence[str]
    sender: int


class Notices:
    """Words for what has changed.

    Args:
        channel: Where everybody listens.
        sender: This process's own number.
    """

    def __init__(self, channel: str, sender: int) -> None:
        self.channel = channel
        self.sender = sender

    def of_sessions(self, sids: Sequence[int]) -> Notice:
        """The sessions' logs have grown, or their leases are over."""
        return Notice(self.channel, list(_payloads(sids)), self.sender)

    def of_mail(self, key: SessionKey) -> Notice:
        """Mail has come."""
        return Notice(self.channel, [f"m{key.agent}/{key.session}"], self.sender)


def parse(payload: str) -> tuple[Sequence[int], SessionKey | None]:
    """The sessions, or the mailbox, that a payload names. Nothing where it is not ours: anybody may notify."""
    kind, rest = payload[:1], payload[1:]
    if kind == "m":
        agent, slash, session = rest.partition("/")
        return (), SessionKey(agent, session) if slash else None
    if kind == "c":
        return [int(sid) for sid in rest.split(",") if sid.isascii() and sid.isdigit()], None
    return (), None


def _payloads(sids: Sequence[Any]) -> Iterator[str]:
    text = ""
    for sid in map(str, sids):
        if len(text) + 1 + len(sid) > PAYLOAD:
            yield text
            text = ""
        text += f",{sid}" if text else f"c{sid}"
    if text:
        yield text
