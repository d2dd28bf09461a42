"""What `litro mcp preview` answers, and to whom; and what a card's policy says."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from packs import TOOL
from preview_page import PREVIEW, document, shop

from dev.developing import Process
from litro.dev.preview.frame import policy_of

OURS = {"content-type": "application/json", "x-litro-agent": "1"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    process = Process(shop(tmp_path_factory.mktemp("shop"), document()), command=PREVIEW)
    yield process
    process.end()


def ask(served: Process, body: Any, **headers: str) -> httpx2.Response:
    given = {name: value for name, value in (OURS | headers).items() if value}
    return httpx2.post(f"{served.url}/rpc", json=body, headers=given, trust_env=False)


@pytest.mark.parametrize("path", ["/", "/preview.js", "/frame?app=weather-card", "/events"])
def test_a_name_that_is_not_this_machines_is_refused(served: Process, path: str):
    assert served.get(path, host="evil.example").status_code == 421


@pytest.mark.parametrize("path", ["/frame?app=weather-card", "/events"])
def test_another_sites_page_gets_nothing_that_is_the_projects(served: Process, path: str):
    headers = {"sec-fetch-site": "cross-site", "origin": "null"}
    assert served.get(path, **headers).status_code == 403


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"x-litro-agent": ""}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "https://evil.example"}, 403),
        ({"content-type": "text/plain"}, 415),
    ],
)
def test_the_agent_is_asked_by_the_preview_s_own_page_alone(
    served: Process, headers: dict[str, str], status: int
):
    assert ask(served, {"method": "tools/list"}, **headers).status_code == status


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"method": "tools/call", "params": {"name": "nobody"}}, -32602),
        ({"method": "tools/call", "params": {"name": 1}}, -32602),
        ({"method": "tools/call", "params": {"name": "show", "arguments": []}}, -32602),
        ({"method": "tools/call", "params": None}, -32602),
        ({"method": "resources/read", "params": {"uri": "file:///etc/passwd"}}, -32602),
        ({"method": "tools/list", "params": {"cursor": "x"}}, -32602),
        ({"method": "roots/list"}, -32601),
        ({"method": ["tools/call"]}, -32601),
        ({}, -32601),
    ],
)
def test_what_cannot_be_asked_is_an_error_of_the_protocol(served: Process, body: Any, code: int):
    assert ask(served, body).json()["error"]["code"] == code


def test_an_app_can_be_read_as_a_host_reads_it(served: Process):
    answer = ask(served, {"method": "resources/read", "params": {"uri": "ui://shop/weather-card"}})
    (content,) = answer.json()["result"]["contents"]
    assert content["text"] == document()


def test_a_document_has_an_opaque_origin_even_outside_its_frame(served: Process):
    policy = served.get("/frame?app=weather-card").headers["content-security-policy"]
    assert "sandbox allow-scripts allow-forms" in policy
    assert "allow-same-origin" not in policy
    assert served.get("/frame?app=../index").status_code == 404


def test_a_policy_allows_what_is_declared_and_no_more():
    assert policy_of({}).startswith(
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; media-src data:; "
        "font-src 'none'; connect-src 'none'; frame-src 'none'; base-uri 'none'; form-action 'none'; "
    )
    policy = policy_of(
        {
            "connectDomains": ["https://api.example.com", "wss://*.example.com"],
            "resourceDomains": ["https://cdn.example.com"],
        }
    )
    assert "connect-src https://api.example.com wss://*.example.com;" in policy
    assert "script-src 'unsafe-inline' https://cdn.example.com;" in policy


@pytest.mark.parametrize(
    "entry", ["'self'", "https://a; script-src *", "a, b", "https://a\nx: y", "", 7, None]
)
def test_a_declared_domain_adds_no_part_to_a_policy(entry: Any):
    assert policy_of({"connectDomains": [entry]}) == policy_of({})
    assert policy_of({"connectDomains": entry}) == policy_of({})


def test_a_name_that_is_nothing_is_told_before_anything_is_served(tmp_path: Path):
    project = shop(tmp_path, document(), tools={"show": TOOL.format(app="weather-card")})
    done = subprocess.run(
        [sys.executable, *PREVIEW, "shaw"],
        cwd=project.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert (
        "'shaw' is neither an app of mcp-apps/ (none) nor a tool of agent 'demo' (show)"
        in done.stderr
    )


def test_what_was_named_at_the_start_may_be_renamed_afterwards(tmp_path: Path):
    edited = shop(tmp_path, document())
    process = Process(edited, command=(*PREVIEW, "show"))
    try:
        process.says(r"/\?tool=show")
        tools = edited.folder / "agents/demo/tools"
        (tools / "show.py").rename(tools / "look.py")
        edited.write("words.py", "WORD = 1")
        process.says("restarted the preview")
        assert ask(process, {"method": "tools/list"}).json()["result"]["tools"][0]["name"] == "look"
    finally:
        process.end()
