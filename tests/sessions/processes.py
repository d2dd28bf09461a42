"""Running the programs of `programs.py`, with faults and without."""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from sessions import programs


def run(program: str, directory: Path, *, under: Sequence[str] = ()) -> list[str]:
    """The lines that the program says, until it ends."""
    command = [*under, sys.executable, programs.__file__, program, str(directory)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def run_with_faults(program: str, directory: Path) -> list[str]:
    """As `run`, under libfiu: the program says itself what shall fail, and when."""
    if shutil.which("fiu-run") is None:
        pytest.skip("fiu-run is missing: apt-get install fiu-utils")
    return run(program, directory, under=["fiu-run", "-x"])


@contextmanager
def running(program: str, directory: Path) -> Iterator["subprocess.Popen[str]"]:
    """The program while it runs; it is killed in the end, with no chance to tidy up."""
    process = subprocess.Popen(
        [sys.executable, programs.__file__, program, str(directory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        kill(process)


def kill(process: "subprocess.Popen[str]") -> list[str]:
    """End it at once, and answer what it still said."""
    process.kill()
    if process.stdin is None or process.stdout is None or process.stdout.closed:
        return []
    # By the same buffer that `hear` reads from: communicate() would begin behind it, in the middle of a line.
    rest = process.stdout.read()
    process.wait()
    process.stdout.close()
    process.stdin.close()
    return rest.splitlines()


def say(process: "subprocess.Popen[str]", line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def hear(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    assert line, f"the program has ended, with {process.wait()}"
    return line
