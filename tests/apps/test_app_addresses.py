"""The ui:// addresses of apps: how they are made, and which of them hosts take for one."""

from pathlib import Path

import pytest

from litro.mcp.apps.addresses import authority_of, clashes, derived, equivalent, last_part
from litro.mcp.apps.sources import AppFile


@pytest.mark.parametrize(
    ("toml", "authority"),
    [
        ('[project]\nname = "weather-app"\n', "weather-app"),
        ('[project]\nname = "0.a_b"\n', "0.a_b"),
        ('[project]\nname = "Weather"\n', None),
        ('[project]\nname = "-a"\n', None),
        ('[project]\nname = "a b"\n', None),
        ("[project]\nname = 7\n", None),
        ("project = 7\n", None),
        ("[project]\nversion = '1'\n", None),
        ("not toml", None),
        (None, None),
    ],
)
def test_the_authority_is_the_projects_name_where_it_can_be(
    tmp_path: Path, toml: str | None, authority: str | None
):
    if toml is not None:
        (tmp_path / "pyproject.toml").write_text(toml)
    assert authority_of(tmp_path) == authority


def test_an_address_follows_the_path():
    assert derived("demo", "weather/card") == "ui://demo/weather/card"
    assert derived("demo", "index") == "ui://demo/index"
    assert derived(None, "weather/card") == "ui://weather/card"


@pytest.mark.parametrize("name", ["[id]", "a/[id]", "größe", "a b", "50%", "a%20b"])
def test_what_cannot_stand_in_an_address_is_told_with_both_remedies(name: str):
    with pytest.raises(ValueError, match="cannot stand in an address") as refused:
        derived("demo", name)
    assert "Rename it" in str(refused.value)
    assert 'uri="ui://' in str(refused.value)


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("ui://weather", "weather"),
        ("ui://demo/weather/card", "card"),
        ("ui://demo/card/", "card"),
        ("ui://demo/card?v=1/2#x", "card"),
    ],
)
def test_the_name_is_the_last_part_of_the_address(uri: str, name: str):
    assert last_part(uri) == name


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ui://Demo/card", "ui://demo/card"),
        ("ui://demo/%7ecard", "ui://demo/~card"),
        ("ui://demo/%c3", "ui://demo/%C3"),
        ("ui://d%2fx/a", "ui://D%2Fx/a"),
        ("ui://demo/a/../card", "ui://demo/card"),
        ("ui://demo/./card", "ui://demo/card"),
        ("ui://demo/a/..", "ui://demo/"),
        ("ui://demo", "ui://demo/"),
    ],
)
def test_equivalent_addresses_have_one_form(one: str, other: str):
    assert equivalent(one) == equivalent(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ui://demo/Card", "ui://demo/card"),
        ("ui://demo/card/", "ui://demo/card"),
        ("ui://demo/a%2Fb", "ui://demo/a/b"),
        ("ui://demo/card?a", "ui://demo/card?b"),
    ],
)
def test_other_addresses_are_told_apart(one: str, other: str):
    assert equivalent(one) != equivalent(other)


def test_every_clash_is_told_with_all_who_take_part():
    uris = {
        "a": "ui://demo/card",
        "b": "ui://Demo/card",
        "c": "ui://demo/./card",
        "x": "ui://demo/x",
        "y": "ui://demo/x",
        "z": "ui://demo/z",
    }
    found = [(AppFile(name=name, path=Path(f"{name}.py")), uri) for name, uri in uris.items()]
    first, second = clashes(found)
    assert first.path == Path("a.py")
    assert first.text.startswith(
        "a, b and c all resolve to 'ui://demo/card', 'ui://Demo/card' and "
    )
    assert second.text.startswith(
        "x and y both resolve to 'ui://demo/x', and an address is one app's."
    )
