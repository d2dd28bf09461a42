"""`litro sessions`: look at, follow, rename, fork, export and delete the project's logs, also while a server runs."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from secrets import token_hex
from typing import Any, Final

import click
import orjson

from litro.cli.agents import agent_argument
from litro.cli.logs import Where, opened, where_options
from litro.cli.main import examples
from litro.cli.pruning import prune_old, seconds_of
from litro.cli.terminal import columns, one_line
from litro.cli.transcript import lines_of, moment, turns_of
from litro.errors import SessionDamaged
from litro.events import Event
from litro.sessions.base import ANY, SessionKey, SessionMeta
from litro.turn.catalogue import Catalogue, Fork
from litro.wire import events_of, last_seq, public

_TITLE: Final = 48
"""Characters of a title in a table."""
_POLL: Final = 0.2
"""Seconds between two looks for the next turn of a session that nobody writes now."""

json_option: Final = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, for programs."
)
yes_option: Final = click.option("--yes", is_flag=True, help="Do not ask.")


@click.group(
    "sessions",
    epilog=examples(
        "litro sessions list demo",
        "litro sessions show demo s1",
        "litro sessions rename demo s1 'Trip to Lisbon'",
        "litro sessions prune --older 30d --dry-run",
    ),
)
def command() -> None:
    """List, show, follow, rename, fork, export and delete sessions.

    They are those of the project's own store, or of the one that --sessions names, also while a server runs: a session in
    which a turn runs is not deleted.
    """


@command.command("list", epilog=examples("litro sessions list demo"))
@agent_argument(required=False)
@where_options
@click.option("--limit", type=click.IntRange(1), help="How many.  [default: all]")
@json_option
def list_(agent: str | None, where: Where, limit: int | None, as_json: bool) -> None:  # noqa: FBT001 - click's way
    """List the sessions of AGENT, or of every agent, the last updated first."""
    found = asyncio.run(_listed(where, agent))[:limit]
    if as_json:
        click.echo(_json({"sessions": [_fields(meta) for meta in found]}))
    elif found:
        rows = [["AGENT", "SESSION", "UPDATED", "EVENTS", "OWNER", "TITLE"], *map(_row, found)]
        click.echo("\n".join(columns(rows)))
    else:
        click.echo("No sessions yet.", err=True)


@command.command("show", epilog=examples("litro sessions show demo s1"))
@agent_argument()
@click.argument("session")
@where_options
@json_option
def show(agent: str, session: str, where: Where, as_json: bool) -> None:  # noqa: FBT001 - click's way
    """Show what was said in SESSION of AGENT: messages, tool calls, and what they came to."""
    meta, events = asyncio.run(_read(where, SessionKey(agent, session)))
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
@where_options
@click.option(
    "-n", "--lines", type=click.IntRange(0), default=10, show_default=True, help="How many."
)
@click.option(
    "-f",
    "--follow",
    is_flag=True,
    help="Then print events as they come, whichever process writes them, until Ctrl-C ends it.",
)
def tail(agent: str, session: str, where: Where, lines: int, follow: bool) -> None:  # noqa: FBT001 - click's way
    """Print the last events of SESSION of AGENT, one line of JSON each, as they stand in the log."""
    key = SessionKey(agent, session)
    asyncio.run(_tail(where, key, lines=lines, follow=follow))


@command.command("export", epilog=examples("litro sessions export demo s1 > s1.jsonl"))
@agent_argument()
@click.argument("session")
@where_options
def export(agent: str, session: str, where: Where) -> None:
    """Print every event of SESSION of AGENT, one line of JSON each; private lines are left out."""
    asyncio.run(_export(where, SessionKey(agent, session)))


@command.command("delete", epilog=examples("litro sessions delete demo s1"))
@agent_argument()
@click.argument("session")
@where_options
@yes_option
def delete(agent: str, session: str, where: Where, yes: bool) -> None:  # noqa: FBT001 - click's way
    """Delete SESSION of AGENT for good. Refused while a turn runs in it."""
    key = SessionKey(agent, session)
    asyncio.run(_known(where, key))
    if not yes:
        click.confirm(f"Delete session {session!r} of agent {agent!r} for good?", abort=True)
    asyncio.run(_delete(where, key))
    click.echo(f"Deleted {agent}/{session}.")


@command.command("rename", epilog=examples("litro sessions rename demo s1 'Trip to Lisbon'"))
@agent_argument()
@click.argument("session")
@click.argument("title")
@where_options
def rename(agent: str, session: str, title: str, where: Where) -> None:
    """Give SESSION of AGENT the title TITLE. While a turn runs, the turn's process takes it over in a moment."""
    name = asyncio.run(_rename(where, SessionKey(agent, session), title))
    click.echo(f"{agent}/{session} is now called {one_line(name)}.")


@command.command(
    "fork",
    epilog=examples("litro sessions fork demo s1", "litro sessions fork demo s1 s2 --at 120"),
)
@agent_argument()
@click.argument("session")
@click.argument("new", required=False)
@where_options
@click.option(
    "--at", type=click.IntRange(1), help="The seq to fork at.  [default: the last turn's end]"
)
def fork(agent: str, session: str, new: str | None, where: Where, at: int | None) -> None:
    """Make the session NEW of SESSION's beginning, up to the end of a turn.

    NEW belongs to whom SESSION belongs to; without a name it gets one. SESSION stays as it is, also while a turn runs in it.
    """
    key = SessionKey(agent, session)
    made = asyncio.run(_fork(where, key, SessionKey(agent, new or f"fork-{token_hex(4)}"), at))
    click.echo(
        f"{agent}/{made.meta.key.session} holds {agent}/{session} up to event {made.at}.\n"
        f"To go on: litro chat {agent} --session {made.meta.key.session}"
    )


@command.command("prune", epilog=examples("litro sessions prune --older 30d --dry-run"))
@agent_argument(required=False)
@where_options
@click.option(
    "--older", metavar="AGE", required=True, help="A number with h, d or w: 12h, 30d, 8w."
)
@click.option("--dry-run", is_flag=True, help="Only tell what would be deleted.")
@yes_option
def prune(agent: str | None, where: Where, older: str, dry_run: bool, yes: bool) -> None:  # noqa: FBT001 - click's way
    """Delete sessions of AGENT, or of every agent, that have not changed for longer than AGE."""
    before = int((time.time() - seconds_of(older)) * 1000)
    old = [meta for meta in asyncio.run(_listed(where, agent)) if meta.updated < before]
    for meta in old:
        click.echo(f"{meta.key.agent}/{meta.key.session}  {moment(meta.updated)}")
    if dry_run or not old:
        click.echo(f"{_count(len(old))} older than {older}.", err=True)
        return
    if not yes:
        click.confirm(f"Delete {_count(len(old))} for good?", abort=True)
    deleted = asyncio.run(prune_old(where, old, before))
    click.echo(f"Deleted {_count(deleted)}.", err=True)


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
        "title": meta.title,
    }


def _row(meta: SessionMeta) -> list[str]:
    title = "" if meta.title is None else one_line(meta.title, _TITLE)
    if meta.running is not None:
        title = f"(turn {meta.running} is running) {title}"
    agent, session = meta.key
    return [agent, session, moment(meta.updated), str(meta.tail), meta.owner or "-", title]


def _json(value: object) -> str:
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


async def _listed(where: Where, agent: str | None) -> list[SessionMeta]:
    async with opened(where) as logs:
        found = [meta async for meta in logs.every(await logs.chosen(agent))]
    return sorted(found, key=lambda meta: meta.updated, reverse=True)


async def _read(where: Where, key: SessionKey) -> tuple[SessionMeta, list[Event]]:
    async with opened(where) as logs:
        meta = await logs.meta(key)
        return meta, [e async for block in logs.store.read(key, 1) for e in events_of(block)]


async def _tail(where: Where, key: SessionKey, *, lines: int, follow: bool) -> None:
    async with opened(where) as logs:
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


async def _export(where: Where, key: SessionKey) -> None:
    async with opened(where) as logs:
        await logs.meta(key)
        await _print(logs.store.read(key, 1), 1)


async def _known(where: Where, key: SessionKey) -> None:
    """Refuse a session that does not exist. A damaged one does, and may be deleted."""
    async with opened(where) as logs:
        with contextlib.suppress(SessionDamaged):
            await logs.meta(key)


async def _delete(where: Where, key: SessionKey) -> None:
    async with opened(where) as logs:
        await logs.store.delete(key)


async def _rename(where: Where, key: SessionKey, title: str) -> str:
    async with opened(where) as logs:
        await logs.meta(key)
        return await Catalogue(logs.store).rename(key, title, principal=ANY)


async def _fork(where: Where, key: SessionKey, into: SessionKey, at: int | None) -> Fork:
    async with opened(where) as logs:
        await logs.meta(key)
        return await Catalogue(logs.store).fork(key, into, principal=ANY, at=at)
