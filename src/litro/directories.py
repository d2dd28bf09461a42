"""Directories of our own: private, ignored by git, their names durable. It knows nothing of what is put into them."""

import os
from pathlib import Path


def make_private(folder: Path) -> None:
    """Make the folder and what is missing above it, 0700; the topmost one made ignores itself for git."""
    missing: list[Path] = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for made in reversed(missing):
        made.mkdir(mode=0o700, exist_ok=True)
        sync_directory(made.parent)
    if missing:
        (missing[-1] / ".gitignore").write_text("*\n", encoding="utf-8")


def sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
