"""What the packer's toolchain says of sources: components that cannot be bundled, and scripts that do not parse."""

import re
from pathlib import Path

import pytest

from litro.components.scan import scan
from litro.errors import ProjectError
from litro.mcp.apps.toolchain import Document, examine, make_scripts
from litro.ui.engine import find_node

FAULTY = {
    "broken.js": ("const a = 1;\nconst = 2;", 2, "Expected identifier but found"),
    "missing.ts": ('\nimport "chart.js";', 2, 'Could not resolve "chart.js". Lit, FAST and files'),
    "remote.js": ('import x from "https://cdn.example/x.js";\nx();', 1, "an app is one document"),
    "relative.js": ('import("//cdn.example/x.js");', 1, "an app is one document"),
    "unknown.js": ("const name = location.hash;\nimport(name);", 2, "only known while it runs"),
    "meta.js": ('\n\nnew URL("x.png", import.meta.url);', 3, "it uses import.meta"),
    "waiting.js": ("await 1;", 1, "Top-level await"),
    "picture.js": ('import picture from "./x.png";', 1, 'Could not resolve "./x.png"'),
    "styles.js": ("export const a = 1;", None, None),
}
FILLS = [
    "window.litroMcpApply = (element, data) => {};",
    "globalThis . litroMcpApply\n= f",
    "window['litroMcpApply'] = f",
    'window["litroMcpApply"] ??= f',
    "window[`litroMcpApply`] ||= f",
    "self.litroMcpApply &&= f",
    "litroMcpApply = f",
    "var litroMcpApply = f",
    r"window.litroMcp\u0041pply = f",
    "/* a */ window./* b */litroMcpApply /* c */ = f // d",
    # Known: a string that says so is taken for it.
    "console.log('litroMcpApply=1')",
]
FILLS_NOT = [
    "// window.litroMcpApply = f",
    "/* litroMcpApply = f */ let a = 'https://x.example'",
    "window.litroMcpApply == f",
    "if (window.litroMcpApply === f) g()",
    "window.litroMcpApplyAll = f",
    "window.mylitroMcpApply = f",
    "$litroMcpApply = f",
    "f(window.litroMcpApply)",
    "[1].map(litroMcpApply => litroMcpApply)",
    # Known: this one is missed.
    "Object.assign(window, { litroMcpApply: f })",
    "",
]


async def test_every_component_that_cannot_be_bundled_is_told_with_its_line(tmp_path: Path):
    folder = tmp_path / "components"
    folder.mkdir()
    for name, (source, _, _) in FAULTY.items():
        (folder / name).write_text(source)
    with pytest.raises(ProjectError) as raised:
        await make_scripts(find_node(None), tmp_path, [[file] for file in scan(tmp_path)])
    told = {(p.path.name, p.line): p.text for p in raised.value.problems}
    assert len(told) == len(raised.value.problems)
    wanted = {(name, line) for name, (_, line, text) in FAULTY.items() if text}
    assert set(told) == wanted
    for name, (_, line, text) in FAULTY.items():
        assert text is None or text in told[name, line]
    assert all(p.path == folder / p.path.name for p in raised.value.problems)


async def test_without_components_there_is_the_bridge_alone(tmp_path: Path):
    made = await make_scripts(find_node(None), tmp_path, [])
    assert made.bundles == ()
    assert "litroMcp" in made.bridge
    assert not re.search(r"<!--|</?script|^(?:import|export)\b", made.bridge, re.IGNORECASE)


async def test_scripts_are_parsed_and_not_run():
    good = Document(
        html="<!doctype html><script>throw 1</script><script type=module>import 'x'</script><script src=x>(</script>",
        runtime="process.exit(1); throw new Error('run')",
        apply="(element, data) => { element.data = data } // and then",
    )
    expression = Document(html="", apply="function (element, data) { while (true); }")
    less = Document(html="", runtime="if (1 < 2 && '</p>') x = /<\\/script>/")
    examined = await examine(find_node(None), [good, expression, less])
    assert [one.problems for one in examined] == [(), (), ()]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (Document(html="", runtime="let a;\nlet a;\n"), r'"runtime" is not .*: Identifier \'a\' .* line 2\)'),
        (Document(html="", runtime="import x from 'y'"), r'"runtime" is not valid JavaScript: .*import'),
        (Document(html="", apply="x =>"), r'"apply" is not valid JavaScript: .* line 1\).*structuredContent'),
        (Document(html="", apply="a = 1;"), r'"apply" is not valid JavaScript: .* line 1\)'),
        (Document(html="<p><script>ok()</script><svg></svg><script>not ok</script>"), r'"script 2 of the document" is not'),
        # Of what both have, the author's name for it.
        (Document(html="<script>(</script>", runtime="("), r'^"runtime" is not valid'),
    ],
)  # fmt: skip
async def test_what_does_not_parse_is_told_with_the_engines_words_and_the_line(
    document: Document, said: str
):
    (examined,) = await examine(find_node(None), [document])
    (problem,) = examined.problems
    assert re.search(said, problem), problem


@pytest.mark.parametrize(
    "opened",
    ["<!-- a", "<textarea>", "<style>", "<noscript>", "<iframe>", "<template>", "<svg><g>"],
)
async def test_a_shell_that_takes_in_the_documents_scripts_is_told(opened: str):
    page = "<!doctype html><body>\n<p>…</p>{}\n<script>if (1 < 2) ok()</script>\n</body>\n</html>\n"
    documents = [Document(html=page.format(shell)) for shell in (opened, "<p><b>", "<svg></svg>")]
    (problem,), *others = [one.problems for one in await examine(find_node(None), documents)]
    assert problem.startswith("its shell leaves a comment or an element open")
    assert others == [(), ()]


async def test_a_runtime_that_assigns_the_fill_step_is_warned_of():
    documents = [Document(html="", runtime=source) for source in [*FILLS, *FILLS_NOT]]
    examined = await examine(find_node(None), documents)
    warned = [one.runtime for one, found in zip(documents, examined, strict=True) if found.warnings]
    assert warned == FILLS
    assert "Move it there" in examined[0].warnings[0]
    assert not any(one.problems for one in examined)
