"""Something that is wrong while somebody develops, as the terminal and the page tell it: where, what, and the lines of it.

The detail of what was raised is its traceback from the project's first line on, of anything else the source around its
line. It decides nothing: whoever found the problem did.
"""

import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

from litro.errors import Problem, ProjectError

_AROUND: Final = 2
"""Lines that are shown before and after the one that is meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """One thing that is wrong."""

    place: str
    """File and line, the file counted from the project."""
    text: str
    detail: str = ""
    """Lines of source, or a traceback."""

    def __str__(self) -> str:
        detail = "".join(f"\n    {line}" for line in self.detail.splitlines())
        return f"error: {self.place}: {self.text}{detail}"


def of_problem(problem: Problem, project: Path, *, traced: bool = False) -> Trouble:
    """A problem, with the source around its line; `traced`, with the traceback of what was raised."""
    path = problem.path
    shown = path.relative_to(project) if path.is_relative_to(project) else path
    place = f"{shown}:{problem.line}" if problem.line else str(shown)
    return Trouble(place=place, text=problem.text, detail=_detail(problem, project, traced=traced))


def of_error(error: BaseException, project: Path) -> tuple[Trouble, ...]:
    """Whatever kept an app from starting. Where an exception is behind it, with its traceback."""
    if not isinstance(error, ProjectError):
        return (Trouble(place=str(project), text=str(error)),)
    troubles = tuple(of_problem(problem, project) for problem in error.problems)
    cause = error.__cause__
    if cause is None:
        return troubles
    detail = _traceback(cause, project)
    return tuple(Trouble(place=t.place, text=t.text, detail=detail) for t in troubles)


def tell(*lines: object) -> None:
    """Say something in the developer's terminal, whatever logging the host app has."""
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sys.stderr.flush()


def tell_all(troubles: Iterable[Trouble]) -> None:
    """Say what is wrong in the developer's terminal."""
    tell(*troubles)


def _detail(problem: Problem, project: Path, *, traced: bool) -> str:
    # A syntax error's traceback is that of the import; the line itself says more.
    if not traced or problem.error is None or isinstance(problem.error, SyntaxError):
        return _excerpt(problem.path, problem.line)
    return _traceback(problem.error, project)


def _excerpt(path: Path, line: int | None) -> str:
    if line is None:
        return ""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    shown = range(max(line - _AROUND, 1), min(line + _AROUND, len(lines)) + 1)
    return "\n".join(
        f"{'>' if number == line else ' '} {number:>4}  {lines[number - 1]}".rstrip()
        for number in shown
    )


def _traceback(error: BaseException, project: Path) -> str:
    first = _own(error.__traceback__, project)
    # How the import system came there is nobody's news.
    return "".join(traceback.format_exception(type(error), error, first)).rstrip("\n")


def _own(frames: TracebackType | None, project: Path) -> TracebackType | None:
    frame = frames
    while frame is not None:
        if Path(frame.tb_frame.f_code.co_filename).is_relative_to(project):
            return frame
        frame = frame.tb_next
    return None
