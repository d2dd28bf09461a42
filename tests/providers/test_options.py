"""The options of both factories, as a person finds them."""

import inspect
from pathlib import Path
from typing import Any

import pytest

from litro.providers import anthropic, openai_compatible

PAGE = Path(__file__).parents[2] / "docs/providers.md"


@pytest.mark.parametrize("make", [openai_compatible, anthropic])
def test_every_option_is_in_the_docs(make: Any) -> None:
    page = PAGE.read_text(encoding="utf-8")
    options = [*inspect.signature(make).parameters][1:]

    assert [name for name in options if f"| `{name}`" not in page] == []


def test_both_formats_have_the_same_options_but_for_two() -> None:
    chat, messages = (
        {*inspect.signature(make).parameters} for make in (openai_compatible, anthropic)
    )

    assert chat ^ messages == {"name", "cache"}
