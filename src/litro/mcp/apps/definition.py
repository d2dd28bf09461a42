"""What a file of `mcp-apps/` declares: one app.

Declaring does nothing else: nothing is rendered, read or bundled. `litro.mcp.apps.packing` does that.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NoReturn, cast, get_args

from litro.ui.composing import html, is_template_string
from litro.ui.template import Template

DisplayMode = Literal["inline", "fullscreen", "pip"]

_URI: Final = re.compile(r"ui://[^\s\x00-\x20\x7f]+")
_SOURCE: Final = re.compile(r"""[^\s;,'"\x00-\x20\x7f]+""")
"""An entry of a Content-Security-Policy: the host writes it into the header as it is."""

_CSP: Final = ("connectDomains", "resourceDomains", "frameDomains", "baseUriDomains")
_PERMISSIONS: Final = ("camera", "microphone", "geolocation", "clipboardWrite")


class McpApp:
    """An app: a document that an MCP host shows, and fills with what a tool answered.

    What the document shows is its root element, the first of the shell. When a tool has answered, each key of its data becomes
    the property of that name; `temp_c` becomes `tempC` where the element has that one. A live app carries its components, so
    that they render what they are given. A shell without components has none to carry: its root is given the properties all the
    same, and `apply` is what usually fills it.

    Args:
        shell: What is shown before there is any data: a template of `litro.ui`, or any object with `__html__()`.
        title: The document's title. By default its address.
        styles: CSS for the document.
        apply: Source text of a JavaScript function `(element, data) => …` that fills the root in place of what is said above.
        runtime: Source text of a JavaScript program, run before there is a host.
        csp: The network that the document may reach, by `connect_domains`, `resource_domains`, `frame_domains` and
            `base_uri_domains`; the protocol's own spelling (`connectDomains`) does as well. Leave it out where none is needed: an empty
            mapping is something else to hosts.
        permissions: Of `camera`, `microphone`, `geolocation`, `clipboard_write`.
        domain: An origin of its own that the host is asked for, as that host wants it.
        prefers_border: Whether the host is to draw a border. None leaves it to the host.
        display_modes: How it can be shown: `inline`, `fullscreen`, `pip`.
        uri: Its address, `ui://…`. By default the project's name and the file's path make it.
        name: Its name among resources. By default the last part of its address.
        version: Told to the host.
        live: Whether the components of the shell come along. Without them the document is smaller and `apply` fills it.

    Raises:
        TypeError, ValueError: An argument cannot be what it is.
    """

    __slots__ = (
        "apply",
        "csp",
        "display_modes",
        "domain",
        "live",
        "name",
        "permissions",
        "prefers_border",
        "runtime",
        "shell",
        "styles",
        "title",
        "uri",
        "version",
    )

    def __init__(  # noqa: PLR0913 - each has a name of its own
        self,
        shell: object,
        *,
        title: str | None = None,
        styles: str | None = None,
        apply: str | None = None,
        runtime: str | None = None,
        csp: Mapping[str, Sequence[str]] | None = None,
        permissions: Iterable[str] | Mapping[str, object] | None = None,
        domain: str | None = None,
        prefers_border: bool | None = None,
        display_modes: Sequence[DisplayMode] = ("inline",),
        uri: str | None = None,
        name: str | None = None,
        version: str = "0.0.0",
        live: bool = True,
    ) -> None:
        self.shell: object = _shell(shell)
        self.title: str | None = _text("title", title)
        self.styles: str | None = _text("styles", styles, may_be_empty=True)
        self.apply: str | None = _source("apply", apply)
        self.runtime: str | None = _source("runtime", runtime)
        self.csp: dict[str, list[str]] | None = _csp(csp)
        self.permissions: dict[str, dict[str, object]] | None = _permissions(permissions)
        self.domain: str | None = _text("domain", domain)
        self.prefers_border: bool | None = (
            None if prefers_border is None else _bool("prefers_border", prefers_border)
        )
        self.display_modes: tuple[DisplayMode, ...] = _display_modes(display_modes)
        self.uri: str | None = _uri(uri)
        self.name: str | None = _text("name", name)
        self.version: str = _text("version", version) or "0.0.0"
        self.live: bool = _bool("live", live)

    def __repr__(self) -> str:
        return f"McpApp({self.title or self.uri or self.shell!r:.80})"


def _refuse(name: str, value: object, required: str) -> NoReturn:
    kind: type[Exception] = (
        ValueError if isinstance(value, str | Mapping | tuple | list) else TypeError
    )
    msg = f"McpApp: {name} is {value!r:.80}, so {required}"
    raise kind(msg)


def _shell(shell: object) -> object:
    if not isinstance(shell, Template) and is_template_string(shell):
        return html(shell)
    if isinstance(shell, Template) or callable(getattr(shell, "__html__", None)):
        return shell
    msg = (
        f"McpApp: shell is {shell!r:.80}, so a template or an object with __html__() is required. "
        'Pass element("demo-card"), html("…"), or markupsafe.Markup(…).'
    )
    raise TypeError(msg)


def _text(name: str, value: object, *, may_be_empty: bool = False) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        _refuse(name, value, "a string is required.")
    if not value.strip() and not may_be_empty:
        _refuse(name, value, "text is required. Leave it out where there is none.")
    if any("\ud800" <= character <= "\udfff" for character in value):
        _refuse(name, value, "whole characters are required: half of one has no UTF-8.")
    return value


def _source(name: str, value: object) -> str | None:
    if callable(value):
        msg = (
            f"McpApp: {name} is {value!r:.80}, but it runs in a browser, so its JavaScript is required, as a string: "
            f'{name}="(element, data) => {{ … }}".'
        )
        raise TypeError(msg)
    return _text(name, value)


def _bool(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        _refuse(name, value, "True or False is required.")
    return value


def _uri(uri: object) -> str | None:
    text = _text("uri", uri)
    if text is not None and not _URI.fullmatch(text):
        _refuse(
            "uri", text, "ui:// and a name without spaces are required, such as ui://weather/card."
        )
    return text


def _display_modes(modes: object) -> tuple[DisplayMode, ...]:
    known = get_args(DisplayMode)
    given = _several(modes)
    if not given or any(mode not in known for mode in given):
        _refuse("display_modes", modes, f"a tuple of some of {_listed(known)} is required.")
    return tuple(dict.fromkeys(cast("list[DisplayMode]", given)))


def _csp(csp: object) -> dict[str, list[str]] | None:
    if csp is None:
        return None
    if not isinstance(csp, Mapping):
        _refuse(
            "csp",
            csp,
            'a mapping is required, such as {"connect_domains": ["https://api.example.com"]}.',
        )
    return {
        _protocol_name("csp", key, _CSP): _sources(str(key), value)
        for key, value in cast("Mapping[object, object]", csp).items()
    }


def _sources(key: str, value: object) -> list[str]:
    where = f"csp[{key!r}]"
    origins = _several(value)
    if origins is None:
        _refuse(where, value, 'a list of origins is required, such as ["https://api.example.com"].')
    for origin in origins:
        if not isinstance(origin, str) or not _SOURCE.fullmatch(origin):
            _refuse(
                where,
                value,
                f"an origin is required in place of {origin!r:.60}, such as https://api.example.com.",
            )
    return cast("list[str]", origins)


def _permissions(permissions: object) -> dict[str, dict[str, object]] | None:
    if permissions is None:
        return None
    names = _several(permissions)
    if names is None:
        _refuse(
            "permissions", permissions, f"a list of some of {_listed(_PERMISSIONS)} is required."
        )
    return {_protocol_name("permissions", name, _PERMISSIONS): {} for name in names}


def _several(value: object) -> list[object] | None:
    """What is in a list, a tuple, or the like; None where the value is no such thing."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return None
    return list(cast("Iterable[object]", value))


def _protocol_name(where: str, given: object, known: Sequence[str]) -> str:
    """A key as the protocol spells it, of the name that Python or the protocol has for it."""
    for name in known:
        if given in {name, _python_name(name)}:
            return name
    _refuse(where, str(given), f"one of {_listed(known)} is required.")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(_python_name, names))


def _python_name(name: str) -> str:
    return re.sub(r"[A-Z]", lambda capital: f"_{capital[0].lower()}", name)
