from litro import tool


@tool
def case_simple_text():
    """Answer with text."""
    return "This is a simple text response for testing."
