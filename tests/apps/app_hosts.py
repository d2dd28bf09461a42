"""Three hosts of MCP Apps that others wrote, each showing a card in a page of the browser. They judge nothing.

The hosts' own pages are in hosts/, bundled from the npm packages that tests/mcp/rigs pins; the Inspector is run as it is published.
"""

import base64
import contextlib
import json
import secrets
import socket
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import mcp_rigs
from playwright.sync_api import ConsoleMessage, Frame, FrameLocator, Page, Request, Route, expect

HERE = Path(__file__).parent / "hosts"
INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
PATIENCE = 60_000
PAGE = "<!doctype html><meta charset=utf-8><link rel=icon href='data:,'><body><script type=module>{}</script>"

LISTENING = """
window.heard = [];
addEventListener("message", ({ data }) => data?.jsonrpc && heard.push(data));
"""
"""In a host's page: whatever a card says, in order. The frame between the two passes it on."""

SETTLED = """
() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 250))))
"""
"""What a card meant to say of its size is said: its own timers are shorter than this one, and began before."""


class Shown:
    """A page with a host in it, and a card in that.

    Attributes:
        asked: The addresses that the card has asked for.
        complaints: Scripts that failed, and policies that were broken.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        page.set_default_timeout(PATIENCE)
        self.asked: list[str] = []
        self.complaints: list[str] = []
        page.on("request", self._request)
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.add_init_script(LISTENING)

    @property
    def card(self) -> FrameLocator:
        """The card's document, in the frame that is between it and the host."""
        return self.page.frame_locator("iframe").frame_locator("iframe")

    def evaluate(self, script: str) -> Any:
        """Run a function in the card."""
        return self.card.locator("html").evaluate(script)

    def release(self) -> None:
        """Let the card have the tool's result, which was held back."""
        self.page.wait_for_function("window.host?.result")
        self.page.evaluate("host.release()")

    @property
    def result(self) -> dict[str, Any]:
        """The tool's result, as the host got it."""
        return self.page.evaluate("host.result")

    def teardown(self) -> None:
        """Tell the card that it is about to go."""
        self.page.evaluate("host.teardown()")

    def said(self, method: str) -> list[Any]:
        """What the card said by one method, in order."""
        messages = self.page.evaluate("heard")
        return [message["params"] for message in messages if message.get("method") == method]

    def answers(self) -> list[Any]:
        """What the card answered to the host's requests."""
        return [one["result"] for one in self.page.evaluate("heard") if "result" in one]

    def settle(self) -> None:
        """Wait until the card has said its size."""
        self.evaluate(SETTLED)

    def _request(self, request: Request) -> None:
        if not request.is_navigation_request() and _depth(request.frame) > 1:
            self.asked.append(request.url)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and "Content Security Policy" in message.text:
            self.complaints.append(message.text)


def _depth(frame: Frame) -> int:
    return 0 if frame.parent_frame is None else 1 + _depth(frame.parent_frame)


@dataclass(frozen=True, slots=True)
class Call:
    """What a host is to show: a tool of a server, and its arguments."""

    mcp: str
    tool: str
    args: dict[str, Any]


# --- the two hosts that are pages


@contextlib.contextmanager
def host_pages() -> Iterator[str]:
    """A server of both hosts' pages. Yields its address; as `localhost`, the same server is another origin: the sandbox's."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        serving.join()


def show(page: Page, pages: str, name: str, call: Call, era: str = "") -> Shown:
    """Open a host's page."""
    shown = Shown(page)
    sandbox = f"{pages.replace('127.0.0.1', 'localhost')}/sandbox"
    wanted = {"mcp": call.mcp, "sandbox": sandbox, "tool": call.tool, "args": json.dumps(call.args)}
    page.goto(f"{pages}/{name}?{urlencode(wanted | {'era': era})}")
    return shown


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        body = PAGE.format(_bundle(asked.path.strip("/"))).encode()
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.send_header("content-length", str(len(body)))
        if asked.path == "/sandbox":
            [csp] = parse_qs(asked.query).get("csp", ["{}"])
            self.send_header("content-security-policy", _policy(json.loads(csp)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object, **more: object) -> None:
        """Nothing: what is asked for is the browser's to tell."""


def _policy(csp: dict[str, list[str]]) -> str:
    """What the specification has a host let an app do, for what the app's `csp` asks."""
    loads, connects, frames, bases = (
        " ".join(csp.get(f"{kind}Domains", [other]))
        for kind, other in (
            ("resource", ""),
            ("connect", "'none'"),
            ("frame", "'none'"),
            ("baseUri", "'self'"),
        )
    )
    return (
        f"default-src 'none'; script-src 'self' 'unsafe-inline' {loads}; style-src 'self' 'unsafe-inline' {loads}; "
        f"img-src 'self' data: {loads}; font-src 'self' {loads}; media-src 'self' data: {loads}; object-src 'none'; "
        f"connect-src {connects}; frame-src {frames}; base-uri {bases}"
    )


_BUNDLES: dict[str, str] = {}
_BUNDLING = threading.Lock()


def _bundle(name: str) -> str:
    """One of hosts/ with its packages."""
    with _BUNDLING:
        if name not in _BUNDLES:
            home = mcp_rigs.packages()
            done = subprocess.run(
                [
                    *(home / "node_modules/.bin/esbuild", HERE / f"{name}.js"),
                    *("--bundle", "--minify", "--format=esm", "--target=es2022"),
                    '--define:process.env.NODE_ENV="production"',
                ],
                env=mcp_rigs.environment(NODE_PATH=str(home / "node_modules")),
                capture_output=True,
                text=True,
                check=True,
            )
            _BUNDLES[name] = done.stdout.replace("</script", "<\\/script")
        return _BUNDLES[name]


# --- the Inspector


@dataclass(slots=True)
class Inspector:
    """The Inspector's own server.

    Attributes:
        url: Where its page is.
        token: What the page needs to connect by itself.
    """

    url: str
    token: str

    def show(self, page: Page, call: Call) -> "Inspected":
        """Open its Apps tab with an app opened, by a link."""
        shown = Inspected(page)
        args = base64.urlsafe_b64encode(json.dumps(call.args).encode()).decode().rstrip("=")
        query = {
            "serverUrl": call.mcp,
            "transport": "http",
            "openApp": call.tool,
            "appArgs": args,
            "autoConnect": self.token,
            "autoOpen": self.token,
        }
        page.goto(f"{self.url}/?{urlencode(query)}")
        expect(page.get_by_test_id("connection-status")).to_have_attribute(
            "data-status", "connected", timeout=PATIENCE
        )
        return shown


class Inspected(Shown):
    """The Inspector's page. It calls through its own server, which is where its calls are held back."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self.held: list[Route] = []
        self.is_holding = True
        page.route("**/api/**", self._hold)

    def _hold(self, route: Route) -> None:
        if self.is_holding and '"tools/call"' in (route.request.post_data or ""):
            self.held.append(route)
        else:
            route.continue_()

    @property
    def result(self) -> dict[str, Any]:
        return self.evaluate(
            "() => heard.find(({ method }) => method === 'ui/notifications/tool-result').params"
        )

    def release(self) -> None:
        self.is_holding = False
        while self.held:
            self.held.pop().continue_()


@contextlib.contextmanager
def inspector(home: Path) -> Iterator[Inspector]:
    """The Inspector's web server, with what it keeps in `home`."""
    client, sandbox, apps = _free_ports(3)
    token = secrets.token_urlsafe(24)
    process = subprocess.Popen(
        [mcp_rigs.NODE, mcp_rigs.packages() / INSPECTOR, "--web"],
        cwd=home,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=mcp_rigs.environment(
            HOST="127.0.0.1",
            HOME=str(home),
            CLIENT_PORT=str(client),
            MCP_SANDBOX_PORT=str(sandbox),
            MCP_APP_ORIGIN_PORT=str(apps),
            MCP_STORAGE_DIR=str(home),
            MCP_AUTO_OPEN_ENABLED="false",
            MCP_INSPECTOR_API_TOKEN=token,
        ),
    )
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line)
        if f"127.0.0.1:{client}" in line:
            break
    else:
        raise AssertionError(f"The Inspector did not start: {''.join(said)}")
    drain = threading.Thread(target=process.stdout.read, daemon=True)
    drain.start()
    try:
        yield Inspector(f"http://127.0.0.1:{client}", token)
    finally:
        process.terminate()
        process.wait(10)
        drain.join()
        process.stdout.close()


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
