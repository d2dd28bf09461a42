"""The preview's page in a browser, the way a person uses it, and projects for it that need no packer."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from typing import Any

from packs import card, project
from playwright.sync_api import FrameLocator, Locator, Page, expect

from dev.developing import Process, Project

PATIENCE = 25_000
PREVIEW = ("-m", "litro", "mcp", "preview", "--port", "0")

CARD = """<!doctype html><html><body><temp-card>waits</temp-card>{more}<script>
customElements.define("temp-card", class extends HTMLElement {{
  set tempC(celsius) {{ this.textContent = `${{Math.round(celsius * 9 / 5 + 32)}} °F`; }}
}});
</script><script>{bridge}</script></body></html>
"""


def document(more: str = "") -> str:
    """A card with our bridge in it."""
    bridge = files("litro").joinpath("assets", "bridge.js").read_text(encoding="utf-8")
    return CARD.format(more=more, bridge=bridge)


def shop(folder: Path, html: str, **more: Any) -> Project:
    """A project whose tool `show` has this card."""
    project(folder, card(html), **more)
    return Project(folder, {})


class Preview:
    """The page."""

    def __init__(self, page: Page, process: Process, query: str = "?tool=show") -> None:
        self.page = page
        self.url = process.url
        expect.set_options(timeout=PATIENCE)
        page.goto(f"{process.url}/{query}")
        expect(self.phase).to_have_text("Ready")

    @property
    def phase(self) -> Locator:
        return self.page.locator("#phase")

    @property
    def card(self) -> FrameLocator:
        return self.page.frame_locator("#stage iframe")

    @property
    def arguments(self) -> Locator:
        return self.page.get_by_label("Arguments")

    @property
    def result(self) -> Locator:
        return self.page.get_by_label("Result")

    @property
    def said(self) -> Locator:
        return self.page.locator("#said")

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def logged(self) -> list[str]:
        """What went which way, in order: `> method` from the host."""
        return [
            f"{'>' if item.get_attribute('class') == 'ours' else '<'} {item.get_attribute('data-about')}"
            for item in self.page.locator("#log > li").all()
        ]

    def answers(self, about: str) -> Locator:
        """The logged message of this kind, opened."""
        item = self.page.locator(f"#log > li[data-about='{about}']").last
        item.locator("summary").click()
        return item.locator("pre")


class Outside:
    """A server that no card may reach: it remembers who did."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        outside = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outside.asked.append(self.path)
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            do_POST = do_GET  # noqa: N815

            def log_message(self, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    @contextmanager
    def listening(self) -> Iterator["Outside"]:
        thread = threading.Thread(target=self._server.serve_forever)
        thread.start()
        yield self
        self._server.shutdown()
        thread.join()
        self._server.server_close()


def matches(*parts: str) -> "re.Pattern[str]":
    return re.compile("[^~]*".join(map(re.escape, parts)))
