"""Servers that tests share, and what each test gets of its own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest
from serving import Client, Server, make_project


@pytest.fixture(scope="session")
def serve_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`litro serve`, shared."""
    server = Server(make_project(tmp_path_factory.mktemp("serve") / "app"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def many_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Many Litro apps in one process under plain uvicorn, shared. See `apps/many.py`."""
    server = Server(make_project(tmp_path_factory.mktemp("many") / "app"), "many")
    yield server
    server.stop()


@pytest.fixture
def client(serve_process: Server) -> Iterator[Client]:
    """A client of `litro serve`."""
    client = Client(serve_process)
    yield client
    client.close()


@pytest.fixture
def many(many_process: Server) -> Iterator[Client]:
    """A client of the many apps; `many.at(mount)` speaks to one of them."""
    client = Client(many_process)
    yield client
    client.close()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of the test's own."""
    return make_project(tmp_path / "app")


@pytest.fixture
def start(project: Path) -> Iterator[Callable[..., Client]]:
    """Start a server of the test's own, with the arguments of `Server`; answers a client of it."""
    clients: list[Client] = []

    def start(app: str | None = None, *, mount: str = "", **how: Any) -> Client:
        client = Client(Server(project, app, **how), mount)
        clients.append(client)
        return client

    yield start
    for client in clients:
        client.close()
        if client.server.process.poll() is None:
            client.server.kill()


@pytest.fixture
def session() -> str:
    """A session's id that no other test has."""
    return token_hex(8)


@pytest.fixture
def gate() -> str:
    """A gate's name that no other test has."""
    return token_hex(8)
