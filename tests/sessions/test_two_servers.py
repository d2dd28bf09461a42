"""Two servers on one store: what one does the other shows, cancels, queues for, and takes over when it dies."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from sessions.fleet import STORES, Servers, several_of, short_lived, two_of, url_of

# isort: split
from serving import Client, make_project, wait_for
from wiretap import Response, events, kinds

pytestmark = pytest.mark.once

DONE = b'{"done":true}\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return make_project(tmp_path / "app")


@pytest.fixture(scope="module", params=STORES)
def servers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Servers]:
    """Two `litro serve` of one project, with the store that a URL names. Tests share them."""
    project = make_project(tmp_path_factory.mktemp("servers") / "app")
    with two_of(project, LITRO_SESSIONS=url_of(request.param)) as servers:
        yield servers


@pytest.fixture(params=STORES)
def mortals(request: pytest.FixtureRequest, project: Path) -> Iterator[Servers]:
    """Two for a test that kills one of them."""
    with two_of(project, **short_lived(project, request.param)) as servers:
        yield servers


@pytest.fixture
def session() -> str:
    return token_hex(8)


@pytest.fixture
def gate() -> str:
    return token_hex(8)


def say(client: Client, session: str, text: str, on_busy: str) -> Response:
    body = json.dumps({"text": text, "on_busy": on_busy}).encode()
    return client.ask("POST", f"/__litro/agent/open/{session}", body)


def event_lines(response: Response) -> list[bytes]:
    """Every event of a response, to its end."""
    response.all()
    lines = response.raw.splitlines(keepends=True)
    assert lines[-1] == DONE, lines[-1]
    return [line for line in lines if line.startswith(b'{"seq":')]


def log(client: Client, session: str) -> list[bytes]:
    return event_lines(client.get(session, "?follow=false"))


def listed(client: Client, session: str) -> dict[str, Any]:
    found = client.ask("GET", "/__litro/agent/open").json()["sessions"]
    return next(entry for entry in found if entry["session"] == session)


def ends(lines: list[bytes]) -> list[tuple[int, str]]:
    """The turns that have ended, each with how."""
    found = [event for event in events(lines) if event["kind"] == "turn-end"]
    return [(event["turn"], event["payload"]["status"]) for event in found]


def process_of(lines: list[bytes], turn: int) -> int:
    """The process that a turn has run in, as `process` tells it."""
    said = [e for e in events(lines) if e["turn"] == turn and e["kind"] == "text-delta"]
    return int(said[0]["payload"]["text"].removeprefix("process "))


def wait_until_ended(client: Client, session: str, turn: int) -> list[bytes]:
    """The session's events, once a turn of this number has ended."""
    found: list[list[bytes]] = []

    def ended() -> bool:
        found.append(log(client, session))
        return any(number == turn for number, _ in ends(found[-1]))

    wait_for(ended, f"turn {turn} has not ended")
    return found[-1]


def test_a_turn_is_followed_live_and_cancelled_from_the_other_server(
    servers: Servers, session: str, gate: str
):
    one, two = servers
    posted = one.post(session, f"say first; wait {gate}")
    posted.until("first")
    elsewhere = two.get(session)
    # It comes while the turn runs: the gate stays closed.
    elsewhere.until("first")
    busy = two.post(session, "say no")
    assert (*busy.told(), busy.headers["retry-after"]) == (409, "busy", "1")
    assert two.cancel(session).status == 202
    told = event_lines(posted)
    assert ends(told) == [(1, "cancelled")]
    assert event_lines(elsewhere) == told == log(one, session) == log(two, session)
    assert two.post(session, "say on").headers["litro-turn"] == "2"


def test_many_events_arrive_at_the_other_server_each_once_and_with_the_same_bytes(
    servers: Servers, session: str
):
    one, two = servers
    steps = "; ".join(f"say {n}; rest 0.002" for n in range(200))
    posted = one.post(session, steps)
    posted.until("turn-start")
    elsewhere = [two.get(session), two.get(session, "?from=2")]
    told = event_lines(posted)
    assert kinds(told).count("text-delta") == 200
    assert event_lines(elsewhere[0]) == told
    assert event_lines(elsewhere[1]) == told[1:]


def test_a_tool_that_runs_elsewhere_is_cancelled_and_the_next_one_never_starts(
    servers: Servers, session: str, gate: str
):
    one, two = servers
    # A thread that cannot be stopped: it is abandoned.
    posted = one.post(session, f'call hold {{"gate": "{gate}"}}')
    one.server.reached(gate)
    assert two.cancel(session).status == 202
    told = event_lines(posted)
    assert ends(told) == [(1, "cancelled")]
    assert [e["payload"]["type"] for e in events(told) if e["kind"] == "tool-error"] == [
        "cancelled"
    ]
    one.server.let(gate)
    assert log(two, session) == told


def test_a_message_that_the_other_server_queues_is_run_by_the_one_that_holds_the_session(
    servers: Servers, session: str, gate: str
):
    one, two = servers
    posted = one.post(session, f"wait {gate}")
    one.server.reached(gate)
    following = two.get(session)
    queued = say(two, session, "process", "queue")
    assert queued.status == 202
    answer = queued.json()["queued"]
    assert (answer["mode"], answer["turn"]) == ("queue", 1)
    waiting = two.ask("GET", f"/__litro/agent/open/{session}/queue").json()["queue"]
    assert [(m["id"], m["text"]) for m in waiting] == [(answer["id"], "process")]
    one.server.let(gate)
    posted.all()
    lines = wait_until_ended(two, session, 2)
    assert ends(lines) == [(1, "completed"), (2, "completed")]
    assert process_of(lines, 2) == one.server.process.pid
    following.all()
    assert two.ask("GET", f"/__litro/agent/open/{session}/queue").json() == {"queue": []}


def test_a_message_from_the_other_server_joins_the_turn_at_its_next_round(
    servers: Servers, session: str, gate: str
):
    one, two = servers
    posted = one.post(session, f'call linger {{"gate": "{gate}"}}')
    one.server.reached(gate)
    steered = say(two, session, "process", "steer")
    assert (steered.status, steered.json()["queued"]["mode"]) == (202, "steer")
    one.server.let(gate)
    told = event_lines(posted)
    assert ends(told) == [(1, "completed")]
    joined = [e for e in events(told) if e["kind"] == "message" and e["payload"]["role"] == "user"]
    assert [(e.get("round"), e["payload"]["text"]) for e in joined[1:]] == [(2, "process")]
    assert process_of(told, 1) == one.server.process.pid
    assert log(two, session) == told


def test_a_session_is_renamed_and_kept_from_deletion_while_a_turn_runs_elsewhere(
    servers: Servers, session: str, gate: str
):
    one, two = servers
    posted = one.post(session, f"say first; wait {gate}")
    posted.until("first")
    path = f"/__litro/agent/open/{session}"
    assert two.ask("DELETE", path).told() == (409, "busy")
    assert two.ask("PATCH", path, b'{"title": "Renamed"}').status == 200
    posted.until("Renamed")
    one.server.let(gate)
    assert ends(event_lines(posted)) == [(1, "completed")]
    # The lease is given back just after the turn's end was heard.
    wait_for(lambda: listed(two, session)["running"] is None, "it is still running")
    assert listed(one, session)["title"] == "Renamed"
    assert two.ask("DELETE", path).status == 204
    assert log(one, session) == []


def test_a_message_is_withdrawn_by_the_other_server(servers: Servers, session: str, gate: str):
    one, two = servers
    posted = one.post(session, f"wait {gate}")
    one.server.reached(gate)
    queued = say(one, session, "say never", "queue").json()["queued"]["id"]
    gone = two.ask("DELETE", f"/__litro/agent/open/{session}/queue/{queued}")
    assert (gone.status, gone.json()) == (200, {"withdrawn": True})
    one.server.let(gate)
    posted.all()
    assert two.post(session, "say on").headers["litro-turn"] == "2"
    lines = wait_until_ended(one, session, 2)
    assert b"never" not in b"".join(line for line in lines if b'"queued"' not in line)


def test_after_a_kill_the_turn_ends_as_interrupted_once_and_the_other_server_goes_on(
    mortals: Servers, session: str, gate: str
):
    one, two = mortals
    posted = one.post(session, f'say first; call linger {{"gate": "{gate}"}}')
    posted.until("tool-progress")
    heard = [line for line in posted.raw.splitlines(keepends=True) if line.startswith(b'{"seq":')]
    elsewhere = two.get(session)
    elsewhere.until("tool-progress")
    one.server.kill()
    elsewhere.all()
    wait_for(lambda: two.post(session, "say on").status == 200, "the next message is refused")
    lines = wait_until_ended(two, session, 2)
    assert lines[: len(heard)] == heard
    assert ends(lines) == [(1, "interrupted"), (2, "completed")]
    errors = [e for e in events(lines) if e["kind"] == "tool-error"]
    assert [(e["turn"], e["payload"]["type"]) for e in errors] == [(1, "interrupted")]
    assert [event["seq"] for event in events(lines)] == list(range(1, len(lines) + 1))


def test_a_turn_that_a_kill_cut_off_is_ended_with_no_new_message(
    mortals: Servers, session: str, gate: str
):
    one, two = mortals
    one.post(session, f"say first; wait {gate}").until("first")
    one.server.kill()
    assert ends(wait_until_ended(two, session, 1)) == [(1, "interrupted")]


def test_a_queued_message_does_not_need_the_server_that_took_it(
    mortals: Servers, session: str, gate: str
):
    one, two = mortals
    one.post(session, f"say first; wait {gate}").until("first")
    assert say(two, session, "process", "queue").status == 202
    two.server.kill()
    one.server.let(gate)
    lines = wait_until_ended(one, session, 2)
    assert ends(lines) == [(1, "completed"), (2, "completed")]
    assert process_of(lines, 2) == one.server.process.pid


@pytest.mark.parametrize("store", STORES)
def test_of_two_servers_that_survive_one_ends_the_turn_and_runs_its_queue(
    project: Path, store: str, session: str, gate: str
):
    sessions = [f"{session}{n}" for n in range(5)]
    with several_of(3, project, **short_lived(project, store)) as servers:
        one, *others = servers
        for name in sessions:
            one.post(name, f"say first; wait {gate}").until("first")
            assert say(others[0], name, "process", "queue").status == 202
        one.server.kill()
        for name in sessions:
            lines = wait_until_ended(others[1], name, 2)
            assert ends(lines) == [(1, "interrupted"), (2, "completed")]
            assert process_of(lines, 2) in [other.server.process.pid for other in others]


def test_a_server_that_slept_through_its_lease_shows_nobody_what_the_log_lacks(
    project: Path, session: str, gate: str
):
    with two_of(project, **short_lived(project, "postgres")) as (one, two):
        posted = one.post(session, f"say first; wait {gate}; say secret; say more")
        posted.until("first")
        one.server.signal(signal.SIGSTOP)
        assert ends(wait_until_ended(two, session, 1)) == [(1, "interrupted")]
        one.server.let(gate)
        one.server.signal(signal.SIGCONT)
        posted.all()
        told = [x for x in posted.raw.splitlines(keepends=True) if x.startswith(b'{"seq":')]
        lines = log(two, session)
        assert told == lines[: len(told)]
        assert b'"text":"secret"' not in b"".join(lines)
        # It goes on as one of two.
        assert one.post(session, "say on").headers["litro-turn"] == "2"
        assert ends(wait_until_ended(two, session, 2)) == [(1, "interrupted"), (2, "completed")]
        assert log(one, session) == log(two, session)


def test_what_waited_in_the_queue_of_a_server_that_died_runs_in_the_other(
    mortals: Servers, session: str, gate: str
):
    one, two = mortals
    one.post(session, f"say first; wait {gate}").until("first")
    assert say(one, session, "process", "queue").status == 202
    assert say(two, session, "process; say last", "queue").status == 202
    one.server.kill()
    lines = wait_until_ended(two, session, 3)
    assert ends(lines) == [(1, "interrupted"), (2, "completed"), (3, "completed")]
    assert process_of(lines, 2) == process_of(lines, 3) == two.server.process.pid
    assert b"last" in b"".join(line for line in lines if b'"turn":3' in line)


def test_a_message_repeated_to_the_other_server_is_the_same_message(
    servers: Servers, session: str, gate: str
):
    one, two = servers
    first = one.post(session, f"say first; wait {gate}", idempotency_key="k")
    first.until("first")
    again = two.post(session, f"say first; wait {gate}", idempotency_key="k")
    assert again.headers["litro-turn"] == "1"
    one.server.let(gate)
    assert event_lines(again) == event_lines(first)
