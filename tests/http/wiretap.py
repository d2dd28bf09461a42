"""A client that hides nothing: one connection, the bytes that went over it, and lines as they arrive."""

import json
import socket
import time
from collections.abc import Iterator
from typing import Any

PATIENCE = 20.0
"""Seconds to wait for bytes that must come."""


class Response:
    """A response, its body decoded from chunks while it arrives."""

    def __init__(self, method: str, stream: Any) -> None:
        self._stream = stream
        self._deadline = time.monotonic() + 2 * PATIENCE
        self.status = int(stream.readline().split()[1])
        self.headers: dict[str, str] = {}
        while (line := stream.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode("latin-1").partition(":")
            # Twice the same header is what browsers refuse an answer for.
            assert name.lower() not in self.headers, name
            self.headers[name.lower()] = value.strip()
        self.raw = b""
        """The body so far."""
        self._pieces = self._body(method)
        self._unread = b""

    def _body(self, method: str) -> Iterator[bytes]:
        if method == "HEAD" or self.status in (204, 304):
            return
        if self.headers.get("transfer-encoding") == "chunked":
            while size := int(self._stream.readline() or b"0", 16):
                yield self._stream.read(size)
                self._stream.readline()
            self._stream.readline()
        elif "content-length" in self.headers:
            yield self._stream.read(int(self.headers["content-length"]))
        else:
            yield from iter(lambda: self._stream.read1(65536), b"")

    def piece(self) -> bytes:
        """What arrives next, empty at the end."""
        # Heartbeats keep the socket's own timeout from ever coming.
        assert time.monotonic() < self._deadline, f"no end after {self.raw[-2000:]!r}"
        piece = next(self._pieces, b"")
        self.raw += piece
        return piece

    def line(self) -> bytes:
        """The next line that is not blank, empty at the end."""
        while True:
            line, newline, rest = self._unread.partition(b"\n")
            if newline:
                self._unread = rest
                if line:
                    return line + newline
                continue
            piece = self.piece()
            if not piece:
                assert not self._unread, f"half a line at the end: {self._unread!r}"
                return b""
            self._unread += piece

    def until(self, word: str) -> list[bytes]:
        """Lines up to the first with `word` in it."""
        lines: list[bytes] = []
        while not lines or word.encode() not in lines[-1]:
            lines.append(self.line())
            assert lines[-1], f"the stream ended without {word!r}: {lines}"
        return lines

    def lines(self) -> list[bytes]:
        """Every line that is left, to the end."""
        return list(iter(self.line, b""))

    def all(self) -> bytes:
        """The whole body, to the end."""
        while self.piece():
            pass
        return self.raw

    def json(self) -> Any:
        return json.loads(self.all())

    def told(self) -> tuple[int, str]:
        """A refusal's status and type."""
        return self.status, self.json()["type"]


class Connection:
    """One HTTP/1.1 connection."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.host = f"{f'[{host}]' if ':' in host else host}:{port}"
        self.socket = socket.create_connection((host, port), timeout=PATIENCE)
        self._stream = self.socket.makefile("rb")

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str | None
    ) -> Response:
        """Send a request; underscores in header names are dashes, and None leaves a header out.

        A method that only reads goes without the body.
        """
        fields: dict[str, str | None] = {"host": self.host}
        if method in ("GET", "HEAD", "OPTIONS"):
            body = None
        else:
            fields |= {"x_litro_agent": "1", "content_length": str(len(body or b""))}
        if body is not None:
            fields["content_type"] = "application/json"
        fields |= headers
        head = "".join(
            f"{name.replace('_', '-')}: {value}\r\n"
            for name, value in fields.items()
            if value is not None
        )
        self.send(f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode("latin-1") + (body or b""))
        return self.answer(method)

    def answer(self, method: str) -> Response:
        return Response(method, self._stream)

    def closed_by_the_server(self) -> bool:
        """Wait for the server's end of the connection; False where it says something instead."""
        return self.socket.recv(1) == b""

    def close(self) -> None:
        self._stream.close()
        self.socket.close()

    def reset(self) -> None:
        """Leave as a client that crashed: the server gets a TCP reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.close()


def events(lines: list[bytes]) -> list[dict[str, Any]]:
    """The events among lines."""
    return [json.loads(line) for line in lines if line.startswith(b'{"seq":')]


def kinds(lines: list[bytes]) -> list[str]:
    return [event["kind"] for event in events(lines)]


def seqs(lines: list[bytes]) -> list[int]:
    return [event["seq"] for event in events(lines)]


def frames(raw: bytes) -> list[dict[str, str]]:
    """The fields of each Server-Sent Event; comments left out."""
    found: list[dict[str, str]] = []
    for block in raw.decode().split("\n\n"):
        fields = [line.split(": ", 1) for line in block.split("\n") if line and line[0] != ":"]
        if fields:
            found.append(dict(fields))
    return found
