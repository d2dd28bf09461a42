from litro import AgentError, tool


@tool
def fail():
    """Fail."""
    message = "The shop is closed."
    raise AgentError(message)
