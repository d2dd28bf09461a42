"""What is a secret by its name is hidden, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro.dev.inspector.masking import masked_body, masked_source


@pytest.mark.parametrize(
    "line",
    [
        'openai_compatible("m", api_key="{}")',
        "password = '{}'",
        'headers={{"Authorization": "{}"}}',
        'ACCESS_TOKEN: str = r"{}"',
        '{{"client-secret" : f"{}"}}',
    ],
)
def test_a_literal_that_is_a_secret_by_its_name_is_hidden_in_source(line: str):
    shown = masked_source(line.format("hunter2"))
    assert "hunter2" not in shown
    assert shown == line.format("…")


@pytest.mark.parametrize(
    "line", ['agent = Agent("m", "Be brief.")', "max_tokens=100", 'key="a"', ""]
)
def test_other_source_is_shown_as_it_is(line: str):
    assert masked_source(line) == line


def test_the_settings_of_a_request_are_hidden_by_name_and_what_is_said_never():
    said = {
        "system": "The password is swordfish.",
        "messages": [{"role": "user", "content": "x", "tool_calls": [{"password": "p"}]}],
        "tools": [{"parameters": {"properties": {"api_key": {"type": "string"}, "token": "t"}}}],
    }
    body = {
        **said,
        "max_tokens": 5,
        "seed": 1,
        "token": "t",
        "meta": {"api_key": ["a", "b"], "user": "u"},
    }
    assert masked_body(body) == {
        **said,
        "max_tokens": 5,
        "seed": 1,
        "token": "…",
        "meta": {"api_key": ["…", "…"], "user": "u"},
    }


@given(st.text())
def test_whatever_a_source_looks_like_its_lines_stay(text: str):
    assert masked_source(text).count("\n") == text.count("\n")
