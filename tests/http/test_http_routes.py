"""What is served where: ids, methods, and the rest, which is 404."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from serving import Client, Server

from litro import create_app

BODY = b'{"text": "say one"}'


@pytest.mark.parametrize("session_id", ["a", "Z_9-", "-", "_", "con", "A" * 64])
def test_a_session_id_of_64_plain_characters_at_the_most_is_one(client: Client, session_id: str):
    assert client.post(session_id, "say one").status == 200


@pytest.mark.parametrize(
    "session_id",
    [
        "A" * 65,
        ".",
        "..",
        "a.b",
        "%2E%2E",
        "a%2Fb",
        "..%2F..%2Fetc%2Fpasswd",
        "a/b",
        "a%5Cb",
        "a%00",
        "a%0A",
        "%C3%A9",
        "a%20b",
        "a:b",
        "%D9%A3",
        "a~",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_any_other_session_id_is_400(client: Client, method: str, session_id: str):
    response = client.ask(method, f"/__litro/agent/open/{session_id}", BODY)
    assert response.told() == (400, "invalid-session")


@pytest.mark.parametrize("agent", ["nobody", "OPEN", "_shared", "_config", "..", "open%00"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_an_agent_that_is_not_there_is_404(client: Client, session: str, method: str, agent: str):
    response = client.ask(method, f"/__litro/agent/{agent}/{session}", BODY)
    assert response.told() == (404, "unknown-agent")


def test_an_agent_whose_files_are_wrong_is_500_and_hides_why(client: Client, session: str):
    response = client.get(session, agent="broken")
    assert response.status == 500
    told = response.all()
    assert b"broken-agent" in told
    assert b"a_module_that_nobody_has" not in told
    assert "a_module_that_nobody_has" in client.server.output


ROUTES = {
    "": "GET, HEAD, OPTIONS",
    "/SESSION": "DELETE, GET, HEAD, OPTIONS, PATCH, POST",
    "/SESSION/cancel": "OPTIONS, POST",
    "/SESSION/fork": "OPTIONS, POST",
    "/SESSION/queue": "GET, HEAD, OPTIONS",
    "/SESSION/queue/some%2Fid": "DELETE, OPTIONS",
}


@pytest.mark.parametrize(
    "method", ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND"]
)
@pytest.mark.parametrize("path", ROUTES)
def test_a_method_that_a_route_has_not_is_405_and_told_which_there_are(
    client: Client, session: str, method: str, path: str
):
    if method in ROUTES[path].split(", "):
        return
    response = client.ask(method, f"/__litro/agent/open{path.replace('SESSION', session)}")
    assert (response.status, response.headers["allow"]) == (405, ROUTES[path])


@pytest.mark.parametrize("path", ROUTES)
def test_options_says_which_methods_there_are(client: Client, session: str, path: str):
    response = client.ask("OPTIONS", f"/__litro/agent/open{path.replace('SESSION', session)}")
    assert (response.status, response.headers["allow"], response.all()) == (204, ROUTES[path], b"")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/SESSION"),
        ("PATCH", "/SESSION"),
        ("DELETE", "/SESSION"),
        ("POST", "/SESSION/cancel"),
        ("POST", "/SESSION/fork"),
        ("DELETE", "/SESSION/queue/m1"),
    ],
)
def test_every_method_that_acts_needs_the_header_that_no_form_can_send(
    client: Client, session: str, method: str, path: str
):
    path = f"/__litro/agent/open{path.replace('SESSION', session)}"
    assert client.ask(method, path, x_litro_agent=None).told() == (403, "missing-header")
    answer = client.ask(method, path, BODY, content_type="text/plain")
    assert (answer.status == 415) == (method in {"POST", "PATCH"})


@pytest.mark.parametrize(
    "path", ["/", "/__litro", "/__litro/agent", "/__litro/agent/", "/__litro/agent/open/", "/x?y"]
)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "OPTIONS"])
def test_everything_else_is_404(client: Client, method: str, path: str):
    assert client.ask(method, path).told() == (404, "not-found")


def test_a_head_of_nothing_is_404_without_a_body(client: Client):
    connection = client.connect()
    assert connection.ask("HEAD", "/nothing").all() == b""
    assert connection.ask("GET", "/nothing").status == 404


def test_every_refusal_has_one_shape_and_is_never_cached(client: Client, session: str):
    for response in (
        client.ask("PUT", f"/__litro/agent/open/{session}"),
        client.ask("GET", "/nothing"),
        client.get("bad.id"),
        client.get(session, origin="null"),
        client.get(session, "?from=7"),
    ):
        assert response.headers["content-type"] == "application/json"
        assert response.headers["cache-control"] == "no-store"
        told = response.json()
        assert {"type", "message", "status"} == told.keys()
        assert told["status"] == response.status


printable = st.text(
    st.characters(min_codepoint=0x21, max_codepoint=0xFF, exclude_characters="\x7f")
)


@given(
    method=st.sampled_from(["GET", "HEAD", "OPTIONS", "POST", "PATCH", "DELETE"]),
    target=printable,
    headers=st.dictionaries(
        st.sampled_from(
            [
                "host",
                "origin",
                "accept",
                "last_event_id",
                "idempotency_key",
                "sec_fetch_site",
                "content_type",
                "x_litro_agent",
                "x_forwarded_host",
                "x_forwarded_proto",
            ]
        ),
        printable,
    ),
    below=st.sampled_from(
        [
            "/",
            "/__litro/agent/",
            "/__litro/agent/open?cursor=",
            "/__litro/agent/open/s?",
            "/__litro/agent/open/s?from=",
            "/__litro/agent/open/s?deltas=false&limit=",
            "/__litro/agent/open/s/queue/",
            "/__litro/agent/open/s/fork",
        ]
    ),
)
@settings(deadline=None)
def test_no_request_makes_the_server_fail(
    serve_process: Server, method: str, target: str, headers: dict[str, str], below: str
):
    connection = serve_process.connect()
    try:
        # The server's log is looked at in the end: an exception in the app would be in it.
        assert connection.ask(method, below + target, b"{}", **headers).status < 500
    finally:
        connection.close()


async def test_a_websocket_is_closed(project: Path):
    # uvicorn hands one over only where a websocket library is installed, so the scope is made here.
    sent: list[Any] = []

    async def receive() -> dict[str, str]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    app = create_app(project)
    await asyncio.wait_for(
        app({"type": "websocket", "path": "/__litro/agent/open/s1", "headers": []}, receive, send),
        5,
    )
    assert [message["type"] for message in sent] == ["websocket.close"]


async def test_a_query_that_is_no_utf8_is_400(project: Path):
    # uvicorn refuses such a request by itself, other servers hand it on.
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    app = create_app(project, signals=False)
    scope = {
        "type": "http",
        "method": "GET",
        "path": "/__litro/agent/open/s1",
        "query_string": b"from=\xff",
        "headers": [(b"host", b"localhost")],
    }
    async with app.lifespan():
        await app(scope, receive, send)
    assert sent[0]["status"] == 400
