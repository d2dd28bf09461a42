"""Litro inside other apps: any prefix, several at once, behind their middleware."""

from collections.abc import Callable

import pytest
from serving import Client
from wiretap import kinds, seqs

MOUNTS = ["", "/one-turn", "/fastapi/deep/er", "/base", "/gzip"]


@pytest.mark.parametrize("mount", MOUNTS)
def test_a_mounted_app_serves_turns_below_its_mount(many: Client, session: str, mount: str):
    client = many.at(mount)
    posted = client.post(session, 'say one; call echo {"text": "x"}').lines()
    assert kinds(posted)[-1] == "turn-end"
    assert client.get(session).lines() == posted
    assert client.get("bad.id").status == 400
    assert client.cancel(session).status == 200


@pytest.mark.parametrize("mount", MOUNTS)
def test_a_mounted_app_answers_404_for_what_it_does_not_serve(many: Client, mount: str):
    told = many.at(mount).ask("GET", "/nothing/here")
    assert told.status == 404
    assert "'/nothing/here'" in told.json()["message"]


def test_the_host_app_keeps_its_own_routes(many: Client):
    assert many.ask("GET", "/fastapi/own").json() == {"of": "the host app"}


def test_apps_in_one_process_share_nothing(many: Client, session: str, gate: str):
    running = many.at("/one-turn").post(session, f"wait {gate}; say first")
    other = many.at("/small").post(session, "say second")
    assert other.headers["litro-turn"] == "1"
    assert b"first" not in other.all()
    many.server.let(gate)
    assert b"second" not in running.all()


@pytest.mark.parametrize("mount", ["/gzip", "/base"])
def test_middleware_does_not_hold_events_back(many: Client, session: str, gate: str, mount: str):
    client = many.at(mount)
    running = client.post(session, f"say one; wait {gate}; say two", accept_encoding="gzip")
    assert running.headers["content-encoding"] == "identity"
    assert "one" in running.until("text-delta")[-1].decode()
    many.server.let(gate)
    assert kinds(running.lines())[-1] == "turn-end"


@pytest.mark.parametrize("leave", ["close", "reset"])
def test_behind_middleware_too_a_client_that_leaves_does_not_stop_the_turn(
    many: Client, session: str, gate: str, leave: str
):
    client, connection = many.at("/base"), many.connect()
    body = f'{{"text": "say one; wait {gate}; say two"}}'.encode()
    path = f"/__litro/agent/open/{session}"
    connection.ask("POST", f"/base{path}", body).until("text-delta")
    getattr(connection, leave)()
    following = client.get(session)
    many.server.let(gate)
    lines = following.lines()
    assert kinds(lines)[-1] == "turn-end"
    assert seqs(lines) == list(range(1, len(lines)))


def test_uvicorns_slower_engines_serve_the_same(start: Callable[..., Client], session: str):
    slower = ["--http", "h11", "--loop", "asyncio"]
    client = start("with_lifespan", mount="/ai", options=slower, LITRO_MAX_BODY="100")
    connection, path = client.connect(), f"/ai/__litro/agent/open/{session}"
    assert connection.ask("POST", path, b"x" * 100_000).told() == (413, "too-large")
    posted = connection.ask("POST", path, b'{"text": "say one"}').lines()
    assert kinds(posted)[-1] == "turn-end"
    assert client.get(session).lines() == posted
    assert client.ask("HEAD", f"/__litro/agent/open/{session}").all() == b""
    client.server.stop()
