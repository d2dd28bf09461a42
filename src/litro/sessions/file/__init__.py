"""The file store: a session is a JSONL file, `DIR/<agent>/<session>.jsonl`, that `cat` and `grep` can read."""

from litro.sessions.file.store import FileStore

__all__ = ["FileStore"]
