"""The official conformance suite, all of it, on both wires, against an agent that `litro serve` serves.

What it may fail is in conformance/REVISION.yml, a reason for each line; a line that is not needed any more fails too.
"""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import mcp_rigs
import pytest

pytestmark = [pytest.mark.once, pytest.mark.timeout(300)]

PROJECT = mcp_rigs.HERE / "conformance"
SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"
PASSED = {"SUCCESS", "INFO", "SKIPPED"}
CONTENT = ["simple-text", "image", "audio", "embedded-resource", "mixed-content"]


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with mcp_rigs.served(PROJECT) as routes:
        yield f"{routes}/everything"


def run(address: str, revision: str, results: Path) -> dict[str, dict[str, str]]:
    """Run the suite. What each check of each scenario came to."""
    command = [
        mcp_rigs.NODE,
        mcp_rigs.packages() / SUITE,
        "server",
        "--url",
        address,
        "-o",
        results,
    ]
    only = ["--suite", "all", "--spec-version", revision]
    allowed = ["--expected-failures", PROJECT / f"{revision}.yml"]
    done = subprocess.run([*command, *only, *allowed], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {
        folder.name.removeprefix("server-").partition("-20")[0]: {
            check["id"]: check["status"]
            for check in json.loads((folder / "checks.json").read_bytes())
        }
        for folder in results.iterdir()
    }


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_the_conformance_suite_finds_nothing_that_is_not_known(
    address: str, revision: str, tmp_path: Path
):
    found = run(address, revision, tmp_path)
    for kind in CONTENT:
        assert set(found[f"tools-call-{kind}"].values()) <= PASSED
    if revision == "2026-07-28":
        failed = {
            name for name, status in found["server-stateless"].items() if status not in PASSED
        }
        assert failed == {
            "sep-2575-server-rejects-undeclared-capability",
            "sep-2575-missing-capability-http-400",
        }
