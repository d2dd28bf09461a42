"""Many clients of one peer at once: a process of its own, the same for every peer, with as little work an event as Python can do.

    python driver.py NAME PORT PID CLIENTS WAVES

A wave is that many sessions, each a connection and one turn, all asked in the same moment; sessions are made before the clock starts. PID is
the server's, whose CPU is read at both ends of a wave. The result is one line of JSON. Only whole turns are counted: a benchmark of errors
would be fast. How many were not whole is told, and how the last of them ended.
"""

import asyncio
import json
import statistics
import sys
import time
import uuid
from pathlib import Path

import httptools
import uvloop
from peer import Peer, Request, described
from tree import Tree

sys.path.append(str(Path(__file__).parent / "rivals" / "shared"))
from conversation import COUNT, QUESTION, WORDS

LIMIT = 120.0
"""Seconds that a wave may take."""
SAID = "".join(WORDS).encode()


class Exchange(asyncio.Protocol):
    """One connection, one request, one answer."""

    def __init__(self, peer: Peer, request: Request) -> None:
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.begun = self.first = self.first_delta = self.ended = 0.0
        self.events = 0
        self.words: list[bytes] = []
        self.failure: str | None = None
        """Why it did not end as it should, as far as HTTP tells."""
        self.tail = b""
        self.has_end = peer.end is None
        self._peer = peer
        self._request = request
        self._rest = b""
        self._parser = httptools.HttpResponseParser(self)

    def ask(self, transport: asyncio.Transport) -> None:
        """Send the request; the clock starts."""
        self._transport = transport
        self.begun = time.perf_counter()
        self._transport.write(self._request.encode())

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_body(self, body: bytes) -> None:
        data = self._rest + body
        cut = data.rfind(b"\n") + 1
        whole, self._rest = data[:cut], data[cut:]
        if whole:
            self._take(whole)

    def _take(self, whole: bytes) -> None:
        now = time.perf_counter()
        self.tail = whole
        events = len(self._peer.event.findall(whole))
        if events and not self.first:
            self.first = now
        self.events += events
        found = self._peer.delta.findall(whole)
        if found and not self.first_delta:
            self.first_delta = now
        self.words += found
        self.has_end = self.has_end or (self._peer.end is not None and self._peer.end in whole)

    def on_message_complete(self) -> None:
        if self._rest:
            self._take(self._rest + b"\n")
        self.ended = time.perf_counter()
        if (status := self._parser.get_status_code()) >= 300:
            self.failure = f"status {status}"
        self._finish()
        self._transport.close()

    def connection_lost(self, _exc: Exception | None) -> None:
        if not self.done.done():
            self.failure = "the connection was cut off"
        self._finish()

    def _finish(self) -> None:
        if not self.done.done():
            self.done.set_result(None)

    @property
    def is_whole(self) -> bool:
        """Whether every delta came, in its order, and then the end."""
        return self.failure is None and self.has_end and b"".join(self.words) == SAID


async def exchanges(peer: Peer, port: int, requests: list[Request]) -> list[Exchange]:
    """All of them at once, to their ends."""
    loop = asyncio.get_running_loop()
    made = [Exchange(peer, request) for request in requests]
    open_ = [
        await loop.create_connection(lambda one=exchange: one, "127.0.0.1", port)
        for exchange in made
    ]
    for transport, exchange in open_:
        exchange.ask(transport)
    await asyncio.wait_for(asyncio.gather(*(exchange.done for exchange in made)), LIMIT)
    return made


async def wave(peer: Peer, port: int, server: Tree, clients: int) -> tuple[dict[str, float], str]:
    """That many turns at once: the numbers, and what went wrong."""
    sessions = [str(uuid.uuid4()) for _ in range(clients)]
    if peer.opening is not None:
        for session in sessions:
            (opened,) = await exchanges(peer, port, [peer.opening(session)])
            if opened.failure:
                sys.exit(f"driver: a session could not be made: {opened.failure}")
    requests = [peer.turn(session, QUESTION) for session in sessions]
    used, own = server.cpu(), time.process_time()
    turns = await exchanges(peer, port, requests)
    used, own = server.cpu() - used, time.process_time() - own
    whole = [turn for turn in turns if turn.is_whole]
    wrong = [turn for turn in turns if not turn.is_whole]
    why = (
        f"{wrong[-1].failure or 'the stream ended with'} {wrong[-1].tail[-400:]!r}" if wrong else ""
    )
    if not whole:
        return {"failed": len(wrong)}, why
    seconds = max(turn.ended for turn in turns) - min(turn.begun for turn in turns)
    deltas = COUNT * len(whole)
    return {
        "failed": len(wrong),
        "first event": statistics.median(turn.first - turn.begun for turn in whole) * 1e3,
        "first delta": statistics.median(turn.first_delta - turn.begun for turn in whole) * 1e3,
        "turn": statistics.median(turn.ended - turn.begun for turn in whole) * 1e3,
        "deltas/s": deltas / seconds,
        "events/s": sum(turn.events for turn in whole) / seconds,
        "cpu": used / sum(len(turn.words) for turn in turns) * 1e6,
        "client": own / seconds,
    }, why


async def main() -> None:
    """The waves, and the median of each number."""
    name, port, pid, clients, waves = sys.argv[1], *map(int, sys.argv[2:])
    peer = described(name)
    told = [await wave(peer, port, Tree(pid), clients) for _ in range(waves)]
    found = [numbers for numbers, _ in told]
    keys = max(found, key=len)
    report = {key: statistics.median(one[key] for one in found if key in one) for key in keys} | {
        "failed": sum(one["failed"] for one in found)
    }
    print(json.dumps({"numbers": report, "why": next((why for _, why in told if why), "")}))


if __name__ == "__main__":
    uvloop.run(main())
