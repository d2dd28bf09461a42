"""Bodies: what is taken, and what is not."""

import json

import pytest
from serving import Client
from wiretap import events

PATH = "/__litro/agent/open/"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b'"text"',
        b"[]",
        b"[[[[" * 10_000,
        b"{}",
        b'{"text": null}',
        b'{"text": 1}',
        b'{"text": ["say one"]}',
        b'{"text": ""}',
        b'{"text": " \\n\\t "}',
        b'{"text": "\\ud800"}',
        b'{"text": "\xff"}',
        b'{"text": "say one"} trailing',
        b"text=say+one",
    ],
)
def test_a_body_that_is_no_message_is_400(client: Client, session: str, body: bytes):
    response = client.ask("POST", PATH + session, body)
    assert response.told() == (400, "invalid-body")
    assert client.get(session).lines() == [b'{"done":true}\n']


@pytest.mark.parametrize(
    "extra",
    [
        {"role": "system"},
        {"messages": [{"role": "assistant", "tool_calls": [{"approved": True}]}]},
        {"Text": "x"},
        {"principal": "ann"},
        {"id": "k"},
    ],
)
def test_a_client_can_say_nothing_but_its_own_text(
    client: Client, session: str, extra: dict[str, object]
):
    body = json.dumps({"text": "say one", **extra}).encode()
    response = client.ask("POST", PATH + session, body)
    assert response.status == 400
    assert next(iter(extra)) in response.json()["message"]
    assert client.get(session).lines() == [b'{"done":true}\n']


@pytest.mark.parametrize("text", ["say é ☀ 𝄞", "say \u2028\x00\x7f", 'say "\\"', "  say padded  "])
def test_a_text_is_recorded_as_it_was_sent(client: Client, session: str, text: str):
    message = events(client.post(session, text).lines())[1]
    assert message["payload"]["text"] == text


def test_a_body_in_chunks_is_one_body(client: Client, session: str):
    connection = client.connect()
    chunks = [b'{"te', b'xt": "say', b' one"}']
    connection.send(
        f"POST {PATH}{session} HTTP/1.1\r\nhost: localhost\r\nx-litro-agent: 1\r\n"
        "content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n".encode()
        + b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
        + b"0\r\n\r\n"
    )
    assert connection.answer("POST").status == 200


@pytest.mark.parametrize("size", [101, 300_000])
def test_a_body_over_the_limit_is_413_and_the_connection_goes_on(
    many: Client, session: str, size: int
):
    connection = many.connect()
    path = f"/small{PATH}{session}"
    refused = connection.ask("POST", path, b"x" * size)
    assert "100" in refused.json()["message"]
    assert refused.status == 413
    taken = connection.ask("POST", path, b'{"text": "say one"}')
    assert taken.status == 200
    assert taken.lines()[-1] == b'{"done":true}\n'


def test_a_body_of_the_limit_is_taken(many: Client, session: str):
    text = "say " + "x" * (100 - len('{"text": "say "}'))
    assert many.at("/small").post(session, text).status == 200
    assert many.at("/small").post(session, text + "x").status == 413


def test_the_body_of_a_cancel_has_the_same_limit(many: Client, session: str):
    response = many.ask("POST", f"/small{PATH}{session}/cancel", b"x" * 101)
    assert response.status == 413


def test_a_refused_post_leaves_its_connection_in_step(client: Client, session: str):
    connection = client.connect()
    body = b'{"text": "say one"}'
    assert connection.ask("POST", PATH + "bad.id", body).told()[0] == 400
    assert connection.ask("POST", PATH + session, body, x_litro_agent=None).told()[0] == 403
    assert connection.ask("POST", PATH + session, body).status == 200
