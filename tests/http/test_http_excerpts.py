"""Parts of a session's log: `limit`, and without the text deltas, which a message repeats."""

import pytest
from serving import Client
from wiretap import events, frames, kinds, seqs


def test_a_limit_ends_the_stream_with_done_and_the_next_seq_goes_on(client: Client, session: str):
    client.post(session, "say one; think two; say three").lines()
    whole = client.get(session).lines()
    found: list[bytes] = []
    while lines := client.get(session, f"?limit=3&from={len(found) + 1}").lines()[:-1]:
        assert len(lines) <= 3
        found += lines
    assert found == whole[:-1]
    assert client.get(session, "?limit=3").lines() == [*whole[:3], b'{"done":true}\n']
    assert client.get(session, "?limit=2&from=-3").lines() == [*whole[-4:-2], whole[-1]]


def test_a_limit_ends_a_stream_that_follows_while_the_turn_runs(
    client: Client, session: str, gate: str
):
    running = client.post(session, f"say one; wait {gate}; say two")
    running.until("text-delta")
    assert seqs(client.get(session, "?limit=2").lines()) == [1, 2]
    following = client.get(session, "?limit=4")
    following.until("text-delta")
    client.server.let(gate)
    assert seqs(following.lines()) == [4]
    running.lines()


@pytest.mark.parametrize("limit", ["0", "-1", "x", "", "1.5", "9" * 20])
def test_a_limit_that_is_none_is_400(client: Client, session: str, limit: str):
    assert client.get(session, f"?limit={limit}").told() == (400, "invalid-limit")


@pytest.mark.parametrize("deltas", ["", "no", "0", "TRUE"])
def test_what_is_neither_true_nor_false_is_400(client: Client, session: str, deltas: str):
    assert client.get(session, f"?deltas={deltas}").told() == (400, "invalid-deltas")


def test_a_replay_without_deltas_has_everything_else_byte_for_byte(client: Client, session: str):
    client.post(session, 'say one; think two; call echo {"text": "x"}').lines()
    client.post(session, "say three; say four").lines()
    whole = client.get(session).lines()
    left = [line for line in whole if kinds([line]) != ["text-delta"]]
    assert len(left) < len(whole)
    assert "reasoning-delta" in kinds(left)
    assert client.get(session, "?deltas=false").lines() == left
    assert client.get(session, "?deltas=false&follow=false&limit=5").lines() == [
        *left[:5],
        whole[-1],
    ]
    told = frames(client.get(session, "?deltas=false", accept="text/event-stream").all())
    assert [frame["data"] for frame in told if "id" in frame] == [
        line.decode().rstrip() for line in left[:-1]
    ]


def test_the_round_in_flight_keeps_its_deltas_and_rounds_before_it_do_not(
    client: Client, session: str, gate: str
):
    client.post(session, "say zero").lines()
    running = client.post(session, f"say one; wait {gate}; say two")
    running.until("text-delta")
    following = client.get(session, "?deltas=false")
    first = events(following.until("text-delta"))
    client.server.let(gate)
    rest = events(following.lines())
    running.lines()
    said = [e["payload"]["text"] for e in [*first, *rest] if e["kind"] == "text-delta"]
    assert "".join(said) == "onetwo"
    later = kinds(client.get(session, "?deltas=false").lines())
    assert "text-delta" not in later


def test_a_message_far_behind_its_deltas_leaves_them_out_too(client: Client, session: str):
    client.post(session, "flood 60").lines()
    assert len(client.get(session).all()) > 1_000_000
    told = kinds(client.get(session, "?deltas=false").lines())
    assert told == ["turn-start", "message", "message", "turn-end"]


def test_a_turn_that_was_cut_off_keeps_the_deltas_that_are_all_there_is_of_it(
    client: Client, session: str, gate: str
):
    running = client.post(session, f"say one; wait {gate}")
    running.until("text-delta")
    client.cancel(session)
    running.lines()
    told = kinds(client.get(session, "?deltas=false").lines())
    assert told == ["turn-start", "message", "text-delta", "turn-end"]
