"""JSON Schema as hosts accept it: no references, an object at its root, and no alternatives there.

Hosts, and the model APIs behind them, ignore or refuse `$ref` and a root of `anyOf`. What cannot be said without them is said
more loosely, never more strictly: the tool's own schema still checks every call. It is not validation. A schema that an author
wrote out is served as written, and what hosts may make of it is reported.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import unquote

MAX_NODES: Final = 5_000
"""Schemas within one that is written out: a definition that is used everywhere would grow without end."""

_OF_ONE: Final = frozenset(
    {
        "items",
        "additionalItems",
        "additionalProperties",
        "contains",
        "propertyNames",
    }
)
_OF_MANY: Final = frozenset({"allOf", "anyOf", "prefixItems"})
_OF_NAMED: Final = frozenset({"properties", "patternProperties", "dependentSchemas"})
_LEFT_OUT: Final = frozenset(
    {
        "$defs",
        "definitions",
        "discriminator",
        # Stricter, once what stands beside them has become looser.
        "unevaluatedItems",
        "unevaluatedProperties",
        "maxContains",
    }
)
_REMARKS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
)
_AT_ROOT: Final = ("anyOf", "allOf", "oneOf", "not", "enum", "const", "if", "then", "else")
"""What model APIs refuse at the root of a tool's schema."""


@dataclass(frozen=True, slots=True)
class Published:
    """A schema for hosts, and what its author should know of it."""

    schema: dict[str, Any]
    reports: tuple[str, ...] = ()


def published(schema: Mapping[str, Any], subject: str) -> Published:
    """The schema without references, with a plain object at its root.

    Args:
        schema: With an object at its root. Left as it is.
        subject: What it is, for the reports.
    """
    inlining = _Inlining(schema)
    try:
        root = inlining.of(schema, ())
    except _TooLarge:
        report = (
            f"{subject} has more than {MAX_NODES} parts once its references are written out, so hosts are told the names "
            "of its fields only. Take fewer nested models."
        )
        return Published(_loosened(schema), (report,))
    reports = [
        f"{subject} refers to {reference!r:.80}, which is not in it, so hosts are told nothing of that place."
        for reference in inlining.missing
    ]
    return Published(_plain_root(_words(root)), tuple(reports))


def published_as_written(schema: Mapping[str, Any], subject: str) -> Published:
    """The schema as its author wrote it, and what some hosts may make of it."""
    refused = [repr(word) for word in _AT_ROOT if word in schema]
    reports: list[str] = []
    if refused:
        reports.append(
            f"{subject} has {' and '.join(refused)} at its root, which some hosts refuse. It is served as written."
        )
    if _has_references(schema):
        reports.append(
            f"{subject} has references ($ref), which some hosts ignore or refuse. It is served as written; "
            "a pydantic model as the input has them written out."
        )
    return Published(dict(schema), tuple(reports))


class _TooLarge(Exception):
    """Written out, the schema would have too many parts."""


class _Inlining:
    """One schema, written out. Only what is a schema is looked into: a default or an enum's value is data."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._nodes = 0
        self.missing: list[str] = []

    def of(self, schema: object, within: tuple[str, ...]) -> object:
        """A schema without references; `within` are those that it is being written out for."""
        self._nodes += 1
        if self._nodes > MAX_NODES or len(within) > _MAX_REFERENCES:
            raise _TooLarge
        if not isinstance(schema, Mapping):
            return schema
        words = cast("Mapping[str, Any]", schema)
        written = {
            word: value
            for name, item in words.items()
            if name not in _LEFT_OUT and name[:1] != "$"
            for word, value in self._word(name, item, within)
        }
        reference: object = words.get("$ref", words.get("$dynamicRef"))
        return self._joined(reference, written, within) if isinstance(reference, str) else written

    def _word(self, name: str, item: Any, within: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        if name in ("not", "if", "then", "else"):
            # What stands below may be loosened, and the opposite of something looser is stricter.
            if not _has_references(item):
                yield name, item
        elif name == "oneOf":
            # Alternatives that were loosened may overlap.
            yield "anyOf" if _has_references(item) else name, self._many(item, within)
        elif name in _OF_ONE:
            yield name, self._one_or_many(item, within)
        elif name in _OF_MANY:
            yield name, self._many(item, within)
        elif name in _OF_NAMED and isinstance(item, Mapping):
            named = cast("Mapping[str, object]", item)
            yield name, {key: self.of(value, within) for key, value in named.items()}
        else:
            yield name, item

    def _one_or_many(self, item: object, within: tuple[str, ...]) -> object:
        return self._many(item, within) if _list(item) else self.of(item, within)

    def _many(self, items: object, within: tuple[str, ...]) -> object:
        return [self.of(item, within) for item in _list(items)]

    def _joined(self, reference: str, beside: dict[str, Any], within: tuple[str, ...]) -> object:
        """What a reference leads to, together with what stands beside it."""
        found = _followed(reference, self._root)
        if reference in within:
            return {**_again(reference, found), **_remarks(beside)}
        if found is None:
            if reference not in self.missing:
                self.missing.append(reference)
            return beside
        written = self.of(found, (*within, reference))
        if not isinstance(written, dict):
            return beside if written is True else written
        target = cast("dict[str, Any]", written)
        if beside.keys() <= _REMARKS:
            return {**target, **beside}
        return {**beside, "allOf": [target, *_list(beside.get("allOf"))]}


_MAX_REFERENCES: Final = 60


def _followed(reference: str, root: Mapping[str, Any]) -> object:
    """What a reference within the schema leads to; None where it leads out of it, or nowhere."""
    if not reference.startswith("#") or (reference[1:] and reference[1] != "/"):
        return None
    at: object = root
    for part in reference.split("/")[1:]:
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(at, Mapping):
            at = cast("Mapping[str, object]", at).get(name)
        elif (
            isinstance(at, list) and name.isdecimal() and int(name) < len(cast("list[object]", at))
        ):
            at = cast("list[object]", at)[int(name)]
        else:
            return None
    return at


def _again(reference: str, found: object) -> dict[str, Any]:
    """What stands where a schema contains itself: its type, and in words that it is the same again."""
    kind: object = (
        cast("Mapping[str, Any]", found).get("type") if isinstance(found, Mapping) else None
    )
    name = reference.rsplit("/", 1)[-1].removeprefix("#") or "the whole"
    said = {"description": f"The same shape again: {name}."}
    return {"type": kind, **said} if isinstance(kind, str) else said


def _remarks(words: Mapping[str, Any]) -> dict[str, Any]:
    return {word: value for word, value in words.items() if word in _REMARKS}


def _has_references(value: object) -> bool:
    if isinstance(value, Mapping):
        words = cast("Mapping[str, object]", value)
        return any(
            (word in ("$ref", "$dynamicRef") and isinstance(item, str)) or _has_references(item)
            for word, item in words.items()
        )
    return isinstance(value, list) and any(map(_has_references, cast("list[object]", value)))


def _plain_root(root: dict[str, Any]) -> dict[str, Any]:
    """The root as an object with nothing that only some objects have to be: its branches' fields become its own."""
    plain = {word: value for word, value in root.items() if word not in _AT_ROOT}
    fields = [_branch_fields(root)]
    for word, all_hold in (("allOf", True), ("anyOf", False), ("oneOf", False)):
        if branches := _list(root.get(word)):
            told = [_branch_fields(_plain_root(_words(branch))) for branch in branches]
            fields.append(_merged(told, all_hold=all_hold))
    properties, required = _merged(fields, all_hold=True)
    plain["type"] = "object"
    if len(fields) > 1:
        plain["properties"] = properties
        plain["required"] = [name for name in properties if name in required]
    # Some hosts want the word even where there is nothing to say.
    plain.setdefault("properties", {})
    return plain


_Fields = tuple[dict[str, Any], set[str]]


def _branch_fields(branch: Mapping[str, Any]) -> _Fields:
    return _words(branch.get("properties")), {
        name for name in _list(branch.get("required")) if isinstance(name, str)
    }


def _merged(fields: list[_Fields], *, all_hold: bool) -> _Fields:
    """The fields of several objects in one: of all at once, or of any of them."""
    together: Callable[..., set[str]] = set[str].union if all_hold else set[str].intersection
    required = together(*(names for _, names in fields))
    merged: dict[str, Any] = {}
    for name in dict.fromkeys(name for properties, _ in fields for name in properties):
        told = [properties[name] for properties, _ in fields if name in properties]
        different = [one for i, one in enumerate(told) if one not in told[:i]]
        if len(different) == 1:
            merged[name] = different[0]
        else:
            merged[name] = {"allOf" if all_hold else "anyOf": different}
        if not all_hold and len(told) < len(fields):
            # An object of a kind that does not name the field may hold anything there.
            merged[name] = _remarks(_words(merged[name]))
    return merged, required


def _loosened(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The names of a schema's fields, and nothing else."""
    properties, _ = _branch_fields(schema)
    told = {name: _remarks(_words(field)) for name, field in properties.items()}
    return {"type": "object", "properties": told}


def _words(schema: object) -> dict[str, Any]:
    return dict(cast("Mapping[str, Any]", schema)) if isinstance(schema, Mapping) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
