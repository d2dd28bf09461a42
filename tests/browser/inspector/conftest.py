"""A server with agents for the inspector, in development, for all of its tests."""

from collections.abc import Iterator

import pytest
from inspector_page import Inspector, make_inspected_project
from playwright.sync_api import BrowserContext
from serving_page import Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    project = make_inspected_project(tmp_path_factory.mktemp("inspected") / "my-app")
    server = Server(project, LITRO_DEV="1")
    yield server
    said = server.stop()
    # Of the agent that shall be broken, and of nothing else.
    assert said.count(b"Traceback") <= said.count(b"No module named 'litro.nowhere'"), said.decode()


@pytest.fixture
def inspector(context: BrowserContext, server: Server, session: str) -> Inspector:
    return Inspector(context.new_page(), server.url, session)
