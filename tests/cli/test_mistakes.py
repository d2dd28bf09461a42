"""Ten mistakes of a newcomer: each is told with the place, what is true, and the one thing to do. `SHOWN` shows them."""

import http.server
import os
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from projects import Litro, Write

AGENT = "from litro import Agent\n\nagent = Agent({model})\n"
SHOWN = os.environ.get("LITRO_SHOW_MISTAKES")


@pytest.fixture
def told(litro: Litro, project: Path):
    """Runs a command that fails, and answers what it told."""

    def tell(*arguments: str, code: int = 1, cwd: Path = project, **env: str) -> str:
        done = litro(*arguments, cwd=cwd, **env)
        assert done.returncode == code, done.stderr
        if SHOWN:
            sys.stderr.write(f"\n$ litro {' '.join(arguments)}\n{done.stdout}{done.stderr}")
        return done.stderr

    return tell


def test_a_tool_without_annotations(told, write: Write):
    write(
        {
            "agents/demo/tools/get-weather.py": "from litro import tool\n\n@tool\ndef f(city):\n    'W.'\n"
        }
    )
    message = told("check")
    assert "tools/get-weather.py:3: f(): 'city' has no annotation" in message
    assert "Annotate it, for example `city: str`" in message


def test_two_tools_in_a_file(told, write: Write):
    two = (
        "from litro import tool\n\n@tool\ndef one():\n    'One.'\n\n@tool\ndef two():\n    'Two.'\n"
    )
    write({"agents/demo/tools/one.py": two})
    message = told("check")
    assert "tools/one.py:7: it holds the tools `one` (line 3) and `two` (line 7)" in message
    assert "Move each into a file of its own." in message


def test_a_key_that_is_missing_is_told_before_the_first_turn_and_by_it(told, write: Write):
    write({"agents/demo/agent.py": AGENT.format(model="'anthropic:claude-sonnet-4-5'")})
    for message in (told("check", code=0), told("run", "demo", "Hi")):
        assert "ANTHROPIC_API_KEY is not set" in message
        assert "Set ANTHROPIC_API_KEY in the environment (or in .env)" in message
    assert "ANTHROPIC_API_KEY" not in told("check", code=0, ANTHROPIC_API_KEY="sk")


def test_a_model_s_name_that_names_no_provider(told, write: Write):
    write({"agents/demo/agent.py": AGENT.format(model="'gpt-5'")})
    message = told("check")
    assert "agent.py:3: ValueError: model is 'gpt-5', so \"openai:NAME\" or" in message
    assert "litro.providers.openai_compatible(NAME, base_url=…)" in message


class NoSuchModel(http.server.BaseHTTPRequestHandler):
    """Answers as Ollama does for a model that was not pulled."""

    def do_POST(self) -> None:
        body = b'{"error":{"message":"model \'qwen33\' not found","type":"not_found_error"}}'
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(404)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def model_server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), NoSuchModel) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def test_a_model_that_its_server_does_not_have(told, write: Write, model_server: str):
    model = f"openai_compatible('qwen33', base_url={model_server!r})"
    agent = "from litro.providers import openai_compatible\n" + AGENT.format(model=model)
    write({"agents/demo/agent.py": agent})
    message = told("run", "demo", "Hi")
    assert "404" in message
    assert "model 'qwen33' not found" in message
    assert "See the model's name and its key, in agents/demo/agent.py and .env" in message


def test_a_server_that_cannot_be_reached(told, write: Write):
    model = "openai_compatible('m', base_url='http://127.0.0.1:9/v1')"
    agent = "from litro.providers import openai_compatible\n" + AGENT.format(model=model)
    write({"agents/demo/agent.py": agent})
    message = told("run", "demo", "Hi")
    assert "127.0.0.1:9 cannot be reached" in message
    assert "See that it runs, and that base_url is its address." in message


def test_a_syntax_error(told, write: Write):
    write({"agents/demo/agent.py": "from litro import Agent\nagent = Agent('openai:gpt-5'\n"})
    for message in (told("check"), told("run", "demo", "Hi")):
        assert "agent.py:2: SyntaxError: '(' was never closed. Correct the syntax" in message
        assert message.count("SyntaxError") == 1


def test_a_port_that_is_taken(told):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        message = told("serve", "--port", str(port))
    assert f"cannot listen on 127.0.0.1 port {port}: Address already in use" in message
    assert "Name another with --port" in message


def test_a_package_that_is_not_installed(told, write: Write):
    write({"agents/demo/agent.py": "import no_such_extra\n" + AGENT.format(model="'openai:gpt-5'")})
    message = told("check")
    assert "agent.py:1: ModuleNotFoundError: No module named 'no_such_extra'" in message
    assert "install what provides it beside Litro (`litro doctor` names that Python)" in message


def test_a_folder_that_is_no_project(told, tmp_path: Path):
    message = told("chat", "demo", cwd=tmp_path)
    assert f"{tmp_path}: there is no folder agents/ here" in message
    assert "litro new NAME" in message
    assert "name it with --project" in message


def test_an_agent_that_is_misspelt(told):
    assert "no agent 'dmeo'. Did you mean 'demo'?" in told("run", "dmeo", "Hi")


def test_an_agent_without_a_guard(told):
    message = told("check", code=0)
    assert "agent 'demo' has no guard, so whoever reaches the server may talk to it" in message
    assert "Agent(…, access=…), or Config(access=…) for all" in message
