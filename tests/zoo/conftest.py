"""Model servers that we did not write, each run once, in processes of their own."""

import os
import shutil
import subprocess
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from providers.loopback import free_port
from zoo.keeping import AIMOCK, LLMOCK, Aimock, Llmock
from zoo.speaking import MakeTalk, Talk

PATIENCE = 30.0
ServeLlmock = Callable[..., AbstractContextManager[Llmock]]
ZOO = Path(__file__).parents[2] / ".venv" / "zoo"


@contextmanager
def running(command: list[str], url: str, health: str) -> Iterator[None]:
    """The server, from its first answer on."""
    quiet = os.environ | {"NO_COLOR": "1"}
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=quiet
    ) as process:
        try:
            give_up = time.monotonic() + PATIENCE
            while not _answers(url + health):
                assert process.poll() is None, f"{command} ended with {process.returncode}"
                assert time.monotonic() < give_up, f"no answer from {url} in {PATIENCE} s"
                time.sleep(0.05)
            yield
        finally:
            process.kill()


def _answers(url: str) -> bool:
    try:
        return httpx2.get(url, trust_env=False).is_success
    except httpx2.TransportError:
        return False


@pytest.fixture(scope="session")
def serve_llmock() -> ServeLlmock:
    """Runs llmock with these options, around a `with`."""
    program = ZOO / "python" / "bin" / "llmock"
    if not program.exists():
        pytest.skip(f"llmock is missing: {LLMOCK}")

    @contextmanager
    def serve(*options: str) -> Iterator[Llmock]:
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        with running([str(program), "serve", "-p", str(port), *options], url, "/health"):
            yield Llmock(url)

    return serve


@pytest.fixture(scope="session")
def llmock_server(serve_llmock: ServeLlmock) -> Iterator[Llmock]:
    # Without a pause between its pieces a fault may overtake those before it.
    with serve_llmock("--stream-chunk-delay-ms", "5", "--response-style", "hello") as server:
        yield server


@pytest.fixture
def llmock(llmock_server: Llmock) -> Llmock:
    llmock_server.reset()
    return llmock_server


@pytest.fixture(scope="session")
def aimock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Aimock]:
    program = ZOO / "node_modules" / ".bin" / "aimock"
    if shutil.which("node") is None or not program.exists():
        pytest.skip(f"node or aimock is missing: {AIMOCK}")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    config = Aimock.configure(tmp_path_factory.mktemp("aimock"))
    with running([str(program), "-c", str(config), "-p", str(port)], url, "/health"):
        yield Aimock(url)


@pytest.fixture
async def talk(tmp_path: Path) -> AsyncIterator[MakeTalk]:
    """Makes a `Talk` with a model; all of them are closed at the end."""
    made: list[Talk] = []

    def make(model: Any) -> Talk:
        made.append(Talk(tmp_path / str(len(made)), model))
        return made[-1]

    yield make
    for one in made:
        await one.close()
