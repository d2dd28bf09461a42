"""What users test with: their project in process, and the conformance suites of the ports."""

from litro.testing import stores
from litro.testing.running import Card, ObservedTurn, RunningProject, TestedAgent, running

__all__ = ["Card", "ObservedTurn", "RunningProject", "TestedAgent", "running", "stores"]
