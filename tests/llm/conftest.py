"""A real language model, started once for all tests that need one."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

HERE = Path(__file__).parent
PATIENCE = 120.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until_it_answers(server: subprocess.Popen[bytes], url: str) -> None:
    give_up = time.monotonic() + PATIENCE
    while True:
        assert server.poll() is None, f"serve.py ended with {server.returncode}"
        try:
            if httpx2.get(f"{url}/health", trust_env=False).is_success:
                return
        except httpx2.TransportError:
            pass
        assert time.monotonic() < give_up, f"no answer from {url} in {PATIENCE} s"
        time.sleep(0.1)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the example, with one of its tools: of several, a small model takes any."""
    example = HERE.parents[1] / "examples" / "weather"
    others = ("compare-weather.py", "get-forecast.py", "watch-weather.py", "mcp-apps", "dist")
    ignore = shutil.ignore_patterns(".litro", "__pycache__", *others)
    return Path(shutil.copytree(example, tmp_path / "weather", ignore=ignore))


@pytest.fixture(scope="session")
def llm_url() -> Iterator[str]:
    """The root of a model server: that of LLM_URL, else one that runs for this session."""
    given = os.environ.get("LLM_URL")
    if given:
        yield given.rstrip("/")
        return
    pytest.importorskip("xllamacpp", reason="pip install --no-deps -r requirements/llm.txt")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with subprocess.Popen(
        [sys.executable, str(HERE / "serve.py"), str(port)], stderr=subprocess.DEVNULL
    ) as server:
        try:
            wait_until_it_answers(server, url)
            yield url
        finally:
            server.kill()
