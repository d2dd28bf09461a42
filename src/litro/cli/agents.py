"""An agent's name on the command line: its argument, its completion, and what is said of one that does not exist.

Completion looks at paths only: pressing Tab runs nothing of the project's.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from litro.discovery.scan import scan
from litro.errors import BrokenAgent, LitroError, Problem, UnknownAgent
from litro.settings.table import did_you_mean

F = TypeVar("F", bound=Callable[..., Any])


def complete_agents(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001 - what click passes
    incomplete: str,
) -> list[str]:
    """The names of the project's agents that begin as typed."""
    project = ctx.params.get("project") or Path()
    try:
        names = [files.name for files in scan(project).agents]
    except (LitroError, OSError):
        return []
    return [name for name in names if name.startswith(incomplete)]


def agent_argument(*, required: bool = True) -> Callable[[F], F]:
    """`AGENT`, completed from the project's folders."""
    return click.argument("agent", required=required, shell_complete=complete_agents)


def require_agent(name: str, agents: Mapping[str, object], problems: Iterable[Problem]) -> None:
    """Refuse a name that no loaded agent has. An app that starts in development has told the problems already.

    Raises:
        BrokenAgent: The agent's files are wrong.
        UnknownAgent: The project has no such agent; says which was probably meant.
    """
    if name in agents:
        return
    if any(name in problem.path.parts for problem in problems):
        msg = f"agent {name!r} cannot be spoken to before its problems are put right: they are told above."
        raise BrokenAgent(msg)
    raise unknown_agent(name, agents)


def unknown_agent(name: str, known: Iterable[str]) -> UnknownAgent:
    """What is said of a name that is no agent's."""
    names = sorted(known)
    if not names:
        msg = f"the project has no agent {name!r}, and no other. `litro add agent NAME` adds one."
        return UnknownAgent(msg)
    hint = did_you_mean(name, names)
    others = f" The agents are: {', '.join(names)}." if "Did you mean" in hint else ""
    msg = f"the project has no agent {name!r}{hint}{others}"
    return UnknownAgent(msg)
