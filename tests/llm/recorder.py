"""A proxy between Litro and the model's server that keeps every request's body: what the model was really told."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import orjson


class Recorder:
    """Forwards each connection byte by byte."""

    def __init__(self, target: str) -> None:
        parts = urlsplit(target)
        self._target = (parts.hostname or "127.0.0.1", parts.port or 80)
        self._sent: list[bytearray] = []
        self.url = ""

    @property
    def requests(self) -> list[Any]:
        """The JSON bodies of all requests so far."""
        return [body for sent in self._sent for body in _bodies(bytes(sent))]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sent = bytearray()
        self._sent.append(sent)
        up_reader, up_writer = await asyncio.open_connection(*self._target)
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(
                _copy(reader, up_writer, sent), _copy(up_reader, writer, bytearray())
            )


async def _copy(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, record: bytearray
) -> None:
    try:
        while data := await reader.read(65536):
            record += data
            writer.write(data)
            await writer.drain()
    finally:
        writer.close()


def _bodies(sent: bytes) -> Iterator[Any]:
    while b"\r\n\r\n" in sent:
        head, _, rest = sent.partition(b"\r\n\r\n")
        lengths = [
            int(line.partition(b":")[2])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        ]
        length = lengths[0] if lengths else 0
        if length:
            yield orjson.loads(rest[:length])
        sent = rest[length:]


@contextlib.contextmanager
def recording(target: str) -> Iterator[Recorder]:
    """A recorder in front of `target`, on a loop of its own."""
    recorder = Recorder(target)
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(asyncio.start_server(recorder.handle, "127.0.0.1", 0))
    recorder.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield recorder
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        server.close()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()
