"""The packed apps as hosts see them: under which addresses, and which of them a tool means.

Everything is settled when it is read. An address is looked up and never followed: there is no path in it. It packs nothing.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from litro.definitions import Tool
from litro.errors import LitroError
from litro.mcp.apps.document import MIME
from litro.mcp.apps.output import Packed, read
from litro.mcp.apps.sources import FOLDER

EXTENSION: Final = "io.modelcontextprotocol/ui"
"""What a server that has apps says that it speaks."""

_VERSION: Final = re.compile(r"[?&]v=[0-9a-f]{12}(?=#|$)")
_DIGITS: Final = 12
_REMEDY: Final = "Run `litro mcp-app build`"


class AppMissing(LitroError):
    """Tools name apps that are not packed, so their agent cannot be served.

    Attributes:
        brief: The message without paths, which whoever calls from elsewhere may read.
    """

    def __init__(self, message: str, brief: str) -> None:
        super().__init__(message)
        self.brief = brief


@dataclass(frozen=True, slots=True, kw_only=True)
class _Served:
    """An app, in the protocol's words."""

    address: str
    listed: Mapping[str, Any]
    html: str


class PackedApps:
    """The apps of one folder.

    Args:
        folder: Where they were read, for what is said of them.
        packed: What was there.
        versions: Whether addresses name the content: hosts keep a document for as long as its address is the same.
        damage: Why nothing could be read.

    Attributes:
        packed: What was there, as it was read.
    """

    def __init__(
        self,
        folder: Path,
        packed: Iterable[Packed] = (),
        *,
        versions: bool = True,
        damage: str | None = None,
    ) -> None:
        self.folder = folder
        self.damage = damage
        self.packed: tuple[Packed, ...] = tuple(packed)
        self._served = {app.uri: _served(app, versions=versions) for app in self.packed}
        self._plain = {served.address: uri for uri, served in self._served.items()}
        self._names = {app.name: app.uri for app in self.packed}

    def __len__(self) -> int:
        return len(self._served)

    def reports(self, project: Path) -> tuple[str, ...]:
        """What whoever runs the server should know at its start."""
        if self.damage is not None:
            return (f"Packed apps are not served, since they cannot be read: {self.damage}",)
        if not self._served and (project / FOLDER).is_dir():
            return (f"{self.folder} has no packed app, so tools alone are served. {_REMEDY}.",)
        return ()

    @property
    def addresses(self) -> list[str]:
        """The apps' own addresses, sorted."""
        return sorted(self._served)

    def listed(self, address: str) -> Mapping[str, Any]:
        """The entry of `resources/list` of the app that has this own address."""
        return self._served[address].listed

    def read(self, address: str) -> dict[str, Any] | None:
        """The app's document of today, by the address that is listed, its own, or one that was listed before. None where there is none."""
        uri = self._uri(address)
        if uri is None:
            return None
        served = self._served[uri]
        meta: object = served.listed["_meta"]
        # A host looks for what it asked for.
        return {"uri": address, "mimeType": MIME, "text": served.html, "_meta": meta}

    def addresses_for(self, tools: Mapping[str, Tool[..., Any]]) -> dict[str, str]:
        """The listed address of each tool's app, by the tool's name.

        Raises:
            AppMissing: Some of them are not there. All are named.
        """
        found: dict[str, str] = {}
        missing: dict[str, str] = {}
        for name, tool in tools.items():
            if tool.app is None:
                continue
            uri = self._meant(tool.app)
            if uri is None:
                missing[name] = tool.app
            else:
                found[name] = self._served[uri].address
        if missing:
            raise self._missing(missing)
        return found

    def _meant(self, app: str) -> str | None:
        """An address is never taken for a name, nor the other way round."""
        return self._uri(app) if app.startswith("ui://") else self._names.get(app)

    def _uri(self, address: str) -> str | None:
        if address in self._served:
            return address
        uri = self._plain.get(address) or _VERSION.sub("", address)
        return uri if uri in self._served else None

    def _missing(self, missing: Mapping[str, str]) -> AppMissing:
        # What is damaged says by itself where, and what to do.
        found = self.damage or f"{self.folder} {self._found()}"
        wanted = "; ".join(f"tool {name!r}: app is {app!r:.200}" for name, app in missing.items())
        named = "; ".join(f"{app!r:.200} of tool {name!r}" for name, app in missing.items())
        return AppMissing(f"{wanted}; but {found}", f"the app {named} is not packed. {_REMEDY}.")

    def _found(self) -> str:
        if not self._names:
            return f"has no packed app. {_REMEDY}, or say where it wrote: --apps-dir or LITRO_MCP_APPS_DIR."
        listed = ", ".join(f"{name} ({uri})" for name, uri in sorted(self._names.items()))
        return f"lists only {listed:.2000}. {_REMEDY}, or correct the name."


def read_apps(folder: Path, *, versions: bool) -> PackedApps:
    """What is packed in a folder: nothing, where it is not there. What is damaged there is told where it is missed.

    Args:
        folder: What `litro mcp-app build` wrote.
        versions: The setting `mcp_app_versions`.
    """
    try:
        packed = read(folder)
    except LitroError as error:
        return PackedApps(folder, versions=versions, damage=str(error))
    return PackedApps(folder, packed, versions=versions)


def _served(app: Packed, *, versions: bool) -> _Served:
    meta: Mapping[str, Any] = app.descriptor.get("_meta") or {"ui": {}}
    address = _with_version(app.uri, _digest(app.html, meta)) if versions else app.uri
    listed = {
        "uri": address,
        "name": app.descriptor.get("name", app.name),
        "mimeType": MIME,
        "_meta": meta,
    }
    return _Served(address=address, listed=listed, html=app.html)


def _digest(html: str, meta: Mapping[str, Any]) -> str:
    summed = hashlib.sha256(html.encode())
    if meta.get("ui"):
        # What the host lets the document do is kept by it as long as the document is.
        summed.update(orjson.dumps(meta, option=orjson.OPT_SORT_KEYS))
    return summed.hexdigest()[:_DIGITS]


def _with_version(uri: str, digest: str) -> str:
    before, hash_, fragment = uri.partition("#")
    return f"{before}{'&' if '?' in before else '?'}v={digest}{hash_}{fragment}"
