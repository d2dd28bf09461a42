"""What is said while a turn runs: refused, put into the queue, or joined to the turn."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from serving import Client
from wiretap import Response, events, kinds


@pytest.fixture
def running(client: Client, session: str, gate: str) -> Iterator[Response]:
    """A turn that runs until its gate is opened."""
    running = client.post(session, f"say one; wait {gate}")
    running.until("text-delta")
    yield running
    client.server.let(gate)
    running.lines()


def say(client: Client, session: str, on_busy: Any, text: str = "say two", **headers: str):
    body = json.dumps({"text": text, "on_busy": on_busy}).encode()
    return client.ask("POST", f"/__litro/agent/open/{session}", body, **headers)


def queue(client: Client, session: str) -> list[dict[str, Any]]:
    response = client.ask("GET", f"/__litro/agent/open/{session}/queue")
    assert response.status == 200
    return response.json()["queue"]


def withdraw(client: Client, session: str, message: str) -> bool:
    path = f"/__litro/agent/open/{session}/queue/{quote(message, safe='')}"
    response = client.ask("DELETE", path)
    assert response.status == 200
    return response.json()["withdrawn"]


@pytest.mark.usefixtures("running")
def test_a_message_that_may_not_wait_is_409(client: Client, session: str):
    assert say(client, session, "reject").told() == (409, "busy")
    assert client.post(session, "say two").told() == (409, "busy")
    assert queue(client, session) == []


@pytest.mark.parametrize("on_busy", ["reject", "queue", "steer"])
def test_to_an_idle_session_every_message_starts_a_turn(client: Client, session: str, on_busy: str):
    answer = say(client, session, on_busy)
    assert answer.status == 200
    assert kinds(answer.lines())[-1] == "turn-end"


@pytest.mark.parametrize("on_busy", ["wait", "", None, 7, ["queue"]])
def test_another_on_busy_is_400(client: Client, session: str, on_busy: Any):
    assert say(client, session, on_busy).told() == (400, "invalid-body")


def test_a_message_that_waits_is_202_and_listed_and_is_answered_next(
    client: Client, session: str, gate: str, running: Response
):
    answer = say(client, session, "queue", idempotency_key="m 1/u")
    assert answer.status == 202
    assert answer.json() == {"queued": {"id": "m 1/u", "mode": "queue", "turn": 1}}
    assert queue(client, session) == [{"id": "m 1/u", "text": "say two", "mode": "queue"}]
    start = answer.headers["litro-from"]
    client.server.let(gate)
    running.lines()
    told = say(client, session, "queue", idempotency_key="m 1/u")
    while told.status == 202:
        told = say(client, session, "queue", idempotency_key="m 1/u")
    assert told.headers["litro-turn"] == "2"
    lines = told.lines()
    assert kinds(lines)[-1] == "turn-end"
    assert queue(client, session) == []
    behind = client.get(session, f"?from={start}").lines()
    assert behind[-len(lines) :] == lines
    assert kinds(behind)[0] != "message"


@pytest.mark.usefixtures("running")
def test_a_repeat_waits_once_and_with_another_text_is_refused(client: Client, session: str):
    first = say(client, session, "queue", idempotency_key="m1").json()
    assert say(client, session, "queue", idempotency_key="m1").json() == first
    assert len(queue(client, session)) == 1
    other = say(client, session, "queue", "say three", idempotency_key="m1")
    assert other.told() == (422, "message-reused")
    withdraw(client, session, "m1")


def test_a_message_that_is_withdrawn_never_starts(
    client: Client, session: str, gate: str, running: Response
):
    for key in ("m/1", "m2"):
        assert say(client, session, "queue", f"say {key}", idempotency_key=key).status == 202
    assert withdraw(client, session, "m/1")
    assert not withdraw(client, session, "never")
    assert [told["id"] for told in queue(client, session)] == ["m2"]
    client.server.let(gate)
    running.lines()
    told = say(client, session, "queue", "say m2", idempotency_key="m2")
    while told.status == 202:
        told = say(client, session, "queue", "say m2", idempotency_key="m2")
    told.lines()
    log = events(client.get(session).lines())
    started = [event["payload"]["message"] for event in log if event["kind"] == "turn-start"]
    assert started[1:] == ["m2"]
    assert say(client, session, "queue", "say m/1", idempotency_key="m/1").status == 422


def test_a_message_that_steers_joins_the_running_turn(client: Client, session: str, gate: str):
    running = client.post(session, f'call hold {{"gate": "{gate}"}}')
    running.until("tool-start")
    answer = say(client, session, "steer", idempotency_key="m1")
    assert answer.json() == {"queued": {"id": "m1", "mode": "steer", "turn": 1}}
    client.server.let(gate)
    log = events(running.lines())
    (joined,) = [event for event in log if event["kind"] == "message" and "round" in event][:1]
    assert joined["payload"]["id"] == "m1"
    assert log[-1]["kind"] == "turn-end"


def test_an_unknown_session_has_no_queue(client: Client, session: str):
    assert queue(client, session) == []
    assert not withdraw(client, session, "m1")
