"""What a tool may return that is not data."""

from typing import Any

import pytest

from litro.content import Audio, Content, File, Image, Text, content_in

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (Image(PNG), "image/png, 8 bytes"),
        (Image(b"\xff\xd8\xff\xe0"), "image/jpeg, 4 bytes"),
        (Image(b"GIF89a"), "image/gif, 6 bytes"),
        (Image(b"RIFF0000WEBP"), "image/webp, 12 bytes"),
        (Image(b"<svg/>", "image/svg+xml"), "image/svg+xml, 6 bytes"),
        (Image(memoryview(PNG)), "image/png, 8 bytes"),  # pyright: ignore[reportArgumentType]
        (Audio(b"RIFF0000WAVE"), "audio/wav, 12 bytes"),
        (Audio(b"ID3"), "audio/mpeg, 3 bytes"),
        (Audio(b"\xff\xf3\x44\xc4"), "audio/mpeg, 4 bytes"),
        (File("ä", "a.txt"), "a.txt: text/plain, 2 bytes"),
        (File(b"1", "a.bin"), "a.bin: application/octet-stream, 1 bytes"),
        (File(b"1", uri="db://x/1", mime_type="image/png"), "db://x/1: image/png, 1 bytes"),
        (Text("Hello \ud800"), "Hello \ufffd"),
    ],
)
def test_content_is_named_where_only_text_can_be_given(content: Content, name: str):
    assert content.named() == name


def test_a_repr_holds_no_bytes():
    assert repr([Image(PNG), File("secret", "a")]) == (
        "[Image(image/png, 8 bytes), File(a: text/plain, 6 bytes)]"
    )


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Image("x.png"), "path.read_bytes"),  # pyright: ignore[reportArgumentType]
        (lambda: File(3, "x"), "bytes or text are required"),  # pyright: ignore[reportArgumentType]
        (lambda: Image(b"what"), 'Image(data, "image/…")'),
        (lambda: Image(b"ID3", "audio/mpeg"), '"image/…" is required'),
        (lambda: Audio(b"x", "audio"), 'such as "text/csv"'),
        (lambda: File(b"x", "x", mime_type="a/b\r\nc"), 'such as "text/csv"'),
        (lambda: File(b"x"), "neither a name nor a uri"),
        (lambda: File(b"x", uri="not absolute"), "an absolute one is required"),
    ],
)
def test_what_cannot_be_content_is_told(make: Any, said: str):
    with pytest.raises((TypeError, ValueError)) as caught:
        make()
    assert said in str(caught.value)


def test_content_is_found_alone_or_among_a_lists_items():
    image = Image(PNG)
    assert content_in(image) == [image]
    assert content_in(["x", image]) == ["x", image]
    assert content_in((image,)) == [image]
    assert content_in(["x"]) is None
    assert content_in({"x": image}) is None
    assert content_in([[image]]) is None
