"""A project's components: built, loaded, and what is wrong with one told while the others work."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from components.projects import CARD, components_of, html_of, write
from litro.components.build import build, kept_file
from litro.components.project import Generation
from litro.components.scan import scan
from litro.errors import RenderFailed
from litro.ui.engine import find_node
from ui.engines import children_of


def card(tag: str, render: str, before: str = "") -> str:
    return f"""
import {{ LitElement, html }} from "lit";
{before}
class It extends LitElement {{
  render() {{ return {render}; }}
}}
customElements.define("{tag}", It);
"""


async def test_a_component_is_built_loaded_and_rendered(tmp_path: Path) -> None:
    async with components_of(write(tmp_path, {"card.js": CARD})) as components:
        generation = await components.generation()
        assert generation.problems == ()
        assert generation.tags == {"demo-card": "card"}
        assert generation.address_of("demo-card") == "/__litro/components/card.js"
        assert "<b><!--lit-part-->Graz<!--/lit-part--></b>" in await html_of(
            generation, "demo-card"
        )


async def test_what_a_browser_gets_shares_one_lit(tmp_path: Path) -> None:
    async with components_of(write(tmp_path, {"card.js": CARD})) as components:
        generation = await components.generation()
        name = generation.build.browser["card"]
        assert name.startswith("card-")
        built = kept_file(tmp_path, name)
        assert built is not None
        text = built.read_text()
        shared = text.split('from"./')[1].split('"')[0]
        assert shared.startswith("lit-")
        assert kept_file(tmp_path, shared) is not None


LEGACY = """
import { LitElement, html } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Whatever } from "./_types.ts";
enum Unit { C = "°C" }
@customElement("demo-typed")
export class Typed extends LitElement {
  @property({ type: String }) city: string = "none";
  @property({ type: Number }) temp = 21;
  private shown?: Whatever;
  render() { return html`<b>${this.city} ${this.temp}${Unit.C}</b>`; }
}
"""
STANDARD = LEGACY.replace(" city: string", " accessor city: string").replace(
    " temp =", " accessor temp ="
)


@pytest.mark.parametrize("config", [None, "{}", '{"compilerOptions": {"target": "ES2022"}}'])
async def test_typescript_with_decorators_of_either_kind_renders(
    tmp_path: Path, config: str | None
) -> None:
    files = {"typed.ts": STANDARD if config else LEGACY, "_types.ts": "export type Whatever = 1;"}
    if config:
        files["/tsconfig.json"] = config
    async with components_of(write(tmp_path, files)) as components:
        generation = await components.generation()
        assert generation.problems == ()
        html = await html_of(generation, "demo-typed")
        assert "<b><!--lit-part-->Graz<!--/lit-part--> <!--lit-part-->21<!--/lit-part-->" in html


async def test_components_that_share_code_share_it_once_and_keep_their_own_tags(
    tmp_path: Path,
) -> None:
    shared = 'globalThis.loads = (globalThis.loads ?? 0) + 1; export const say = () => "shared";'
    files = {
        "_shared.ts": shared,
        "a/outer.js": card(
            "demo-outer",
            "html`${say()} ${globalThis.loads} <demo-inner></demo-inner>`",
            'import { say } from "../_shared.ts"; import "../z-inner.js";',
        ),
        "z-inner.js": card(
            "demo-inner", "html`<i>${say()}</i>`", 'import { say } from "./_shared.ts";'
        ),
    }
    async with components_of(write(tmp_path, files)) as components:
        generation = await components.generation()
        assert generation.tags == {"demo-outer": "a/outer", "demo-inner": "z-inner"}
        html = await html_of(generation, "demo-outer")
        assert "-->1<!--" in html
        assert "<i><!--lit-part-->shared<!--/lit-part--></i>" in html


async def test_what_npm_installed_is_bundled(tmp_path: Path) -> None:
    files = {
        "card.js": card("demo-card", "html`${greet()}`", 'import { greet } from "greeter";'),
        "/node_modules/greeter/package.json": '{"name": "greeter", "exports": "./g.js"}',
        "/node_modules/greeter/g.js": 'export const greet = () => "Servus";',
    }
    async with components_of(write(tmp_path, files)) as components:
        assert "Servus" in await html_of(await components.generation(), "demo-card")
        write(tmp_path, {"/node_modules/greeter/g.js": 'export const greet = () => "Grüß Gott";'})
        assert "Grüß Gott" in await html_of(await components.renew(), "demo-card")


async def test_what_is_not_installed_is_told_with_its_place_and_taken_once_it_is(
    tmp_path: Path,
) -> None:
    source = card("demo-card", "html`${greet()}`", 'import { greet } from "greeter";')
    async with components_of(
        write(tmp_path, {"card.js": source, "ok.js": CARD.replace("demo-card", "demo-ok")})
    ) as components:
        generation = await components.generation()
        (problem,) = generation.problems
        assert (problem.path, problem.line) == (tmp_path / "components/card.js", 3)
        assert 'Could not resolve "greeter"' in problem.text
        assert "npm" in problem.text
        assert "Graz" in await html_of(generation, "demo-ok")
        write(
            tmp_path,
            {
                "/node_modules/greeter/package.json": '{"main": "g.js"}',
                "/node_modules/greeter/g.js": 'exports.greet = () => "Servus";',
            },
        )
        assert "Servus" in await html_of(await components.renew(), "demo-card")


async def test_one_broken_component_is_told_with_its_line_and_the_others_work(
    tmp_path: Path,
) -> None:
    files = {"card.js": CARD, "broken.ts": "const a = 1;\nconst b = ;\n"}
    async with components_of(write(tmp_path, files)) as components:
        generation = await components.generation()
        (problem,) = generation.problems
        assert (problem.path, problem.line) == (tmp_path / "components/broken.ts", 2)
        assert "Unexpected" in problem.text
        assert "Graz" in await html_of(generation, "demo-card")


async def test_one_that_throws_while_loading_is_told_with_its_own_lines(tmp_path: Path) -> None:
    files = {
        "card.js": CARD,
        "thrower.ts": "type A = 1;\n\nfunction fail(): never {\n  throw new Error('no database');\n}\n\nfail();\n",
    }
    async with components_of(write(tmp_path, files)) as components:
        generation = await components.generation()
        (problem,) = generation.problems
        assert problem.path == tmp_path / "components/thrower.ts"
        assert "no database" in problem.text
        assert "components/thrower.ts:4:" in problem.text
        assert "components/thrower.ts:7:" in problem.text
        assert "Graz" in await html_of(generation, "demo-card")


async def test_one_that_throws_while_rendering_is_told_with_its_own_lines(tmp_path: Path) -> None:
    source = LEGACY.replace("render() {", "render() {\n    if (this.city) throw new Error('rain');")
    async with components_of(write(tmp_path, {"typed.ts": source, "_types.ts": ""})) as components:
        told = await html_of(await components.generation(), "demo-typed")
        assert "rain" in told
        assert "components/typed.ts:12:" in told


@pytest.mark.parametrize("harm", ["for (;;) {}", "process.exit(0)", "process.abort()"])
async def test_one_that_does_harm_while_loading_costs_itself(tmp_path: Path, harm: str) -> None:
    async with components_of(write(tmp_path, {"a-harm.js": harm, "card.js": CARD})) as components:
        generation = await components.generation()
        (problem,) = generation.problems
        assert problem.path == tmp_path / "components/a-harm.js"
        assert "Graz" in await html_of(generation, "demo-card")


async def test_two_components_of_one_tag_are_a_problem_that_names_both(tmp_path: Path) -> None:
    files = {"one.js": CARD, "two.js": CARD + "// another"}
    async with components_of(write(tmp_path, files)) as components:
        generation = await components.generation()
        (problem,) = generation.problems
        assert problem.path == tmp_path / "components/two.js"
        assert "<demo-card> is registered by one already" in problem.text
        assert generation.tags == {"demo-card": "one"}


async def test_a_reload_loads_anew_while_what_renders_goes_on(tmp_path: Path) -> None:
    async with components_of(write(tmp_path, {"card.js": CARD})) as components:
        old = await components.generation()
        renders = [asyncio.create_task(html_of(old, "demo-card")) for _ in range(20)]
        await asyncio.sleep(0)
        write(tmp_path, {"card.js": CARD.replace("<b>", "<em>").replace("</b>", "</em>")})
        new = await components.renew()
        assert "<em>" in await html_of(new, "demo-card")
        assert all("<b>" in html for html in await asyncio.gather(*renders))


async def test_an_old_browsers_file_is_kept_after_a_rebuild(tmp_path: Path) -> None:
    async with components_of(write(tmp_path, {"card.js": CARD})) as components:
        old = (await components.generation()).build.browser["card"]
        write(tmp_path, {"card.js": CARD.replace("<b>", "<em>").replace("</b>", "</em>")})
        new = (await components.renew()).build.browser["card"]
        assert old != new
        for name in (old, new):
            assert kept_file(tmp_path, name) is not None


@given(st.text())
@example("../manifest.json")
@example("../../card.js")
@example("..")
@example("")
@example("*")
@example("/etc/passwd")
@example("[a-z]*.js")
@example("a\0.js")
@example("..\\x.js")
@example("x" * 5000 + ".js")
def test_no_name_leads_out_of_the_builds(name: str) -> None:
    assert kept_file(Path("examples/weather").resolve(), name) is None


async def test_an_unchanged_project_is_not_built_again(tmp_path: Path) -> None:
    write(tmp_path, {"card.js": CARD})
    node = find_node()
    first = await build(tmp_path, scan(tmp_path), node, minify=True)
    again = await build(tmp_path, scan(tmp_path), node, minify=True)
    assert first == again
    written = (first.folder / "manifest.json").stat()
    assert written == (again.folder / "manifest.json").stat()
    readable = await build(tmp_path, scan(tmp_path), node, minify=False)
    assert readable.folder != first.folder


async def test_what_is_imported_from_beside_the_components_counts_as_well(tmp_path: Path) -> None:
    files = {
        "card.js": card("demo-card", "html`${words}`", 'import { words } from "../lib/words.js";'),
        "/lib/words.js": 'export const words = "one";',
    }
    async with components_of(write(tmp_path, files)) as components:
        assert "one" in await html_of(await components.generation(), "demo-card")
        write(tmp_path, {"/lib/words.js": 'export const words = "two";'})
        assert "two" in await html_of(await components.renew(), "demo-card")


async def test_where_the_project_cannot_be_written_the_users_cache_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    project = write(tmp_path / "project", {"card.js": CARD, "/.litro": "a file: no folder can be"})
    async with components_of(project) as components:
        generation = await components.generation()
        assert "Graz" in await html_of(generation, "demo-card")
        assert generation.build.folder.is_relative_to(tmp_path / "cache" / "litro")
        assert kept_file(project, generation.build.browser["card"]) is not None
    assert (tmp_path / "cache" / "litro").stat().st_mode & 0o077 == 0


async def test_a_project_behind_a_link_is_built(tmp_path: Path) -> None:
    project = write(tmp_path / "real", {"card.js": CARD})
    link = tmp_path / "link"
    link.symlink_to(project)
    async with components_of(link) as components:
        assert "Graz" in await html_of(await components.generation(), "demo-card")


def test_several_processes_build_at_once(tmp_path: Path) -> None:
    write(tmp_path, {"card.js": CARD})
    program = """
import asyncio, sys
from pathlib import Path
from components.projects import components_of, html_of
async def main():
    async with components_of(Path(sys.argv[1])) as components:
        print(await html_of(await components.generation(), "demo-card"))
asyncio.run(main())
"""
    command = [sys.executable, "-W", "error", "-c", program, str(tmp_path)]
    environ = {**os.environ, "PYTHONPATH": "tests"}
    started = [subprocess.Popen(command, stdout=-1, text=True, env=environ) for _ in range(3)]
    said = {process.communicate(timeout=50)[0] for process in started}
    assert len(said) == 1
    assert "Graz" in said.pop()
    left = [path.name for path in (tmp_path / ".litro/build").iterdir()]
    assert len([name for name in left if not name.startswith(".")]) == 1
    assert not [name for name in left if name.startswith(".building")]


def test_one_object_serves_one_event_loop_after_the_other(tmp_path: Path) -> None:
    from litro.components import Components

    components = Components(
        write(tmp_path, {"card.js": CARD}), node=None, processes=1, development=False
    )

    async def once() -> str:
        html = await html_of(await components.generation(), "demo-card")
        await components.close()
        return html

    assert asyncio.run(once()) == asyncio.run(once())


def test_what_is_no_component_is_none(tmp_path: Path) -> None:
    names = (
        "_shared.ts",
        "card.test.js",
        "types.d.ts",
        "node_modules/x.js",
        "_private/x.js",
        ".hidden.js",
        "card.css",
        "a/card.ts",
        "b.mjs",
    )
    write(tmp_path, dict.fromkeys(names, ""))
    assert [file.name for file in scan(tmp_path)] == ["a/card", "b"]
    assert scan(tmp_path / "nowhere") == ()


async def test_a_project_without_components_has_a_generation_without_tags(tmp_path: Path) -> None:
    async with components_of(tmp_path) as components:
        assert not components.exist
        assert (await components.generation()).tags == {}


async def test_a_build_of_last_season_is_removed_by_the_next_and_one_that_is_used_is_not(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"card.js": CARD})
    node = find_node()
    builds = []
    for version in range(3):
        write(tmp_path, {"card.js": CARD + f"// {version}\nexport const version = {version};"})
        made = await build(tmp_path, scan(tmp_path), node, minify=True)
        builds.append(made.folder)
        if version < 2:
            os.utime(made.folder, (0, 0))
        if version == 0:
            left = made.folder.parent / ".building-killed"
            left.mkdir()
            os.utime(left, (0, 0))
            # Used once more: it is of today.
            assert await build(tmp_path, scan(tmp_path), node, minify=True) == made
    assert [folder.exists() for folder in builds] == [True, False, True]
    assert not left.exists()


async def test_a_module_that_every_object_seems_to_have_is_none(tmp_path: Path) -> None:
    async with components_of(write(tmp_path, {"a.js": 'import "constructor";'})) as components:
        (problem,) = (await components.generation()).problems
        assert 'Could not resolve "constructor"' in problem.text


@pytest.mark.parametrize("moment", [0.0, 0.05, 0.3, 0.8])
async def test_closing_while_a_generation_is_made_leaves_nothing(
    tmp_path: Path, moment: float
) -> None:
    before = children_of(os.getpid())
    async with components_of(write(tmp_path, {"card.js": CARD})) as components:
        asked = asyncio.create_task(components.generation())
        await asyncio.sleep(moment)
        await components.close()
        (outcome,) = await asyncio.gather(asked, return_exceptions=True)
        assert isinstance(outcome, RenderFailed | Generation), outcome
    assert children_of(os.getpid()) == before
    home = tmp_path / ".litro/build"
    assert not home.exists() or not list(home.glob(".building-*"))


async def test_the_last_good_generation_stays_while_one_of_its_components_is_broken(
    tmp_path: Path,
) -> None:
    files = {"card.js": CARD, "other.js": card("demo-other", "html`one`")}
    async with components_of(write(tmp_path, files)) as components:
        good = await components.generation()
        write(tmp_path, {"card.js": "class", "other.js": card("demo-other", "html`two`")})
        broken = await components.renew()
        assert [problem.path for problem in broken.problems] == [tmp_path / "components/card.js"]
        assert await components.generation() is good
        assert "Graz" in await html_of(good, "demo-card")
        (tmp_path / "components/card.js").unlink()
        await components.renew()
        assert (await components.generation()).tags == {"demo-other": "other"}


async def test_one_that_registers_nothing_any_more_is_no_loss(tmp_path: Path) -> None:
    async with components_of(write(tmp_path, {"card.js": CARD})) as components:
        await components.generation()
        write(tmp_path, {"card.js": "export const helper = 1;"})
        await components.renew()
        assert (await components.generation()).tags == {}


async def test_closing_while_a_generation_is_renewed_leaves_nothing(tmp_path: Path) -> None:
    before = children_of(os.getpid())
    async with components_of(write(tmp_path, {"card.js": CARD})) as components:
        await components.generation()
        write(tmp_path, {"card.js": CARD + "// edited"})
        renewal = asyncio.create_task(components.renew())
        while not list((tmp_path / ".litro/build").glob(".building-*")):
            await asyncio.sleep(0.01)
        await components.close()
        (outcome,) = await asyncio.gather(renewal, return_exceptions=True)
        assert isinstance(outcome, asyncio.CancelledError)
    assert children_of(os.getpid()) == before
