"""Turns over HTTP: they belong to the session, one at a time, and every client hears them to the end."""

import pytest
from serving import Client
from wiretap import events, kinds, seqs

ENDED = [b'{"done":true}\n']


def statuses(lines: list[bytes]) -> list[str]:
    return [event["payload"]["status"] for event in events(lines) if event["kind"] == "turn-end"]


def outcomes(lines: list[bytes]) -> dict[str, str]:
    """How each call ended."""
    return {
        event["call"]: event["payload"]["type"] if event["kind"] == "tool-error" else event["kind"]
        for event in events(lines)
        if event["kind"] in {"tool-error", "tool-result", "ui"}
    }


def test_a_get_from_the_start_follows_the_second_turn_to_its_end(
    client: Client, session: str, gate: str
):
    client.post(session, "say one").all()
    client.post(session, f"wait {gate}; say two")
    client.server.reached(gate)
    following = client.get(session, "?from=0")
    before = following.until("wait")
    client.server.let(gate)
    lines = before + following.lines()
    assert statuses(lines) == ["completed", "completed"]
    assert seqs(lines) == seqs(client.server.log(session))
    assert lines[-1:] == ENDED


def test_a_get_that_does_not_follow_ends_in_the_middle_of_a_turn(
    client: Client, session: str, gate: str
):
    client.post(session, f"wait {gate}").until('"role":"user"')
    assert client.get(session, "?follow=false").lines()[2:] == ENDED
    client.server.let(gate)


def test_a_second_message_is_refused_while_a_turn_runs(client: Client, session: str, gate: str):
    client.post(session, "say one").all()
    running = client.post(session, f"wait {gate}")
    refused = client.post(session, "say three")
    assert (refused.status, refused.headers["retry-after"]) == (409, "1")
    told = refused.json()
    assert (told["type"], told["turn"]) == ("busy", 2)
    client.server.let(gate)
    running.all()
    assert client.post(session, "say four").headers["litro-turn"] == "3"


def test_a_message_right_after_the_end_of_a_turn_is_taken(client: Client, session: str):
    connection = client.connect()
    path = f"/__litro/agent/open/{session}"
    for turn in range(1, 31):
        response = connection.ask("POST", path, b'{"text": "say one"}')
        assert (response.status, response.headers.get("litro-turn")) == (200, str(turn))
        response.until("turn-end")
        response.all()


def test_of_many_messages_at_once_one_starts_a_turn(client: Client, session: str, gate: str):
    posts = [client.post(session, f"wait {gate}") for _ in range(4)]
    client.server.let(gate)
    assert sorted(post.status for post in posts) == [200, 409, 409, 409]
    for post in posts:
        post.all()
    assert kinds(client.server.log(session)).count("turn-start") == 1


@pytest.mark.parametrize("leave", ["close", "reset"])
def test_a_client_that_leaves_does_not_stop_the_turn(
    client: Client, session: str, gate: str, leave: str
):
    connection = client.connect()
    path, body = f"/__litro/agent/open/{session}", f'{{"text": "say one; wait {gate}; say two"}}'
    connection.ask("POST", path, body.encode()).until("text-delta")
    getattr(connection, leave)()
    following = client.get(session)
    following.until("text-delta")
    client.server.let(gate)
    assert statuses(following.lines()) == ["completed"]


def test_a_client_that_leaves_before_the_answer_has_started_its_turn(
    client: Client, session: str, gate: str
):
    connection = client.connect()
    body = f'{{"text": "wait {gate}; say one"}}'.encode()
    connection.send(
        f"POST /__litro/agent/open/{session} HTTP/1.1\r\nhost: localhost\r\nx-litro-agent: 1\r\n"
        f"content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode()
        + body
    )
    client.server.reached(gate)
    connection.reset()
    following = client.get(session)
    client.server.let(gate)
    assert statuses(following.lines()) == ["completed"]


def test_a_body_that_breaks_off_starts_no_turn(client: Client, session: str):
    connection = client.connect()
    chunk = b'{"text": "say one"}'
    connection.send(
        f"POST /__litro/agent/open/{session} HTTP/1.1\r\nhost: localhost\r\nx-litro-agent: 1\r\n"
        f"content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{len(chunk):x}\r\n".encode()
        + chunk
        + b"\r\n"
    )
    # It is whole JSON, but its end never came. What else the server answers tells that it has read it.
    assert client.get(session).lines() == ENDED
    connection.reset()
    assert client.get(session).lines() == ENDED
    assert client.post(session, "say two").headers["litro-turn"] == "1"


def test_many_clients_hear_one_turn_alike(client: Client, session: str, gate: str):
    posted = client.post(session, f"say one; wait {gate}; say two")
    client.server.reached(gate)
    readers = [client.get(session) for _ in range(5)]
    client.server.let(gate)
    whole = posted.lines()
    assert all(reader.lines() == whole for reader in readers)


# --- the same message twice


def test_a_key_repeated_while_its_turn_runs_answers_the_same_events(
    client: Client, session: str, gate: str
):
    first = client.post(session, f"say one; wait {gate}", idempotency_key="k 1!")
    client.server.reached(gate)
    again = client.post(session, f"say one; wait {gate}", idempotency_key="k 1!")
    assert again.headers["litro-turn"] == "1"
    client.server.let(gate)
    assert again.lines() == first.lines()
    assert kinds(client.server.log(session)).count("turn-start") == 1


def test_a_key_repeated_after_other_turns_answers_its_own_turn_alone(client: Client, session: str):
    client.post(session, "say zero").all()
    first = client.post(session, "say one", idempotency_key="k")
    lines = first.lines()
    client.post(session, "say two").all()
    again = client.post(session, "say one", idempotency_key="k")
    assert again.headers["litro-from"] == first.headers["litro-from"]
    assert again.lines() == lines


def test_a_key_is_the_id_of_its_message(client: Client, session: str):
    start, message = events(client.post(session, "say one", idempotency_key="k").lines())[:2]
    assert start["payload"]["message"] == message["payload"]["id"] == "k"


def test_a_key_with_another_text_is_422(client: Client, session: str):
    client.post(session, "say one", idempotency_key="k").all()
    assert client.post(session, "say two", idempotency_key="k").told() == (422, "message-reused")
    assert client.post(session, "say two", idempotency_key="l").status == 200


@pytest.mark.parametrize("key", ["", "k" * 201, "a\tb", "h\u00e9"])
def test_a_key_that_is_none_is_400(client: Client, session: str, key: str):
    told = client.post(session, "say one", idempotency_key=key).told()
    assert told == (400, "invalid-idempotency-key")
    assert client.get(session).lines() == ENDED


def test_a_key_of_200_characters_is_one(client: Client, session: str):
    assert client.post(session, "say one", idempotency_key="~" * 200).status == 200


def test_one_key_in_two_sessions_is_two_messages(client: Client, session: str):
    assert client.post(session, "say one", idempotency_key="k").headers["litro-turn"] == "1"
    other = client.post(f"{session}2", "say two", idempotency_key="k")
    assert "two" in other.all().decode()


def test_a_key_is_looked_up_before_turns_are_counted(many: Client, session: str, gate: str):
    client = many.at("/one-turn")
    client.post(session, "say one", idempotency_key="k").all()
    running = client.post(f"{session}2", f"wait {gate}", idempotency_key="l")
    full = client.post(f"{session}3", "say three")
    again = client.post(session, "say one", idempotency_key="k")
    repeated = client.post(f"{session}2", f"wait {gate}", idempotency_key="l")
    many.server.let(gate)
    assert (again.status, repeated.status) == (200, 200)
    assert full.headers["retry-after"] == "1"
    assert full.told() == (503, "too-many-turns")
    assert repeated.lines() == running.lines()
    assert client.post(f"{session}3", "say three").status == 200


# --- cancelling


def test_a_cancelled_turn_says_so(client: Client, session: str, gate: str):
    running = client.post(session, f"say one; wait {gate}")
    client.server.reached(gate)
    cancelled = client.cancel(session)
    assert (cancelled.status, cancelled.json()) == (202, {"cancelling": True})
    lines = running.lines()
    assert statuses(lines) == ["cancelled"]
    assert lines[-1:] == ENDED


def test_cancelling_where_nothing_runs_changes_nothing(client: Client, session: str):
    assert client.cancel(session).status == 200
    assert client.get(session).lines() == ENDED
    client.post(session, "say one").all()
    cancelled = client.cancel(session)
    assert (cancelled.status, cancelled.json()) == (200, {"cancelling": False})
    assert statuses(client.get(session).lines()) == ["completed"]


def test_a_cancel_may_have_a_body(client: Client, session: str):
    path = f"/__litro/agent/open/{session}/cancel"
    assert client.ask("POST", path, b"{}").status == 200
    assert client.ask("POST", path, b"not json").status == 200


def test_a_tool_that_blocks_does_not_delay_a_cancel(client: Client, session: str, gate: str):
    running = client.post(session, f'call hold {{"gate": "{gate}"}}')
    client.server.reached(gate)
    client.cancel(session)
    # The gate is still shut, so the tool still blocks its thread.
    lines = running.lines()
    client.server.let(gate)
    assert statuses(lines) == ["cancelled"]
    assert outcomes(lines) == {"t1c1": "cancelled"}


def test_calls_that_had_not_begun_never_do(client: Client, session: str, gate: str):
    hold = f'call hold {{"gate": "{gate}"}}'
    running = client.post(session, "; ".join([hold] * 10))
    client.server.reached(gate)
    client.cancel(session)
    lines = running.lines()
    client.server.let(gate)
    assert kinds(lines).count("tool-start") == 8
    assert [*outcomes(lines).values()] == ["cancelled"] * 8 + ["not-started"] * 2


def test_after_a_cancel_the_session_goes_on(client: Client, session: str, gate: str):
    running = client.post(session, f'call hold {{"gate": "{gate}"}}')
    client.server.reached(gate)
    client.cancel(session)
    running.all()
    client.server.let(gate)
    assert statuses(client.post(session, "say on").lines()) == ["completed"]


def test_a_cancelled_turn_is_not_cancelled_twice(client: Client, session: str, gate: str):
    running = client.post(session, f"wait {gate}")
    client.server.reached(gate)
    answers = [client.cancel(session).status for _ in range(3)]
    assert set(answers) <= {200, 202}
    assert statuses(running.lines()) == ["cancelled"]
