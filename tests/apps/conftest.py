"""A host for each test, and a view that it frames."""

from collections.abc import Iterator

import pytest
from bridge_host import Host
from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def shared_page(browser: Browser) -> Iterator[Page]:
    """One a module: each test loads its own document, and a new page would take longer than the test."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.fixture
def quiet_page(shared_page: Page) -> Iterator[Page]:
    """A page that complains of nothing and asks the network for nothing."""
    complaints: list[str] = []
    heard = {
        "request": lambda request: complaints.append(request.url),
        "pageerror": lambda error: complaints.append(str(error)),
        "console": lambda said: complaints.append(said.text) if said.type == "error" else None,
    }
    for event, listener in heard.items():
        shared_page.on(event, listener)
    yield shared_page
    for event, listener in heard.items():
        shared_page.remove_listener(event, listener)
    assert set(complaints) <= {"about:blank"}


@pytest.fixture
def host(quiet_page: Page) -> Host:
    """In its view, time stands still."""
    return Host(quiet_page)


@pytest.fixture
def live_host(quiet_page: Page) -> Host:
    """In its view, time passes, and layout happens."""
    return Host(quiet_page, real=True)
