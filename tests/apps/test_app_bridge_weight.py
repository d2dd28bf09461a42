"""The bridge is small, and works as it is shipped."""

import gzip
import json
import subprocess
from pathlib import Path

import pytest
from bridge_host import BRIDGE, Host
from mcp_rigs import NODE

import litro

ESBUILD = Path(litro.__file__).parent / "vendor/esbuild/lib/main.js"
MINIFY = """
const esbuild = require(process.argv[1]);
const source = require("node:fs").readFileSync(0, "utf8");
esbuild.transform(source, {minify: true, format: "iife", target: "es2022", legalComments: "none"}).then(({code}) => {
    process.stdout.write(JSON.stringify(code));
    esbuild.stop?.();
});
"""


@pytest.fixture(scope="module")
def minified() -> str:
    command = [NODE, "-e", MINIFY, ESBUILD]
    done = subprocess.run(command, input=BRIDGE, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_it_is_at_most_three_kilobytes(minified: str):
    assert len(gzip.compress(minified.encode(), 9)) <= 3_000


def test_it_can_be_the_text_of_a_script_element(minified: str):
    for source in (BRIDGE, minified):
        assert not any(
            text in source.lower() for text in ("</script", "<script", "<!--", "import(", "fetch(")
        )


def test_it_leaves_one_name_in_the_page(minified: str, host: Host):
    host.open(meta=None, before="window.before = new Set(Object.keys(window));", bridge=minified)
    added = host.run("Object.keys(window).filter((name) => !before.has(name) && name !== 'before')")
    assert added == ["litroMcp"]


def test_it_works_minified(minified: str, host: Host):
    host.open(
        bridge=minified,
        answers={"tools/call": {"result": {"structuredContent": {"city": "Basel"}}}},
    )
    host.result({"city": "Bern", "onclick": "x"})
    assert host.card("city") == ["Bern"]
    host.run("litroMcp.callTool('again').then(litroMcp.applyResult)")
    assert host.card("city") == ["Basel"]
    host.pass_time(50)
    host.hears("ui/notifications/size-changed")
    assert host.ask("ui/resource-teardown")["result"] == {}
