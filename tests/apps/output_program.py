"""Writes a build and is stopped, as by SIGKILL, at every step in turn: each time, one whole build must be there.

Its steps are what Python tells of before it does it to the files of the folder: opening, moving, removing, making. Run in a process of its
own, since such a hook cannot be taken off.

python output_program.py FOLDER
"""

import os
import sys
from pathlib import Path

from litro.mcp.apps.output import Packed, read, write

STEPS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree"}
STOPPED = 9


def build(text: str, *names: str) -> tuple[Packed, ...]:
    return tuple(
        Packed(name=name, uri=f"ui://demo/{name}", html=f"{text} {name}", descriptor={"name": name})
        for name in names
    )


OLD = build("old", "kept", "sub/gone")
NEW = build("new", "kept", "sub/deep/added")
THIRD = build("third", "kept")


def stopped_at(out: Path, step: int) -> bool:
    """Whether a writer of the new build was stopped at the step, in place of ending before it."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == STOPPED
    left = step

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in STEPS and str(arguments[0]).startswith(str(out)):
            left -= 1
            if left < 0:
                os._exit(STOPPED)

    sys.addaudithook(hook)
    write(out, NEW)
    os._exit(0)


def listing(out: Path) -> list[str]:
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())


def main(top: Path) -> None:
    seen: list[str] = []
    step = 0
    while True:
        out = top / str(step)
        write(out, OLD)
        (out / "foreign.txt").write_text("mine")
        was_stopped = stopped_at(out, step)
        found = read(out)
        assert found in (OLD, NEW), (step, found)
        seen.append("old" if found == OLD else "new")
        write(out, THIRD)
        assert read(out) == THIRD, step
        assert listing(out) == ["foreign.txt", "kept.html", "kept.json", "manifest.json"], step
        if not was_stopped:
            break
        step += 1
    sys.stdout.write(" ".join(seen))


main(Path(sys.argv[1]))
