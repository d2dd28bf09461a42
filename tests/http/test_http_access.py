"""Who may call, and whose session it is."""

import json
from collections.abc import Iterator

import pytest
from serving import Client
from starlette.exceptions import HTTPException
from wiretap import Response, events, kinds

from litro import AgentError
from litro.http.answers import of_error

GUARDED = ["guarded", "guarded_sync"]
ENDED = [b'{"done":true}\n']


def each_verb(client: Client, session: str, agent: str, **headers: str) -> Iterator[Response]:
    path = f"/__litro/agent/{agent}/{session}"
    yield client.get(session, agent=agent, **headers)
    yield client.get(session, agent=agent, accept="text/event-stream", **headers)
    yield client.ask("HEAD", path, **headers)
    yield client.post(session, "say stolen", agent=agent, **headers)
    yield client.post(session, "say mine", agent=agent, idempotency_key="k", **headers)
    yield client.cancel(session, agent=agent, **headers)


@pytest.mark.parametrize("agent", GUARDED)
def test_a_guards_refusal_passes_through_on_every_verb(client: Client, session: str, agent: str):
    for response in each_verb(client, session, agent, x_as="refused"):
        assert (response.status, response.headers["www-authenticate"]) == (401, "Bearer")
        told = response.all()
        assert not told or b"Sign in first." in told


@pytest.mark.parametrize("agent", GUARDED)
def test_an_agent_error_of_a_guard_is_told_verbatim(client: Client, session: str, agent: str):
    response = client.get(session, agent=agent, x_as="agent-error")
    assert (response.status, response.json()["message"]) == (402, "The trial has ended.")


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (HTTPException(403, {"code": 7}), "{'code': 7}"),  # pyright: ignore[reportArgumentType]
        (HTTPException(403, "half \ud800"), "half \ufffd"),
        (AgentError("half \ud800", status=403), "half \ufffd"),
    ],
)
def test_whatever_a_guard_says_the_refusal_has_one_shape(raised: Exception, message: str):
    answer = of_error(raised, development=False)
    told = {"type": "refused", "message": message, "status": 403}
    assert (answer.status, json.loads(answer.body)) == (403, told)


@pytest.mark.parametrize("agent", GUARDED)
@pytest.mark.parametrize("answer", ["crash", "number", "no-id", "empty"])
def test_a_guard_that_fails_lets_nobody_in_and_leaks_nothing(
    client: Client, session: str, agent: str, answer: str
):
    response = client.post(session, "say one", agent=agent, x_as=answer)
    told = response.json()
    assert (response.status, told["type"]) == (500, "internal")
    assert "secret" not in str(told)
    assert "42" not in told["message"].partition("(ref")[0]
    # The operator finds the rest under the reference.
    client.server.said(rf"The request failed \(ref {told['ref']}\)")
    assert client.get(session, agent=agent).lines() == ENDED


@pytest.mark.parametrize("agent", GUARDED)
@pytest.mark.parametrize("who", ["name:ann", "mapping:ann"])
def test_a_principal_is_on_record_by_its_id(client: Client, session: str, agent: str, who: str):
    start = events(client.post(session, "say one", agent=agent, x_as=who).lines())[0]
    assert start["payload"]["by"] == "ann"
    assert b'"owner":"ann"' in client.server.log(session, agent)[0]


def test_a_mapping_and_a_string_with_its_id_are_one_principal(client: Client, session: str):
    client.post(session, "say one", agent="guarded", x_as="name:ann").all()
    assert client.get(session, agent="guarded", x_as="mapping:ann").status == 200


@pytest.mark.parametrize(
    ("owner", "other"),
    [
        ("name:ann", "name:bob"),
        ("name:ann", "nobody"),
        ("nobody", "name:ann"),
        ("name:ann", "name:Ann"),
    ],
)
def test_another_principals_session_is_404_on_every_verb(
    client: Client, session: str, owner: str, other: str
):
    client.post(session, "say mine", agent="guarded", x_as=owner, idempotency_key="k").all()
    before = client.server.log(session, "guarded")
    for response in each_verb(client, session, "guarded", x_as=other):
        assert response.status == 404
        assert b"mine" not in response.all()
    assert client.server.log(session, "guarded") == before


def test_another_principal_cannot_cancel_a_running_turn(client: Client, session: str, gate: str):
    running = client.post(session, f"wait {gate}; say mine", agent="guarded", x_as="name:ann")
    client.server.reached(gate)
    for response in each_verb(client, session, "guarded", x_as="name:bob"):
        assert response.status == 404
    client.server.let(gate)
    assert events(running.lines())[-1]["payload"] == {"status": "completed"}


def test_nobody_in_particular_shares_with_nobody_in_particular(client: Client, session: str):
    client.post(session, "say one", agent="guarded").all()
    assert len(kinds(client.get(session, agent="guarded").lines())) > 2


def test_two_agents_with_one_session_id_have_two_logs(client: Client, session: str):
    client.post(session, "say of the first").all()
    assert client.get(session, agent="other").lines() == ENDED
    second = client.post(session, "say of the second", agent="other")
    assert second.headers["litro-turn"] == "1"
    second.all()
    assert b"second" not in client.get(session).all()
    assert b"first" not in client.get(session, agent="other").all()


def test_a_guards_refusal_comes_before_anything_of_the_session_is_told(
    client: Client, session: str
):
    client.post(session, "say one", agent="guarded", x_as="name:ann").all()
    assert client.get(session, "?from=999", agent="guarded", x_as="refused").status == 401
    assert client.get(session, "?from=999", agent="guarded", x_as="name:bob").status == 404
