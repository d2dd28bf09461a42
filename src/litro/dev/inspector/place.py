"""What a path of the inspector's API names. It judges no id and no number: whoever looks it up does."""

import re
from dataclasses import dataclass
from typing import Final, Literal, cast

Resource = Literal["agents", "sessions", "events", "requests", "resend", "call"]

_SESSION: Final = r"/sessions/(?P<agent>[^/]+)/(?P<session>[^/]+)"
_TURN: Final = rf"{_SESSION}/turns/(?P<turn>[1-9][0-9]{{0,8}})"
_PATHS: Final[dict[Resource, "re.Pattern[str]"]] = {
    "agents": re.compile(r"/agents"),
    "sessions": re.compile(r"/sessions"),
    "events": re.compile(rf"{_SESSION}/events"),
    "requests": re.compile(rf"{_TURN}/requests"),
    "resend": re.compile(rf"{_TURN}/resend"),
    "call": re.compile(r"/agents/(?P<agent>[^/]+)/tools/(?P<tool>[^/]+)/call"),
}
_ACTS: Final = frozenset({"resend", "call"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a path names. What it is not of is empty."""

    resource: Resource
    agent: str = ""
    session: str = ""
    tool: str = ""
    turn: int = 0

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods that it has."""
        return ("POST",) if self.resource in _ACTS else ("GET", "HEAD")


def place_of(path: str) -> Place | None:
    """What `path` below the API names, or None where nothing there has it."""
    for resource, pattern in _PATHS.items():
        match = pattern.fullmatch(path)
        if match is not None:
            named = cast("dict[str, str]", match.groupdict())
            return Place(
                resource=resource,
                agent=named.get("agent", ""),
                session=named.get("session", ""),
                tool=named.get("tool", ""),
                turn=int(named.get("turn", 0)),
            )
    return None
