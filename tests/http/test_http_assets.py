"""The browser's modules: what is served, how it is packed, and that nothing else of the package can be named."""

import gzip
import re
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_rigs import NODE
from serving import Client

from litro.gates import GatePolicy
from litro.http.assets import Assets, without_comments
from litro.ui.engine.sidecar import VENDOR

PACKAGE = Path(str(files("litro")))


@pytest.mark.parametrize("name", ["client.js", "hydrate.js", "chat.js", "chat/transcript.js"])
def test_modules_are_served_also_those_in_a_folder(client: Client, name: str):
    response = client.ask("GET", f"/__litro/{name}")
    assert response.status == 200
    assert response.headers["content-type"] == "text/javascript; charset=utf-8"
    assert b"export " in response.all()


def test_a_module_is_packed_for_whoever_takes_gzip(client: Client):
    plain = client.ask("GET", "/__litro/chat.js")
    packed = client.ask("GET", "/__litro/chat.js", accept_encoding="br, gzip;q=0.5")
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    body = packed.all()
    assert int(packed.headers["content-length"]) == len(body)
    assert gzip.decompress(body) == plain.all()
    assert packed.headers["etag"] == plain.headers["etag"]
    for response in (plain, packed):
        assert response.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize("accepted", ["", "br", "gzip;q=0", "gzip; q=0.000", "identity, deflate"])
def test_a_module_is_plain_for_whoever_does_not(client: Client, accepted: str):
    response = client.ask("GET", "/__litro/chat.js", accept_encoding=accepted)
    assert "content-encoding" not in response.headers
    assert b"export class LitroChat" in response.all()


def test_whoever_has_the_module_is_told_so_however_it_was_packed(client: Client):
    tag = client.ask("GET", "/__litro/chat.js", accept_encoding="gzip").headers["etag"]
    for headers in ({}, {"accept_encoding": "gzip"}):
        response = client.ask("GET", "/__litro/chat.js", if_none_match=tag, **headers)
        assert (response.status, response.all()) == (304, b"")
        assert response.headers["vary"] == "Accept-Encoding"


MINIFIED = """
const esbuild = require(process.argv[1]);
const sources = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const options = { minify: true, legalComments: "none" };
Promise.all(sources.map((source) => esbuild.transform(source, options))).then((all) => {
  console.log(JSON.stringify(all.map(({ code }) => code)));
  esbuild.stop?.();
});
"""


def test_without_comments_every_module_is_the_same_program():
    modules = [path.read_bytes() for path in sorted(PACKAGE.glob("assets/**/*.js"))]
    shorter = [without_comments(module) for module in modules]
    sources = [module.decode() for module in (*modules, *shorter)]
    done = subprocess.run(
        [NODE, "-e", MINIFIED, VENDOR / "esbuild/lib/main.js"],
        input=orjson.dumps(sources),
        stdout=subprocess.PIPE,
        check=True,
    )
    programs = orjson.loads(done.stdout)
    assert programs[: len(modules)] == programs[len(modules) :]
    assert not any(re.search(rb"^\s*(//|/\*\*)", module) for module in shorter)


@pytest.mark.parametrize(
    "name",
    [
        "dev.js",
        "chat/",
        "chat",
        "chat//transcript.js",
        "chat/../client.js",
        "chat%2F..%2Fclient.js",
        "../__init__.py",
        "..%2f__init__.py",
        "chat/Transcript.js",
        "client.js%00",
        "client.js/",
        "preview/preview.js",
        "inspector/inspector.js",
        "vendor/../client.js",
        "vendor/versions.json",
        "vendor/nothing.js",
        "nothing.js",
    ],
)
def test_nothing_else_can_be_named(client: Client, name: str):
    assert client.ask("GET", f"/__litro/{name}").status == 404


def test_pages_of_other_origins_that_are_allowed_get_one_vary(many: Client):
    response = many.at("/cors").ask("GET", "/__litro/client.js", origin="https://partner.example")
    assert response.headers["vary"] == "Accept-Encoding, Origin"


KNOWN = {
    *(path.name for path in PACKAGE.glob("assets/*.js")),
    *(f"chat/{path.name}" for path in PACKAGE.glob("assets/chat/*.js")),
    *(f"vendor/{path.name}" for path in PACKAGE.glob("vendor/assets/*.js")),
} - {"dev.js"}
PARTS = st.sampled_from(
    ["..", ".", "chat", "vendor", "client.js", "dev.js", "%2e", "\\", "\0", "events.py", ""]
)


@settings(max_examples=300)
@given(
    st.one_of(st.text(max_size=40), st.lists(PARTS).map("/".join), st.sampled_from(sorted(KNOWN)))
)
async def test_what_is_served_are_the_modules_of_the_folders_and_nothing_else(name: str):
    async def send(message: Any) -> None:
        pass

    path = f"/__litro/{name}"
    headers = [(b"host", b"a.example")]
    scope = {"type": "http", "method": "GET", "path": path, "headers": headers}
    assert await Assets(GatePolicy())(path, scope, send) == (name in KNOWN)
