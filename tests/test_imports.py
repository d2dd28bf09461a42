"""What importing costs, in interpreters of their own."""

import subprocess
import sys

import pytest

import litro


def modules_after(statement: str) -> set[str]:
    code = f"{statement}\nimport sys\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(run.stdout.split())


@pytest.mark.parametrize(
    "unwanted", ["starlette", "pydantic", "pydantic_core", "httpx2", "mcp", "uvicorn", "click"]
)
def test_import_litro_loads_no_server_no_client_and_no_schemas(unwanted):
    assert unwanted not in modules_after("import litro")


def test_files_that_only_declare_load_none_of_it_either():
    loaded = modules_after(
        "from litro import Agent, Config, tool\n"
        "from litro.ui import ui\n"
        "from litro.providers import Provider\n"
        "@tool\ndef f(x: int): 'Doc.'\n"
        "Agent('openai:gpt-5')\nConfig(max_body=1)"
    )
    assert not loaded & {"starlette", "pydantic", "pydantic_core", "httpx2", "mcp"}


def test_the_top_level_is_exactly_the_design():
    assert sorted(litro.__all__) == [
        "Agent", "AgentError", "Config", "Progress", "Result", "Tool", "ToolContext", "create_app", "tool",
        "visitor",
    ]  # fmt: skip
    assert all(getattr(litro, name) for name in litro.__all__)
    with pytest.raises(AttributeError, match="'nope'"):
        _ = litro.nope
