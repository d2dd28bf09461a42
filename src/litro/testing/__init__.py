"""What users test with: conformance suites of the ports."""
