"""The inspector's page: the package's `assets/inspector/`, read anew each time. Nothing outside of that folder can be named."""

import re
from importlib.resources import files
from typing import Final

from litro.http.answers import Answer, failure

_TYPES: Final = {
    "css": b"text/css; charset=utf-8",
    "html": b"text/html; charset=utf-8",
    "js": b"text/javascript; charset=utf-8",
    "svg": b"image/svg+xml",
}
# Nothing in a name by which one could leave the folder.
_FILE: Final = re.compile(
    r"/(?P<path>(?:[a-z0-9-]+/)*[a-z0-9-]+\.(?P<suffix>css|html|js|svg))", re.ASCII
)
_POLICY: Final = (
    b"default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    b"object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Cards bring style attributes and elements along; no script of theirs runs that is no module of the project's."""

_HEADERS: Final = (
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)


def file_of(path: str) -> Answer:
    """The file at `path` below the inspector's address; at the address itself, where the page is."""
    if not path:
        # Relative, so that it leads to the same mount behind whatever proxy. Browsers keep the fragment.
        return Answer(status=307, headers=((b"location", b"inspector/"),))
    match = _FILE.fullmatch("/index.html" if path == "/" else path)
    file = None if match is None else files("litro").joinpath("assets", "inspector", match["path"])
    if match is None or file is None or not file.is_file():
        return failure(404, "not-found", f"The inspector has nothing at {path[:200]!r}.")
    headers = ((b"content-type", _TYPES[match["suffix"]]), *_HEADERS)
    return Answer(status=200, body=file.read_bytes(), headers=headers)
