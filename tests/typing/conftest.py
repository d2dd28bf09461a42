"""The sample project has a pytest of its own, as any user's: `test_sample_project.py` runs that."""

collect_ignore = ["shop"]
