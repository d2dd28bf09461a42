from litro import tool
from litro.content import Image

from .._media import PIXEL  # noqa: TID252 - as users write it


@tool
def case_image_content():
    """Answer with an image."""
    return Image(PIXEL)
