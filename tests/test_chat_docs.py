"""docs/chat.md names everything of `<litro-chat>` that a page can use, and nothing else."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
ASSETS = ROOT / "src/litro/assets"
PAGE = (ROOT / "docs/chat.md").read_text(encoding="utf-8")
SOURCE = "".join(
    path.read_text(encoding="utf-8") for path in [ASSETS / "chat.js", *ASSETS.glob("chat/*.js")]
)


def section(title: str) -> str:
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def first_column(title: str) -> set[str]:
    """The names in the first column of a section's tables."""
    rows = re.findall(r"^\| ([^|]*`[^|]*) \|", section(title), re.MULTILINE)
    return set(re.findall(r"`([\w-]+)", " ".join(rows)))


def test_every_variable_is_documented():
    assert first_column("How it looks") == set(re.findall(r"var\((--litro-[\w-]+)", SOURCE))


def test_every_part_is_documented():
    listed = re.search(r"^Parts, for `::part\(\)`: (.*?)\.$", PAGE, re.MULTILINE | re.DOTALL)
    assert listed is not None
    parts = set(re.findall(r'"?part"?: (?:more\.part \?\? )?"([\w-]+)"', SOURCE))
    assert set(re.findall(r"`([\w-]+)`", listed[1])) == parts


def test_the_example_of_a_style_uses_variables_and_parts_that_exist():
    (style,) = re.findall(r"^```css\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    variables = set(re.findall(r"^  (--[\w-]+): [^;]+;$", style, re.MULTILINE))
    assert variables
    assert variables <= set(re.findall(r"var\((--litro-[\w-]+)", SOURCE))
    assert re.findall(r"::part\(([\w-]+)\)", style) == ["composer"]
    assert style.count("{") == style.count("}")


def test_every_attribute_is_documented():
    own = re.findall(r'(?:chat|this|element)\.(?:get|has)Attribute\("([\w-]+)"\)', SOURCE)
    assert "this.autofocus" in SOURCE
    assert first_column("Attributes") == {*own, "autofocus"}


def test_every_slot_and_event_is_documented():
    slots = set(re.findall(r'make\("slot", \{ name: "([\w-]+)"', SOURCE))
    assert first_column("Slots") == slots
    events = set(re.findall(r'"(litro-(?!chat)[\w-]+)"', SOURCE))
    named = first_column("Properties, methods, events")
    assert {name for name in named if name.startswith("litro-")} == events
    assert {"texts", "options", "session", "send", "newChat", "open"} <= named


def test_the_words_of_the_example_exist():
    example = re.search(
        r"\.texts = \{(.*?)^\};", section("In another language"), re.MULTILINE | re.DOTALL
    )
    assert example is not None
    words = set(re.findall(r"^  (\w+):", example[1], re.MULTILINE))
    english = (ASSETS / "chat/texts.js").read_text(encoding="utf-8")
    assert len(words) > 5
    assert words <= set(re.findall(r"^  (\w+):", english, re.MULTILINE))
