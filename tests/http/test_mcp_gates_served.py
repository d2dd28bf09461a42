"""The MCP route's gates, in their order, over a real socket against `litro serve`."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from mcp_client import ROUTE, TOKEN, message, post, said
from serving import Client, Server, make_project
from wiretap import Response

LIST = message("tools/list")
INSPECTOR = "http://localhost:6274"
PARTNER = "https://host.example"
EVIL = "https://evil.example"


@pytest.fixture(scope="module")
def guarded_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    project = make_project(tmp_path_factory.mktemp("mcp") / "app")
    server = Server(
        project, LITRO_MCP_TOKEN=TOKEN, LITRO_MCP_ORIGINS=PARTNER, LITRO_MAX_BODY="2000"
    )
    yield server
    server.stop()


@pytest.fixture(scope="module")
def local_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(
        make_project(tmp_path_factory.mktemp("mcp") / "app"),
        options=["--host", "0.0.0.0"],
        LITRO_MCP_LOCAL="1",
    )
    yield server
    server.stop()


@pytest.fixture
def guarded(guarded_process: Server) -> Iterator[Client]:
    """A server that wants a token."""
    client = Client(guarded_process)
    yield client
    client.close()


@pytest.fixture
def local(local_process: Server) -> Iterator[Client]:
    """A server that says that only this machine reaches it."""
    client = Client(local_process)
    yield client
    client.close()


def ask(client: Client, method: str = "POST", path: str = ROUTE, **headers: str | None) -> Response:
    sent: dict[str, str | None] = {
        "x_litro_agent": None,
        "accept": "application/json, text/event-stream",
        "authorization": f"Bearer {TOKEN}",
    }
    return client.ask(method, path, LIST, **sent | headers)


def told(response: Response, method: str = "POST") -> tuple[int, str]:
    """The status and the type, and that there is nothing but our one shape."""
    if method == "HEAD":
        return response.status, ""
    body = response.json()
    assert body.keys() == {"type", "message", "status"}
    assert body["status"] == response.status
    return response.status, body["type"]


WRONG = {
    "host": {"host": "rebound.example"},
    "origin": {"origin": EVIL},
    "token": {"authorization": "Bearer other"},
    "agent": {"path": "/__litro/mcp/nobody"},
    "access": {"x_as": "refused"},
    "type": {"content_type": "text/plain"},
}
REFUSED = {
    "host": (421, "unknown-host"),
    "origin": (403, "foreign-origin"),
    "token": (401, "unauthorized"),
    "agent": (404, "unknown-agent"),
    "access": (401, "refused"),
    "type": (415, "unsupported-media-type"),
}


@pytest.mark.parametrize("first", range(len(WRONG)))
def test_of_all_that_is_wrong_the_first_gate_speaks(guarded: Client, first: int):
    names = list(WRONG)[first:]
    wrong = {name: value for gate in names for name, value in WRONG[gate].items()}
    assert told(ask(guarded, **wrong)) == REFUSED[names[0]]


@pytest.mark.parametrize("gate", WRONG)
def test_each_gate_refuses_alone(guarded: Client, gate: str):
    assert told(ask(guarded, **WRONG[gate])) == REFUSED[gate]


def test_what_passes_every_gate_is_answered(guarded: Client):
    (answer,) = said(ask(guarded, origin=PARTNER))
    assert "whoami" in {tool["name"] for tool in answer["result"]["tools"]}


# --- the token


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        f"Basic {TOKEN}",
        TOKEN,
        "Bearer s3cre",
        f"Bearer {TOKEN}x",
        f"Bearer {TOKEN} {TOKEN}",
        "Bearer s3cret, Bearer s3cret",
        "Bearer \xff\xfe",
        f"Bearer {TOKEN.upper()}",
    ],
)
def test_a_wrong_token_is_401_and_is_not_repeated(guarded: Client, authorization: str | None):
    refused = ask(guarded, authorization=authorization)
    # Anything more would look like OAuth to hosts, which then ask nobody for a token.
    assert refused.headers["www-authenticate"] == "Bearer"
    assert told(refused) == (401, "unauthorized")
    assert TOKEN.encode() not in refused.raw
    assert b"LITRO_MCP_TOKEN" in refused.raw


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "Bearer "])
def test_the_scheme_s_case_does_not_matter(guarded: Client, scheme: str):
    assert ask(guarded, authorization=f"{scheme} {TOKEN}").status == 200


@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/__litro/mcp/hosted",
        "/.well-known/oauth-authorization-server",
    ],
)
def test_no_oauth_is_spoken_of(guarded: Client, path: str):
    assert told(guarded.ask("GET", path)) == (404, "not-found")


# --- Host


@pytest.mark.parametrize("method", ["POST", "OPTIONS", "GET"])
def test_a_local_route_answers_to_names_of_this_machine_alone(local: Client, method: str):
    # The server itself, which listens everywhere, answers to any name.
    assert local.get("s1", host="rebound.example").status == 200
    for host in ("rebound.example", "localhost.rebound.example", "192.0.2.1"):
        assert told(ask(local, method, host=host), method) == (421, "unknown-host")
    assert ask(local, host="localhost:1", authorization=None).status == 200


# --- Origin and CORS


@pytest.mark.parametrize("origin", [PARTNER, "https://HOST.example", f"{PARTNER}:443"])
def test_a_page_that_may_call_may_read_the_answer(guarded: Client, origin: str):
    answer = ask(guarded, origin=origin)
    assert answer.status == 200
    assert answer.headers["access-control-allow-origin"] == origin
    assert answer.headers["vary"] == "Origin"


@pytest.mark.parametrize(
    "origin",
    [EVIL, INSPECTOR, "null", "", "http://host.example", f"{PARTNER}.evil.example", f"{PARTNER}/x"],
)
@pytest.mark.parametrize("method", ["POST", "OPTIONS", "GET", "DELETE"])
def test_any_other_page_is_refused_whatever_its_token(guarded: Client, method: str, origin: str):
    refused = ask(guarded, method, origin=origin)
    assert "access-control-allow-origin" not in refused.headers
    assert refused.headers["vary"] == "Origin"
    assert told(refused, method) == (403, "foreign-origin")


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (INSPECTOR, 200),
        ("https://127.0.0.1", 200),
        ("http://[::1]:3000", 200),
        (EVIL, 403),
        ("null", 403),
        ("file://localhost", 403),
        ("http://localhost.evil.example", 403),
        ("http://127.0.0.1.evil.example", 403),
    ],
)
def test_a_local_route_takes_pages_of_this_machine(local: Client, origin: str, status: int):
    assert ask(local, origin=origin, authorization=None).status == status


def test_a_list_of_origins_takes_the_place_of_this_machine_s(start: Callable[..., Client]):
    client = start(LITRO_MCP_LOCAL="1", LITRO_MCP_ORIGINS=PARTNER)
    assert ask(client, origin=INSPECTOR).status == 403
    assert ask(client, origin=PARTNER).status == 200


def test_a_token_on_a_local_route_is_required(start: Callable[..., Client]):
    client = start(LITRO_MCP_LOCAL="1", LITRO_MCP_TOKEN=TOKEN)
    assert ask(client, authorization=None, origin=INSPECTOR).status == 401
    assert ask(client, origin=INSPECTOR).status == 200


def test_a_preflight_needs_no_token_and_names_what_hosts_send(guarded: Client):
    answer = ask(guarded, "OPTIONS", authorization=None, origin=PARTNER)
    assert (answer.status, answer.headers["allow"]) == (204, "POST, OPTIONS")
    assert answer.headers["access-control-allow-methods"] == "POST, OPTIONS"
    assert answer.headers["access-control-allow-headers"] == (
        "authorization, content-type, accept, mcp-session-id, mcp-protocol-version, last-event-id, "
        "mcp-method, mcp-name"
    )


@pytest.mark.parametrize("wrong", [{"authorization": None}, {"path": "/__litro/mcp/nobody"}])
def test_a_page_that_may_call_may_read_a_refusal(guarded: Client, wrong: dict[str, str | None]):
    refused = ask(guarded, origin=PARTNER, **wrong)
    assert refused.headers["access-control-allow-origin"] == PARTNER


def test_no_answer_allows_every_origin(guarded: Client, local: Client):
    for client in (guarded, local):
        for method in ("POST", "OPTIONS", "GET"):
            for origin in (PARTNER, INSPECTOR, EVIL, None):
                answer = ask(client, method, origin=origin)
                assert "*" not in answer.headers.get("access-control-allow-origin", "")


# --- the method, the agent, the body


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE"])
def test_other_methods_are_405_and_hang_on_nothing(guarded: Client, method: str):
    refused = ask(guarded, method, accept="text/event-stream")
    assert refused.headers["allow"] == "POST, OPTIONS"
    assert told(refused, method) == (405, "method-not-allowed" if method != "HEAD" else "")


def test_an_unknown_agent_is_told_with_those_that_there_are(guarded: Client):
    refused = ask(guarded, path="/__litro/mcp/nobody")
    assert refused.status == 404
    assert "'nobody'" in (words := refused.json()["message"])
    assert "guarded, guarded_sync, hosted, open, other" in words


def test_a_broken_agent_is_500_and_breaks_no_other(guarded: Client):
    assert told(ask(guarded, path="/__litro/mcp/broken")) == (500, "broken-agent")
    assert ask(guarded, path="/__litro/mcp/open").status == 200


@pytest.mark.parametrize("path", [f"{ROUTE}/", f"{ROUTE}/more", "/__litro/mcp", "/__litro/mcp/"])
def test_no_other_path_is_served(guarded: Client, path: str):
    assert told(ask(guarded, path=path)) == (404, "not-found")


def test_a_body_over_the_limit_is_413_and_the_connection_stays_usable(guarded: Client):
    connection = guarded.connect()
    headers = {"authorization": f"Bearer {TOKEN}", "x_litro_agent": None}
    assert told(connection.ask("POST", ROUTE, b"x" * 2001, **headers)) == (413, "too-large")
    assert connection.ask("POST", ROUTE, LIST, **headers).status == 200


@pytest.mark.parametrize("accept", ["text/html", "image/*", ""])
def test_a_client_that_takes_no_answer_is_406(guarded: Client, accept: str):
    assert told(ask(guarded, accept=accept)) == (406, "not-acceptable")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("agent-error", (402, "refused")),
        ("refused", (401, "refused")),
        ("crash", (500, "internal")),
    ],
)
def test_the_agent_s_guard_is_asked_and_says_its_own_words(
    guarded: Client, kind: str, expected: tuple[int, str]
):
    refused = ask(guarded, x_as=kind)
    body = refused.json()
    assert (refused.status, body["type"]) == expected
    assert b"secret connection string" not in refused.raw


# --- on, off, and refused at the start


def test_where_nobody_asked_for_it_the_route_says_what_turns_it_on(client: Client):
    for method in ("POST", "GET", "OPTIONS"):
        refused = ask(client, method)
        assert told(refused, method) == (404, "mcp-off")
        assert b"LITRO_MCP_TOKEN" in refused.raw
        assert b"LITRO_MCP_LOCAL=1" in refused.raw


def refusal(project: Path, *options: str, **environment: str) -> str:
    """What `litro serve` says before it ends without having served."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LITRO_")}
    command = [sys.executable, "-m", "litro", "serve", "--project", str(project), "--port", "0"]
    ended = subprocess.run(
        [*command, *options],
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
        env=clean | environment,
    )
    assert ended.returncode == 1, ended.stderr
    assert "Traceback" not in ended.stderr
    assert "Litro serves" not in ended.stderr
    return ended.stderr


@pytest.mark.parametrize(
    ("options", "environment"),
    [
        (["--mcp"], {}),
        ([], {"LITRO_MCP": "1"}),
        (["--mcp"], {"LITRO_MCP_LOCAL": "0"}),
        (["--mcp"], {"LITRO_MCP_TOKEN": " "}),
        (["--mcp", "--workers", "2"], {}),
    ],
)
def test_mcp_without_a_token_or_a_marker_refuses_to_start(
    project: Path, options: list[str], environment: dict[str, str]
):
    words = refusal(project, *options, **environment)
    assert re.search(r"LITRO_MCP_TOKEN.*LITRO_MCP_LOCAL=1", words)


def test_mcp_without_its_sdk_refuses_to_start_and_names_the_command(project: Path, tmp_path: Path):
    shadow = tmp_path / "shadow" / "mcp"
    shadow.mkdir(parents=True)
    (shadow / "__init__.py").write_text("raise ModuleNotFoundError('no mcp', name='mcp')\n")
    path = os.pathsep.join([str(shadow.parent), os.environ.get("PYTHONPATH", "")])
    words = refusal(project, LITRO_MCP_TOKEN=TOKEN, PYTHONPATH=path)
    assert "pip install 'litro[mcp]'" in words


def test_an_sdk_that_is_broken_is_quoted_and_not_called_missing(project: Path, tmp_path: Path):
    shadow = tmp_path / "shadow" / "mcp"
    shadow.mkdir(parents=True)
    (shadow / "__init__.py").write_text("import a_part_that_is_not_there\n")
    path = os.pathsep.join([str(shadow.parent), os.environ.get("PYTHONPATH", "")])
    words = refusal(project, LITRO_MCP_TOKEN=TOKEN, PYTHONPATH=path)
    assert "a_part_that_is_not_there" in words
    assert "not installed" not in words


def test_a_server_tells_at_its_start_that_mcp_is_served(guarded_process: Server):
    assert "MCP is served at /__litro/mcp/AGENT, with a token." in guarded_process.output


def test_the_option_turns_it_on_and_off(start: Callable[..., Client]):
    on = start(options=["--mcp"], LITRO_MCP_TOKEN=TOKEN)
    assert post(on, LIST).status == 200
    off = start(options=["--no-mcp"], LITRO_MCP_TOKEN=TOKEN)
    assert told(post(off, LIST)) == (404, "mcp-off")
