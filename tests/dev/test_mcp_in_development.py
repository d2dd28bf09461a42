"""`litro dev` serves MCP on loopback without being asked, and edits count at the next call."""

import json
from collections.abc import Callable
from typing import Any

import httpx2
from developing import PATIENCE, Process, Project

HOST = {"accept": "application/json, text/event-stream"}


def post(process: Process, method: str, params: dict[str, Any], **headers: str) -> httpx2.Response:
    asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    url = f"{process.url}{process.mount}/__litro/mcp/demo"
    return httpx2.post(url, json=asked, headers=HOST | headers, timeout=PATIENCE, trust_env=False)


def version(process: Process) -> Any:
    answer = post(process, "tools/call", {"name": "version", "arguments": {"gate": ""}})
    return json.loads(answer.json()["result"]["content"][0]["text"])["tool"]


def test_an_edit_counts_at_a_host_s_next_call(start: Callable[..., Process], project: Project):
    process = start(project)
    assert version(process) == 1
    project.edit("agents/demo/tools/version.py", '"tool": 1', '"tool": 2')
    process.says(r"reloaded demo\n")
    assert version(process) == 2


def test_pages_and_names_of_others_are_refused_in_development_too(
    start: Callable[..., Process], project: Project
):
    process = start(project)
    assert post(process, "tools/list", {}, origin="http://localhost:6274").status_code == 200
    assert post(process, "tools/list", {}, origin="https://evil.example").status_code == 403
    assert post(process, "tools/list", {}, host="rebound.example").status_code == 421


def test_beyond_loopback_it_is_off_until_it_is_asked_for(
    start: Callable[..., Process], project: Project
):
    process = start(project, "--host", "0.0.0.0")
    process.url = process.url.replace("0.0.0.0", "127.0.0.1")
    told = post(process, "tools/list", {})
    assert (told.status_code, told.json()["type"]) == (404, "mcp-off")


def test_an_app_of_the_author_s_own_serves_it_below_its_mount(
    start: Callable[..., Process], with_app: Project
):
    assert version(start(with_app, mount="/ai")) == 1
