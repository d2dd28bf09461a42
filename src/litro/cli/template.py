"""Folders of litro.scaffold, written for somebody: all of a folder, or nothing.

It is not a template language: `{{name}}` is the one thing that is filled in, and only in files that may hold it.
"""

import shutil
import tempfile
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final

_FILLED: Final = frozenset({".toml", ".md", ".html"})
"""Kinds of files in which `{{name}}` is replaced. In others two braces may mean something else."""

_MAY_STAND: Final = frozenset({".git"})
"""What a folder may hold and still count as empty: a repository is often made first."""


def is_free(target: Path) -> bool:
    """Whether there is nothing at `target` that writing a template there could touch."""
    if not target.exists() and not target.is_symlink():
        return True
    return target.is_dir() and all(entry.name in _MAY_STAND for entry in target.iterdir())


def write(template: str, target: Path, *, name: str) -> None:
    """Write the folder litro.scaffold/<template> to `target`, which `is_free`.

    It is made whole beside the target, or inside where that exists, and then renamed: a full disk leaves nothing half.

    Raises:
        OSError: The system refused; nothing was written.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    # Above an existing folder this user may have no right to write.
    beside = target if target.is_dir() else target.parent
    with tempfile.TemporaryDirectory(prefix=".litro-new-", dir=beside) as folder:
        # Not the temporary folder itself, which is private to its user.
        made = Path(folder) / "made"
        made.mkdir()
        _copy(files("litro") / "scaffold" / template, made, name)
        if target.is_dir():
            _move_entries(made, target)
        else:
            made.rename(target)


def _move_entries(made: Path, target: Path) -> None:
    """Fill an existing folder, which may be somebody's working directory and so has to stay the one it is."""
    moved: list[Path] = []
    try:
        for entry in sorted(made.iterdir()):
            entry.rename(target / entry.name)
            moved.append(target / entry.name)
    except OSError:
        for entry in moved:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        raise


def _copy(source: Traversable, target: Path, name: str) -> None:
    for entry in source.iterdir():
        if entry.name == "__pycache__":
            continue
        path = target / entry.name
        if entry.is_dir():
            path.mkdir()
            _copy(entry, path, name)
            continue
        content = entry.read_bytes()
        if path.suffix in _FILLED:
            content = content.replace(b"{{name}}", name.encode())
        path.write_bytes(content)
