import logging

from litro import tool


@tool
def case_logging_tool():
    """Log something, which is for the server's operator and no host."""
    logging.getLogger(__name__).info("Tool execution started")
    return "logged"
