"""`litro doctor`: whether this machine and this project are in order."""

import sys
from pathlib import Path
from typing import Final

import click
import orjson

from litro.cli.examination import Finding, Status, examine
from litro.cli.main import examples, prepare, project_option

_COLORS: Final[dict[Status, str]] = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command("doctor", epilog=examples("litro doctor"))
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")
def command(project: Path, as_json: bool) -> None:  # noqa: FBT001 - click's way
    """Tell whether this machine and the project are in order, and what to do where they are not.

    Keys are named, never shown. Exits with 1 where something fails.
    """
    findings = list(examine(prepare(project)))
    is_well = all(finding.status != "fail" for finding in findings)
    if as_json:
        checks = [
            {"name": f.name, "status": f.status, "text": f.text, "remedy": f.remedy}
            for f in findings
        ]
        click.echo(orjson.dumps({"ok": is_well, "checks": checks}, option=orjson.OPT_INDENT_2))
    else:
        for finding in findings:
            _show(finding)
    sys.exit(0 if is_well else 1)


def _show(finding: Finding) -> None:
    status = click.style(f"{finding.status:<4}", fg=_COLORS[finding.status])
    click.echo(f"{status}  {finding.name:<10}{finding.text}")
    if finding.remedy is not None:
        click.echo(f"{'':16}{finding.remedy}")
