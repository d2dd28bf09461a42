from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litro.errors import PROVIDER_SENTENCES
from litro.providers.failures import failure_in_stream, failure_of_answer

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def failure(status: int, body: bytes = b"", **headers: str):
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return failure_of_answer(status, fields, body, server="h", now=NOW)


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (301, "refused", False),
        (400, "refused", False),
        (401, "refused", False),
        (404, "refused", False),
        (408, "refused", True),
        (409, "refused", True),
        (429, "rate-limited", True),
        (500, "provider", True),
        (502, "provider", True),
        (503, "overloaded", True),
        (529, "overloaded", True),
    ],
)
def test_a_status_has_a_type(status: int, kind: str, retryable: bool) -> None:
    error = failure(status, b"why")

    assert (error.type, error.retryable, error.status) == (kind, retryable, status)


@pytest.mark.parametrize(
    "body",
    [
        b'{"error":{"message":"the reason","type":"t","code":null}}',
        b'{"error":"the reason"}',
        b'{"error":"Bad Request","message":"the reason"}',
        b'{"error":{"message":"the reason","detail":{"x":1}}}',
        b'{"object":"error","message":"the reason","code":1}',
        b'[{"error":{"code":400,"message":"the reason","status":"INVALID_ARGUMENT"}}]',
        b'{"detail":"the reason"}',
        b'{"detail":[{"loc":["body"],"msg":"the reason","type":"missing"}]}',
        b'{"errors":[{"message":"the reason"}]}',
        b'{"type":"error","error":{"type":"invalid_request_error","message":"the reason"}}',
        b"the reason",
    ],
)
def test_the_reason_is_found_in_every_shape_of_error_body(body: bytes) -> None:
    assert str(failure(400, body)) == "h answered 400: the reason"


@pytest.mark.parametrize(
    "body",
    [
        (
            b'{"error":{"code":400,"message":"the request exceeds the available context size",'
            b'"type":"exceed_context_size_error","n_ctx":4096}}'
        ),
        b'{"error":{"message":"too much","code":"context_length_exceeded"}}',
        b'{"error":{"message":"This model\'s maximum context length is 8192 tokens."}}',
        (
            b'{"type":"error","error":{"type":"invalid_request_error",'
            b'"message":"prompt is too long: 204000 tokens > 200000 maximum"}}'
        ),
        b'[{"error":{"message":"The input token count (1) exceeds the maximum"}}]',
    ],
)
def test_a_conversation_that_is_too_long_is_told_from_other_refusals(body: bytes) -> None:
    error = failure(400, body)

    assert (error.type, error.retryable) == ("context-too-long", False)


def test_tokens_per_minute_are_a_rate_and_not_a_context() -> None:
    assert failure(429, b'{"error":{"message":"context window"}}').type == "rate-limited"


def test_a_quota_that_is_used_up_is_not_worth_a_retry() -> None:
    assert not failure(429, b'{"error":{"message":"m","code":"insufficient_quota"}}').retryable


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3", 3.0),
        ("0.5", 0.5),
        ("Mon, 30 Nov 2026 12:00:20 GMT", 20.0),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0.0),
        ("-4", 0.0),
        ("soon", None),
        ("inf", None),
        ("nan", None),
        ("", None),
    ],
)
def test_a_server_may_ask_for_a_wait(text: str, seconds: float | None) -> None:
    assert failure(429, retry_after=text).retry_after == seconds


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"type": "overloaded_error", "message": "m"}, "overloaded"),
        ({"type": "rate_limit_error", "message": "m"}, "rate-limited"),
        ({"type": "timeout_error", "message": "m"}, "timeout"),
        ({"type": "api_error", "message": "m"}, "provider"),
        ({"type": "authentication_error", "message": "m"}, "refused"),
        ({"type": "invalid_request_error", "message": "prompt is too long"}, "context-too-long"),
        ({"code": 503, "message": "m"}, "overloaded"),
        ({"code": "429", "message": "m"}, "rate-limited"),
        ({"code": "insufficient_system_resource"}, "overloaded"),
        ("it broke", "provider"),
        ({}, "provider"),
    ],
)
def test_an_error_in_a_stream_has_a_type(error: object, kind: str) -> None:
    assert failure_in_stream({"error": error}).type == kind


@settings(deadline=None)
@given(status=st.integers(300, 599), body=st.binary() | st.just(b"[" * 100_000), wait=st.text())
def test_any_answer_becomes_a_failure_that_people_can_be_told(
    status: int, body: bytes, wait: str
) -> None:
    error = failure(status, body, retry_after=wait)

    assert error.type in PROVIDER_SENTENCES
    assert len(str(error)) < 1000
