"""Notifications of the Postgres store: ids alone, below the server's limit, and nothing that others send confuses it."""

from hypothesis import given
from hypothesis import strategies as st

from litro.sessions.base import SessionKey
from litro.sessions.postgres.notices import PAYLOAD, Notices, parse

SIDS = st.integers(min_value=1, max_value=2**63 - 1)


@given(st.lists(SIDS, max_size=2000))
def test_every_session_of_a_batch_is_named_once_in_payloads_that_fit(sids: list[int]):
    notice = Notices("litro_x", 1).of_sessions(sids)
    assert all(len(payload) <= PAYLOAD < 8000 for payload in notice.payloads)
    found = [sid for payload in notice.payloads for sid in parse(payload)[0]]
    assert found == sids


def test_the_largest_ids_of_a_batch_of_a_thousand_take_three_payloads():
    assert len(Notices("litro_x", 1).of_sessions([2**63 - 1] * 1000).payloads) == 3


def test_mail_is_named_by_its_session():
    notice = Notices("litro_x", 1).of_mail(SessionKey("a" * 200, "s" * 200))
    assert [parse(payload) for payload in notice.payloads] == [
        ((), SessionKey("a" * 200, "s" * 200))
    ]


@given(st.text())
def test_whatever_somebody_notifies_is_no_error(payload: str):
    sids, _ = parse(payload)
    assert all(sid >= 0 for sid in sids)
