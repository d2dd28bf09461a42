"""The catalogue of sessions over HTTP: list, rename, delete, fork; each principal has its own."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from serving import Client, Server
from wiretap import Response, events, kinds

AGENT = "guarded"


@pytest.fixture
def ann(session: str) -> str:
    """A principal that no other test has."""
    return f"name:ann-{session}"


def list_(client: Client, who: str, query: str = "") -> dict[str, Any]:
    response = client.ask("GET", f"/__litro/agent/{AGENT}{query}", x_as=who)
    assert response.status == 200
    return response.json()


def pages(client: Client, who: str, limit: int) -> list[list[str]]:
    """The ids of every page."""
    found: list[list[str]] = []
    cursor = ""
    while cursor is not None:
        page = list_(client, who, f"?limit={limit}{cursor and '&cursor=' + cursor}")
        found.append([told["session"] for told in page["sessions"]])
        cursor = page["next"]
    return found


def say(client: Client, session: str, who: str, text: str = "say one") -> list[bytes]:
    return client.post(session, text, AGENT, x_as=who).lines()


def patch(client: Client, session: str, who: str | None, body: Any) -> Response:
    path = f"/__litro/agent/{AGENT}/{session}"
    return client.ask("PATCH", path, json.dumps(body).encode(), x_as=who)


def fork(client: Client, session: str, who: str | None, body: Any = None) -> Response:
    path = f"/__litro/agent/{AGENT}/{session}/fork"
    return client.ask("POST", path, None if body is None else json.dumps(body).encode(), x_as=who)


def delete(client: Client, session: str, who: str | None) -> Response:
    return client.ask("DELETE", f"/__litro/agent/{AGENT}/{session}", x_as=who)


def test_a_list_has_the_principal_s_own_sessions_the_last_updated_first(
    client: Client, session: str, ann: str
):
    for name in ("a", "b", "a"):
        say(client, f"{session}-{name}", ann, f"say {name}")
    page = list_(client, ann)
    assert page["next"] is None
    assert [told["session"] for told in page["sessions"]] == [f"{session}-a", f"{session}-b"]
    newest = page["sessions"][0]
    assert newest.keys() == {"session", "title", "created", "updated", "tail", "running"}
    assert newest["title"] == "say a"
    assert newest["tail"] == len(client.server.log(f"{session}-a", AGENT)) - len(
        [e for e in client.server.log(f"{session}-a", AGENT) if not e.startswith(b'{"seq":')]
    )
    assert list_(client, f"{ann}-else") == {"sessions": [], "next": None}


def test_the_running_turn_s_number_is_in_the_list(
    client: Client, session: str, ann: str, gate: str
):
    running = client.post(session, f"wait {gate}", AGENT, x_as=ann)
    running.until("turn-start")
    (told,) = list_(client, ann)["sessions"]
    client.server.let(gate)
    running.lines()
    assert told["running"] == 1


def test_pages_hold_every_session_once(client: Client, session: str, ann: str):
    names = [f"{session}-{number}" for number in range(5)]
    for name in names:
        say(client, name, ann)
    assert pages(client, ann, 2) == [[names[4], names[3]], [names[2], names[1]], [names[0]]]
    assert pages(client, ann, 5) == [names[::-1]]


def test_a_cursor_survives_its_session_s_moving_and_its_deletion(
    client: Client, session: str, ann: str
):
    names = [f"{session}-{number}" for number in range(4)]
    for name in names:
        say(client, name, ann)
    cursor = list_(client, ann, "?limit=2")["next"]
    say(client, names[2], ann)
    assert delete(client, names[0], ann).status == 204
    rest = list_(client, ann, f"?limit=2&cursor={cursor}")
    assert [told["session"] for told in rest["sessions"]] == [names[1]]
    assert rest["next"] is None


@pytest.mark.parametrize("limit", ["0", "201", "-1", "x", "", "1.0", "9" * 20])
def test_a_limit_of_a_page_that_is_none_is_400(client: Client, limit: str):
    response = client.ask("GET", f"/__litro/agent/open?limit={limit}")
    assert response.told() == (400, "invalid-limit")


@pytest.mark.parametrize(
    "cursor",
    ["", "x", "%00", "e30", "A" * 500]
    + [
        base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
        for text in ("1", "1.", ".s", "-1.s", "01.s", "1.a/b", "1.é", f"{'9' * 16}.s", " 1.s")
    ],
)
def test_a_cursor_that_no_page_gave_is_400(client: Client, cursor: str):
    response = client.ask("GET", f"/__litro/agent/open?cursor={cursor}")
    assert response.told() == (400, "invalid-cursor")


@given(cursor=st.text("ABCDEFGHIJabcdefghij0123456789-_=", max_size=40))
@settings(deadline=None)
def test_no_cursor_makes_the_server_fail(serve_process: Server, cursor: str):
    connection = serve_process.connect()
    status = connection.ask("GET", f"/__litro/agent/open?cursor={cursor}").status
    connection.close()
    assert status in {200, 400}


def test_a_session_is_renamed_in_the_list_and_in_its_log(client: Client, session: str, ann: str):
    say(client, session, ann)
    answer = patch(client, session, ann, {"title": "  Über Lissabon "})
    assert (answer.status, answer.json()) == (
        200,
        {"session": session, "title": "Über Lissabon"},
    )
    assert list_(client, ann)["sessions"][0]["title"] == "Über Lissabon"
    last = events(client.get(session, "?from=-1", AGENT, x_as=ann).lines())[-1]
    assert (last["kind"], last["turn"], last["payload"]) == ("title", 1, {"text": "Über Lissabon"})
    assert kinds(say(client, session, ann))[-1] == "turn-end"


def test_a_session_in_which_a_turn_runs_is_renamed_by_its_turn(
    client: Client, session: str, ann: str, gate: str
):
    running = client.post(session, f"wait {gate}", AGENT, x_as=ann)
    running.until("turn-start")
    assert patch(client, session, ann, {"title": "Later"}).status == 200
    running.until('"kind":"title"')
    client.server.let(gate)
    assert running.lines()
    assert list_(client, ann)["sessions"][0]["title"] == "Later"


@pytest.mark.parametrize("title", ["", "  ", "x" * 121, "a\nb", "a\x00b", "\x1b[2J", "a\u2028b"])
def test_a_title_that_is_none_is_400(client: Client, session: str, ann: str, title: str):
    say(client, session, ann)
    assert patch(client, session, ann, {"title": title}).told() == (400, "invalid-title")
    assert list_(client, ann)["sessions"][0]["title"] == "say one"


@pytest.mark.parametrize("body", [{}, {"title": 7}, {"title": None}, {"title": "a", "x": 1}, [], 7])
def test_a_body_that_renames_nothing_is_400(client: Client, session: str, ann: str, body: Any):
    say(client, session, ann)
    assert patch(client, session, ann, body).told() == (400, "invalid-body")


def test_a_deleted_session_is_gone(client: Client, session: str, ann: str):
    say(client, session, ann)
    answer = delete(client, session, ann)
    assert (answer.status, answer.all()) == (204, b"")
    assert list_(client, ann)["sessions"] == []
    assert client.get(session, agent=AGENT, x_as=ann).lines() == [b'{"done":true}\n']
    assert delete(client, session, ann).told() == (404, "unknown-session")


def test_a_session_in_which_a_turn_runs_is_not_deleted(
    client: Client, session: str, ann: str, gate: str
):
    running = client.post(session, f"wait {gate}", AGENT, x_as=ann)
    running.until("turn-start")
    refused = delete(client, session, ann)
    client.server.let(gate)
    assert refused.told() == (409, "busy")
    assert refused.headers["retry-after"] == "1"
    assert kinds(running.lines())[-1] == "turn-end"


def test_a_fork_is_a_session_of_its_own_with_the_turns_up_to_there(
    client: Client, session: str, ann: str
):
    first, second = say(client, session, ann, "say one"), say(client, session, ann, "say two")
    ends = [events(first)[-1]["seq"], events(second)[-1]["seq"]]
    answer = fork(client, session, ann, {"at": ends[1] - 1, "session": f"{session}-fork"})
    assert (answer.status, answer.json()) == (
        201,
        {"session": f"{session}-fork", "at": ends[0]},
    )
    assert client.get(f"{session}-fork", agent=AGENT, x_as=ann).lines() == first
    whole = fork(client, session, ann).json()
    assert whole["at"] == ends[1]
    assert fork(client, session, ann, {"at": 10**9}).json()["at"] == ends[1]
    log = client.get(session, agent=AGENT, x_as=ann).lines()
    assert client.get(whole["session"], agent=AGENT, x_as=ann).lines() == log
    assert kinds(say(client, whole["session"], ann))[-1] == "turn-end"
    assert client.get(session, agent=AGENT, x_as=ann).lines() == log


def test_a_fork_of_a_session_in_which_a_turn_runs_ends_with_its_last_turn_that_ended(
    client: Client, session: str, ann: str, gate: str
):
    end = events(say(client, session, ann))[-1]["seq"]
    running = client.post(session, f"say a; wait {gate}", AGENT, x_as=ann)
    running.until("text-delta")
    answer = fork(client, session, ann)
    client.server.let(gate)
    running.lines()
    assert answer.json()["at"] == end


def test_before_a_turn_has_ended_there_is_nothing_to_fork(
    client: Client, session: str, ann: str, gate: str
):
    running = client.post(session, f"wait {gate}", AGENT, x_as=ann)
    running.until("turn-start")
    refused = fork(client, session, ann)
    client.server.let(gate)
    running.lines()
    assert refused.status == 409
    told = refused.json()
    assert told["type"] == "no-turn-end"
    assert "Fork it when one has" in told["message"]
    assert fork(client, session, ann, {"at": 1}).told() == (409, "no-turn-end")


def test_a_fork_never_changes_a_session_that_is_there(client: Client, session: str, ann: str):
    say(client, session, ann)
    refused = fork(client, session, ann, {"session": session})
    assert refused.told() == (409, "session-exists")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"at": 0}, "invalid-body"),
        ({"at": "5"}, "invalid-body"),
        ({"at": True}, "invalid-body"),
        ({"at": None}, "invalid-body"),
        ({"session": 7}, "invalid-body"),
        ({"session": "a.b"}, "invalid-session"),
        ({"into": "x"}, "invalid-body"),
        ([], "invalid-body"),
    ],
)
def test_a_body_that_forks_nothing_is_400(
    client: Client, session: str, ann: str, body: Any, kind: str
):
    say(client, session, ann)
    assert fork(client, session, ann, body).told() == (400, kind)


def test_a_session_of_somebody_else_s_is_404_on_every_method(
    client: Client, session: str, ann: str
):
    say(client, session, ann)
    before = client.server.log(session, AGENT)
    for who in ("name:bob", None):
        for answer in (
            client.get(session, agent=AGENT, x_as=who),
            client.post(session, "say two", AGENT, x_as=who),
            client.cancel(session, AGENT, x_as=who),
            patch(client, session, who, {"title": "Mine"}),
            delete(client, session, who),
            fork(client, session, who),
            client.ask("GET", f"/__litro/agent/{AGENT}/{session}/queue", x_as=who),
            client.ask("DELETE", f"/__litro/agent/{AGENT}/{session}/queue/m", x_as=who),
        ):
            assert answer.told() == (404, "unknown-session")
        assert client.ask("HEAD", f"/__litro/agent/{AGENT}/{session}", x_as=who).status == 404
    assert client.server.log(session, AGENT) == before


def test_what_is_not_there_is_told_as_what_is_somebody_else_s(
    client: Client, session: str, ann: str
):
    say(client, session, ann)
    for make in (
        lambda name: patch(client, name, "name:bob", {"title": "Mine"}).json(),
        lambda name: delete(client, name, "name:bob").json(),
        lambda name: fork(client, name, "name:bob").json(),
    ):
        assert make(session) == make(f"{session}-none")
