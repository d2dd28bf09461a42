"""What a user's file raised while it was loaded, as a problem: which of their lines, what, and what to do.

It is not the text of failures at run time: a developer reads this, so nothing is hidden.
"""

import traceback
from pathlib import Path

from litro.discovery.modules import Generation
from litro.errors import Problem

_NOT_THEIRS = frozenset({"site-packages", "dist-packages", "node_modules"})


def problem_of(
    error: BaseException, generation: Generation, path: Path, line: int | None = None
) -> Problem:
    """The problem of an exception: at the innermost line of the project's own files.

    Args:
        error: What was raised.
        generation: The modules that it was raised among.
        path: The file that was being loaded, for when no line of the project's took part.
        line: The line there, if one is known.
    """
    for frame in traceback.extract_tb(error.__traceback__):
        if _is_theirs(frame.filename, generation.project):
            path, line = Path(frame.filename), frame.lineno
    if isinstance(error, SyntaxError) and _is_theirs(error.filename or "", generation.project):
        path, line = Path(error.filename or path), error.lineno
    text = f"{_told(error, generation)}. {_remedy(error)}"
    return Problem(path=path, line=line, text=text, error=error)


def _is_theirs(filename: str, project: Path) -> bool:
    file = Path(filename)
    if not file.is_relative_to(project):
        return False
    folders = file.relative_to(project).parts[:-1]
    return not any(part in _NOT_THEIRS or part.startswith(".") for part in folders)


def _told(error: BaseException, generation: Generation) -> str:
    try:
        text = error.msg if isinstance(error, SyntaxError) else str(error)
    except Exception:  # noqa: BLE001 - the exception's class is the user's
        text = "its text cannot be read"
    # Our package's name would send the reader looking for a module that no file has.
    text = text.replace(f"{generation.prefix}.", "").rstrip(". \n")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _remedy(error: BaseException) -> str:
    if isinstance(error, ModuleNotFoundError):
        return "Correct the name, or install what provides it beside Litro (`litro doctor` names that Python)."
    if isinstance(error, ImportError):
        return "Import what the module has."
    if isinstance(error, SyntaxError):
        return "Correct the syntax there, or just above."
    if not isinstance(error, Exception):
        return "Importing a file may not end the process: do it in a function."
    return "Correct this line, or what it is given."
