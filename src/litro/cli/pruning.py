"""Deleting sessions that are old, whoever goes on speaking meanwhile."""

import re
from collections.abc import Iterable
from typing import Final

import click

from litro.cli.logs import Logs, Where, opened
from litro.errors import SessionBusy, SessionError
from litro.sessions.base import SessionMeta

_UNITS: Final = {"h": 3600, "d": 24 * 3600, "w": 7 * 24 * 3600}


def seconds_of(age: str) -> int:
    """An age in seconds, as it is typed.

    Raises:
        BadParameter: It is none.
    """
    match = re.fullmatch(r"([0-9]{1,6})([hdw])", age.strip())
    if match is None:
        message = (
            f"{age!r} is no age, so a number with h, d or w behind it is required, such as 30d."
        )
        raise click.BadParameter(message, param_hint="--older")
    return int(match[1]) * _UNITS[match[2]]


async def prune_old(where: Where, old: Iterable[SessionMeta], before: int) -> int:
    """Delete the sessions unless they have changed since `before`; how many were deleted."""
    async with opened(where) as logs:
        return sum([await _pruned(logs, meta, before) for meta in old])


async def _pruned(logs: Logs, meta: SessionMeta, before: int) -> bool:
    """Delete a session, unless it has changed since it was listed."""
    try:
        now = await logs.store.meta(meta.key)
        return now is not None and now.updated < before and await logs.store.delete(meta.key)
    except SessionBusy as error:
        click.echo(f"kept {meta.key.agent}/{meta.key.session}: {error}", err=True)
    except SessionError as error:
        click.echo(f"warning: {error}", err=True)
    return False
