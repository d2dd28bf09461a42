"""The table of settings: the documentation is made from it."""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from litro.gates.names import parse_allowed_origin, parse_proxy
from litro.settings.parsers import (
    as_given,
    entries_of,
    folder,
    hosts,
    one_of,
    seconds,
    secret,
    store,
    switch,
    whole,
)

Source = Literal["flag", "environment", "config", "pyproject"]

_EVERYWHERE: Final[tuple[Source, ...]] = ("flag", "environment", "config", "pyproject")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A row of the table.

    Attributes:
        name: Its name in `Config`, in `[tool.litro]`, and, with dashes, as a flag.
        variable: Its environment variable, where it has one.
        parse: Makes the value of what a source gave, or raises ValueError with what is true and what is required.
        default: Its value where no source gives one.
        summary: One line for the docs.
        sources: Where it may come from, the strongest first.
    """

    name: str
    variable: str | None
    parse: Callable[[Any], Any]
    default: Any
    summary: str
    sources: tuple[Source, ...] = _EVERYWHERE


SETTINGS: Final[tuple[Setting, ...]] = (
    Setting(
        name="sessions",
        variable="LITRO_SESSIONS",
        parse=store,
        default="file:.litro/sessions",
        summary="Where sessions are kept: `file:DIR` or `sqlite:FILE`, relative to the project, or `postgresql://…`; in `Config`, also a store object.",
    ),
    Setting(
        name="access",
        variable=None,
        parse=as_given,
        default=None,
        summary="The guard of every agent that has none of its own.",
        sources=("config",),
    ),
    Setting(
        name="allowed_hosts",
        variable="LITRO_ALLOWED_HOSTS",
        parse=hosts,
        default=None,
        summary="Hosts to answer to, comma separated: `name`, `name:port`, `*.name`. Loopback names besides in development.",
    ),
    Setting(
        name="allowed_origins",
        variable="LITRO_ALLOWED_ORIGINS",
        parse=entries_of(parse_allowed_origin),
        default=(),
        summary="Exact origins of other sites whose pages may call, comma separated: `https://app.example.com`.",
    ),
    Setting(
        name="trusted_proxies",
        variable="LITRO_TRUSTED_PROXIES",
        parse=entries_of(parse_proxy),
        default=(),
        summary="Addresses or networks whose `X-Forwarded-Host` and `X-Forwarded-Proto` count, comma separated, or `*`.",
    ),
    Setting(
        name="max_body",
        variable="LITRO_MAX_BODY",
        parse=whole("bytes"),
        default=1024 * 1024,
        summary="Bytes that a request's body may have.",
    ),
    Setting(
        name="max_turns",
        variable="LITRO_MAX_TURNS",
        parse=whole("turns"),
        default=1000,
        summary="Turns that may run at once in a process.",
    ),
    Setting(
        name="tool_threads",
        variable="LITRO_TOOL_THREADS",
        parse=whole("threads"),
        default=32,
        summary="Threads that sync tools run in.",
    ),
    Setting(
        name="grace",
        variable="LITRO_GRACE",
        parse=seconds,
        default=3.0,
        summary="Seconds that running turns get to end at shutdown.",
    ),
    Setting(
        name="lifespan",
        variable=None,
        parse=as_given,
        default=None,
        summary="An async context manager around the app's life; what it yields is `ctx.state`.",
        sources=("config",),
    ),
    Setting(
        name="mcp",
        variable="LITRO_MCP",
        parse=switch,
        default=None,
        summary="Whether agents are [MCP servers](http.md#mcp) too, at `/__litro/mcp/{agent}`. Without it they are where `LITRO_MCP_TOKEN` or `LITRO_MCP_LOCAL=1` is set, and under `litro dev` on loopback.",
    ),
    Setting(
        name="mcp_token",
        variable="LITRO_MCP_TOKEN",
        parse=secret,
        default=None,
        summary="The secret that an MCP host sends as `Authorization: Bearer …`.",
        sources=("flag", "environment"),
    ),
    Setting(
        name="mcp_local",
        variable="LITRO_MCP_LOCAL",
        parse=switch,
        default=None,
        summary="Whether MCP is reachable from this machine alone, so that it needs no token: only loopback names and `allowed_hosts` are answered. Without it, it is under `litro dev` on loopback.",
        sources=("flag", "environment"),
    ),
    Setting(
        name="mcp_origins",
        variable="LITRO_MCP_ORIGINS",
        parse=entries_of(parse_allowed_origin),
        default=(),
        summary="Exact origins of pages that may call MCP, comma separated. Without any: those of this machine where MCP is local, else none.",
        sources=("flag", "environment", "pyproject"),
    ),
    Setting(
        name="mcp_apps_dir",
        variable="LITRO_MCP_APPS_DIR",
        parse=folder,
        default="dist/mcp-apps",
        summary="Where packed MCP apps are.",
        sources=("flag", "environment", "pyproject"),
    ),
    Setting(
        name="mcp_app_versions",
        variable="LITRO_MCP_APP_VERSIONS",
        parse=switch,
        default=True,
        summary="Whether the address of a packed app changes with its content: hosts keep a document for as long as its address is the same. Older addresses are answered either way.",
        sources=("flag", "environment", "pyproject"),
    ),
    Setting(
        name="mcp_json",
        variable="LITRO_MCP_JSON",
        parse=switch,
        default=False,
        summary="Whether MCP answers in one JSON body, without progress: for proxies that hold streams back.",
        sources=("flag", "environment", "pyproject"),
    ),
    Setting(
        name="adapter",
        variable="LITRO_ADAPTER",
        parse=one_of("lit", "fast"),
        default="lit",
        summary="What renders [components](components.md): `lit` or `fast`. The variable is read at each render.",
        sources=("environment", "pyproject"),
    ),
    Setting(
        name="node",
        variable="LITRO_NODE",
        parse=as_given,
        default=None,
        summary="The Node.js, 22 or newer, that renders components; else that of `litro[components]`, else `node` on PATH.",
        sources=("environment", "pyproject"),
    ),
    Setting(
        name="signals",
        variable="LITRO_SIGNALS",
        parse=switch,
        default=True,
        summary="Whether SIGTERM and SIGINT end streams in order; in the main thread only.",
    ),
    Setting(
        name="loopback",
        variable="LITRO_LOOPBACK",
        parse=switch,
        default=False,
        summary="Whether the server listens on loopback alone, so that without a trusted proxy only loopback names are answered. `litro serve` sets it.",
        sources=("flag", "environment"),
    ),
    Setting(
        name="development",
        variable="LITRO_DEV",
        parse=switch,
        default=False,
        summary="Whether the reader is the developer: errors in full, loopback names only. `litro dev` sets it.",
        sources=("flag", "environment"),
    ),
)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """What `name` may have been meant to be, as the end of a sentence."""
    close = difflib.get_close_matches(name.replace("-", "_").lower(), sorted(known), n=1)
    return (
        f". Did you mean {close[0]!r}?"
        if close
        else f", so one of {', '.join(sorted(known))} is required."
    )
