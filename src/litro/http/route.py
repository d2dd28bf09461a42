"""Which resource a path below the mount names, and which methods each has. It judges no id."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Resource = Literal["sessions", "session", "cancel", "fork", "queue", "queued"]

METHODS: Final[Mapping[Resource, tuple[str, ...]]] = {
    "sessions": ("GET", "HEAD", "OPTIONS"),
    "session": ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST"),
    "cancel": ("OPTIONS", "POST"),
    "fork": ("OPTIONS", "POST"),
    "queue": ("GET", "HEAD", "OPTIONS"),
    "queued": ("DELETE", "OPTIONS"),
}

# A session with a slash in it is no other route: it is refused as an id, by the gate for ids. A message's id may have one.
_PATH: Final = re.compile(
    r"/__litro/agent/(?P<agent>[^/]+)"
    r"(?:/(?P<session>.+?)(?:/(?:(?P<verb>cancel|fork|queue)|queue/(?P<message>.+)))?)?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """What a path names."""

    resource: Resource
    agent: str
    session: str = ""
    """As it was asked for; empty where the resource is of no session."""
    message: str = ""
    """The queued message's id, where the resource is one."""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that it has."""
        return METHODS[self.resource]


def route_of(path: str) -> Route | None:
    """What `path` names, or None where no agent's route has it."""
    match = _PATH.fullmatch(path)
    if match is None:
        return None
    return Route(
        resource=_resource(match),
        agent=match["agent"],
        session=match["session"] or "",
        message=match["message"] or "",
    )


def _resource(match: "re.Match[str]") -> Resource:
    if match["session"] is None:
        return "sessions"
    if match["message"] is not None:
        return "queued"
    verbs: dict[str | None, Resource] = {"cancel": "cancel", "fork": "fork", "queue": "queue"}
    return verbs.get(match["verb"], "session")
