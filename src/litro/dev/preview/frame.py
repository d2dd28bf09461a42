"""A card's document, and what it may do: what MCP Apps' default allows, and beyond that what its app declares. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from litro.dev.preview.board import ui_of
from litro.http.answers import Answer
from litro.mcp.apps.output import Packed

_NONE: Final = ("'none'",)
_SOURCE: Final = re.compile(r"[A-Za-z0-9+.*:/\[\]_~%@?=&-]+")
"""What can stand in a policy without ending its part, or being one of its keywords."""


def document(app: Packed) -> Answer:
    """The document, for the preview's frame."""
    headers = (
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-security-policy", policy_of(ui_of(app.descriptor).get("csp") or {}).encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
    )
    return Answer(status=200, body=app.html.encode(), headers=headers)


def policy_of(declared: Mapping[str, Any]) -> str:
    """The Content-Security-Policy of a document whose app declares these domains.

    Its origin is opaque even where it is opened beside the page that frames it.
    """
    resources = _sources(declared.get("resourceDomains"))
    parts = {
        "default-src": (),
        "script-src": ("'unsafe-inline'", *resources),
        "style-src": ("'unsafe-inline'", *resources),
        "img-src": ("data:", *resources),
        "media-src": ("data:", *resources),
        "font-src": resources,
        "connect-src": _sources(declared.get("connectDomains")),
        "frame-src": _sources(declared.get("frameDomains")),
        "base-uri": _sources(declared.get("baseUriDomains")),
        "form-action": (),
    }
    told = [f"{name} {' '.join(sources or _NONE)}" for name, sources in parts.items()]
    return "; ".join([*told, "frame-ancestors 'self'", "sandbox allow-scripts allow-forms"])


def _sources(declared: Any) -> Sequence[str]:
    entries = cast("Sequence[Any]", declared) if isinstance(declared, list | tuple) else ()
    return tuple(one for one in entries if isinstance(one, str) and _SOURCE.fullmatch(one))
