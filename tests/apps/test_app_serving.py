"""What hosts are served of packed apps, over both transports and in both eras; and what becomes of a tool whose app is not there."""

import contextlib
import re
import shutil
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import mapping
import mcp_host
import mcp_rigs
import packs
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from litro import create_app, tool
from litro.mcp.agent import Limits, UnknownResource
from litro.mcp.apps.output import read, write
from litro.mcp.packed import AppMissing, PackedApps, read_apps

pytestmark = pytest.mark.timeout(300)

HERE = Path("/dist")
HTML = "<!doctype html><p>ä & </p>\n"
SERVED = f"{packs.CARD}?v={packs.digest(HTML)}"


def agent(*apps: Any, versions: bool = True, **options: Any) -> Any:
    return mapping.serve(apps=PackedApps(HERE, apps, versions=versions), **options)


# --- addresses


def test_an_address_names_the_content_and_older_ones_answer_the_document_of_today():
    served = agent(packs.card(HTML))
    assert [listed["uri"] for listed in served.resources()["resources"]] == [SERVED]
    for uri in (SERVED, packs.CARD, f"{packs.CARD}?v=0123456789ab"):
        (content,) = served.read(uri)["contents"]
        assert content == {
            "uri": uri,
            "mimeType": packs.MIME,
            "text": HTML,
            "_meta": {"ui": {}},
        }


def test_without_versions_addresses_stay_and_those_with_one_are_answered_still():
    served = agent(packs.card(HTML), versions=False)
    assert [listed["uri"] for listed in served.resources()["resources"]] == [packs.CARD]
    assert served.read(SERVED)["contents"][0]["text"] == HTML


def test_what_a_host_lets_a_document_do_counts_as_content():
    def address(app: Any) -> str:
        return agent(app).resources()["resources"][0]["uri"]

    assert address(packs.card(HTML, **packs.NETWORK)) not in {SERVED, address(packs.card("x"))}


@pytest.mark.parametrize(
    "uri",
    [
        "", "ui://", "ui://shop", "ui://shop/", "weather-card", "file:///etc/passwd", "../../etc/passwd",
        "ui://shop/../shop/weather-card", "ui://shop/weather-card/", "UI://shop/weather-card", "ui://SHOP/weather-card",
        f"{packs.CARD}?v=", f"{packs.CARD}?v=0123456789AB", f"{packs.CARD}?v=0123456789abc", f"{packs.CARD}?w=0123456789ab",
        f"{packs.CARD}.html", "/dist/weather-card.html", f"{SERVED}?v=0123456789ab&v=0123456789ab", "\ud800",
    ],
)  # fmt: skip
def test_what_is_no_address_of_an_app_is_unknown(uri: str):
    with pytest.raises(UnknownResource, match="Unknown resource"):
        agent(packs.card(HTML)).read(uri)


@pytest.mark.parametrize(
    ("uri", "served"),
    [
        ("ui://w/c?x=1", "ui://w/c?x=1&v={}"),
        ("ui://w/c#top", "ui://w/c?v={}#top"),
        ("ui://w/c?v=0123456789ab", "ui://w/c?v=0123456789ab&v={}"),
    ],
)
def test_an_author_s_own_query_and_fragment_stay_where_they_are(uri: str, served: str):
    plain = packs.card(HTML)
    app = type(plain)(name="c", uri=uri, html=HTML, descriptor={**plain.descriptor, "uri": uri})
    mine = agent(app)
    address = served.format(packs.digest(HTML))
    assert mine.resources()["resources"][0]["uri"] == address
    for asked in (uri, address, served.format("0" * 12)):
        assert mine.read(asked)["contents"][0]["text"] == HTML


def test_apps_are_listed_in_pages_as_tools_are():
    names = [f"card-{letter}" for letter in "fbdace"]
    served = agent(*(packs.card(name, name) for name in names), limits=Limits(page=4))
    first = served.resources()
    second = served.resources(first["nextCursor"])
    listed = [app["name"] for page in (first, second) for app in page["resources"]]
    assert listed == sorted(names)
    assert "nextCursor" not in second


# --- tools


@pytest.mark.parametrize("named", ["weather-card", packs.CARD])
def test_a_tool_names_its_app_by_name_or_address_and_hosts_get_the_address_of_today(named: str):
    @tool(app=named)
    def show(city: str) -> None:
        """Show."""

    apps = PackedApps(HERE, [packs.card(HTML, **packs.NETWORK)])
    (listed,) = mapping.serve(show, apps=apps).tools()["tools"]
    (resource,) = mapping.serve(apps=apps).resources()["resources"]
    assert listed["_meta"] == {"ui": {"resourceUri": resource["uri"]}}
    assert resource["_meta"] == {"ui": packs.NETWORK}


def test_visibility_is_told_where_it_was_said_also_without_an_app():
    @tool(visibility=("app",))
    def refresh() -> None:
        """Look again."""

    @tool(app="weather-card", visibility=("model", "app"))
    def show() -> None:
        """Show."""

    served = mapping.serve(refresh, show, apps=PackedApps(HERE, [packs.card(HTML)]))
    one, two = served.tools()["tools"]
    assert one["_meta"] == {"ui": {"visibility": ["app"]}}
    assert two["_meta"] == {"ui": {"resourceUri": SERVED, "visibility": ["model", "app"]}}


@pytest.mark.parametrize(
    "app", ["other", "ui://shop/other", "shop/weather-card", "ui://weather-card"]
)
def test_a_tool_whose_app_is_not_listed_is_told_with_what_is(app: str):
    @tool(app=app)
    def show() -> None:
        """Show."""

    with pytest.raises(AppMissing) as caught:
        mapping.serve(show, apps=PackedApps(HERE, [packs.card(HTML)]))
    told = str(caught.value)
    for word in (
        "'show'",
        repr(app),
        "/dist",
        f"weather-card ({packs.CARD})",
        "litro mcp-app build",
    ):
        assert word in told
    assert "/dist" not in caught.value.brief


def test_a_damaged_build_is_told_by_the_tools_that_miss_it_and_by_no_other(tmp_path: Path):
    write(tmp_path, [packs.card(HTML)])
    (tmp_path / "weather-card.html").write_text("changed")
    apps = read_apps(tmp_path, versions=True)

    @tool(app="weather-card")
    def show() -> None:
        """Show."""

    with pytest.raises(AppMissing, match="is not what was built") as caught:
        mapping.serve(show, apps=apps)
    # Where, and what to do, once each.
    assert str(caught.value).count("litro mcp-app build") == 1
    assert str(caught.value).count(f"{tmp_path}:") == 1
    assert mapping.serve(apps=apps).resources() == {"resources": []}
    assert "is not what was built" in apps.reports(tmp_path)[0]


# --- real servers


@contextlib.contextmanager
def over_stdio(project: Path) -> Iterator[Any]:
    arguments = ["-P", "-m", "litro", "mcp", "serve", "--project", str(project)]
    yield StdioServerParameters(command=sys.executable, args=arguments, env=mcp_rigs.environment())


@contextlib.contextmanager
def over_http(project: Path) -> Iterator[Any]:
    with mcp_rigs.served(project) as routes:
        yield f"{routes}/demo"


@pytest.fixture(scope="module", params=[over_stdio, over_http])
def where(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Any]:
    own = {"show": packs.TOOL.format(app="weather-card"), "refresh": packs.REFRESH}
    apps = (packs.card(HTML, **packs.NETWORK), packs.card("<p>other</p>", "other"))
    folder = packs.project(tmp_path_factory.mktemp("shop"), *apps, tools=own)
    open_: Callable[[Path], contextlib.AbstractContextManager[Any]] = request.param
    with open_(folder) as to:
        # Whatever is served from now on was read at the start.
        if open_ is over_http:
            shutil.rmtree(folder / "dist")
        yield to


@pytest.fixture(params=["legacy", "auto"])
async def host(where: Any, request: pytest.FixtureRequest) -> AsyncIterator[Client]:
    async with Client(where, mode=request.param, read_timeout_seconds=20) as opened:
        assert (opened.protocol_version == "2026-07-28") == (request.param == "auto")
        yield opened


async def test_a_real_host_finds_the_app_of_a_tool_and_reads_it(host: Client):
    assert host.server_capabilities.extensions == {packs.UI: {}}
    tools = {found.name: found.meta for found in (await host.list_tools()).tools}
    assert tools["refresh"] == {"ui": {"visibility": ["app"]}}
    address = (tools["show"] or {})["ui"]["resourceUri"]
    other, listed = (await host.list_resources()).resources
    assert (listed.uri, listed.mime_type, listed.name) == (address, packs.MIME, "weather-card")
    assert (listed.meta, other.meta) == ({"ui": packs.NETWORK}, {"ui": {}})
    (content,) = (await host.read_resource(address)).contents
    assert content.model_dump(by_alias=True, exclude_none=True) == {
        "uri": address, "mimeType": packs.MIME, "text": HTML, "_meta": {"ui": packs.NETWORK},
    }  # fmt: skip


async def test_a_real_host_that_kept_an_address_reads_the_document_of_today(host: Client):
    (content,) = (await host.read_resource(f"{packs.CARD}?v=0123456789ab")).contents
    assert getattr(content, "text", None) == HTML
    with pytest.raises(MCPError, match="Unknown resource"):
        await host.read_resource("file:///etc/passwd")


def test_stdio_ends_with_an_error_where_a_tool_s_app_is_not_packed(tmp_path: Path):
    packs.project(tmp_path, packs.card(name="other"))
    with mcp_host.serving(tmp_path) as host:
        assert host.ended(within=60) == 1
        told = host.stderr
        assert host.process.stdout.read() == b""
    for word in (
        "litro mcp serve: ",
        "'show'",
        "'weather-card'",
        str(tmp_path / "dist/mcp-apps"),
        "other (ui://shop/other)",
    ):
        assert word in told
    assert "litro mcp-app build" in told


def test_stdio_says_how_many_apps_there_are_and_takes_another_folder(tmp_path: Path):
    packs.project(tmp_path)
    write(tmp_path / "elsewhere", [packs.card(HTML), packs.card(name="other")])
    with mcp_host.serving(tmp_path, "--apps-dir", "elsewhere") as host:
        host.initialize()
        assert len(host.request("resources/list")["result"]["resources"]) == 2
        host.until('agent "demo" over stdio - 1 tool(s), 2 app(s)')


def test_build_packs_before_it_serves(tmp_path: Path):
    packs.project(tmp_path)
    (tmp_path / "mcp-apps").mkdir()
    (tmp_path / "mcp-apps/weather-card.py").write_text(packs.APP)
    with mcp_host.serving(tmp_path, "--build") as host:
        host.initialize()
        (app,) = host.request("resources/list")["result"]["resources"]
        read = host.request("resources/read", {"uri": app["uri"]})
    assert "<p>Graz</p>" in read["result"]["contents"][0]["text"]


def test_a_build_that_fails_is_told_on_stderr_alone_and_serves_nothing(tmp_path: Path):
    packs.project(tmp_path, packs.card(HTML))
    (tmp_path / "mcp-apps").mkdir()
    for name in ("one", "two"):
        (tmp_path / f"mcp-apps/{name}.py").write_text("print('noise')\napp = 1\n")
    with mcp_host.serving(tmp_path, "--build") as host:
        assert host.ended(within=60) == 1
        assert host.process.stdout.read() == b""
        for name in ("one", "two"):
            assert re.search(rf"litro mcp serve: \S+{name}\.py: `app` is a int", host.stderr)
    assert read(tmp_path / "dist/mcp-apps") == (packs.card(HTML),)


def test_versions_can_be_switched_off(tmp_path: Path):
    packs.project(tmp_path, packs.card(HTML))
    env = mcp_host.environment(LITRO_MCP_APP_VERSIONS="0")
    with mcp_host.serving(tmp_path, env=env) as host:
        host.initialize()
        (listed,) = host.request("tools/list")["result"]["tools"]
    assert listed["_meta"]["ui"]["resourceUri"] == packs.CARD


async def test_over_http_a_missing_app_costs_its_own_agent_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    packs.project(tmp_path)
    mcp_host.write_project(tmp_path, {"refresh": packs.REFRESH}, agent="fine")
    app = create_app(tmp_path, watch=False, mcp_local=True, signals=False)
    await app.start()
    assert "tool 'show': app is 'weather-card'; but" in caplog.text
    transport = httpx2.ASGITransport(app=app)
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        refused = await client.post("/__litro/mcp/demo", json=asked)
        served = await client.post("/__litro/mcp/fine", json=asked)
    assert (refused.status_code, refused.json()["type"]) == (500, "broken-agent")
    assert "Run `litro mcp-app build`" in refused.json()["message"]
    assert str(tmp_path) not in refused.text
    assert served.status_code == 200
    # A restart is what it takes in production: nothing is read for a request.
    write(tmp_path / "dist/mcp-apps", [packs.card(HTML)])
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
        assert (await client.post("/__litro/mcp/demo", json=asked)).status_code == 500
    assert read(tmp_path / "dist/mcp-apps")
    await app.shutdown()
