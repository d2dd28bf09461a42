"""`litro run`: one turn in the terminal."""

import asyncio
import logging
import sys
from pathlib import Path
from secrets import token_hex
from typing import Any

import click
import orjson

from litro.app import create_app
from litro.cli.agents import agent_argument, require_agent
from litro.cli.main import examples, prepare, project_option
from litro.cli.remedies import remedy
from litro.cli.terminal import plain
from litro.events import Event


@click.command("run", epilog=examples('litro run demo "What is the weather in Lisbon?"'))
@agent_argument()
@click.argument("text")
@project_option
@click.option("--session", help="Continue this session.  [default: a new one]")
@click.option("--json", "as_json", is_flag=True, help="Print the turn's events, one a line.")
def command(agent: str, text: str, project: Path, session: str | None, as_json: bool) -> None:  # noqa: FBT001 - click's way
    """Run one turn of AGENT in the terminal: say TEXT, print the answer.

    The answer goes to stdout; tools, and the name of a new session, to stderr. Exits with 1 where the turn failed.
    """
    project = prepare(project)
    # What went wrong in the turn is printed from its events.
    logging.getLogger("litro").setLevel(logging.CRITICAL)
    chosen = session or f"run-{token_hex(4)}"
    status = asyncio.run(_run(project, agent, chosen, text, as_json=as_json))
    if session is None and not as_json:
        click.echo(f"(session {chosen})", err=True)
    sys.exit(0 if status == "completed" else 1)


async def _run(project: Path, agent: str, session: str, text: str, *, as_json: bool) -> str:
    # Whoever types the command is the developer: failures are told in full.
    app = create_app(project, development=True, watch=False)
    status = "interrupted"
    async with app.lifespan():
        loaded = (await app.start()).loaded
        require_agent(agent, loaded.agents, loaded.problems)
        async for event in app.session(agent, session).send(text):
            if as_json:
                click.echo(_line(event))
            else:
                _show(event, agent)
            if event.kind == "turn-end":
                status = event.payload["status"]
    return status


def _line(event: Event) -> str:
    fields = {name: getattr(event, name) for name in ("seq", "ts", "turn", "round", "kind", "call")}
    known = {name: value for name, value in fields.items() if value is not None}
    return orjson.dumps({**known, "payload": event.payload}).decode()


def _show(event: Event, agent: str) -> None:
    payload: Any = event.payload
    match event.kind:
        case "text-delta":
            click.echo(plain(payload["text"]), nl=False)
        case "message" if payload["role"] == "assistant" and payload["text"]:
            click.echo()
        case "tool-call":
            click.echo(plain(f"> {payload['name']} {_json(payload['input'])}"), err=True)
        case "tool-result":
            click.echo(plain(f"  {_json(payload)}"), err=True)
        case "ui":
            click.echo(
                plain(f"  {_json(payload['data'])} (and a component for the page)"), err=True
            )
        case "tool-error" | "error":
            click.echo(plain(f"  {payload['type']}: {payload['message']}"), err=True)
            if event.kind == "error" and (advice := remedy(payload["type"], agent)):
                click.echo(f"  {advice}", err=True)
        case _:
            return


def _json(value: object) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 300 else f"{text[:300]}…"
