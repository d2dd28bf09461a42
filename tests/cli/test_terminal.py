"""What models and tools say, on a terminal: harmless, and a table whatever it is."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from litro.cli.terminal import call_line, one_line, plain, table

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats() | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


def controls(text: str) -> list[str]:
    return [char for char in text if unicodedata.category(char) == "Cc"]


@given(TEXTS)
def test_no_control_character_is_left_but_line_breaks_and_tabs(text: str):
    assert set(controls(plain(text))) <= {"\n", "\t"}
    assert plain(plain(text)) == plain(text)


@given(VALUES)
def test_any_data_is_lines_of_a_width_without_control_characters(value: object):
    for line in [*table(value), call_line("tool", value), one_line(value)]:
        assert controls(line) == []
        assert len(line) <= 300


def test_mappings_are_two_columns_and_lists_of_them_a_table_that_says_what_is_left_out():
    assert table({"city": "Lisbon", "temp_c": 21}) == ["city    Lisbon", "temp_c  21"]
    rows = [{"name": f"n{n}", "size": n} if n else {"name": "n0"} for n in range(14)]
    lines = table(rows)
    assert lines[:3] == ["name          size", "n0", "n1            1"]
    assert lines[-1] == "… and 2 more"
    assert table([1, "two"]) == ['[1,"two"]']
    assert table({}) == ["{}"]


def test_wide_characters_take_two_columns():
    assert table({"東京": 1, "Oslo": 2}) == ["東京  1", "Oslo  2"]
