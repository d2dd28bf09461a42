import json

from litro import tool
from litro.content import File, Image, Text

from .._media import PIXEL  # noqa: TID252 - as users write it


@tool
def case_multiple_content_types():
    """Answer with text, an image and a file."""
    data = json.dumps({"test": "data", "value": 123})
    return [
        Text("Multiple content types test:"),
        Image(PIXEL),
        File(data, uri="test://mixed-content-resource", mime_type="application/json"),
    ]
