"""What a peer is to `bench/peers.py`: how its server is started, spoken to, and understood.

It runs nothing. A peer is a folder, `rivals/NAME/`: `description.py` with one `PEER`, `requirements.txt` with what its users install, pinned,
and what its server is made of. Sessions are named by the bench, with UUIDs.
"""

import json
import re
import runpy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RIVALS = Path(__file__).parent.absolute() / "rivals"


@dataclass(frozen=True)
class Request:
    """An HTTP request; `body` is sent as JSON."""

    method: str
    path: str
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def encode(self) -> bytes:
        """The request as bytes."""
        content = b"" if self.body is None else json.dumps(self.body).encode()
        headers = {"host": "127.0.0.1", **self.headers}
        if self.body is not None:
            headers |= {"content-type": "application/json"}
        if self.method != "GET":
            headers |= {"content-length": str(len(content))}
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{k}: {v}" for k, v in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode() + content


@dataclass(frozen=True)
class Peer:
    """One of those who are compared."""

    name: str
    """Of its folder."""
    title: str
    """What the table calls it: the framework, and which of its servers."""
    distribution: str
    """Whose version is told, as the environment has it."""
    command: Callable[[Path, int, Path], list[str]]
    """What starts its server: the environment's `bin` folder, the port, an empty folder for all that it keeps (also its working folder)."""
    ready: Request
    """What is answered with 2xx once it is up."""
    turn: Callable[[str, str], Request]
    """One turn of a session, from the session and the question. The answer is a stream of lines: NDJSON or Server-Sent Events."""
    event: re.Pattern[bytes]
    """Matches once an event, in whole lines."""
    delta: re.Pattern[bytes]
    """Matches once a delta of text and no repetition of it, in whole lines; its group is the text."""
    end: bytes | None
    """What is in a stream that ended as it should, in an event of its own; None where the end says nothing."""
    stored: Callable[[str], Request]
    """Reads a session back: whatever of `conversation.WORDS` stands in the answer is kept."""
    persistence: str
    """Where it keeps sessions, and whether that syncs: a few words for the table."""
    opening: Callable[[str], Request] | None = None
    """Makes the session, before the clock starts."""
    resume: Callable[[str, bytes], Request] | None = None
    """Hears the rest of a turn in flight, from the session and all that was received of the first stream's body."""
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    notes: Mapping[str, str] = field(default_factory=dict[str, str])
    """Footnotes by row: `first event`, `turn`, `cpu`, `memory`, `start`, `install`, `persistence`, `kill`, `drop`, `resume`."""

    @property
    def folder(self) -> Path:
        """Where what its server is made of lies."""
        return RIVALS / self.name


def described(name: str) -> Peer:
    """The peer of a folder."""
    return runpy.run_path(str(RIVALS / name / "description.py"))["PEER"]
