"""A server with the element's page, for all of its tests."""

from collections.abc import Iterator

import pytest
from element import Element
from element_page import make_element_project
from playwright.sync_api import BrowserContext
from serving_page import Server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(make_element_project(tmp_path_factory.mktemp("element") / "my-app"))
    yield server
    said = server.stop()
    # Of the one tool that shall fail, and of nothing else.
    assert said.count(b"Traceback") == said.count(b"Tool 'break-it' failed"), said.decode()


@pytest.fixture
def chat(context: BrowserContext, server: Server, session: str) -> Element:
    return Element(context.new_page(), server.url, session)
