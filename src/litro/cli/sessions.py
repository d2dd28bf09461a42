"""`litro sessions`: look at, follow, export and delete the project's logs, also while a server runs."""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

import click
import orjson

from litro.cli.agents import agent_argument
from litro.cli.logs import Logs, opened
from litro.cli.main import examples, prepare, project_option
from litro.cli.terminal import columns
from litro.cli.transcript import lines_of, moment, turns_of
from litro.errors import SessionBusy, SessionDamaged, SessionError
from litro.events import Event
from litro.sessions.base import SessionKey, SessionMeta
from litro.wire import events_of, last_seq, public

_UNITS: Final = {"h": 3600, "d": 24 * 3600, "w": 7 * 24 * 3600}
_POLL: Final = 0.2
"""Seconds between two looks for the next turn of a session that nobody writes now."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group(
    "sessions",
    epilog=examples(
        "litro sessions list demo",
        "litro sessions show demo s1",
        "litro sessions prune --older 30d --dry-run",
    ),
)
def command() -> None:
    """List, show, follow, export and delete sessions.

    They are those of the project's own store, also while a server runs: a session in which a turn runs is not deleted.
    """


@command.command("list", epilog=examples("litro sessions list demo"))
@agent_argument(required=False)
@project_option
@json_option
def list_(agent: str | None, project: Path, as_json: bool) -> None:  # noqa: FBT001 - click's way
    """List the sessions of AGENT, or of every agent, the newest first."""
    found = asyncio.run(_listed(prepare(project), agent))
    if as_json:
        click.echo(_json({"sessions": [_fields(meta) for meta in found]}))
    elif found:
        rows = [["AGENT", "SESSION", "UPDATED", "EVENTS", "OWNER", ""], *map(_row, found)]
        click.echo("\n".join(columns(rows)))
    else:
        click.echo("No sessions yet.", err=True)


@command.command("show", epilog=examples("litro sessions show demo s1"))
@agent_argument()
@click.argument("session")
@project_option
@json_option
def show(agent: str, session: str, project: Path, as_json: bool) -> None:  # noqa: FBT001 - click's way
    """Show what was said in SESSION of AGENT: messages, tool calls, and what they came to."""
    meta, events = asyncio.run(_read(prepare(project), SessionKey(agent, session)))
    turns = turns_of(events)
    if as_json:
        click.echo(_json({**_fields(meta), "turns": [said.json() for said in turns]}))
        return
    for said in turns:
        click.secho(f"— turn {said.turn}, {moment(said.started)}", dim=True)
        click.echo("\n".join(lines_of(said)))


@command.command("tail", epilog=examples("litro sessions tail demo s1 --follow"))
@agent_argument()
@click.argument("session")
@project_option
@click.option(
    "-n", "--lines", type=click.IntRange(0), default=10, show_default=True, help="How many."
)
@click.option(
    "-f", "--follow", is_flag=True, help="Then print events as they come, until Ctrl-C ends it."
)
def tail(agent: str, session: str, project: Path, lines: int, follow: bool) -> None:  # noqa: FBT001 - click's way
    """Print the last events of SESSION of AGENT, one line of JSON each, as they stand in the log."""
    key = SessionKey(agent, session)
    asyncio.run(_tail(prepare(project), key, lines=lines, follow=follow))


@command.command("export", epilog=examples("litro sessions export demo s1 > s1.jsonl"))
@agent_argument()
@click.argument("session")
@project_option
def export(agent: str, session: str, project: Path) -> None:
    """Print every event of SESSION of AGENT, one line of JSON each; private lines are left out."""
    asyncio.run(_export(prepare(project), SessionKey(agent, session)))


@command.command("delete", epilog=examples("litro sessions delete demo s1"))
@agent_argument()
@click.argument("session")
@project_option
@yes_option
def delete(agent: str, session: str, project: Path, yes: bool) -> None:  # noqa: FBT001 - click's way
    """Delete SESSION of AGENT for good. Refused while a turn runs in it."""
    project, key = prepare(project), SessionKey(agent, session)
    asyncio.run(_known(project, key))
    if not yes:
        click.confirm(f"Delete session {session!r} of agent {agent!r} for good?", abort=True)
    asyncio.run(_delete(project, key))
    click.echo(f"Deleted {agent}/{session}.")


@command.command("prune", epilog=examples("litro sessions prune --older 30d --dry-run"))
@agent_argument(required=False)
@project_option
@click.option("--older", metavar="AGE", required=True, help="Such as 12h, 30d or 8w.")
@click.option("--dry-run", is_flag=True, help="Only tell what would be deleted.")
@yes_option
def prune(agent: str | None, project: Path, older: str, dry_run: bool, yes: bool) -> None:  # noqa: FBT001 - click's way
    """Delete sessions of AGENT, or of every agent, that have not changed for longer than AGE."""
    before = int((time.time() - _seconds(older)) * 1000)
    project = prepare(project)
    old = [meta for meta in asyncio.run(_listed(project, agent)) if meta.updated < before]
    for meta in old:
        click.echo(f"{meta.key.agent}/{meta.key.session}  {moment(meta.updated)}")
    if dry_run or not old:
        click.echo(f"{_count(len(old))} older than {older}.", err=True)
        return
    if not yes:
        click.confirm(f"Delete {_count(len(old))} for good?", abort=True)
    deleted = asyncio.run(_prune(project, old, before))
    click.echo(f"Deleted {_count(deleted)}.", err=True)


def _seconds(age: str) -> int:
    match = re.fullmatch(r"([0-9]{1,6})([hdw])", age.strip())
    if match is None:
        message = (
            f"{age!r} is no age, so a number with h, d or w behind it is required, such as 30d."
        )
        raise click.BadParameter(message, param_hint="--older")
    return int(match[1]) * _UNITS[match[2]]


def _count(number: int) -> str:
    return f"{number} session{'' if number == 1 else 's'}"


def _fields(meta: SessionMeta) -> dict[str, Any]:
    return {
        "agent": meta.key.agent,
        "session": meta.key.session,
        "owner": meta.owner,
        "created": meta.created,
        "updated": meta.updated,
        "tail": meta.tail,
        "running": meta.running,
    }


def _row(meta: SessionMeta) -> list[str]:
    running = "" if meta.running is None else f"turn {meta.running} is running"
    agent, session = meta.key
    return [agent, session, moment(meta.updated), str(meta.tail), meta.owner or "-", running]


def _json(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


async def _listed(project: Path, agent: str | None) -> list[SessionMeta]:
    async with opened(project) as logs:
        found = [meta async for meta in logs.every(await logs.chosen(agent))]
    return sorted(found, key=lambda meta: meta.updated, reverse=True)


async def _read(project: Path, key: SessionKey) -> tuple[SessionMeta, list[Event]]:
    async with opened(project) as logs:
        meta = await logs.meta(key)
        return meta, [e async for block in logs.store.read(key, 1) for e in events_of(block)]


async def _tail(project: Path, key: SessionKey, *, lines: int, follow: bool) -> None:
    async with opened(project) as logs:
        meta = await logs.meta(key)
        start = max(1, meta.tail - lines + 1)
        if not follow:
            await _print(logs.store.read(key, start), start)
            return
        while True:
            start = await _print(logs.store.follow(key, start), start)
            # Nobody writes now: wait for the next turn, which any process may start.
            await asyncio.sleep(_POLL)
            if (now := await logs.store.meta(key)) is None or now.created != meta.created:
                click.echo("The session was deleted.", err=True)
                return


async def _print(blocks: AsyncIterator[bytes], start: int) -> int:
    """Print the events from seq `start` on; answer the seq behind the last."""
    async for block in blocks:
        lines = public(block).splitlines(keepends=True)
        events = b"".join(line for line in lines if (last_seq(line) or 0) >= start)
        if events:
            click.echo(events, nl=False)
            start = (last_seq(events) or start) + 1
    return start


async def _export(project: Path, key: SessionKey) -> None:
    async with opened(project) as logs:
        await logs.meta(key)
        await _print(logs.store.read(key, 1), 1)


async def _known(project: Path, key: SessionKey) -> None:
    """Refuse a session that does not exist. A damaged one does, and may be deleted."""
    async with opened(project) as logs:
        with contextlib.suppress(SessionDamaged):
            await logs.meta(key)


async def _delete(project: Path, key: SessionKey) -> None:
    async with opened(project) as logs:
        await logs.store.delete(key)


async def _prune(project: Path, old: list[SessionMeta], before: int) -> int:
    async with opened(project) as logs:
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
