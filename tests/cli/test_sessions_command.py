"""`litro sessions`: the project's logs from outside, also while somebody writes them."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import orjson
import pytest
from projects import Litro, Write, environment

from litro import create_app
from litro.sessions.base import SessionKey
from litro.sessions.file import FileStore


@pytest.fixture
def spoken(project: Path) -> Path:
    """A project with the session s1."""

    async def speak() -> None:
        app = create_app(project, signals=False)
        async with app.lifespan():
            async for _ in app.session("demo", "s1").send("weather?"):
                pass

    asyncio.run(speak())
    return project


def log(project: Path, session: str = "s1") -> Path:
    return project / f".litro/sessions/demo/{session}.jsonl"


def test_list_names_sessions_newest_first_for_people_and_programs(litro: Litro, spoken: Path):
    litro("run", "demo", "again", "--session", "s2", cwd=spoken)
    rows = [line.split()[:2] for line in litro("sessions", "list", cwd=spoken).stdout.splitlines()]
    assert rows == [["AGENT", "SESSION"], ["demo", "s2"], ["demo", "s1"]]
    listed = orjson.loads(litro("sessions", "list", "demo", "--json", cwd=spoken).stdout)
    newest = listed["sessions"][0]
    assert (newest["agent"], newest["session"], newest["running"]) == ("demo", "s2", None)
    assert newest["tail"] > 8


def test_a_damaged_log_is_told_and_hides_no_other_and_can_be_deleted(litro: Litro, spoken: Path):
    log(spoken, "bad").write_text("garbage\n", encoding="utf-8")
    done = litro("sessions", "list", cwd=spoken)
    assert done.returncode == 0
    assert "demo   s1" in done.stdout
    assert "bad.jsonl: byte 0" in done.stderr
    assert litro("sessions", "delete", "demo", "bad", "--yes", cwd=spoken).returncode == 0
    assert not log(spoken, "bad").exists()


def test_show_is_the_transcript_for_people_and_programs(litro: Litro, spoken: Path):
    shown = litro("sessions", "show", "demo", "s1", cwd=spoken).stdout.splitlines()
    assert shown[0].startswith("— turn 1, ")
    assert shown[1:] == [
        "> weather?",
        "Looking. ",
        "  · get-weather(city=Lisbon)",
        "    temp_c  21",
        "It is 21 °C.",
    ]
    (turn,) = orjson.loads(litro("sessions", "show", "demo", "s1", "--json", cwd=spoken).stdout)[
        "turns"
    ]
    assert turn["status"] == "completed"
    assert [item["role"] for item in turn["items"]] == ["user", "assistant", "tool", "assistant"]


def test_tail_and_export_print_the_log_s_own_lines_without_private_ones(litro: Litro, spoken: Path):
    lines = log(spoken).read_text(encoding="utf-8").splitlines(keepends=True)
    public = [line for line in lines if line.startswith('{"seq":')]
    assert len(public) < len(lines)
    assert litro("sessions", "export", "demo", "s1", cwd=spoken).stdout == "".join(public)
    last = litro("sessions", "tail", "demo", "s1", "-n", "2", cwd=spoken).stdout
    assert last == "".join(public[-2:])


def test_tail_follows_turns_of_other_processes_as_they_come(litro: Litro, spoken: Path):
    command = [sys.executable, "-m", "litro", "sessions", "tail", "demo", "s1", "-n", "1", "-f"]
    with subprocess.Popen(
        command, cwd=spoken, stdout=subprocess.PIPE, env=environment()
    ) as following:
        assert following.stdout is not None
        before = orjson.loads(following.stdout.readline())
        litro("run", "demo", "again", "--session", "s1", cwd=spoken)
        seqs = [orjson.loads(following.stdout.readline())["seq"] for _ in range(3)]
        following.send_signal(signal.SIGINT)
    assert following.returncode == 130
    assert seqs == [before["seq"] + n for n in (1, 2, 3)]


async def test_a_session_in_which_a_turn_runs_is_neither_deleted_nor_pruned(
    litro: Litro, spoken: Path
):
    store = FileStore(spoken / ".litro/sessions")
    writer = await store.open(SessionKey("demo", "s1"), owner=None)
    old = time.time() - 9 * 24 * 3600
    os.utime(log(spoken), (old, old))
    deleted = litro("sessions", "delete", "demo", "s1", "--yes", cwd=spoken)
    pruned = litro("sessions", "prune", "--older", "1w", "--yes", cwd=spoken)
    assert "turn 2 is running" in litro("sessions", "list", cwd=spoken).stdout
    await writer.close()
    await store.close()
    assert deleted.returncode == 1
    assert "is running in this session" in deleted.stderr
    assert "kept demo/s1: turn 2 is running" in pruned.stderr
    assert log(spoken).exists()


def test_prune_deletes_what_is_older_and_nothing_else(litro: Litro, spoken: Path):
    log(spoken, "new").write_bytes(log(spoken).read_bytes().replace(b'"s1"', b'"new"'))
    old = time.time() - 31 * 24 * 3600
    os.utime(log(spoken), (old, old))
    dry = litro("sessions", "prune", "--older", "30d", "--dry-run", cwd=spoken)
    assert dry.stdout.startswith("demo/s1 ")
    assert "1 session older than 30d" in dry.stderr
    assert litro("sessions", "prune", "--older", "30d", cwd=spoken, answer="n\n").returncode == 1
    assert log(spoken).exists()
    assert litro("sessions", "prune", "--older", "4w", "--yes", cwd=spoken).returncode == 0
    assert not log(spoken).exists()
    assert log(spoken, "new").exists()


def test_what_is_not_there_is_told_with_what_is(litro: Litro, spoken: Path):
    missing = litro("sessions", "show", "demo", "nope", cwd=spoken)
    assert missing.returncode == 1
    assert "`litro sessions list demo` shows" in missing.stderr
    misspelt = litro("sessions", "list", "dmeo", cwd=spoken)
    assert misspelt.returncode == 1
    assert "Did you mean 'demo'?" in misspelt.stderr
    unit = litro("sessions", "prune", "--older", "3y", cwd=spoken)
    assert unit.returncode == 2
    assert "such as 30d" in unit.stderr


def test_a_store_that_the_project_declares_is_the_one_that_is_read(
    litro: Litro, project: Path, write: Write
):
    write(
        {
            "agents/_config.py": (
                "from pathlib import Path\nfrom litro import Config\n"
                "from litro.sessions.file import FileStore\n"
                "config = Config(sessions=FileStore(Path(__file__).parents[1] / 'elsewhere'))\n"
            ),
            "agents/broken/agent.py": "1 / 0\n",
        }
    )
    litro("run", "demo", "weather?", "--session", "s1", cwd=project)
    assert (project / "elsewhere/demo/s1.jsonl").exists()
    done = litro("sessions", "list", "demo", cwd=project)
    assert "s1" in done.stdout
    assert done.stderr == ""


def test_a_session_is_listed_with_its_title_and_renamed(litro: Litro, spoken: Path):
    litro("run", "demo", "again", "--session", "s2", cwd=spoken)
    done = litro("sessions", "rename", "demo", "s1", " Trip to Lisbon ", cwd=spoken)
    assert done.stdout == "demo/s1 is now called Trip to Lisbon.\n"
    rows = litro("sessions", "list", "demo", "--limit", "1", cwd=spoken).stdout.splitlines()
    assert rows[0].endswith("TITLE")
    assert rows[1].endswith("Trip to Lisbon")
    assert len(rows) == 2
    listed = orjson.loads(litro("sessions", "list", "--json", cwd=spoken).stdout)["sessions"]
    assert [told["title"] for told in listed] == ["Trip to Lisbon", "again"]
    refused = litro("sessions", "rename", "demo", "s1", "\x1b[2J", cwd=spoken)
    assert refused.returncode == 1
    assert "1 to 120 characters on one line are required" in refused.stderr


def test_a_fork_is_a_session_with_the_first_turns_of_another(litro: Litro, spoken: Path):
    first = litro("sessions", "export", "demo", "s1", cwd=spoken).stdout
    litro("run", "demo", "again", "--session", "s1", cwd=spoken)
    at = str(first.count("\n") + 1)
    made = litro("sessions", "fork", "demo", "s1", "s2", "--at", at, cwd=spoken)
    assert "To go on: litro chat demo --session s2" in made.stdout
    assert litro("sessions", "export", "demo", "s2", cwd=spoken).stdout == first
    assert litro("sessions", "fork", "demo", "s1", cwd=spoken).returncode == 0
    assert litro("sessions", "fork", "demo", "s1", "s2", cwd=spoken).returncode == 1
    early = litro("sessions", "fork", "demo", "s1", "--at", "1", cwd=spoken)
    assert "has ended at or before 1" in early.stderr


def test_an_option_names_another_store_for_every_command(litro: Litro, spoken: Path):
    def at(*arguments: str) -> "subprocess.CompletedProcess[str]":
        return litro("sessions", *arguments, "--sessions", "file:elsewhere", cwd=spoken)

    assert "No sessions yet." in at("list").stderr
    litro("run", "demo", "again", "--session", "s9", cwd=spoken, LITRO_SESSIONS="file:elsewhere")
    assert "s9" in at("list").stdout
    assert at("rename", "demo", "s9", "x").returncode == 0
    assert at("fork", "demo", "s9", "s10").returncode == 0
    assert at("export", "demo", "s10").stdout
    assert at("delete", "demo", "s10", "--yes").returncode == 0
    assert "0 sessions" in at("prune", "--older", "1h").stderr
    assert at("show", "demo", "s1").returncode == 1
