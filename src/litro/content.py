"""What a tool may return that is not data: an image, a sound, a file, or text to be passed on as it is.

Return one, or a list with some among it. An MCP host is sent each as content of its own; in a chat the model is told what it
is ("image/png, 1234 bytes"). Inside any other value it has no JSON and is refused. It is not `litro.ui`, which shows people
what the model does not see. Nothing here reads a file: pass `path.read_bytes()`.
"""

import re
from typing import Any, Final, cast
from urllib.parse import quote

from litro.encoding import well_formed

_MIME_TYPE: Final = re.compile(r"[\w.+-]{1,80}/[\w.+-]{1,80}(;[\x20-\x7e]{1,80})?", re.ASCII)
_URI: Final = re.compile(r"[a-z][a-z0-9+.-]*:[\x21-\x7e]+", re.ASCII | re.IGNORECASE)

_IMAGES: Final = (
    (b"\x89PNG\r\n\x1a\n", 0, "image/png"),
    (b"\xff\xd8\xff", 0, "image/jpeg"),
    (b"GIF8", 0, "image/gif"),
    (b"WEBP", 8, "image/webp"),
)
_SOUNDS: Final = (
    (b"WAVE", 8, "audio/wav"),
    (b"ID3", 0, "audio/mpeg"),
    (b"\xff\xfb", 0, "audio/mpeg"),
    (b"\xff\xfa", 0, "audio/mpeg"),
    # Of half the sampling rate, as speech often is.
    (b"\xff\xf3", 0, "audio/mpeg"),
    (b"\xff\xf2", 0, "audio/mpeg"),
    (b"OggS", 0, "audio/ogg"),
    (b"fLaC", 0, "audio/flac"),
)


class Content:
    """The base of all four. Deliberately no dataclass, so that nothing takes its bytes for data."""

    __slots__ = ()

    def named(self) -> str:
        """What a model reads in its place, where only text can be given."""
        raise NotImplementedError


class Text(Content):
    """Text that reaches the host as it is, where a returned string would be JSON, with quotes around it.

    Args:
        text: The text.
    """

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text: str = well_formed(text)

    def named(self) -> str:
        """The text."""
        return self.text

    def __repr__(self) -> str:
        return f"Text({self.text!r:.80})"


class _Media(Content):
    __slots__ = ("data", "mime_type")

    _kind = ""
    _signs: tuple[tuple[bytes, int, str], ...] = ()

    def __init__(self, data: bytes, mime_type: str | None = None) -> None:
        where = type(self).__name__
        self.data: bytes = _bytes_of(data, where)
        found = mime_type or next(
            (kind for sign, at, kind in self._signs if self.data.startswith(sign, at)), None
        )
        if found is None:
            msg = (
                f"{where}(): the bytes begin with {self.data[:8]!r}, which tells no type, so one is required: "
                f'{where}(data, "{self._kind}/…").'
            )
            raise ValueError(msg)
        self.mime_type: str = _checked(found, where)
        if not self.mime_type.startswith(f"{self._kind}/"):
            msg = f'{where}(): the type is {self.mime_type!r}, so "{self._kind}/…" is required. Use File for others.'
            raise ValueError(msg)

    def named(self) -> str:
        """Its type and size."""
        return f"{self.mime_type}, {len(self.data)} bytes"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.named()})"


class Image(_Media):
    """An image. PNG, JPEG, GIF and WebP are recognised; of others, name the type.

    Args:
        data: Its bytes.
        mime_type: Its type.

    Raises:
        TypeError, ValueError: The data is not bytes, or the type is missing or no image's.
    """

    __slots__ = ()
    _kind = "image"
    _signs = _IMAGES


class Audio(_Media):
    """A sound. WAV, MP3, Ogg and FLAC are recognised; of others, name the type.

    Args:
        data: Its bytes.
        mime_type: Its type.

    Raises:
        TypeError, ValueError: The data is not bytes, or the type is missing or no sound's.
    """

    __slots__ = ()
    _kind = "audio"
    _signs = _SOUNDS


class File(Content):
    """A file of any type, inside the answer.

    Args:
        data: Its bytes, or its text.
        name: What it is called; it becomes the address `file:///NAME`.
        mime_type: Its type. By default `text/plain` for text, `application/octet-stream` for bytes.
        uri: Its address, where it has one of its own.

    Raises:
        TypeError, ValueError: The data is neither, there is no name, or the type or the address cannot be one.
    """

    __slots__ = ("data", "mime_type", "name", "uri")

    def __init__(
        self,
        data: bytes | str,
        name: str | None = None,
        *,
        mime_type: str | None = None,
        uri: str | None = None,
    ) -> None:
        self.data: bytes | str = (
            well_formed(data) if isinstance(data, str) else _bytes_of(data, "File")
        )
        text = isinstance(self.data, str)
        self.mime_type: str = _checked(
            mime_type or ("text/plain" if text else "application/octet-stream"), "File"
        )
        if not name and not uri:
            msg = 'File(): it has neither a name nor a uri, so it cannot be addressed. Write File(data, "report.csv").'
            raise ValueError(msg)
        self.uri: str = uri or f"file:///{quote(well_formed(name or ''))}"
        if not _URI.fullmatch(self.uri):
            msg = f'File(): the uri is {self.uri!r:.80}, so an absolute one is required, such as "orders://7/invoice".'
            raise ValueError(msg)
        self.name: str = well_formed(name or self.uri)

    def named(self) -> str:
        """Its name, type and size."""
        data = self.data if isinstance(self.data, bytes) else self.data.encode()
        return f"{self.name}: {self.mime_type}, {len(data)} bytes"

    def __repr__(self) -> str:
        return f"File({self.named()})"


def content_in(value: object) -> list[object] | None:
    """The parts of what a tool returned, where any of them is content: the value itself, or a list's items."""
    if isinstance(value, Content):
        return [value]
    if isinstance(value, list | tuple):
        items = cast("list[object] | tuple[object, ...]", value)
        if any(isinstance(item, Content) for item in items):
            return list(items)
    return None


def _bytes_of(data: Any, where: str) -> bytes:
    if not isinstance(data, bytes | bytearray | memoryview):
        wanted = "bytes or text are" if where == "File" else "bytes are"
        msg = f"{where}(): the data is of type {type(data).__name__}, so {wanted} required. Of a path, pass path.read_bytes()."
        raise TypeError(msg)
    return bytes(cast("bytes", data))


def _checked(mime_type: str, where: str) -> str:
    if not _MIME_TYPE.fullmatch(mime_type):
        msg = f'{where}(): the type is {mime_type!r:.80}, so one such as "text/csv" is required.'
        raise ValueError(msg)
    return mime_type
