"""What a tool's return annotation promises a host, and whether a result keeps it.

A host checks `structuredContent` against `outputSchema` and refuses what does not fit, so we look first. What does not fit is
the tool's fault, not its caller's; values are never quoted.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, cast

from litro.mcp.schemas import published
from litro.schema.json_schema import object_root

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

_MAX_ISSUES: Final = 5
_UNSAID: Final = frozenset({"title", "description", "default", "examples", "deprecated"})


@dataclass(frozen=True, kw_only=True)
class Output:
    """A promise, as a host is told it.

    Attributes:
        schema: The published schema: an object.
        wraps: Whether results stand in it under `value`, because the annotation is not simply an object's.
        reports: What its author should know.
    """

    schema: dict[str, Any]
    wraps: bool
    reports: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, schema: Mapping[str, Any] | None, subject: str) -> "Output | None":
        """The promise of a return annotation's schema, or None where it says nothing."""
        if schema is None or schema.keys() <= _UNSAID or schema.get("type") == "null":
            return None
        root = object_root(schema)
        inner = {word: value for word, value in schema.items() if word != "$defs"}
        wrapped = {
            "type": "object",
            "properties": {"value": inner},
            "required": ["value"],
            "$defs": schema.get("$defs", {}),
        }
        made = published(wrapped if root is None else root, subject)
        return cls(schema=made.schema, wraps=root is None, reports=made.reports)

    def issues(self, data: Any) -> str | None:
        """Where, and in which respect, a result breaks the promise; None where it keeps it."""
        errors = cast("Iterable[Any]", self._validator.iter_errors(data))
        try:
            issues = [
                f"{error.json_path}: {error.validator}" for error in islice(errors, _MAX_ISSUES + 1)
            ]
        except re.error:
            # The pattern is written for another engine than Python's, so that only a host can tell.
            return None
        if not issues:
            return None
        more = "; and more" if len(issues) > _MAX_ISSUES else ""
        return "; ".join(issues[:_MAX_ISSUES]) + more

    @cached_property
    def _validator(self) -> "Validator":
        # It comes with the SDK, and takes a tenth of a second that a host need not wait for before the first list.
        from jsonschema import Draft202012Validator  # noqa: PLC0415

        return Draft202012Validator(self.schema)
