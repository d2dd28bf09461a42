"""Words, an image and a file."""

from litro import tool
from litro.content import Audio, Content, File, Image, Text

PNG = b"\x89PNG\r\n\x1a\n"


@tool
def draw_chart(symbol: str) -> list[Content]:
    """Draw a share's price."""
    return [
        Text(symbol),
        Image(PNG),
        File("day,cents\n1,1230\n", "prices.csv"),
        Audio(b"RIFF\x00\x00\x00\x00WAVE", "audio/wav"),
    ]
