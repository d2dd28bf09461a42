"""The document of an app, put together of texts. Pure: nothing is rendered, bundled or checked by a parser here."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import orjson

from litro.mcp.apps.definition import McpApp

MIME: Final = "text/html;profile=mcp-app"

_CLOSING: Final = re.compile(r"</(?=script|style)", re.IGNORECASE)
_SWALLOWING: Final = re.compile(r"<!--|<script", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What a document is made of.

    Attributes:
        uri: The app's address.
        name: Its name among resources.
        shell: What is shown before there is any data.
        bundle: The script of its components; None where none come along.
        bridge: The script that speaks with the host. Like the bundle, it has neither `</script` nor `<!--`: the toolchain
            escapes them.
    """

    app: McpApp
    uri: str
    name: str
    shell: str
    bundle: str | None
    bridge: str


def assembled(parts: Parts) -> str:
    """The whole document."""
    app = parts.app
    styles = "" if app.styles is None else f"<style>{_unclosed(app.styles)}</style>\n"
    scripts = "\n".join(f"<script>{script}</script>" for script in _scripts(parts))
    return (
        '<!doctype html>\n<html>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(app.title or parts.uri)}</title>\n{styles}</head>\n"
        f"<body>\n{parts.shell}\n{scripts}\n</body>\n</html>\n"
    )


def descriptor(parts: Parts) -> dict[str, Any]:
    """What hosts are told of the app beside its document."""
    app = parts.app
    told = {
        "csp": app.csp,
        "permissions": app.permissions,
        "domain": app.domain,
        "prefersBorder": app.prefers_border,
    }
    ui = {key: value for key, value in told.items() if value is not None}
    return {"uri": parts.uri, "name": parts.name, "mimeType": MIME, "_meta": {"ui": ui}}


def refusals(app: McpApp) -> Iterator[str]:
    """Why the scripts that the author wrote cannot stand in a document.

    A parser that has met `<!--` and `<script` in a script does not end it at `</script>`, and to rewrite them would change what a
    regular expression means.
    Source: https://html.spec.whatwg.org/#restrictions-for-contents-of-script-elements
    """
    for name, source in (("runtime", app.runtime), ("apply", app.apply)):
        found = dict.fromkeys(_SWALLOWING.findall(source or ""))
        if found:
            sequences = " and ".join(map(repr, found))
            yield (
                f"{name} has {sequences}, which can swallow the rest of the document, so a script without <!-- and <script is "
                r"required. In a string, write \x3C for the <."
            )


def _scripts(parts: Parts) -> Iterator[str]:
    app = parts.app
    meta = {"name": parts.name, "version": app.version, "displayModes": list(app.display_modes)}
    text = orjson.dumps(meta).decode().replace("<", r"\u003c")
    yield f"window.__litroMcpApp = {text};"
    if parts.bundle is not None:
        yield parts.bundle
    if app.runtime is not None:
        yield _unclosed(app.runtime)
    if app.apply is not None:
        # A comment at its end ends with its line.
        yield f"window.litroMcpApply = ({_unclosed(app.apply)}\n);"
    yield parts.bridge


def _unclosed(source: str) -> str:
    """What an author wrote, so that it does not end its element: right in strings and regular expressions."""
    return _CLOSING.sub(r"<\\/", source)
