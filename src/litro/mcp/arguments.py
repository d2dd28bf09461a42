"""Arguments as hosts send them: some send an object or an array as a string of JSON.

Such a string is read again only where the schema takes an object or an array and no string, so that text that happens to look
like JSON stays text. It checks nothing: the tool's schema does.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

import orjson

_ALL: Final = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
_MAX_DEPTH: Final = 32


def refitted(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments, with what was sent as a string of JSON read again.

    Args:
        arguments: By name. Nothing about them is trusted.
        schema: The tool's published input schema.
    """
    known = _fields(schema)
    return {
        name: _reread(value, kinds_of(known[name], schema))
        if isinstance(value, str) and name in known
        else value
        for name, value in arguments.items()
    }


def kinds_of(schema: object, root: Mapping[str, Any], depth: int = 0) -> frozenset[str]:
    """The JSON types that a schema may take; all of them where it does not say."""
    if not isinstance(schema, Mapping) or depth > _MAX_DEPTH:
        return _ALL
    words = cast("Mapping[str, Any]", schema)
    found = _named(words.get("type"))
    for value in _values(words):
        found &= value
    for word in ("anyOf", "oneOf"):
        branches = _list(words.get(word))
        if branches:
            found &= frozenset[str]().union(*(kinds_of(b, root, depth + 1) for b in branches))
    for branch in _list(words.get("allOf")):
        found &= kinds_of(branch, root, depth + 1)
    reference: object = words.get("$ref")
    if isinstance(reference, str):
        found &= kinds_of(_referred(reference, root), root, depth + 1)
    return found


def _reread(text: str, kinds: frozenset[str]) -> Any:
    if "string" in kinds or not kinds & {"object", "array"}:
        return text
    try:
        value: object = orjson.loads(text)
    except ValueError:
        # The tool's schema tells the model what is required.
        return text
    return value if _kind(value) in kinds & {"object", "array"} else text


def _fields(schema: Mapping[str, Any]) -> Mapping[str, object]:
    properties: object = schema.get("properties")
    return cast("Mapping[str, object]", properties) if isinstance(properties, Mapping) else {}


def _named(types: object) -> frozenset[str]:
    named = _list([types] if isinstance(types, str) else types)
    return frozenset(str(one) for one in named) if named else _ALL


def _values(schema: Mapping[str, Any]) -> list[frozenset[str]]:
    """The types of the values that a schema lists, where it does."""
    listed = [[schema["const"]]] if "const" in schema else []
    if enum := _list(schema.get("enum")):
        listed.append(enum)
    return [frozenset(_kind(value) for value in values) for values in listed]


def _kind(value: object) -> str:
    kinds: dict[type, str] = {dict: "object", list: "array", str: "string"}
    return kinds.get(type(value), "number")


def _list(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


def _referred(reference: str, root: Mapping[str, Any]) -> object:
    name = reference.removeprefix("#/$defs/")
    definitions: object = root.get("$defs")
    if name == reference or not isinstance(definitions, Mapping):
        return None
    return cast("Mapping[str, object]", definitions).get(name)
