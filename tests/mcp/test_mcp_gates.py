"""The MCP route's gates as pure functions of a head: whatever the bytes, they answer."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro.gates import GatePolicy, Refusal, RequestHead
from litro.mcp.gates import McpPolicy, check, check_token, cors_headers

TEXT = st.text(st.characters(max_codepoint=255), max_size=40)
LOCAL = McpPolicy(gates=GatePolicy(loopback_only=True), is_local=True)
PUBLIC = McpPolicy(
    gates=GatePolicy(), token="s3cret", allowed_origins=("https://host.example", "http://a.b:81")
)


def head(method: str = "POST", **headers: str) -> RequestHead:
    return RequestHead(
        method=method,
        scheme="http",
        headers={"host": "localhost"} | headers,
    )


@given(
    policy=st.sampled_from([LOCAL, PUBLIC]),
    method=st.sampled_from(["POST", "OPTIONS", "GET"]),
    headers=st.dictionaries(
        st.sampled_from(["host", "origin", "authorization", "x-forwarded-host"]), TEXT
    ),
)
def test_any_head_is_let_through_or_refused_and_read_by_one_page_at_the_most(
    policy: McpPolicy, method: str, headers: dict[str, str]
):
    asked = head(method, **headers)
    refusal = check(asked, policy) or check_token(asked, policy)
    assert refusal is None or (isinstance(refusal, Refusal) and refusal.status in range(400, 422))
    told = dict(cors_headers(asked, policy))
    assert told[b"vary"] == b"Origin"
    origin = headers.get("origin", "")
    assert told.get(b"access-control-allow-origin", origin.encode("latin-1")) == origin.encode(
        "latin-1"
    )
    assert (b"access-control-allow-origin" in told) is policy.allows_origin(origin)


@given(sent=TEXT)
def test_only_the_token_itself_is_let_through(sent: str):
    asked = head(authorization=f"Bearer {sent}")
    assert (check_token(asked, PUBLIC) is None) is (sent.strip(" ") == "s3cret")


@given(sent=TEXT.filter(lambda text: len(text) > 12))
def test_what_was_sent_as_a_token_is_in_no_message(sent: str):
    refusal = check_token(head(authorization=f"Bearer {sent}"), PUBLIC)
    assert refusal is not None
    assert sent not in refusal.message


def test_a_token_of_other_letters_comes_as_utf8():
    policy = McpPolicy(gates=GatePolicy(), token="geheimnüß")
    sent = "Bearer geheimnüß".encode().decode("latin-1")
    assert check_token(head(authorization=sent), policy) is None
    assert check_token(head(authorization="Bearer geheimnüß"), policy) is not None


def test_a_public_route_without_a_list_takes_no_page():
    policy = McpPolicy(gates=GatePolicy(), token="s3cret")
    assert not any(map(policy.allows_origin, ("http://localhost", "https://a.example", "null", "")))


@pytest.mark.parametrize("entry", ["*", "https://*.example", "null", "https://a.example/"])
def test_what_is_no_exact_origin_stops_the_start(entry: str):
    with pytest.raises(ValueError, match=r"[Oo]rigin"):
        McpPolicy(gates=GatePolicy(), token="s3cret", allowed_origins=(entry,))


def test_the_token_is_in_no_repr():
    shown: Any = repr(PUBLIC)
    assert "s3cret" not in shown
