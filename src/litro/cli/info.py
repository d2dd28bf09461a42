"""`litro info`: the project as Litro sees it. It judges nothing: `litro check` does."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import click
import orjson

from litro.cli.facts import facts_of
from litro.cli.main import examples, prepare, project_option
from litro.cli.terminal import columns, one_line
from litro.discovery.load import load
from litro.discovery.scan import require_project, scan


@click.command("info", epilog=examples("litro info", "litro info --json | jq .agents"))
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def command(project: Path, as_json: bool) -> None:  # noqa: FBT001 - click's way
    """Show the project: agents with their models, guards and tools, components, routes, settings, and what was skipped and why."""
    scanned = scan(require_project(prepare(project)))
    facts = facts_of(scanned, load(scanned))
    if as_json:
        click.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2))
    else:
        click.echo("\n".join(_page(facts)))


def _page(facts: dict[str, Any]) -> Iterator[str]:
    project = Path(facts["project"])
    yield click.style(str(project), bold=True)
    for agent in facts["agents"]:
        yield from _agent(agent)
    if not facts["agents"]:
        yield from ("", "No agent could be loaded. `litro add agent NAME` adds one.")
    components = [
        [c["name"], ", ".join(f"<{tag}>" for tag in c["tags"]) or "-", c["address"]]
        for c in facts["components"]
    ]
    yield from _section("Components", components)
    yield from _section("Routes", [_route(route) for route in facts["routes"]])
    changed = [[s["name"], _text(s["value"])] for s in facts["settings"] if not s["is_default"]]
    yield from _section("Settings that are not the default", changed)
    skipped = [[str(Path(s["path"]).relative_to(project)), s["reason"]] for s in facts["skipped"]]
    yield from _section("Skipped", skipped)
    if count := len(facts["problems"]):
        what = "1 problem" if count == 1 else f"{count} problems"
        yield from ("", click.style(f"{what}: `litro check` tells what to do.", fg="red"))


def _agent(agent: dict[str, Any]) -> Iterator[str]:
    where = " (of agents/_config.py)" if agent["guard_from"] == "config" else ""
    guard = f"{agent['guard']}{where}" if agent["guard"] else click.style("none", fg="yellow")
    yield from ("", click.style(agent["name"], fg="cyan", bold=True))
    yield f"  model  {one_line(agent['model'])}"
    yield f"  guard  {guard}"
    rows = [[_signature(tool), tool["description"]] for tool in agent["tools"]]
    for index, line in enumerate(columns(rows) if rows else ["none"]):
        yield f"  {'     ' if index else 'tools'}  {line}"


def _route(route: dict[str, Any]) -> list[str]:
    only = f" (in {route['only']})" if "only" in route else ""
    return [" ".join(route["methods"]), f"{route['path']}{only}"]


def _signature(tool: dict[str, Any]) -> str:
    """A tool as it would be called; what may be left out has a question mark."""
    schema = tool["input_schema"]
    required = schema.get("required", [])
    names = [name if name in required else f"{name}?" for name in schema.get("properties", {})]
    return f"{tool['name']}({', '.join(names)})"


def _section(title: str, rows: list[list[str]]) -> Iterator[str]:
    if rows:
        yield from ("", click.style(title, bold=True))
        yield from (f"  {line}" for line in columns(rows))


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[object]", value)))
    return str(value)
