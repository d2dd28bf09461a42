"""Where the holes of a template stand: in text, or in which binding of which element.

It reads the static parts of a template as an HTML tokenizer does (https://html.spec.whatwg.org/#tokenization), as far as
that takes. It is not a parser: it builds no tree and repairs nothing.

Refused is what no renderer could fill safely: a hole that would be a tag, an attribute's name, a comment, a script, a
style or a handler; and markup sinks such as `.innerHTML`, since a value is never markup.
"""

import functools
import re
from dataclasses import dataclass
from typing import Final, Literal, NoReturn

from litro.errors import TemplateError

Kind = Literal["child", "attribute", "property", "boolean"]

HOLE: Final = "\ue000"
"""Stands for a hole in a joined template: a private-use character that no template holds."""

# White space is ASCII's, as HTML has it: in another alphabet's it goes on with a name.
_TAG: Final = re.compile(r"<(/?)([A-Za-z][^\s/>\ue000]*)", re.ASCII)
_CONTENT_END: Final = re.compile(f"[<{HOLE}]")
_UNQUOTED: Final = re.compile(r"[^\s>]*", re.ASCII)
_ATTRIBUTE: Final = re.compile(r"""\s*([^\s=>"'/\ue000]+)(\s*=\s*)?""", re.ASCII)
_SPACE: Final = " \t\n\r\f"
_RAW: Final = frozenset(
    {"script", "style", "textarea", "title", "template", "noscript", "iframe", "xmp"}
)
SINKS: Final = frozenset(
    {"innerhtml", "outerhtml", "srcdoc", "__proto__", "constructor", "prototype"}
)
_COMMANDING: Final = frozenset({"script", "base", "animate", "set"})
"""Elements that run, load or change what their attributes say."""

URLS: Final = frozenset({"href", "src", "action", "formaction", "xlink:href", "data", "poster"})
SCRIPT: Final = re.compile(
    r"[\x00-\x20]*(?:j\s*a\s*v\s*a|v\s*b)\s*s\s*c\s*r\s*i\s*p\s*t\s*:", re.IGNORECASE
)
"""The beginning of an address that runs: browsers skip white space inside it."""

_KINDS: Final[dict[str, Kind]] = {".": "property", "?": "boolean"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """Where one value goes."""

    kind: Kind
    name: str = ""
    """The attribute's or property's, without its sign."""
    tag: str = ""
    element: int = -1
    """Which element of the template, by its place among start tags; -1 for a child."""
    alone: bool = True
    """Whether the value is the whole of its attribute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What the static parts of a template say.

    Attributes:
        holes: One a value.
        tags: The names of its elements, in order; lower case.
        ends: For each element, the string and the offset in it behind its tag's name.
    """

    holes: tuple[Hole, ...]
    tags: tuple[str, ...]
    ends: tuple[tuple[int, int], ...]


@functools.lru_cache(1024)
def shape_of(strings: tuple[str, ...]) -> Shape:
    """The template's shape. Cached: a template is its strings.

    Raises:
        TemplateError: A hole stands where no value can go; shown with its position.
    """
    joined = HOLE.join(strings)
    if joined.count(HOLE) != len(strings) - 1:
        msg = "the template holds U+E000, which stands for holes, so another character is required."
        raise TemplateError(msg, joined, joined.index(HOLE))
    try:
        joined.encode()
    except UnicodeEncodeError as error:
        msg = "half a character (a lone surrogate) stands here, so a whole one is required."
        raise TemplateError(msg, joined.encode(errors="replace").decode(), error.start) from None
    return _Reading(joined).shape()


class _Reading:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at: int = 0
        self._holes: list[Hole] = []
        self._tags: list[str] = []
        self._ends: list[tuple[int, int]] = []

    def shape(self) -> Shape:
        while self._at < len(self._text):
            self._content()
        return Shape(holes=tuple(self._holes), tags=tuple(self._tags), ends=tuple(self._ends))

    def _content(self) -> None:
        text, at = self._text, self._at
        if text[at] == HOLE:
            self._holes.append(Hole(kind="child"))
            self._at += 1
        elif text.startswith("<!--", at):
            self._skip_to("-->", "a comment")
        elif text.startswith(("<!", "<?"), at):
            self._skip_to(">", "a declaration")
        elif tag := _TAG.match(text, at):
            self._at = tag.end()
            if self._at < len(text) and text[self._at] == HOLE:
                self._refuse("it would be part of a tag's name")
            self._in_tag(tag[2].lower(), closes=bool(tag[1]))
        elif text.startswith(("<" + HOLE, "</" + HOLE), at):
            self._at = text.index(HOLE, at)
            self._refuse("it would be a tag's name")
        else:
            following = _CONTENT_END.search(text, at + 1)
            self._at = following.start() if following else len(text)

    def _in_tag(self, tag: str, *, closes: bool) -> None:
        if not closes:
            before = self._text[: self._at]
            self._ends.append((before.count(HOLE), len(before) - before.rfind(HOLE) - 1))
            self._tags.append(tag)
        while (character := self._next_in_tag(tag)) != ">":
            if closes and character == HOLE:
                self._refuse("it would be inside a closing tag")
            self._attribute(tag)
        self._at += 1
        if tag in _RAW and not closes:
            self._skip_to(f"</{tag}", f"<{tag}>")

    def _next_in_tag(self, tag: str) -> str:
        """The next character that is no white space."""
        rest = self._text[self._at :].lstrip(_SPACE)
        self._at = len(self._text) - len(rest)
        if not rest:
            self._at -= 1
            self._refuse_text(f"the tag <{tag} is not closed, so > is required.")
        return rest[0]

    def _attribute(self, tag: str) -> None:
        if self._text[self._at] == HOLE:
            self._refuse("it would be an attribute's name")
        attribute = _ATTRIBUTE.match(self._text, self._at)
        if attribute is None:
            self._at += 1
            return
        self._at = attribute.end()
        if attribute[2]:
            self._value(tag, attribute[1])
        elif self._text.startswith(HOLE, self._at):
            self._refuse("it would be part of an attribute's name")

    def _value(self, tag: str, name: str) -> None:
        text, start = self._text, self._at
        quote = text[start : start + 1]
        if quote and quote in "\"'":
            start += 1
            end = text.find(quote, start)
            if end < 0:
                self._refuse_text(f"the value of {name} is not closed, so {quote} is required.")
            self._at = end + 1
        else:
            unquoted = _UNQUOTED.match(text, start)
            end = self._at = start if unquoted is None else unquoted.end()
        value = text[start:end]
        if HOLE in value and name.lower() in URLS and not _has_scheme(value):
            self._at = start + value.index(HOLE)
            self._refuse_text(
                f"{name}= is an address whose beginning is put together, so one value for all of it, or a beginning "
                "such as / or https: is required."
            )
        for offset, character in enumerate(value):
            if character == HOLE:
                self._bind(tag, name, start + offset, alone=value == HOLE)

    def _bind(self, tag: str, name: str, at: int, *, alone: bool) -> None:
        sign = name[0] if name[0] in ".?@" else ""
        bare = name[1:] if sign else name
        why = None
        if sign == "@" or (not sign and bare.lower().startswith("on")):
            why = (
                "is a handler, and a server has none to give. Let the component listen for itself."
            )
        elif tag in _COMMANDING:
            why = f"tells <{tag}> what to do, so a value cannot go there. Write it out."
        elif bare.lower() in SINKS:
            why = "makes markup of its value, so a value cannot go there. Put it between tags, where it is escaped."
        elif sign and not alone:
            why = "has text beside the value, so the value alone is required. Join them in Python."
        if why is not None:
            self._at = at
            self._refuse_text(f"{name}= {why}")
        kind = _KINDS.get(sign, "attribute")
        element = len(self._tags) - 1
        self._holes.append(Hole(kind=kind, name=bare, tag=tag, element=element, alone=alone))

    def _skip_to(self, end: str, what: str) -> None:
        # Not in a text of lower case: İ has two characters there, and every place behind it would be another.
        found = re.compile(re.escape(end), re.ASCII | re.IGNORECASE).search(self._text, self._at)
        limit = len(self._text) if found is None else found.start()
        hole = self._text.find(HOLE, self._at, limit)
        if hole >= 0:
            self._at = hole
            self._refuse(f"it would be inside {what}")
        # A closing tag is read as one.
        self._at = limit + (len(end) if end.endswith(">") and found else 0)

    def _refuse(self, why: str) -> NoReturn:
        self._refuse_text(
            f"a value cannot go here: {why}. Values go between tags, and into attributes after their =."
        )

    def _refuse_text(self, sentence: str) -> NoReturn:
        before = self._text[: self._at].replace(HOLE, "{…}")
        template = before + self._text[self._at :].replace(HOLE, "{…}")
        raise TemplateError(sentence, template, min(len(before), len(template) - 1))


def _has_scheme(value: str) -> bool:
    """Whether no two parts of an address can make up its scheme, which decides what following it does."""
    before, _, after = value.strip().partition(HOLE)
    if before:
        return not SCRIPT.match(before) and not set(before).isdisjoint(":/?#")
    return not after or after[0] in "/?#"
