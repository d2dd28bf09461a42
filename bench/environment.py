"""The environment of a peer: made on the first run as its users would make it, and what that took.

It knows no server. pip gets no cache, so what is timed has the network in it; the figures are kept in the environment's file `ready`.
"""

import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from peer import Peer

HOUSE = Path(__file__).parent.parent.absolute()
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")
OURS = "litro"
NOT_THEIRS = ("pip", "setuptools", "_distutils_hack", "distutils-precedence", "pkg_resources")
"""What `python -m venv` brings."""
LIMIT = 300


class NotInstalled(RuntimeError):
    """An environment could not be made."""


@dataclass(frozen=True)
class Environment:
    """One that is there."""

    folder: Path
    wanted: str
    """The requirements that it was made from."""
    seconds: float
    """That `pip install` took."""
    megabytes: float
    """Of what it installed, as it lies in site-packages, bytecode too."""
    distributions: int
    version: str
    """Of what is measured."""
    python: str

    @property
    def bin(self) -> Path:
        """Where its programs are."""
        return self.folder / "bin"


def environment(peer: Peer, *, fresh: bool = False) -> Environment:
    """The peer's environment; ours is always made anew, from a wheel of this tree.

    Raises:
        NotInstalled: pip failed, and what it said.
    """
    folder = HOUSE / f".venv-bench-{peer.name}"
    wanted = (peer.folder / "requirements.txt").read_text()
    ready = folder / "ready"
    if ready.exists() and not fresh and peer.name != OURS:
        known = json.loads(ready.read_text() or "{}")
        if known.get("wanted") == wanted:
            return Environment(**known | {"folder": folder})
    print(f"making {folder.name}", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    _run([sys.executable, "-m", "venv", str(folder)])
    python = str(folder / "bin" / "python")
    with tempfile.TemporaryDirectory() as wheels:
        what = ["-r", str(peer.folder / "requirements.txt")]
        if peer.name == OURS:
            build = ["wheel", "--no-deps", "--no-build-isolation", "-w", wheels, str(HOUSE)]
            _run([sys.executable, *PIP, *build])
            what += [str(wheel) for wheel in Path(wheels).iterdir()]
        begin = time.monotonic()
        _run([python, *PIP, "install", "--no-cache-dir", *what])
        seconds = time.monotonic() - begin
    made = _measured(folder, python, wanted, seconds, peer.distribution)
    ready.write_text(json.dumps(asdict(made) | {"folder": folder.name}))
    return made


def _measured(
    folder: Path, python: str, wanted: str, seconds: float, distribution: str
) -> Environment:
    (packages,) = folder.glob("lib/python*/site-packages")
    theirs = [each for each in packages.iterdir() if not each.name.startswith(NOT_THEIRS)]
    files = [file for each in theirs for file in (each.rglob("*") if each.is_dir() else [each])]
    size = sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink())
    ask = f"from importlib.metadata import version; print(version({distribution!r}))"
    return Environment(
        folder=folder,
        wanted=wanted,
        seconds=seconds,
        megabytes=size / 1e6,
        distributions=sum(each.suffix == ".dist-info" for each in theirs),
        version=_run([python, "-c", ask]).strip(),
        python=_run([python, "-c", "import platform; print(platform.python_version())"]).strip(),
    )


def _run(command: list[str]) -> str:
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        msg = f"{' '.join(command[1:6])} … took more than {LIMIT} s"
        raise NotInstalled(msg) from None
    if ran.returncode != 0:
        msg = f"{' '.join(command[1:6])} … failed: {ran.stderr.strip()[-300:]}"
        raise NotInstalled(msg)
    return ran.stdout
