from litro import AgentError, tool


@tool
def case_error_handling():
    """Fail."""
    message = "This tool intentionally returns an error for testing"
    raise AgentError(message)
