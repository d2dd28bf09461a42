"""`litro mcp preview`: a local page that shows the project's MCP apps, and plays their host.

Names are looked up by paths alone; what is wrong in the files is shown by the page.
"""

import os
from pathlib import Path
from typing import Final
from urllib.parse import quote

import click

from litro.app.preview import Preview
from litro.cli.again import Again
from litro.cli.chosen import choose, project_of
from litro.cli.main import examples
from litro.cli.mcp import agent_option, apps_dir_option, project_option
from litro.cli.serving import url_of
from litro.discovery.scan import Scan, scan
from litro.errors import LitroError
from litro.mcp.apps.sources import FOLDER, find

_HOST: Final = "127.0.0.1"


@click.command(
    "preview",
    epilog=examples("litro mcp preview weather-card", "litro mcp preview get-weather --port 0"),
)
@click.argument("name", metavar="[APP|TOOL]", required=False)
@project_option
@agent_option("The agent whose tools are called. Required where the project has several.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8100,
    show_default=True,
    help="The next free one is taken where it is not; 0 picks one.",
)
@apps_dir_option
def command(
    name: str | None, project: Path | None, agent: str | None, port: int, apps_dir: Path | None
) -> None:
    """Show MCP Apps in a page that plays their host, while you write them.

    APP is an app of mcp-apps/ to show first, TOOL a tool that has one. The apps are packed, and packed anew when they, their
    components or their tools change; what is wrong is told here and on the page. It is served to this machine alone, and the
    cards reach no network but what their apps declare. Ctrl-C ends it.
    """
    again = Again()
    project = project_of(project)
    os.environ["LITRO_DEV"] = "1"
    scanned = scan(project)
    chosen = choose(scanned, agent, is_named=False)
    # What it names may have been renamed since; the pages that are open have chosen already.
    query = "" if name is None or again.is_restarted else _query(scanned, chosen, name)
    listener = again.listener(_HOST, port)
    stage = again.stage(project, lambda project: Preview(project, chosen, apps_dir=apps_dir))
    where = f"the preview of {project.name} at {url_of(listener, _HOST)}/{query}"
    again.serve(stage, listener, where)


def _query(scanned: Scan, agent: str, name: str) -> str:
    """What to put into the address, so that the page shows it.

    Raises:
        LitroError: There is nothing of this name.
    """
    apps = [file.name for file in find(scanned.project / FOLDER).files]
    tools = [tool.name for files in scanned.agents if files.name == agent for tool in files.tools]
    for kind, names in (("app", apps), ("tool", tools)):
        if name in names:
            return f"?{kind}={quote(name, safe='')}"
    msg = (
        f"{name!r} is neither an app of {FOLDER}/ ({', '.join(apps) or 'none'}) nor a tool of agent {agent!r} "
        f"({', '.join(tools) or 'none'}). Correct the name, or leave it out and choose on the page."
    )
    raise LitroError(msg)
