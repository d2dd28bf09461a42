"""What users test with: conformance suites of the ports."""

from litro.testing import stores

__all__ = ["stores"]
