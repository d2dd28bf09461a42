"""What costs while nothing happens: memory of an open stream, and the first byte of a long session's end.

    python bench/idle.py [--quick] [--stores file,sqlite] [--streams N] [--dir DIR]

* Memory: one turn runs and says nothing, and 2,000 GETs follow it; then as many turns as there is room for, each with its
  POST's stream. What the server's own pages grew by, a stream.
* First byte: `from=-100` of a session of 200,000 events, from the request to the first event's first byte, by a server
  that has just started and by one that knows the session.
"""

import argparse
import contextlib
import json
import os
import resource
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from conditions import filesystem, pressure, resident
from databases import postgres
from serving import BENCH, Server, project, serving, store

REPLAYED = 200_000
FAR = 3600 * 10**9
"""Nanoseconds until the model says something."""
SETTLE = 2.0

GET = b"GET /__litro/agent/bench/%b HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n"


def main() -> None:
    """Each store's server by itself."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="500 streams")
    parser.add_argument("--streams", type=int, help="open streams (default 2000; quick 500)")
    parser.add_argument("--stores", default="file,sqlite,postgres", help="some of the stores")
    parser.add_argument("--dir", type=Path, default=Path("/var/tmp"), help="a folder on a disk")
    options = parser.parse_args()
    count = options.streams or (500 if options.quick else 2000)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Servers and this client each hold one end of every stream.
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(f"sessions in {options.dir}, on {filesystem(options.dir)}; {count} streams")
    for name in options.stores.split(","):
        with (
            tempfile.TemporaryDirectory(dir=options.dir, prefix="litro-bench-") as folder,
            contextlib.ExitStack() as stack,
        ):
            Path(folder).chmod(0o711)
            url = None
            if name == "postgres":
                try:
                    url = stack.enter_context(postgres(Path(folder, "pg")))
                except RuntimeError as error:
                    print(f"{name:9} is left out: {error}")
                    continue
            measure(Path(folder), name, store(Path(folder), name, url), count)


def measure(folder: Path, name: str, sessions: str, count: int) -> None:
    """Fill a store, then serve it."""
    fill = [sys.executable, str(BENCH / "stores.py"), "--child", "fill", sessions, str(REPLAYED)]
    subprocess.run(fill, check=True, stdout=subprocess.DEVNULL)
    with serving([project(folder, name, sessions)]) as (server,):
        first = first_event(server.port)
        again = statistics.median(first_event(server.port) for _ in range(20))
    with serving([project(folder, f"{name}-streams", sessions)]) as (server,):
        stream = of_streams(server, count)
    with serving([project(folder, f"{name}-turns", sessions)]) as (server,):
        turn = of_turns(server, count // 2)
    print(
        f"{name:9} psi {pressure():5.1f}  a stream {stream:6.1f} KB  a turn with its stream "
        f"{turn:6.1f} KB  from=-100: {first:7.2f} ms, known {again:6.2f} ms",
        flush=True,
    )


def first_event(port: int) -> float:
    """Milliseconds until the first byte of the first event."""
    with socket.create_connection(("127.0.0.1", port)) as client:
        begin = time.perf_counter()
        client.sendall(GET % b"long?from=-100")
        said = b""
        while b'{"seq":' not in said:
            piece = client.recv(1 << 16)
            if not piece:
                sys.exit(f"idle: {said[:500]!r}")
            said += piece
        return (time.perf_counter() - begin) * 1e3


def of_streams(server: Server, count: int) -> float:
    """KB of a GET that follows a silent turn."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(asked(server.port, "silent"))
        for _ in range(50):
            stack.enter_context(following(server.port, "silent"))
        time.sleep(SETTLE)
        before = resident(server.pid)
        for _ in range(count):
            stack.enter_context(following(server.port, "silent"))
        time.sleep(SETTLE)
        return (resident(server.pid) - before) / count / 1024


def of_turns(server: Server, count: int) -> float:
    """KB of a silent turn of a session of its own, with the stream of its POST."""
    with contextlib.ExitStack() as stack:
        for number in range(20):
            stack.enter_context(asked(server.port, f"first-{number}"))
        time.sleep(SETTLE)
        before = resident(server.pid)
        for number in range(count):
            stack.enter_context(asked(server.port, f"turn-{number}"))
        time.sleep(SETTLE)
        return (resident(server.pid) - before) / count / 1024


def following(port: int, session: str) -> socket.socket:
    """A GET that has begun to answer."""
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall(GET % session.encode())
    return answered(client)


def asked(port: int, session: str) -> socket.socket:
    """A POST whose turn has begun, and whose model says nothing for an hour."""
    order = f"ticks {time.monotonic_ns() + FAR} 1 1"
    body = json.dumps({"text": order}).encode()
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall(
        b"POST /__litro/agent/bench/%b HTTP/1.1\r\nhost: 127.0.0.1\r\nx-litro-agent: 1\r\n"
        b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
        % (session.encode(), len(body), body)
    )
    return answered(client)


def answered(client: socket.socket) -> socket.socket:
    said = b""
    while b'{"seq":' not in said:
        piece = client.recv(1 << 16)
        if not piece or not (said + piece).startswith(b"HTTP/1.1 2"):
            sys.exit(f"idle: {(said + piece)[:500]!r}")
        said += piece
    return client


if __name__ == "__main__":
    os.environ.setdefault("LITRO_GRACE", "0")
    main()
