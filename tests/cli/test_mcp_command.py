"""`litro mcp`: what it is called with, what it refuses and how, and the configuration that it prints."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import orjson
import pytest
from projects import AGENT, TOOL, Litro, Write, environment, write_files

HELLO = '[litro mcp] agent "demo" over stdio - 1 tool(s), 0 app(s)\n'


def test_alone_it_shows_its_usage_and_exits_with_2(litro: Litro):
    done = litro("mcp")
    assert (done.returncode, done.stdout) == (2, "")
    assert "serve" in done.stderr
    assert "config" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "unit"),
    [
        (["--timeout", "0"], "milliseconds"),
        (["--timeout", "-5"], "milliseconds"),
        (["--timeout", "1.5"], "milliseconds"),
        (["--max-result-bytes", "lots"], "bytes"),
        (["--max-result-bytes=0"], "bytes"),
    ],
)
def test_a_number_that_is_none_is_refused_with_its_unit_before_anything_starts(
    litro: Litro, arguments: list[str], unit: str
):
    done = litro("mcp", "serve", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"is not a positive whole number of {unit}." in done.stderr
    assert litro("mcp", "nope").returncode == 2


def test_the_only_agent_is_served_and_said_on_stderr(litro: Litro, project: Path):
    done = litro("mcp", "serve", cwd=project, answer="")
    assert (done.returncode, done.stdout) == (0, "")
    relative = litro("mcp", "serve", "--project=shop", cwd=project.parent, answer="{}\n")
    assert relative.returncode == 0
    assert relative.stdout.startswith('{"jsonrpc":"2.0","id":null,"error":{"code":-32600')
    assert relative.stderr.endswith(HELLO)


def test_several_agents_have_to_be_chosen_from(litro: Litro, project: Path, write: Write):
    write({"agents/support/agent.py": AGENT})
    done = litro("mcp", "serve", cwd=project, answer="")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "litro mcp serve: this project has 2 agents (demo, support), so --agent is required.\n"
        "A second agent is a second server entry in the host configuration.\n"
    )
    wrong = litro("mcp", "serve", "--agent", "dmo", cwd=project, answer="")
    assert wrong.returncode == 1
    assert "litro mcp serve: the project has no agent 'dmo'. Did you mean 'demo'?" in wrong.stderr


def test_only_the_chosen_agent_is_imported(litro: Litro, project: Path, write: Write):
    write({"agents/broken/agent.py": "raise SystemExit('imported')\n"})
    good = litro("mcp", "serve", "--agent", "demo", cwd=project, answer="\n{}\n")
    assert good.returncode == 0
    assert good.stderr.endswith(HELLO)
    bad = litro("mcp", "serve", "--agent", "broken", cwd=project, answer="\n{}\n")
    assert bad.returncode == 1
    assert bad.stderr.startswith("litro mcp serve: ")
    assert "broken/agent.py:1" in bad.stderr


def test_a_folder_that_is_no_project_says_so_and_what_to_do(litro: Litro, tmp_path: Path):
    here = litro("mcp", "serve", answer="")
    assert here.returncode == 1
    assert here.stderr == (
        f"litro mcp serve: {tmp_path} has no agents/ and no pyproject.toml, so it is not a project directory.\n"
        "This command takes the project from the working directory. Pass --project DIR when the host starts it "
        "somewhere else.\n"
    )
    named = litro("mcp", "serve", "--project", "nowhere", answer="")
    assert f"{tmp_path / 'nowhere'} is not a folder" in named.stderr
    assert "Correct what is passed as --project" in named.stderr


def test_a_project_without_agents_says_where_they_were_looked_for(litro: Litro, tmp_path: Path):
    write_files(tmp_path, {"pyproject.toml": ""})
    here = litro("mcp", "serve", answer="")
    assert here.returncode == 1
    assert f"no agents found in {tmp_path / 'agents'}" in here.stderr
    assert "--project" in here.stderr
    assert "--project" not in litro("mcp", "serve", "--project", ".", answer="").stderr


def test_the_env_file_is_read_since_hosts_pass_no_environment(
    litro: Litro, project: Path, write: Write
):
    tool = TOOL.replace("@tool", "import os\nprint('key', os.environ['WEATHER_KEY'])\n@tool")
    write({".env": "WEATHER_KEY=from-file\n", "agents/demo/tools/get-weather.py": tool})
    done = litro("mcp", "serve", cwd=project, answer="{}\n")
    assert "key from-file\n" in done.stderr


@pytest.mark.parametrize(
    ("module", "said"),
    [
        (None, "MCP is served by the package mcp, which is not installed."),
        ("import nothing_of_this_name\n", "No module named 'nothing_of_this_name'"),
    ],
)
def test_an_sdk_that_is_missing_or_broken_is_told_apart(
    project: Path, tmp_path: Path, module: str | None, said: str
):
    shadow = tmp_path / "shadow"
    missing = "raise ModuleNotFoundError(\"No module named 'mcp'\", name='mcp')\n"
    write_files(shadow, {"mcp/__init__.py": module or missing})
    done = subprocess.run(
        [sys.executable, "-m", "litro", "mcp", "serve", "--project", str(project)],
        check=False,
        input="{}\n",
        capture_output=True,
        text=True,
        env=environment() | {"PYTHONPATH": str(shadow)},
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("litro mcp serve: ")
    assert said in done.stderr
    assert ("pip install 'litro[mcp]'" in done.stderr) is (module is None)


def test_a_lifespan_that_cannot_begin_is_a_refusal(litro: Litro, project: Path, write: Write):
    write(
        {
            "agents/_config.py": "from contextlib import asynccontextmanager\nfrom litro import Config\n"
            "@asynccontextmanager\nasync def life():\n    raise OSError('no database')\n    yield\n"
            "config = Config(lifespan=life)\n"
        }
    )
    done = subprocess.run(
        [sys.executable, "-m", "litro", "mcp", "serve"], cwd=project, input="{}\n", text=True,
        check=False, capture_output=True, env=environment(),
    )  # fmt: skip
    assert done.returncode == 1
    assert "litro mcp serve: Config(lifespan=…) failed with OSError: no database." in done.stderr
    assert "_config.py" in done.stderr


def test_names_are_completed(project: Path, write: Write):
    write({"agents/travel/agent.py": "open('imported', 'w')\n"})
    command = [sys.executable, "-c", "from litro.cli.main import main; main(prog_name='litro')"]
    asked = {"_LITRO_COMPLETE": "bash_complete", "COMP_WORDS": "litro mcp serve --agent tr"}
    done = subprocess.run(
        command, check=True, cwd=project, capture_output=True, text=True,
        env=environment() | asked | {"COMP_CWORD": "4"},
    )  # fmt: skip
    assert done.stdout == "plain,travel\n"
    assert not (project / "imported").exists()


def test_config_prints_what_a_host_wants_and_it_works_from_anywhere(litro: Litro, project: Path):
    done = litro("mcp", "config", "--project", "shop", cwd=project.parent)
    (name, entry), *others = orjson.loads(done.stdout)["mcpServers"].items()
    assert (done.returncode, name, others) == (0, "shop", [])
    assert Path(entry["command"]).is_absolute()
    assert str(project) in entry["args"]
    started = subprocess.run(
        [entry["command"], *entry["args"]], cwd="/", env={"PATH": os.defpath, **entry["env"]},
        input="{}\n", check=False, capture_output=True, text=True,
    )  # fmt: skip
    assert started.returncode == 0
    assert started.stderr.endswith(HELLO)


def test_config_has_an_entry_for_each_agent_unless_one_is_chosen(
    litro: Litro, project: Path, write: Write
):
    write({"agents/support/agent.py": AGENT})
    both = orjson.loads(litro("mcp", "config", cwd=project).stdout)["mcpServers"]
    assert list(both) == ["shop-demo", "shop-support"]
    one = litro("mcp", "config", "--agent", "support", "--name", "help", cwd=project)
    assert list(orjson.loads(one.stdout)["mcpServers"]) == ["help"]
    refused = litro("mcp", "config", "--name", "help", cwd=project)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "litro mcp config: this project has 2 agents (demo, support)" in refused.stderr


def test_config_copies_no_secret_that_nobody_asked_for(litro: Litro, project: Path, write: Write):
    write({".env": "WEATHER_KEY=in-file\nLITRO_GRACE=9\n"})
    env = {
        "WEATHER_TOKEN": "t0ken",
        "LITRO_MCP_TOKEN": "s3cret",
        "LITRO_SESSIONS": "postgresql://app:p/w@db/app",
        "LITRO_OTHER_SESSIONS": "postgresql://app@db/app?sslmode=require&password=pw",
        "LITRO_GRACE": "9",
        "LITRO_TOOL_THREADS": "4",
    }

    def printed(*options: str) -> dict[str, str]:
        done = litro("mcp", "config", *options, cwd=project, **env)
        return orjson.loads(done.stdout)["mcpServers"]["shop"]["env"]

    assert printed() == {"LITRO_TOOL_THREADS": "4"}
    asked = printed("--env", "WEATHER_TOKEN", "--env", "WEATHER_KEY")
    assert asked == {
        "LITRO_TOOL_THREADS": "4", "WEATHER_TOKEN": "t0ken", "WEATHER_KEY": "in-file",
    }  # fmt: skip
    unset = litro("mcp", "config", "--env", "NOBODY", cwd=project)
    assert unset.returncode == 1
    assert "NOBODY" in unset.stderr


def test_a_closed_stdin_is_told(project: Path):
    shell = shutil.which("sh")
    command = f"{sys.executable} -m litro mcp serve --project {project} <&-"
    done = subprocess.run(
        [shell, "-c", command], check=False, capture_output=True, text=True, env=environment()
    )
    assert done.returncode == 1
    assert done.stderr.startswith("litro mcp serve: stdin or stdout is closed")
