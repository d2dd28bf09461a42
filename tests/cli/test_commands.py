"""The commands, as processes: what they print, how they exit, and no traceback for a user's mistake."""

import socket
from pathlib import Path

import orjson
import pytest
from projects import Litro, Write


def test_check_tells_what_there_is_and_warns_of_an_agent_without_a_guard(
    litro: Litro, project: Path
):
    done = litro("check", cwd=project)
    assert done.returncode == 0
    assert done.stdout == "demo: get-weather\n1 agent, no problems.\n"
    assert "agent 'demo' has no guard" in done.stderr


def test_check_tells_every_problem_at_once_with_file_line_and_remedy(
    litro: Litro, project: Path, write: Write
):
    write(
        {
            "agents/demo/tools/bad.py": "from litro import tool\n\n@tool\ndef bad(x):\n    'Bad.'\n",
            "agents/demo/tools/none.py": "x = 1\n",
            "agents/broken/agent.py": "import nothing_of_this_name\n",
            "agents/typo/agent.py": "agent = (\n",
        },
    )
    done = litro("check", "--project", str(project))
    assert done.returncode == 1
    errors = done.stderr.splitlines()
    for place in ("tools/bad.py:3", "tools/none.py", "broken/agent.py:1", "typo/agent.py:1"):
        assert any(place in line for line in errors), (place, errors)
    assert "x" in done.stderr


def test_a_folder_without_agents_is_told_what_a_project_is(litro: Litro, tmp_path: Path):
    for command in (["check"], ["serve"], ["run", "demo", "Hi"]):
        done = litro(*command)
        assert done.returncode == 1
        assert "agents" in done.stderr
        assert str(tmp_path) in done.stderr


def test_run_prints_the_answer_and_shows_tools_beside_it(litro: Litro, project: Path):
    done = litro("run", "demo", "weather?", cwd=project)
    assert done.returncode == 0
    assert done.stdout == "Looking. \nIt is 21 °C.\n"
    assert '> get-weather {"city":"Lisbon"}' in done.stderr
    assert '{"temp_c":21} (and a component for the page)' in done.stderr


def test_run_prints_no_escape_sequence_of_a_model_s(litro: Litro, project: Path, write: Write):
    script = 'lambda request, turn: ["safe\\x1b]0;owned\\x07\\x9b31m text"]'
    code = f"from litro import Agent\nfrom litro.providers import scripted\nagent = Agent(scripted({script}))"
    write({"agents/demo/agent.py": code})
    assert litro("run", "demo", "Hi", cwd=project).stdout == "safe]0;owned31m text\n"


def test_run_as_json_prints_the_log_s_own_lines_and_goes_on_in_a_session(
    litro: Litro, project: Path
):
    first = litro("run", "demo", "weather?", "--session", "s1", "--json", cwd=project)
    second = litro("run", "demo", "again", "--session", "s1", "--json", cwd=project)
    events = [orjson.loads(line) for line in (first.stdout + second.stdout).splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    log = (project / ".litro/sessions/demo/s1.jsonl").read_text(encoding="utf-8")
    public = [line for line in log.splitlines() if line.startswith('{"seq":')]
    assert (first.stdout + second.stdout).splitlines() == public


def test_run_names_the_agents_that_there_are(litro: Litro, project: Path):
    done = litro("run", "dmeo", "Hi", cwd=project)
    assert done.returncode == 1
    assert "no agent 'dmeo'. Did you mean 'demo'?" in done.stderr


def test_run_tells_why_a_turn_failed_and_exits_with_1(litro: Litro, project: Path, write: Write):
    agent = "from litro import Agent\nfrom litro.providers import openai_compatible\n"
    agent += "agent = Agent(openai_compatible('m', base_url='http://127.0.0.1:9/v1'))\n"
    write({"agents/demo/agent.py": agent})
    done = litro("run", "demo", "Hi", cwd=project)
    assert done.returncode == 1
    assert "unreachable: The model's server cannot be reached. (" in done.stderr


def test_the_env_file_is_read_and_overrides_nothing(litro: Litro, project: Path, write: Write):
    write({".env": "LITRO_SESSIONS=file:elsewhere\n"})
    litro("run", "demo", "Hi", "--session", "s1", cwd=project)
    assert (project / "elsewhere/demo/s1.jsonl").exists()
    litro("run", "demo", "Hi", "--session", "s1", cwd=project, LITRO_SESSIONS="file:here")
    assert (project / "here/demo/s1.jsonl").exists()


def test_check_finds_an_mcp_route_that_would_refuse_to_start(litro: Litro, project: Path):
    done = litro("check", cwd=project, LITRO_MCP="1")
    assert done.returncode == 1
    assert "LITRO_MCP_TOKEN" in done.stderr
    assert litro("check", cwd=project, LITRO_MCP="1", LITRO_MCP_TOKEN="s3cret").returncode == 0


def test_check_warns_of_an_app_that_is_not_packed(litro: Litro, project: Path, write: Write):
    tool = "from litro import tool\n\n@tool(app='card')\ndef shows():\n    'Shows.'\n"
    write({"agents/demo/tools/shows.py": tool})
    done = litro("check", cwd=project)
    assert done.returncode == 0
    assert "cannot be served to MCP hosts: tool 'shows': app is 'card'" in done.stderr
    assert "litro mcp-app build" in done.stderr


def test_a_bad_setting_is_named_with_its_source(litro: Litro, project: Path):
    done = litro("check", cwd=project, LITRO_MAX_BODY="lots")
    assert done.returncode == 1
    assert "LITRO_MAX_BODY" in done.stderr
    assert "'lots'" in done.stderr


def test_a_port_that_is_taken_is_told_with_the_remedy(litro: Litro, project: Path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = litro("serve", "--port", str(taken.getsockname()[1]), cwd=project)
    assert done.returncode == 1
    assert "Name another with --port" in done.stderr


def test_a_broken_config_stops_the_server_and_says_why(litro: Litro, project: Path, write: Write):
    write({"agents/_config.py": "from litro import Config\nconfg = Config()\n"})
    done = litro("serve", "--port", "0", cwd=project)
    assert done.returncode == 1
    assert done.stderr.count("_config.py") == 1


@pytest.mark.parametrize("arguments", [["nope"], ["run"], ["serve", "--port", "x"]])
def test_a_misused_command_exits_with_2(litro: Litro, arguments: list[str]):
    assert litro(*arguments).returncode == 2


def test_help_names_every_command_without_importing_one(litro: Litro):
    done = litro("--help")
    assert done.returncode == 0
    for command in ("add", "chat", "check", "doctor", "info", "new", "run", "serve", "sessions"):
        assert command in done.stdout
