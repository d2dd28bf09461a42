"""Who may open the inspector: whoever sits at this machine, in development, and nobody's page but its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from inspecting import Open, developed

from litro.dev.inspector.files import file_of

CALL = "/api/agents/demo/tools/add/call"


@pytest.fixture
async def inspector(tmp_path: Path) -> AsyncIterator[Open]:
    async with developed(tmp_path, allowed_origins=("https://friend.example",)) as inspector:
        yield inspector


async def test_in_production_there_is_none_of_it(tmp_path: Path):
    async with developed(tmp_path, development=False) as inspector:
        for path in ("", "/", "/main.js", "/index.html", "/api/agents", "/api/sessions"):
            assert (await inspector.get(path)).status_code == 404
        assert (await inspector.post(CALL, {"input": {}})).status_code == 404
        await inspector.say("hello")
        running = await inspector.app.start()
        assert running.inspector is None


async def test_the_page_is_served_with_a_policy_that_lets_nothing_in_from_elsewhere(
    inspector: Open,
):
    page = await inspector.get("/")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-store"
    policy = page.headers["content-security-policy"].split("; ")
    assert "default-src 'self'" in policy
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy


async def test_the_address_without_a_slash_leads_to_the_page_at_whatever_mount(inspector: Open):
    moved = await inspector.get("")
    assert (moved.status_code, moved.headers["location"]) == (307, "inspector/")


async def test_its_modules_are_served_with_their_types(inspector: Open):
    module = await inspector.get("/main.js")
    assert module.headers["content-type"] == "text/javascript; charset=utf-8"
    assert module.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "/../client.js",
        "/./main.js",
        "//main.js",
        "/main.js/",
        "/main.js\n",
        "/MAIN.js",
        "/no.js",
        "/main.py",
        "/\0.js",
    ],
)
def test_nothing_but_the_pages_own_files_can_be_named(path: str):
    assert file_of("/main.js").status == 200
    assert file_of(path).status == 404


@pytest.mark.parametrize("path", ["/", "/main.js", "/api/agents", "/api/sessions"])
async def test_another_name_of_the_machine_is_told_nothing(inspector: Open, path: str):
    refused = await inspector.get(path, host="rebound.example")
    assert (refused.status_code, refused.json()["type"]) == (421, "unknown-host")


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://other.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        # It may talk to agents, as a guard lets it; here no guard is asked.
        {"origin": "https://friend.example", "sec-fetch-site": "cross-site"},
    ],
)
async def test_another_sites_page_reads_and_does_nothing(inspector: Open, headers: dict[str, str]):
    for refused in (
        await inspector.get("/api/agents", **headers),
        await inspector.post(CALL, {"input": {}}, **headers),
    ):
        assert refused.status_code == 403
        assert "access-control-allow-origin" not in refused.headers


async def test_an_act_needs_the_header_that_no_form_sends_and_json(inspector: Open):
    without = await inspector.post(CALL, {"input": {}}, **{"x-litro-agent": "0"})
    assert (without.status_code, without.json()["type"]) == (403, "missing-header")
    text = await inspector.post(CALL, {"input": {}}, **{"content-type": "text/plain"})
    assert text.status_code == 415


@pytest.mark.parametrize("peer", ["192.168.1.20", "2001:db8::1", "::ffff:10.0.0.1", "nobody"])
async def test_another_machine_is_told_nothing_whatever_host_it_names(inspector: Open, peer: str):
    transport = httpx2.ASGITransport(inspector.app, client=(peer, 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        for path in ("/", "/api/agents"):
            refused = await client.get(f"/__litro/inspector{path}")
            assert (refused.status_code, refused.json()["type"]) == (403, "not-this-machine")


@pytest.mark.parametrize("peer", ["::1", "127.0.0.2", "::ffff:127.0.0.1"])
async def test_this_machine_is_known_by_each_of_its_own_addresses(inspector: Open, peer: str):
    transport = httpx2.ASGITransport(inspector.app, client=(peer, 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
        assert (await client.get("/__litro/inspector/api/agents")).status_code == 200


async def test_each_address_tells_which_methods_it_has(inspector: Open):
    wrong = await inspector.get(CALL)
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "POST")
    wrong = await inspector.post("/api/agents", {})
    assert (wrong.status_code, wrong.headers["allow"]) == (405, "GET, HEAD")
    for path in ("/", "/api/agents"):
        head = await inspector.client.head(f"/__litro/inspector{path}")
        assert (head.status_code, head.content) == (200, b"")
