from litro import tool
from litro.content import File


@tool
def case_embedded_resource():
    """Answer with a file."""
    return File("This is an embedded resource content.", uri="test://embedded-resource")
