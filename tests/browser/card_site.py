"""The test's components, built and rendered by the engine, and a small site that serves them as an app does."""

import asyncio
import contextlib
import threading
from collections.abc import Coroutine, Generator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from litro.ui.composing import Template
from litro.ui.engine import Node, Pool, find_node, run_once
from litro.ui.renderers import fast, lit
from litro.ui.renderers.marks import custom_tags

HERE = Path(__file__).parent
CARDS = HERE / "cards"
ASSETS = HERE.parents[1] / "src/litro/assets"
VENDOR = HERE.parents[1] / "src/litro/vendor/browser"
MODULES = {
    "lit-badge": "lit-badge.ts",
    "lit-card": "lit-card.js",
    "f-badge/f-badge": "f-badge/f-badge.ts",
    "f-card/f-card": "f-card/f-card.js",
}
COMPONENTS = "__litro/components/"


def run_apart(work: Coroutine[Any, Any, Any]) -> Any:
    """Playwright's event loop lives in this thread."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


class Cards:
    """The components in `folder`, built once."""

    def __init__(self, folder: Path, out: Path) -> None:
        self._out = out
        self._node: Node = find_node(None)
        entries = [{"name": name, "file": str(folder / file)} for name, file in MODULES.items()]
        request = {"op": "build", "project": str(folder), "entries": entries}
        answer = run_apart(
            run_once(self._node, {**request, "out": str(out), "minify": True}, timeout=120)
        )
        assert answer["ok"], answer
        assert answer["failed"] == []
        self.browser: dict[str, str] = answer["browser"]
        self._modules = [
            *({"name": name, "templates": those} for name, those in answer["templates"].items()),
            *(
                {"name": name, "file": str(out / "server" / file)}
                for name, file in answer["server"].items()
            ),
        ]

    def result(self, template: Template, *tags: str) -> dict[str, Any]:
        """What a tool's `ui` event would carry, with the modules of these tags."""
        return self.results([template], *tags)[0]

    def results(self, templates: list[Template], *tags: str) -> list[dict[str, Any]]:
        modules = [
            f"/{COMPONENTS}{name}.js"
            for tag in tags
            for name in MODULES
            if name.split("/")[-1] == tag
        ]
        pages = run_apart(self._rendered(templates))
        return [
            {"html": page, "hydrate": {"props": template.properties_of(0), "modules": modules}}
            for template, page in zip(templates, pages, strict=True)
        ]

    async def _rendered(self, templates: list[Template]) -> list[str]:
        setup = {"op": "load", "modules": self._modules}
        pool = Pool(lambda: self._node, size=1, setup=setup, reads=[self._out])
        try:
            return [await _html(pool, template) for template in templates]
        finally:
            await pool.close()

    def file(self, path: str) -> Path | bytes | None:
        """What is at an address below the mount."""
        if not path.startswith(COMPONENTS):
            name = path.removeprefix("__litro/")
            return ASSETS / name if name != path else None
        name = path.removeprefix(COMPONENTS)
        hashed = self.browser.get(name.removesuffix(".js"))
        if hashed:
            return f'export * from "{"../" * name.count("/") or "./"}{hashed}";'.encode()
        return next((p for p in (self._out / "browser" / name, VENDOR / name) if p.is_file()), None)


async def _html(pool: Pool, template: Template) -> str:
    is_fast = any(tag.startswith("f-") for tag in custom_tags(template))
    request = (
        {"adapter": "fast", "template": fast.pieces(template)}
        if is_fast
        else {"adapter": "lit", "template": lit.asked(template)}
    )
    answer = await pool.request({"op": "render", **request}, timeout=10)
    assert answer["ok"], answer
    return answer["html"]


class Site:
    """Serves pages and what they load, at `/` and below `/deep/mount/`, under a strict policy.

    Attributes:
        pages: HTML by path, without the mount.
    """

    def __init__(self, cards: Cards) -> None:
        self.pages = {"": "<!doctype html><title>cards</title><body></body>"}
        self.cards = cards
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.answer(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name there
                """Say nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path = request.path.removeprefix("/deep/mount").removeprefix("/")
        page = self.pages.get(path)
        found = HERE / path if path in {"card_probe.js", "card_watch.js"} else self.cards.file(path)
        body = page.encode() if page is not None else found
        if isinstance(body, Path):
            body = body.read_bytes() if body.is_file() else None
        request.send_response(404 if body is None else 200)
        kind = "text/html" if page is not None else "text/javascript"
        request.send_header("content-type", f"{kind}; charset=utf-8")
        policy = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:"
        request.send_header("content-security-policy", policy)
        request.end_headers()
        request.wfile.write(body or b"")

    @contextlib.contextmanager
    def serving(self) -> Generator["Site"]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        thread.start()
        yield self
        self._server.shutdown()
        thread.join()
        self._server.server_close()
