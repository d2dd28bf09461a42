"""What users test with: their project in process, and the conformance suites of the ports."""

from litro.testing import stores
from litro.testing.requests import check_chat_request, check_messages_request
from litro.testing.running import (
    Card,
    ObservedTurn,
    ProjectRunner,
    RunningProject,
    TestedAgent,
    running,
)

__all__ = [
    "Card",
    "ObservedTurn",
    "ProjectRunner",
    "RunningProject",
    "TestedAgent",
    "check_chat_request",
    "check_messages_request",
    "running",
    "stores",
]
