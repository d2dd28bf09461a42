"""The load client: raw sockets, one process, as little work per event as Python can do.

    python load.py PORT ticks START CLIENTS SECONDS      one turn a client, 50 ticks a second
    python load.py PORT burst START CLIENTS SECONDS      turns of 200 deltas, back to back

START is when the clock starts, in nanoseconds of the monotonic clock. The result is one line of JSON. It is no HTTP
client: it understands what our server answers and stops at anything else.
"""

import json
import re
import selectors
import socket
import sys
import time
from dataclasses import dataclass, field

RATE = 50
BURST = 200
TURNS_OF_A_SESSION = 10

_DUE = re.compile(rb'"text-delta","payload":\{"text":"(\d+) ')
_EVENT = b'{"seq":'
_DONE = b'{"done":true}\n'
_END = b"0\r\n\r\n"


@dataclass
class Tally:
    """What arrived."""

    events: int = 0
    latencies: list[int] = field(default_factory=list[int])
    busy: int = 0
    """Turns that were refused with 409 after the turn before had been told as done."""
    last: int = 0


class Client:
    """One connection: turn after turn of its sessions."""

    def __init__(self, port: int, name: str, tally: Tally) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.turns = 0
        self._name = name
        self._tally = tally
        self._buffer = b""
        self._in_head = True
        self._is_done = False

    def ask(self, order: str) -> None:
        """Begin the next turn."""
        session = f"{self._name}-{self.turns // TURNS_OF_A_SESSION}"
        body = json.dumps({"text": order}).encode()
        self._in_head, self._is_done, self._buffer = True, False, b""
        self.socket.sendall(
            b"POST /__litro/agent/bench/%b HTTP/1.1\r\nhost: 127.0.0.1\r\nx-litro-agent: 1\r\n"
            b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
            % (session.encode(), len(body), body)
        )

    def take(self) -> bool:
        """Take what has arrived. Whether the response is complete."""
        data = self.socket.recv(1 << 18)
        now = time.monotonic_ns()
        if not data:
            sys.exit("load: the server closed a connection")
        data = self._buffer + data
        if self._in_head:
            head, found, rest = data.partition(b"\r\n\r\n")
            if not found:
                self._buffer = data
                return False
            if head[9:12] != b"200":
                return self._refused(head, rest, data)
            self._in_head, data = False, rest
        cut = data.rfind(b"\n") + 1
        whole, self._buffer = data[:cut], data[cut:]
        self._count(whole, now)
        if self._is_done and whole.endswith(_END):
            self.turns += 1
            return True
        return False

    def _count(self, whole: bytes, now: int) -> None:
        tally = self._tally
        tally.events += whole.count(_EVENT)
        tally.latencies += [now - int(due) for due in _DUE.findall(whole)]
        tally.last = now
        if b'{"err":' in whole or b'{"bye":' in whole:
            sys.exit(f"load: {whole[-300:]!r}")
        self._is_done = self._is_done or _DONE in whole

    def _refused(self, head: bytes, rest: bytes, data: bytes) -> bool:
        length = re.search(rb"content-length: (\d+)", head)
        if head[9:12] != b"409" or length is None:
            sys.exit(f"load: {data[:400].decode()}")
        if len(rest) < int(length[1]):
            self._buffer = data
            return False
        self._tally.busy += 1
        return True


def main() -> None:
    """Connect, wait for the start, load, report."""
    port, kind, start, count, seconds = (
        int(sys.argv[1]),
        sys.argv[2],
        int(sys.argv[3]),
        int(sys.argv[4]),
        float(sys.argv[5]),
    )
    tally = Tally()
    clients = [Client(port, f"{kind}-{start}-{n}", tally) for n in range(count)]
    interval = 1_000_000_000 // RATE
    ticks = round(seconds * RATE)
    if kind == "ticks":
        # Turns begin before the clock does: what is measured is streaming.
        for n, client in enumerate(clients):
            client.ask(f"ticks {start + n * interval // count} {ticks} {interval}")
    else:
        time.sleep(max(0, start - time.monotonic_ns()) / 1e9)
        for client in clients:
            client.ask(f"burst {BURST}")
    run(clients, until=start + round(seconds * 1e9) if kind == "burst" else 0)
    expected = count * ticks if kind == "ticks" else BURST * sum(c.turns for c in clients)
    if len(tally.latencies) != expected:
        sys.exit(f"load: {expected} deltas were due, {len(tally.latencies)} came")
    late = sorted(tally.latencies)
    report = {
        "events": tally.events,
        "turns": sum(client.turns for client in clients),
        "seconds": (tally.last - start) / 1e9,
        "p50": late[len(late) // 2] / 1e6,
        "p99": late[len(late) * 99 // 100] / 1e6,
        "busy": tally.busy,
        "client_cpu": time.process_time(),
    }
    print(json.dumps(report))


def run(clients: list[Client], *, until: int) -> None:
    """Until every client is done; one whose turn ends before `until` begins another."""
    with selectors.DefaultSelector() as selector:
        for client in clients:
            selector.register(client.socket, selectors.EVENT_READ, client)
        while selector.get_map():
            for key, _ in selector.select():
                client: Client = key.data
                if not client.take():
                    continue
                if time.monotonic_ns() < until:
                    client.ask(f"burst {BURST}")
                else:
                    selector.unregister(client.socket)


if __name__ == "__main__":
    main()
