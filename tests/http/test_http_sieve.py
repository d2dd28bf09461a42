"""What is left of a log without deltas, wherever its blocks are cut and wherever it ends."""

from collections.abc import AsyncIterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro.events import Event
from litro.http.sieve import Sieve, at_most
from litro.wire import encode_event, events_of

Told = tuple[str, int, int | None]


def log(*told: Told) -> list[bytes]:
    """Lines of (kind, turn, round); `said` is the model's message, `joined` a person's within the round."""
    lines: list[bytes] = []
    for seq, (kind, turn, number) in enumerate(told, 1):
        payload: dict[str, str] = {"text": f'"kind":"message" {seq}'}
        if kind in {"said", "joined"}:
            payload |= {"role": "assistant" if kind == "said" else "user", "id": str(seq)}
            kind = "message"  # noqa: PLW2901 - the word for it in the log
        lines.append(
            encode_event(Event(kind=kind, payload=payload, turn=turn, round=number), seq, 0)
        )
    return lines


def seqs(
    lines: list[bytes], *, cuts: list[int] | None = None, tail: int | None = None
) -> list[int]:
    """The seqs that are left, the lines in blocks of these sizes."""
    sieve = Sieve(len(lines) if tail is None else tail)
    out, rest = b"", lines
    for size in cuts or []:
        if rest[:size]:
            out += sieve.feed(b"".join(rest[:size]))
            rest = rest[size:]
    if rest:
        out += sieve.feed(b"".join(rest))
    return [event.seq for event in events_of(out + sieve.end())]


def delta(turn: int, number: int) -> Told:
    return ("text-delta", turn, number)


TWO_ROUNDS: list[Told] = [
    ("turn-start", 1, None),
    ("joined", 1, None),
    ("reasoning-delta", 1, 1),
    delta(1, 1),
    ("title", 1, None),
    delta(1, 1),
    ("said", 1, 1),
    ("joined", 1, 2),
    delta(1, 2),
    ("said", 1, 2),
    ("turn-end", 1, None),
]


@given(cuts=st.lists(st.integers(1, 5)))
def test_a_round_that_has_its_message_loses_its_text_deltas_wherever_the_blocks_are_cut(
    cuts: list[int],
):
    assert seqs(log(*TWO_ROUNDS), cuts=cuts) == [1, 2, 3, 5, 7, 8, 10, 11]


@given(cuts=st.lists(st.integers(1, 5)))
def test_a_round_that_was_cut_off_keeps_all_of_its_deltas(cuts: list[int]):
    lines = log(delta(1, 1), delta(1, 1), ("turn-end", 1, None), delta(2, 1), ("said", 2, 1))
    assert seqs(lines, cuts=cuts) == [1, 2, 3, 5]


@pytest.mark.parametrize("tail", range(10))
def test_what_comes_behind_the_replay_keeps_its_deltas_live(tail: int):
    lines = log(*TWO_ROUNDS)
    one_by_one = [1] * len(lines)
    left = seqs(lines, cuts=one_by_one, tail=tail)
    assert set(range(tail + 1, 12)) <= set(left)
    assert left == sorted(left)


def test_deltas_of_a_round_in_flight_are_sent_as_soon_as_the_replay_ends():
    lines = log(("turn-start", 1, None), delta(1, 1), delta(1, 1), delta(1, 1))
    sieve = Sieve(3)
    assert sieve.feed(b"".join(lines[:2])) == lines[0]
    assert sieve.feed(lines[2]) == lines[1] + lines[2]
    assert sieve.feed(lines[3]) == lines[3]


def test_a_person_s_message_that_joins_a_round_is_not_the_round_s():
    lines = log(delta(1, 1), ("joined", 1, 1), delta(1, 1))
    assert seqs(lines) == [1, 2, 3]


@given(
    kinds=st.lists(
        st.tuples(
            st.sampled_from(["text-delta", "said", "joined", "queued", "turn-end", "usage"]),
            st.integers(1, 2),
            st.integers(1, 2),
        )
    ),
    cuts=st.lists(st.integers(1, 4)),
    tail=st.integers(0, 30),
)
def test_only_deltas_are_ever_left_out_and_order_is_kept(
    kinds: list[Told], cuts: list[int], tail: int
):
    left = seqs(log(*kinds), cuts=cuts, tail=tail)
    assert left == sorted(set(left))
    others = {seq for seq, (kind, _, _) in enumerate(kinds, 1) if kind != "text-delta"}
    assert others <= set(left)


@given(sizes=st.lists(st.integers(1, 5)), limit=st.integers(1, 12))
async def test_a_limit_ends_the_stream_with_its_last_event_and_closes_what_it_reads(
    sizes: list[int], limit: int
):
    closed: list[bool] = []
    lines = log(*[delta(1, 1)] * sum(sizes))

    async def blocks() -> AsyncIterator[bytes]:
        try:
            at = 0
            for size in sizes:
                yield b"".join(lines[at : at + size])
                at += size
        finally:
            closed.append(True)

    out = [line async for block in at_most(blocks(), limit) for line in events_of(block)]
    assert [event.seq for event in out] == list(range(1, min(limit, len(lines)) + 1))
    assert closed == [True]
