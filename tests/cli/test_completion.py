"""What Tab completes: commands, and agents by their folders, without running anything of the project's."""

import subprocess
import sys
from pathlib import Path

import pytest
from projects import Write, environment


def completing(cwd: Path, **env: str) -> str:
    """What the shell's function hears of `litro`, under the name that it is installed by."""
    command = [sys.executable, "-c", "from litro.cli.main import main; main(prog_name='litro')"]
    return subprocess.run(
        command, check=True, cwd=cwd, capture_output=True, text=True, env=environment() | env
    ).stdout


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("litro ru", ["run"]),
        ("litro run de", ["demo"]),
        ("litro chat ", ["demo", "travel"]),
        ("litro sessions show tr", ["travel"]),
        ("litro run --project nowhere ", []),
    ],
)
def test_commands_and_agents_are_completed(
    project: Path, write: Write, words: str, completed: list[str]
):
    # Importing it would end the command, and leave a trace.
    write({"agents/travel/agent.py": "open('imported', 'w')\n"})
    heard = completing(
        project,
        _LITRO_COMPLETE="bash_complete",
        COMP_WORDS=words,
        COMP_CWORD=str(len(words.split(" ")) - 1),
    )
    assert [line.partition(",")[2] for line in heard.split()] == completed
    assert not (project / "imported").exists()


def test_the_shell_is_given_a_script_to_complete_with(tmp_path: Path):
    assert "complete -o" in completing(tmp_path, _LITRO_COMPLETE="bash_source")
