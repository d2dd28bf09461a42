"""What is on the wire: the bytes of the log, in two framings, from any position."""

import json

import pytest
from serving import Client
from wiretap import events, frames, kinds, seqs

SPEAK = (
    'think hm; say One ☀ \u2028; say two; call card {"city": "<Rome>"}; call echo {"text": "a\\nb"}'
)


def event_lines(lines: list[bytes]) -> bytes:
    return b"".join(line for line in lines if line.startswith(b'{"seq":'))


def test_post_and_get_answer_the_bytes_of_the_log(client: Client, session: str):
    posted = client.post(session, SPEAK).lines()
    gotten = client.get(session).lines()
    log = client.server.log(session)
    assert event_lines(posted) == event_lines(gotten) == event_lines(log)
    assert posted[-1] == gotten[-1] == b'{"done":true}\n'
    assert len(events(posted)) == len(posted) - 1
    assert kinds(posted)[-1] == "turn-end"


def test_events_are_numbered_from_one_without_gaps(client: Client, session: str):
    client.post(session, "say one").all()
    client.post(session, "say two").all()
    lines = client.get(session).lines()
    assert seqs(lines) == list(range(1, len(lines)))


def test_no_private_line_of_the_log_is_ever_sent(client: Client, session: str):
    posted = client.post(session, "say one").all()
    assert client.server.log(session)[0].startswith(b'{"litro":1')
    assert (
        b'"litro"' not in posted + client.get(session).all() + client.get(session, "?from=-1").all()
    )


def test_sse_frames_carry_the_same_lines_with_their_seq_as_id(client: Client, session: str):
    posted = frames(client.post(session, SPEAK, accept="text/event-stream").all())
    gotten = frames(client.get(session, accept="text/event-stream").all())
    log = [line.decode().rstrip("\n") for line in client.server.log(session)[1:]]
    assert posted == gotten
    assert [frame["data"] for frame in posted[:-1]] == log
    assert [int(frame["id"]) for frame in posted[:-1]] == list(range(1, len(log) + 1))
    assert not any("event" in frame for frame in posted[:-1])
    assert posted[-1] == {"event": "done", "data": '{"done":true}'}


@pytest.mark.parametrize(
    ("accept", "content_type"),
    [
        (None, "application/x-ndjson; charset=utf-8"),
        ("*/*", "application/x-ndjson; charset=utf-8"),
        ("text/event-stream", "text/event-stream; charset=utf-8"),
        ("TEXT/Event-Stream, */*;q=0.1", "text/event-stream; charset=utf-8"),
    ],
)
def test_accept_chooses_the_framing(
    client: Client, session: str, accept: str | None, content_type: str
):
    for response in (
        client.post(session, "say one", accept=accept),
        client.get(session, accept=accept),
        client.ask("HEAD", f"/__litro/agent/open/{session}", accept=accept),
    ):
        assert (response.status, response.headers["content-type"]) == (200, content_type)
        assert response.headers["cache-control"] == "no-store, no-transform"
        assert response.headers["x-accel-buffering"] == "no"
        response.all()


def test_a_post_names_its_turn_and_where_it_starts(client: Client, session: str):
    first = client.post(session, "say one")
    end = seqs(first.lines())[-1]
    second = client.post(session, "say two")
    assert (first.headers["litro-turn"], first.headers["litro-from"]) == ("1", "1")
    assert (second.headers["litro-turn"], second.headers["litro-from"]) == ("2", str(end + 1))
    assert seqs(second.lines())[0] == end + 1


def test_headers_a_byte_and_the_message_arrive_while_the_model_says_nothing(
    client: Client, session: str, gate: str
):
    response = client.post(session, f"wait {gate}; say at last")
    assert response.piece() == b"\n"
    assert kinds(response.until("turn-start")) == ["turn-start"]
    assert kinds(response.until('"role":"user"')) == ["message"]
    client.server.reached(gate)
    client.server.let(gate)
    assert "at last" in response.all().decode()


def test_an_sse_stream_opens_with_a_comment(client: Client, session: str):
    assert client.get(session, accept="text/event-stream").piece() == b":\n\n"


def test_a_get_from_the_middle_answers_the_rest(client: Client, session: str):
    log = client.post(session, SPEAK).lines()
    assert client.get(session, "?from=4").lines() == log[3:]


@pytest.mark.parametrize(("start", "index"), [(-1, -2), (-3, -4), (-999, 0), (0, 0), (1, 0)])
def test_a_position_counts_from_the_start_or_from_the_tail(
    client: Client, session: str, start: int, index: int
):
    log = client.post(session, "say one; say two").lines()
    assert client.get(session, f"?from={start}").lines() == log[index:]


def test_the_position_behind_the_tail_answers_nothing_yet(client: Client, session: str):
    tail = seqs(client.post(session, "say one").lines())[-1]
    assert client.get(session, f"?from={tail + 1}").lines() == [b'{"done":true}\n']


def test_a_position_beyond_that_is_416(client: Client, session: str):
    tail = seqs(client.post(session, "say one").lines())[-1]
    beyond = client.get(session, f"?from={tail + 2}")
    assert beyond.status == 416
    assert str(tail) in beyond.json()["message"]


@pytest.mark.parametrize(
    "query",
    [
        "from=",
        "from=x",
        "from=3abc",
        "from=1.9",
        "from=%2B1",
        "from=1e3",
        "from=" + "9" * 400,
        "from=%D9%A3",
        "from=%FF",
        "from=1&from=x",
        "follow=no",
        "follow=",
        "follow=True",
    ],
)
def test_a_query_that_is_not_understood_is_400(client: Client, session: str, query: str):
    assert client.get(session, f"?{query}").told()[0] == 400


def test_a_session_that_nobody_began_is_an_empty_log(client: Client, session: str):
    response = client.get(session)
    assert (response.status, response.lines()) == (200, [b'{"done":true}\n'])


def test_last_event_id_wins_over_the_url_and_resumes_behind_it(client: Client, session: str):
    whole = frames(client.post(session, SPEAK, accept="text/event-stream").all())
    resumed = client.get(session, "?from=1", accept="text/event-stream", last_event_id="5")
    assert frames(resumed.all()) == whole[5:]


def test_an_event_source_hears_a_running_turn_to_its_end_across_connections(
    client: Client, session: str, gate: str
):
    client.post(session, f"say one; wait {gate}; say two")
    first = client.get(session, accept="text/event-stream")
    heard = frames("".join(line.decode() for line in first.until("text-delta")).encode())
    client.server.let(gate)
    last = [frame["id"] for frame in frames(first.raw) if "id" in frame][-1]
    second = client.get(session, accept="text/event-stream", last_event_id=last)
    ids = [int(frame["id"]) for frame in frames(second.all()) if "id" in frame]
    log = events(client.server.log(session))
    assert ids == list(range(int(last) + 1, len(log) + 1))
    assert heard


def test_an_event_source_that_has_heard_everything_is_told_to_stop(client: Client, session: str):
    tail = seqs(client.post(session, "say one").lines())[-1]
    # While the turn gives its lease back, another one may be about to begin: an EventSource asks again.
    while (
        response := client.get(session, accept="text/event-stream", last_event_id=str(tail))
    ).status == 200:
        assert [frame["event"] for frame in frames(response.all())] == ["done"]
    assert (response.status, response.all()) == (204, b"")


def test_an_event_source_at_the_tail_of_a_running_turn_is_not_told_to_stop(
    client: Client, session: str, gate: str
):
    running = client.post(session, f"wait {gate}; say one")
    tail = seqs(running.until('"role":"user"'))[-1]
    response = client.get(session, accept="text/event-stream", last_event_id=str(tail))
    client.server.let(gate)
    assert response.status == 200
    assert frames(response.all())[-1]["event"] == "done"


@pytest.mark.parametrize("value", ["x", "1.5", "99999999999999999999", "1, 2"])
def test_a_last_event_id_that_we_never_gave_is_400(client: Client, session: str, value: str):
    client.post(session, "say one").all()
    assert client.get(session, last_event_id=value).told() == (400, "invalid-position")


def test_head_answers_what_get_would_without_a_body(client: Client, session: str):
    tail = seqs(client.post(session, "say one").lines())[-1]
    path = f"/__litro/agent/open/{session}"
    connection = client.connect()
    head = connection.ask("HEAD", path)
    assert (head.status, head.all()) == (200, b"")
    assert connection.ask("HEAD", f"{path}?from={tail + 2}").status == 416
    # The connection is still in step, so nothing of a body was sent.
    assert connection.ask("GET", path).lines()[-1] == b'{"done":true}\n'


def test_a_failed_turn_ends_the_stream_like_any_other(client: Client, session: str):
    lines = client.post(session, "say one; fail").lines()
    error, end = events(lines)[-2:]
    assert error["kind"] == "error"
    assert error["payload"]["type"] == "overloaded"
    assert "secret" not in str(error)
    assert end["payload"] == {"status": "failed"}
    assert lines[-1] == b'{"done":true}\n'


def test_silence_is_filled_with_blank_lines(many: Client, session: str, gate: str):
    response = many.at("/base").post(session, f'call linger {{"gate": "{gate}"}}')
    response.until("tool-progress")
    # Nothing happens in the session, so these are heartbeats.
    assert [response.piece() for _ in range(3)] == [b"\n"] * 3
    many.server.let(gate)
    assert kinds(response.lines())[-1] == "turn-end"


def test_heartbeats_keep_their_interval_through_a_long_silence(many: Client, session: str):
    response = many.post(session, "say one; rest 2; say two")
    response.until('"text":"one"')
    beats = 0
    while response.piece() == b"\n":
        beats += 1
    # 0.2 s of the server's own clock apart, of which a busy machine may lose some.
    assert beats >= 7


def test_silence_of_an_event_source_is_filled_with_comments(many: Client, session: str, gate: str):
    client = many.at("/one-turn")
    response = client.post(session, f"wait {gate}", accept="text/event-stream")
    response.until('"role":"user"')
    assert response.piece() == b":\n\n"
    many.server.let(gate)
    assert json.loads(frames(response.all())[-1]["data"]) == {"done": True}
