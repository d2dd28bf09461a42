"""`litro info` and `litro doctor`: what is told of a project and a machine, and what never is."""

import contextlib
import socket
from pathlib import Path

import orjson
import pytest
from projects import Litro, Write

from litro.cli.filesystems import NETWORKED, kind_among

GUARDED = """
from litro import Agent
from litro.providers import openai_compatible

def signed_in(request):
    return "u"

agent = Agent(
    openai_compatible("m", base_url="https://user:hunter2@models.example/v1", api_key="sk-secret",
                      headers={"x-key": "sk-header"}),
    access=signed_in,
)
"""


def test_info_shows_agents_guards_tools_routes_and_what_was_skipped(
    litro: Litro, project: Path, write: Write
):
    write(
        {"agents/safe/agent.py": GUARDED, "agents/demo/tools/_draft.py": "", "agents/notes.txt": ""}
    )
    done = litro("info", cwd=project, LITRO_MAX_TURNS="7")
    assert done.returncode == 0
    page = done.stdout
    assert "model  scripted\n  guard  none\n  tools  get-weather(city)  Get the weather.\n" in page
    assert "guard  signed_in\n  tools  none\n" in page
    assert "GET POST PATCH DELETE  /__litro/agent/demo/{session}\n" in page
    assert "max_turns  7\n" in page
    assert "agents/demo/tools/_draft.py  its name starts with _\n" in page
    assert "agents/notes.txt             it is a file" in page


def test_info_as_json_has_every_schema_and_never_a_key(litro: Litro, project: Path, write: Write):
    write({"agents/safe/agent.py": GUARDED, "agents/broken/agent.py": "1 / 0\n"})
    done = litro("info", "--json", cwd=project, OPENAI_API_KEY="sk-environment")
    facts = orjson.loads(done.stdout)
    assert list(facts) == [
        "project",
        "agents",
        "components",
        "routes",
        "settings",
        "skipped",
        "problems",
    ]
    demo, safe = facts["agents"]
    assert demo["tools"][0]["input_schema"]["required"] == ["city"]
    assert (safe["model"], safe["guard"], safe["guard_from"]) == (
        "models.example",
        "signed_in",
        "agent",
    )
    assert [problem["line"] for problem in facts["problems"]] == [1]
    for secret in ("sk-secret", "sk-header", "sk-environment", "hunter2"):
        assert secret not in done.stdout


def test_info_shows_the_mcp_route_where_it_is_on_and_never_its_token(litro: Litro, project: Path):
    on = litro("info", "--json", cwd=project, LITRO_MCP_TOKEN="s3cret")
    assert {"methods": ["POST"], "path": "/__litro/mcp/demo"} in orjson.loads(on.stdout)["routes"]
    assert "s3cret" not in on.stdout
    assert "mcp_token" in litro("info", cwd=project, LITRO_MCP_TOKEN="s3cret").stdout
    assert "/__litro/mcp" not in litro("info", cwd=project).stdout


def test_info_tells_what_would_keep_mcp_from_starting(litro: Litro, project: Path):
    facts = orjson.loads(litro("info", "--json", cwd=project, LITRO_MCP="1").stdout)
    assert any("LITRO_MCP_LOCAL=1" in problem["message"] for problem in facts["problems"])


def test_doctor_is_content_with_a_project_in_order(litro: Litro, project: Path, write: Write):
    write({".env": "OPENAI_API_KEY=sk-secret\n"})
    done = litro("doctor", cwd=project)
    assert done.returncode == 0, done.stdout
    found = [line.split()[0] for line in done.stdout.splitlines()]
    assert "fail" not in found
    assert "set: OPENAI_API_KEY" in done.stdout
    assert "sk-secret" not in done.stdout
    assert "a second writer is kept out" in done.stdout
    assert {path.name for path in project.iterdir()} == {"agents", ".env"}


def test_doctor_fails_with_a_remedy_for_what_is_wrong(litro: Litro, project: Path, write: Write):
    write({"agents/broken/agent.py": "1 / 0\n", "file": ""})
    done = litro("doctor", "--json", cwd=project, LITRO_SESSIONS="file:file")
    assert done.returncode == 1
    told = orjson.loads(done.stdout)
    assert told["ok"] is False
    failed = {check["name"]: check for check in told["checks"] if check["status"] == "fail"}
    assert list(failed) == ["agents", "sessions", "locks"]
    assert all(check["remedy"] for check in failed.values())
    assert "`litro check`" in failed["agents"]["remedy"]


def test_a_password_in_the_address_of_a_store_is_shown_by_nothing(litro: Litro, project: Path):
    url = "postgresql://app:hunter2@db.example/app?sslmode=require&password=hunter2"
    for command in ("info", "doctor"):
        done = litro(command, cwd=project, LITRO_SESSIONS=url)
        assert "postgresql://…@db.example/app?sslmode=require" in done.stdout
        assert "hunter2" not in done.stdout + done.stderr


def test_doctor_looks_where_a_database_would_be(litro: Litro, project: Path, write: Write):
    done = litro("doctor", cwd=project, LITRO_SESSIONS="sqlite:data/sessions.db")
    assert f"{project / 'data'} can be written (made by the first turn)" in done.stdout
    write({"file": ""})
    done = litro("doctor", cwd=project, LITRO_SESSIONS="sqlite:file/sessions.db")
    assert done.returncode == 1
    assert f"{project / 'file'} is no folder" in done.stdout


def test_doctor_outside_a_project_still_tells_of_the_machine(litro: Litro):
    done = litro("doctor")
    assert done.returncode == 1
    assert "ok    python" in done.stdout
    assert "`litro new NAME` writes one" in done.stdout


def test_doctor_warns_of_a_port_that_is_taken(litro: Litro, project: Path):
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Where somebody else has it, that is as good.
        with contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", 8000))
            taken.listen()
        done = litro("doctor", cwd=project)
    assert "warn  port 8000 cannot be listened on: Address already in use" in done.stdout
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("/", "ext4"), ("/home/a b/x", "nfs4"), ("/home/other", "xfs"), ("/homely", "ext4")],
)
def test_a_folder_is_on_the_deepest_mount_that_holds_it(folder: str, kind: str):
    mounts = [
        "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
        "22 21 8:2 / /home rw - xfs /dev/sdb rw",
        "23 22 0:5 / /home/a\\040b rw shared:3 master:4 - nfs4 server:/ rw",
        "what is no line of it",
    ]
    assert kind_among(mounts, Path(folder)) == kind
    assert (kind in NETWORKED) == (kind == "nfs4")
