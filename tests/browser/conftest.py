"""A server for all tests, a browser's context and a session for each."""

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from chat_page import Chat
from playwright.sync_api import Browser, BrowserContext, expect
from serving_page import Server, make_project

expect.set_options(timeout=30_000)
_SESSIONS = map("s{}".format, itertools.count(1))


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(make_project(tmp_path_factory.mktemp("browser") / "my-app"))
    yield server
    said = server.stop()
    assert b"Traceback" not in said, said.decode()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A person's browser, which reaches this server and no other host, and complains of nothing."""
    context = browser.new_context()
    hosts: set[str] = set()
    complaints: list[str] = []
    context.on("request", lambda request: hosts.add(str(urlsplit(request.url).hostname)))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    context.on(
        "console", lambda said: complaints.append(said.text) if said.type == "error" else None
    )
    yield context
    context.close()
    assert hosts <= {"127.0.0.1"}
    refusals = ("Failed to load resource",)
    assert [text for text in complaints if not text.startswith(refusals)] == []


@pytest.fixture
def session() -> str:
    return next(_SESSIONS)


@pytest.fixture
def chat(context: BrowserContext, server: Server, session: str) -> Chat:
    return Chat(context.new_page(), server.url, session)


@pytest.fixture
def screenshot(request: pytest.FixtureRequest) -> Callable[[Chat, str], None]:
    """Keeps a picture where SCREENSHOTS names a folder, for people to look at."""

    def shoot(chat: Chat, name: str) -> None:
        folder = os.environ.get("SCREENSHOTS")
        if folder:
            chat.page.screenshot(path=Path(folder) / f"{name}.png")

    return shoot
