"""What every test shares."""

import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from chromium import FLAGS, INSTALL, find_chromium

ONCE = {
    "apps",
    "browser",
    "cli",
    "components",
    "dev",
    "js",
    "test_bad_networks.py",
    "test_chat_docs.py",
    "test_docs.py",
    "test_engine.py",
    "test_engine_ends.py",
    "test_engine_frames.py",
    "test_example.py",
    "test_fast_html.py",
    "test_first_hour.py",
    "test_http_crash.py",
    "test_http_shutdown.py",
    "test_http_workers.py",
    "test_killed_workers.py",
    "test_lit_renders.py",
    "test_mcp_clients.py",
    "test_mcp_conformance.py",
    "test_mcp_gates_served.py",
    "test_packaging.py",
    "test_postgres_takeover.py",
    "test_power_loss.py",
    "test_restarts.py",
    "test_splitter.py",
    "test_sqlite_filing.py",
    "test_stdio_ending.py",
    "test_two_servers.py",
    "test_wheelhouse.py",
}
"""Folders and files whose tests say the same whichever Python runs them: of Node, browsers, packages, and processes."""


def pytest_configure(config: pytest.Config) -> None:
    # Workers of xdist ignore Ctrl-C, and what a test starts would inherit that.
    if hasattr(config, "workerinput"):
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if not ONCE.isdisjoint(item.path.relative_to(here).parts):
            item.add_marker("once")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What a test has logged may hold half a character on purpose, and reports travel between processes as UTF-8."""
    report = yield
    report.sections = [
        (name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections
    ]
    return report


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Litro is asyncio's: where trio is installed too, nothing runs twice."""
    return "asyncio"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One a module: while Playwright's own event loop lives in this thread, no async test could run."""
    chromium = find_chromium()
    if chromium is None:
        pytest.skip(f"Chromium is required: {INSTALL}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield browser
        browser.close()
