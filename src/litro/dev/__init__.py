"""What only a developer's process has: files are watched, generations of agents follow each other, problems are shown.

In production none of it runs, and watchfiles is not imported.
"""
