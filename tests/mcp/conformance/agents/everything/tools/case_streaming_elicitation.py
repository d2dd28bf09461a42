from litro import tool


@tool
def case_streaming_elicitation():
    """Answer without asking the host anything in between."""
    return "nothing was asked"
