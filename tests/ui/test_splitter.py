r"""The splitter's strings are those of the same template literal in JavaScript: Node evaluates each literal, once.

A pair is a Python format string and the source of a JavaScript template literal that means the same. In Python, `\` escapes are
Python's own business, and `{{` is a brace; in JavaScript, a brace is itself.
"""

import json
import re
import subprocess

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from litro.errors import TemplateError
from litro.ui.holes import shape_of
from litro.ui.splitter import split
from ui.engines import node

SAME = (
    # Positions.
    "",
    "plain",
    "{a}",
    "{a}{b}",
    "{a}{b}{c}",
    " {a} ",
    "{a} {b}",
    "<p>{a}</p>",
    "<p>{a} and {b}</p>",
    "<p>\n  {a}\n</p>\n",
    "{a}<p></p>",
    "<p></p>{a}",
    "<p title={a}></p>",
    '<p title="{a}"></p>',
    "<p title='{a}'></p>",
    '<p title="x {a} y {b} z"></p>',
    "<x-y .prop={a}></x-y>",
    "<x-y ?bool={a}></x-y>",
    "<x-y .a={a} ?b={b} c={c}>{d}</x-y>",
    "<x-y\n  .a={a}\n  .b={b}\n></x-y>",
    "<x-y .a = {a}></x-y>",
    "<a><b><c>{a}</c>{b}</b>{c}</a>",
    "<ul>{a}</ul><ol>{b}</ol>",
    "<br>{a}<hr/>{b}",
    "<!-- none -->{a}",
    "<x-y>{a}</x-y><x-y>{a}</x-y>",
    "{a}{a}{a}",
    "<slot name=x></slot>{a}",
    "<table><tr><td>{a}</td></tr></table>",
    "<svg viewBox='0 0 1 1'><path d={a}></path></svg>",
    # Names.
    "{_}",
    "{_a1}",
    "{camelCase}",
    "{größe}",
    "{x1}{x2}",
    # Text.
    "&amp;&lt;{a}&nbsp;",
    "a < b {a}",
    "50% {a} 100%",
    "$ {a} $",
    "#{a}",
    "({a})",
    "[{a}]",
    "'{a}'",
    '"{a}"',
    "tab\there {a}",
    "nul\0 {a}",
    "nbsp\u00a0{a}",
    # Unicode.
    "ä{a}ö",
    "日本{a}語",
    "😀{a}😀",
    "👩‍👩‍👧{a}",
    "e\u0301{a}",
    "\u2028{a}\u2029",
    "\u200b{a}\ufeff",
    "\u202eright{a}",
    "\U0001d4b3{a}",
    # Line ends: a literal has \n, however the file ends its lines.
    "a\r\nb{a}",
    "a\rb{a}",
    "\r\n{a}\r",
    "\r\r\n\n{a}",
    "{a}\r\n{b}\r\n",
)
"""Strings whose JavaScript is themselves, with $ before each brace."""

BRACES = (
    ("{{", "{"),
    ("}}", "}"),
    ("{{}}", "{}"),
    ("{{a}}", "{a}"),
    ("{{{a}}}", "{${a}}"),
    ("{{{{{a}", "{{${a}"),
    ("{a}}}", "${a}}"),
    ("{{ {a} }}", "{ ${a} }"),
    ("<style>p {{ color: red }}</style>{a}", "<style>p { color: red }</style>${a}"),
    ('{{"a": {a}}}', '{"a": ${a}}'),
    ("{a}{{b}}{c}", "${a}{b}${c}"),
    (r"\n{a}", r"\\n${a}"),
    (r"\{a}", r"\\${a}"),
    ("`{a}`", r"\`${a}\`"),
    ("${a}", r"\$${a}"),
    ("${{a}}", r"\${a}"),
    ("$${a}$", r"\$\$${a}$"),
)


def _as_javascript(template: str) -> str:
    escaped = template.replace("\\", "\\\\").replace("`", "\\`")
    return re.sub(r"\{([^{}]*)\}", r"${0}", escaped)


CORPUS = [*((text, _as_javascript(text)) for text in SAME), *BRACES]


@pytest.fixture(scope="module")
def of_javascript() -> list[list[str]]:
    """The strings of each literal, as Node has them."""
    literals = ",\n".join(f"tag`{literal}`" for _, literal in CORPUS)
    # Standard input, since a command line holds no NUL, and Python would translate line ends.
    program = f"const tag = (s) => [...s], a = 0, b = 0, c = 0;\nprocess.stdout.write(JSON.stringify([{literals}]));"
    done = subprocess.run(
        [node().path, "-"], input=program.encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return json.loads(done.stdout)


def test_the_strings_are_javascripts(of_javascript: list[list[str]]) -> None:
    assert len(CORPUS) >= 60
    ours = {text: list(split(text).strings) for text, _ in CORPUS}
    theirs = {text: strings for (text, _), strings in zip(CORPUS, of_javascript, strict=True)}
    assert ours == theirs


@pytest.mark.parametrize(
    ("template", "column", "told"),
    [
        ("{", 1, "not closed"),
        ("}", 1, "stands alone"),
        ("a{}", 2, "no name"),
        ("a{ }", 2, "no name"),
        ("a{ b }", 2, "no bare name"),
        ("a{b.c}", 2, r"html\(…{b}…, b=…\)"),
        ("a{b!r}", 2, "no bare name"),
        ("a{b:>3}", 2, "no bare name"),
        ("a{b[0]}", 2, "no bare name"),
        ("a{0}", 2, "no bare name"),
        ("a{b", 2, "not closed"),
        ("a{b{c}", 2, "not closed"),
        ("a}b", 2, "stands alone"),
        ("a{b}}", 5, "stands alone"),
        ("a{b-c}", 2, "no bare name"),
        ("a{f(x)}", 2, "no bare name"),
    ],
)
def test_what_is_no_bare_name_is_told_with_its_position(
    template: str, column: int, told: str
) -> None:
    with pytest.raises(TemplateError, match=told) as raised:
        split(template)
    assert f"line 1, column {column}:" in str(raised.value)


def test_a_position_is_shown_in_its_line() -> None:
    with pytest.raises(TemplateError) as raised:
        split("<p>\n  {a.b}\n</p>")
    first, shown, below = str(raised.value).split("\n")
    assert first.startswith("line 2, column 3:")
    assert shown[below.index("^")] == "{"


@given(st.lists(st.text(), min_size=1))
def test_any_strings_come_back_as_they_were(strings: list[str]) -> None:
    strings = [re.sub(r"\r\n?", "\n", text) for text in strings]
    escaped = [text.replace("{", "{{").replace("}", "}}") for text in strings]
    template = escaped[0] + "".join(f"{{n{n}}}{text}" for n, text in enumerate(escaped[1:]))
    parts = split(template)
    # A line end may be cut in two by a hole, but a hole is not cut out of one.
    assert list(parts.strings) == strings
    assert list(parts.names) == [f"n{n}" for n in range(len(strings) - 1)]


pieces = st.sampled_from(
    [
        "<",
        ">",
        "</",
        "/>",
        "=",
        "'",
        '"',
        " ",
        "\n",
        "p",
        "x-y",
        ".a",
        "?b",
        "@c",
        "on",
        "<!--",
        "-->",
        "<script>",
        "</script>",
        "<style>",
        "{a}",
        "{{",
        "}}",
        "{",
        "}",
        "<!",
        "<?",
        "&",
        "\ue000",
        "textarea",
        "<title>",
    ]
)


@given(st.lists(pieces).map("".join) | st.text())
@example("<p {a")
@example("<p a='{a}")
@example("<script>{a}")
@example("<")
@example("</{a}>")
@example("<p/{a}>")
def test_any_text_is_a_template_with_a_hole_a_name_or_a_template_error(text: str) -> None:
    try:
        strings, names = split(text)
        shape = shape_of(strings)
    except TemplateError:
        return
    assert len(shape.holes) == len(names) == len(strings) - 1
