"""The floor: the same ticks over the same server without Litro, as raw ASGI.

No log, no turn, no gate: what is left is uvicorn, a socket, and the provider's own cost. It answers the benchmark's
client alone.
"""

import socket
import sys
import time
from typing import Any

import orjson
import uvicorn
from ticks import pieces

_LINE = b'{"seq":%d,"ts":%d,"turn":1,"round":1,"kind":"text-delta","payload":{"text":"%b"}}\n'


async def app(_scope: Any, receive: Any, send: Any) -> None:
    """One order, one stream."""
    body = b""
    more = True
    while more:
        message = await receive()
        body += message["body"]
        more = message["more_body"]
    headers = [(b"content-type", b"application/x-ndjson; charset=utf-8")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"\n", "more_body": True})
    seq = 0
    async for piece in pieces(orjson.loads(body)["text"]):
        seq += 1
        line = _LINE % (seq, time.time_ns() // 1_000_000, piece.encode())
        await send({"type": "http.response.body", "body": line, "more_body": True})
    await send({"type": "http.response.body", "body": b'{"done":true}\n', "more_body": False})


def main() -> None:
    """Serve on a port of the system's choice, and say which as `litro serve` does."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    print(f"The floor is at http://127.0.0.1:{listener.getsockname()[1]} ", file=sys.stderr)
    config = uvicorn.Config(
        app, log_level="warning", lifespan="off", proxy_headers=False, server_header=False
    )
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
