"""`events.md`: every kind of event with its payload, and the lines of a stream that are no events.

Payloads are the TypedDicts of `litro.events`, whose docstrings say of which kinds they are.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, get_args

from litro import events, wire
from pages import markdown
from pages.docstrings import doc_of
from pages.markdown import Undocumented, code, one_line, table, words_for
from pages.source import Attribute, attributes, module_of


@dataclass(frozen=True)
class Kind:
    """What is said of a kind: when it comes, and who has it."""

    when: str
    who: str = ""
    payload: str = ""
    """In words, where no TypedDict has the shape."""


_ALL: Final = "people and the model"
_PEOPLE: Final = "people"

KINDS: Final[dict[str, Kind]] = {
    "turn-start": Kind("A turn begins.", _PEOPLE),
    "message": Kind(
        "The person's words; or what the model said in a round, once that is finished.", _ALL
    ),
    "text-delta": Kind("A piece of the answer came.", _PEOPLE),
    "reasoning-delta": Kind("A piece of the model's reasoning came.", _PEOPLE),
    "tool-call": Kind("The model asked for a tool.", _ALL),
    "tool-start": Kind(
        "The tool is about to run. It is durable before the tool does anything.", _PEOPLE, "`{}`"
    ),
    "tool-progress": Kind(
        "The tool told how far it is.",
        _PEOPLE,
        "`{done, total?, message?}`, or any JSON value that a generator yielded.",
    ),
    "tool-result": Kind("The tool answered.", _ALL, "The value that it returned."),
    "tool-error": Kind(
        "The call has no result. The types are among [errors](errors.md#of-a-tool-call).", _ALL
    ),
    "ui": Kind(
        "The tool answered with a component.",
        "`html` and `hydrate`: people. `data`: the model",
        '`{type: "ui", html, data, hydrate?}`: what is shown, what the model reads in its place, and what a browser needs to bring it to '
        "life (`modules` to import, `props` of the root element).",
    ),
    "usage": Kind("The model's server counted the tokens of a round.", _PEOPLE),
    "error": Kind(
        "The turn failed; `turn-end` follows. The types are among [errors](errors.md#of-a-turn).",
        _PEOPLE,
    ),
    "turn-end": Kind("The turn has ended, whatever crashed. Nothing of it follows.", _PEOPLE),
    "queued": Kind("A message came while a turn ran, and waits.", _PEOPLE),
    "withdrawn": Kind("A message that waited will not start.", _PEOPLE),
    "title": Kind("The session was given a title.", _PEOPLE),
}

VALUES: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "TurnStatus": (
        "`status` of `turn-end`",
        {
            "completed": "the model had nothing more to ask for",
            "failed": "an `error` before it says why",
            "cancelled": "somebody cancelled it",
            "interrupted": "its process died, or went away before it was done",
        },
    ),
    "StopReason": (
        "`stop` of a `message`",
        {
            "end": "it said all",
            "tools": "it waits for its tools",
            "length": "it was cut off at the most tokens that it may say",
            "refusal": "it declined",
        },
    ),
    "WaitMode": (
        "`mode` of `queued`",
        {
            "queue": "for a turn of its own",
            "steer": "to join the running turn at its next round",
        },
    ),
}

_WHERE: Final = "scripts/pages/events.py"
_JSON: Final = {
    "str": "string",
    "int": "number",
    "Any": "any",
    "list[str]": "list of strings",
    "EventKind | str": "string",
}
_OF_KINDS: Final = re.compile(r"^Payload of ((?:`[a-z-]+`(?: and |, )?)+)")


def pages() -> dict[str, str]:
    """The page.

    Raises:
        Undocumented: A kind, a payload, a field or a value has no words.
    """
    kinds = words_for(get_args(events.EventKind), KINDS, what="the event kind", where=_WHERE)
    payloads = _payloads()
    return {
        "events.md": markdown.page(
            "Events",
            "A session is a log of events, each one line of JSON. [Events](../events.md) explains their order, and what later versions may add.",
            "## An event",
            table(["field", "type", ""], [_field(one) for one in _fields("Event")]),
            "## Kinds",
            "Everybody who may read the session is sent every event. The last column says whom it is for: what is the model's goes into its next "
            "request, and nothing else does.",
            table(
                ["kind", "when", "payload", "for"],
                [
                    (f"[`{kind}`](#{kind})", said.when, _short(kind, payloads), said.who)
                    for kind, said in kinds.items()
                ],
            ),
            *_sections(kinds, payloads),
            *_values(),
            "## Lines that are no events",
            _control_lines(),
        )
    }


def _sections(kinds: dict[str, Kind], payloads: dict[str, ast.ClassDef]) -> Iterator[str]:
    for kind, said in kinds.items():
        yield f"### `{kind}`"
        yield said.when
        if kind in payloads:
            yield doc_of(payloads[kind]).rest
            rows = [_field(one) for one in attributes(payloads[kind].body)]
            yield table(["field", "type", ""], rows)
        else:
            yield f"Payload: {said.payload}"


def _short(kind: str, payloads: dict[str, ast.ClassDef]) -> str:
    if kind not in payloads:
        return KINDS[kind].payload.partition(": what")[0].partition(", or")[0].rstrip(".")
    names = [
        one.name + ("?" if "NotRequired" in one.annotation else "")
        for one in attributes(payloads[kind].body)
    ]
    return f"`{{{', '.join(names)}}}`"


def _field(one: Attribute) -> tuple[str, str, str]:
    optional = one.annotation.startswith("NotRequired[") or one.value == "None"
    kind = one.annotation.removeprefix("NotRequired[")
    kind = kind.removesuffix("]") if kind != one.annotation else kind
    kind = kind.removesuffix(" | None")
    if not one.doc:
        msg = f"litro.events: the field {one.name!r} says nothing of itself, so a string below it is required."
        raise Undocumented(msg)
    return f"`{one.name}`" + (" (optional)" if optional else ""), _json(kind), one_line(one.doc)


def _json(kind: str) -> str:
    """The type in JSON's words; of one that has a few values, these."""
    values = get_args(getattr(events, kind, None)) or re.findall(r'"([a-z]+)"', kind)
    if values:
        return " or ".join(f"`{value}`" for value in values)
    return _JSON.get(kind, f"`{kind}`")


def _fields(name: str) -> list[Attribute]:
    found = next(
        one
        for one in module_of("litro.events").body
        if isinstance(one, ast.ClassDef) and one.name == name
    )
    return attributes(found.body)


def _payloads() -> dict[str, ast.ClassDef]:
    """The TypedDict of each kind that has one."""
    found: dict[str, ast.ClassDef] = {}
    for one in module_of("litro.events").body:
        if isinstance(one, ast.ClassDef) and "TypedDict" in map(ast.unparse, one.bases):
            match = _OF_KINDS.match(doc_of(one).summary)
            if match is None:
                msg = f'litro.events: {one.name} says of no kind, so "Payload of `kind`" is required in its docstring.'
                raise Undocumented(msg)
            found |= dict.fromkeys(re.findall(r"`([a-z-]+)`", match[1]), one)
    known = get_args(events.EventKind)
    for kind in known:
        if (kind in found) is bool(KINDS[kind].payload):
            msg = f"{_WHERE}: the payload of {kind!r} is described twice or not at all, so a TypedDict in litro.events or words are required."
            raise Undocumented(msg)
    return found


def _values() -> Iterator[str]:
    yield "## Values"
    for name, (where, words) in VALUES.items():
        known = words_for(get_args(getattr(events, name)), words, what=f"the {name}", where=_WHERE)
        yield table([where, ""], [(code(value), text) for value, text in known.items()])


def _control_lines() -> str:
    lines = [
        (wire.DONE, "nothing more will come"),
        (
            wire.encode_err({"type": "store", "message": "…"}),
            "the stream failed, and the turn may run on; `type` is among [errors](errors.md#of-a-stream)",
        ),
        (wire.encode_bye(12), "the server is going away: resume from that seq"),
        (wire.HEARTBEAT, "a blank line: the connection is alive"),
    ]
    rows = [(f"`{line.decode().strip()}`" if line.strip() else "", text) for line, text in lines]
    return table(["line", ""], rows)
