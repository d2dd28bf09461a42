"""`litro mcp-app build`, the real command on real projects: what it writes, what it says, and what it refuses."""

import os
import re
import shutil
from pathlib import Path

import orjson
import pytest

from cli.projects import Litro, litro_in, write_files
from litro.components import Components
from litro.components.rendering import Renderer, Shell
from litro.errors import ProjectError
from litro.mcp.apps.packing import pack
from litro.ui.template import Template

CARD = """
import { css, html, LitElement } from "lit";
class Card extends LitElement {
  static properties = { city: {}, tempC: { type: Number } };
  static styles = css`b { color: teal }`;
  render() { return html`<b>${this.city ?? "…"}</b> <i>${this.tempC ?? "…"}</i>`; }
}
customElements.define("demo-card", Card);
"""
PLAIN = "from litro.mcp import McpApp\nfrom markupsafe import Markup\napp = McpApp(Markup('<p>…</p>'){})\n"
WEATHER = "from litro.ui import element\n\n\ndef card(city):\n    return element('demo-card', city=city)\n"
APP = "from litro.mcp import McpApp\nfrom weather import card\napp = McpApp(card('Graz'){})\n"
OWN = "from litro.mcp import McpApp\nfrom litro.ui import element\napp = McpApp(element('demo-card'))\n"
APPLY = ", apply='(e, data) => { e.textContent = data.city }'"
FILES = {
    "pyproject.toml": '[project]\nname = "demo"\n',
    "weather.py": WEATHER,
    "components/card.js": CARD,
    "mcp-apps/weather/live.py": APP.format(", title='Weather'"),
    "mcp-apps/static.py": APP.format(f", live=False{APPLY}"),
    "mcp-apps/plain.py": PLAIN.format(
        f"{APPLY}, uri='ui://elsewhere/p', csp={{'connect_domains': []}}"
    ),
}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    project = write_files(tmp_path_factory.mktemp("project"), FILES)
    done = litro_in(project)("mcp-app", "build")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return project, done.stdout


@pytest.fixture
def litro(tmp_path: Path) -> Litro:
    return litro_in(tmp_path)


def documents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def document(project: Path, name: str) -> str:
    return (project / "dist/mcp-apps" / f"{name}.html").read_text()


def test_a_line_an_app_tells_its_address_its_file_and_its_size(built: tuple[Path, str]):
    project, said = built
    *lines, total = said.splitlines()
    shown = [re.sub(r"\d+", "N", line) for line in lines]
    assert shown == [
        "ui://elsewhere/p  dist/mcp-apps/plain.html  N bytes (N compressed)",
        "ui://demo/static  dist/mcp-apps/static.html  N bytes (N compressed)",
        "ui://demo/weather/live  dist/mcp-apps/weather/live.html  N bytes (N compressed)",
    ]
    size = (project / "dist/mcp-apps/static.html").stat().st_size
    assert f"static.html  {size} bytes" in lines[1]
    assert re.fullmatch(r"3 apps, \d+ bytes \(\d+ compressed\)", total)


def test_each_app_has_a_document_and_a_descriptor_and_the_manifest_lists_them(
    built: tuple[Path, str],
):
    project, _ = built
    files = documents(project / "dist/mcp-apps")
    names = ("plain", "static", "weather/live")
    assert [*files] == sorted(
        ["manifest.json", *(f"{n}.{kind}" for n in names for kind in ("html", "json"))]
    )
    assert [entry["name"] for entry in orjson.loads(files["manifest.json"])] == [*names]
    assert orjson.loads(files["plain.json"]) == {
        "uri": "ui://elsewhere/p",
        "name": "p",
        "mimeType": "text/html;profile=mcp-app",
        "_meta": {"ui": {"csp": {"connectDomains": []}}},
    }


def test_a_live_app_is_painted_without_a_script_and_carries_its_components(built: tuple[Path, str]):
    live = document(built[0], "weather/live")
    shell, _, scripts = live.partition("<script>")
    assert re.search(r'<template [^>]*shadowrootmode="open">.*Graz.*</template></demo-card>', shell)
    assert (
        'data-litro-hydrate="{&quot;props&quot;:{&quot;city&quot;:&quot;Graz&quot;},&quot;modules&quot;:[]}"'
        in shell
    )
    assert "demo-card" in scripts
    assert scripts.count("<script>") == 2


def test_a_static_app_is_painted_as_well_and_carries_nothing(built: tuple[Path, str]):
    static = document(built[0], "static")
    shell, _, scripts = static.partition("<script>")
    assert "Graz" in shell
    assert "data-litro" not in shell
    assert "demo-card" not in scripts
    assert len(static) < 10_000 < len(document(built[0], "weather/live"))


def test_the_same_files_make_the_same_documents(built: tuple[Path, str], tmp_path: Path):
    project, said = built
    done = litro_in(project)("mcp-app", "build", "--out", str(tmp_path))
    assert done.stdout.replace(f"{tmp_path}", "dist/mcp-apps") == said
    assert documents(tmp_path) == documents(project / "dist/mcp-apps")


def test_everything_that_is_wrong_anywhere_is_told_at_once_and_nothing_is_written(
    built: tuple[Path, str], litro: Litro, tmp_path: Path
):
    shutil.copytree(built[0], tmp_path, dirs_exist_ok=True)
    before = documents(tmp_path / "dist")
    wrong = {
        "raises.py": "1 / 0\n",
        "unbound.py": "x = 1\n",
        "clash.py": PLAIN.format(", uri='ui://DEMO/static'"),
        "[id].py": PLAIN.format(""),
        "swallows.py": PLAIN.format(", runtime='\"<!--\"'"),
        "broken.py": PLAIN.format(", runtime='const = 1'"),
        "outside.py": "from litro.mcp import McpApp\nfrom markupsafe import Markup\n"
        "app = McpApp(Markup('<img src=\"https://a.example/x.png\">'))\n",
        "unknown.py": "from litro.mcp import McpApp\nfrom litro.ui import element\napp = McpApp(element('x-none'))\n",
        "raising.py": "from litro.mcp import McpApp\nclass Shell:\n  def __html__(self): raise KeyError('x')\n"
        "app = McpApp(Shell())\n",
    }
    write_files(tmp_path / "mcp-apps", wrong)
    write_files(tmp_path, {"components/loops.js": "throw new Error('no such table')"})
    done = litro("mcp-app", "build")
    assert done.returncode == 1
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    for part in (
        *("raises.py:1: ZeroDivisionError", "unbound.py: it holds no `app`"),
        *(
            "clash.py: clash and static both resolve to",
            "[id].py: '[id]' cannot stand in an address",
        ),
        *("swallows.py: runtime has '<!--'", 'broken.py: "runtime" is not valid JavaScript'),
        *("outside.py: it would load from elsewhere: ", "'https://a.example/x.png'"),
        *("unknown.py: its shell cannot be rendered: <x-none> is registered by no component",),
        *(
            "loops.js: it failed while loading: no such table",
            "raising.py: its shell's __html__() raised KeyError",
        ),
    ):
        assert [line for line in lines if part in line] != [], part
    assert "Traceback" not in done.stderr
    assert documents(tmp_path / "dist") == before


def test_names_that_no_document_can_have_are_told_before_anything_is_loaded(
    litro: Litro, tmp_path: Path
):
    write_files(tmp_path / "mcp-apps", {"a\\b.py": "print('loaded')", "c#.py": "print('loaded')"})
    done = litro("mcp-app", "build")
    assert (done.returncode, done.stdout) == (1, "")
    assert "a\\b.py: its name has a backslash" in done.stderr
    assert "c#.py: its name has #" in done.stderr


def test_documents_of_apps_that_are_gone_go_with_them(litro: Litro, tmp_path: Path):
    write_files(tmp_path / "mcp-apps", {"a.py": PLAIN.format(""), "b.py": PLAIN.format("")})
    write_files(tmp_path / "dist/mcp-apps", {"mine.txt": "mine"})
    assert litro("mcp-app", "build").returncode == 0
    (tmp_path / "mcp-apps" / "a.py").unlink()
    assert litro("mcp-app", "build").stdout.startswith("ui://b  dist/mcp-apps/b.html  ")
    assert [*documents(tmp_path / "dist/mcp-apps")] == [
        "b.html",
        "b.json",
        "manifest.json",
        "mine.txt",
    ]


@pytest.mark.parametrize("arguments", [(), ("serve",), ("build", "--fast")])
def test_a_command_that_is_used_wrongly_says_how_it_is_used(
    litro: Litro, arguments: tuple[str, ...]
):
    done = litro("mcp-app", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage: " in done.stderr


def test_without_apps_there_is_nothing_to_pack(litro: Litro, tmp_path: Path):
    done = litro("mcp-app", "build", "--dir", "cards")
    assert done.returncode == 1
    assert f"{tmp_path}/cards: no app files found here" in done.stderr
    assert not (tmp_path / "dist").exists()


def test_documents_go_where_they_are_served_from_unless_it_is_said(litro: Litro, tmp_path: Path):
    write_files(
        tmp_path,
        {
            "cards/a.py": PLAIN.format(""),
            "pyproject.toml": '[tool.litro]\nmcp_apps_dir = "build/apps"\n',
        },
    )
    assert litro("mcp-app", "build", "--dir=cards").returncode == 0
    assert litro("mcp-app", "build", "--dir", "cards", "--out=other").returncode == 0
    assert documents(tmp_path / "build/apps") == documents(tmp_path / "other") != {}


def test_without_node_that_is_told_once_beside_what_else_is_wrong(litro: Litro, tmp_path: Path):
    write_files(tmp_path, {**FILES, "mcp-apps/bad.py": "x = 1"})
    done = litro("mcp-app", "build", LITRO_NODE="/nowhere/node")
    assert done.returncode == 1
    assert done.stderr.count("LITRO_NODE: '/nowhere/node' cannot be run") == 1
    assert "bad.py: it holds no `app`" in done.stderr


def test_what_an_author_had_better_know_does_not_fail_the_build(litro: Litro, tmp_path: Path):
    write_files(
        tmp_path / "mcp-apps", {"a.py": PLAIN.format(", runtime='window.litroMcpApply = () => {}'")}
    )
    done = litro("mcp-app", "build")
    assert done.returncode == 0
    assert f"{os.sep}a.py: runtime assigns litroMcpApply" in done.stderr


def test_fast_components_are_packed_the_same_way(litro: Litro, tmp_path: Path):
    files = {
        "components/f-card.html": '<f-template name="f-card"><template><b>{{city}}</b></template></f-template>',
        "components/f-card.js": 'import { FASTElement, observable } from "@microsoft/fast-element";\n'
        'import { declarativeTemplate } from "@microsoft/fast-element/declarative.js";\n'
        'class FCard extends FASTElement {}\nobservable(FCard.prototype, "city");\n'
        'FCard.define({ name: "f-card", template: declarativeTemplate() });',
        "weather.py": WEATHER.replace("demo-", "f-"),
        "mcp-apps/live.py": APP.format(""),
    }
    write_files(tmp_path, files)
    done = litro("mcp-app", "build", LITRO_ADAPTER="fast")
    assert done.returncode == 0, done.stderr
    shell, _, scripts = document(tmp_path, "live").partition("<script>")
    assert re.search(r'<template [^>]*shadowrootmode="open"[^>]*>.*Graz.*</template>', shell)
    assert "f-card" in scripts


class Overtaken(Renderer):
    """Renders, and meanwhile somebody removes the component."""

    async def shell(self, template: Template, *, live: bool) -> Shell:
        shown = await super().shell(template, live=live)
        Path("components/card.js").unlink()
        return shown


def test_a_static_app_that_nothing_fills_is_told_to_its_author(litro: Litro, tmp_path: Path):
    write_files(tmp_path, {**FILES, "mcp-apps/still.py": APP.format(", live=False")})
    done = litro("mcp-app", "build")
    assert done.returncode == 0
    assert "still.py: with live=False its components do not come along" in done.stderr
    assert "static.py" not in done.stderr


async def test_a_component_that_goes_meanwhile_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    project = write_files(tmp_path, {**FILES, "mcp-apps/live.py": OWN})
    for name in ("static.py", "plain.py", "weather/live.py"):
        (project / "mcp-apps" / name).unlink()
    monkeypatch.chdir(project)
    components = Components(project, node=None, processes=1, development=False)
    renderer = Overtaken(components, lambda: "lit")
    with pytest.raises(ProjectError, match=r"component 'card' went while it was packed\. Build"):
        await pack(
            project,
            folder=project / "mcp-apps",
            renderer=renderer,
            components=components,
            node=None,
        )
    await components.close()
