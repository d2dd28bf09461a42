"""JSON Schema as models should read it: pydantic's, without the titles that it makes up, and with an object at its root.

It is not validation.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode, JsonSchemaValue
from pydantic_core import core_schema


class _Untitled(GenerateJsonSchema):
    """Pydantic titles every field and class after its name, which costs tokens and says nothing new."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - the base's own type

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002 - the base's signature
        return False

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        return _without_name(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        return _without_name(super().dataclass_schema(schema), schema["cls"])

    def typed_dict_schema(self, schema: core_schema.TypedDictSchema) -> JsonSchemaValue:
        return _without_name(super().typed_dict_schema(schema), schema.get("cls"))


def json_schema(adapter: TypeAdapter[Any], mode: JsonSchemaMode) -> dict[str, Any]:
    """The JSON Schema of a type, untitled."""
    schema = adapter.json_schema(schema_generator=_Untitled, mode=mode)
    for definition in schema.get("$defs", {}).values():
        # An enum is titled after the generator has had its say.
        if "enum" in definition or "const" in definition:
            definition.pop("title", None)
    return schema


def object_root(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The schema with an object at its root, or None if it describes something else.

    A recursive type's root is a reference to its own definition, which APIs do not follow: it is written out.
    """
    root = dict(schema)
    while isinstance(reference := root.pop("$ref", None), str):
        root = {**root["$defs"][reference.removeprefix("#/$defs/")], **root}
    return root if root.get("type") == "object" else None


def _without_name(schema: JsonSchemaValue, named: Any) -> JsonSchemaValue:
    if named is not None and schema.get("title") == named.__name__:
        del schema["title"]
    return schema
