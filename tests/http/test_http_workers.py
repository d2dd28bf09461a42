"""`litro serve --workers`: several processes answer, none is missed for long, and all of them end in order."""

import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

import pytest
from serving import Client, wait_for
from wiretap import Response, events

from sessions import databases

GRACE = 1
EXIT = GRACE + 3
STUCK = 5 + EXIT

Start = Callable[..., Client]


@pytest.fixture
def several(start: Start) -> Start:
    """Start two workers."""

    def several(**how: str) -> Client:
        return start(options=["--workers", "2"], LITRO_GRACE=str(GRACE), **how)

    return several


def url_of(store: str) -> str:
    if store != "postgres":
        return f"{store}:.litro/sessions"
    return databases.Database(databases.server(), f"workers_{token_hex(6)}").url


def process_of(raw: bytes) -> int:
    """The process that a turn has run in, as `process` tells it."""
    found = re.search(rb"process (\d+)", raw)
    assert found, raw
    return int(found[1])


def processes(client: Client, session: str, count: int = 2) -> set[int]:
    """Ask until so many processes have answered."""
    seen: set[int] = set()

    def asked() -> bool:
        name = f"{session}{len(client._connections)}"
        seen.add(process_of(client.post(name, "process").all()))
        return len(seen) >= count

    wait_for(asked, f"only {seen} answered")
    return seen


def waiting(client: Client, session: str, gate: str) -> tuple[Response, int]:
    """A turn that waits, and the process that it runs in."""
    posted = client.post(session, f"process; wait {gate}")
    told = b"".join(posted.until("text-delta"))
    client.server.reached(gate)
    return posted, process_of(told)


def test_all_workers_answer_at_one_address_that_is_told_once(several: Start, session: str):
    client = several()
    workers = processes(client, session)
    assert client.server.process.pid not in workers
    client.server.stop()
    assert client.server.output.count("Litro serves") == 1
    assert "with 2 workers" in client.server.output


def test_what_is_wrong_with_the_project_is_told_once(several: Start):
    output = several().server.output
    assert output.count("Agent 'open' has no guard") == 1
    assert output.count("a_module_that_nobody_has") == 1


@pytest.mark.parametrize("store", ["file", "sqlite", "postgres"])
def test_any_worker_follows_refuses_and_cancels_a_turn_that_runs_in_one(
    several: Start, session: str, gate: str, store: str
):
    client = several(LITRO_SESSIONS=url_of(store))
    posted, _ = waiting(client, session, gate)
    # So many that each worker has some.
    listening = [client.get(session) for _ in range(10)]
    for response in listening:
        response.until("text-delta")
    assert {client.post(session, "say no").status for _ in range(10)} == {409}
    assert client.cancel(session).status == 202
    posted.all()
    assert events(posted.raw.splitlines())[-1]["payload"] == {"status": "cancelled"}
    for response in listening:
        response.all()
        assert response.raw.split() == posted.raw.split()


@pytest.mark.parametrize("store", ["file", "sqlite"])
def test_a_worker_that_is_killed_is_replaced_and_its_turn_ends_as_interrupted(
    several: Start, session: str, gate: str, store: str
):
    client = several(LITRO_SESSIONS=url_of(store))
    _, first = waiting(client, session, gate)
    os.kill(first, signal.SIGKILL)
    client.server.said(rf"worker \d \(process {first}\) was killed by SIGKILL, so another takes")
    wait_for(lambda: client.post(session, "say on").status == 200, "the next message is refused")
    ends = [e for e in events(client.get(session).lines()) if e["kind"] == "turn-end"]
    assert [(e["turn"], e["payload"]["status"]) for e in ends] == [
        (1, "interrupted"),
        (2, "completed"),
    ]
    assert first not in processes(client, f"{session}-")


def test_workers_that_die_one_after_another_are_replaced_more_slowly(several: Start, session: str):
    client = several()
    dead: set[int] = set()
    for again in ("now", "in 1 s", "in 2 s"):
        alive = processes(client, f"{session}{len(dead)}-")
        assert not alive & dead
        for process in alive:
            os.kill(process, signal.SIGKILL)
            client.server.said(rf"{process}\) was killed by SIGKILL, so another .* {again}")
        dead |= alive


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_to_the_parent_ends_all_workers_in_order(
    several: Start, session: str, gate: str, number: int
):
    client = several()
    # So many that both of them have some.
    turns = [waiting(client, f"{session}{n}", f"{gate}{n}") for n in range(10)]
    wanted = len({process for _, process in turns})
    client.server.signal(number)
    assert all(b'"bye"' in posted.lines()[-1] for posted, _ in turns), wanted
    client.server.ended(EXIT)
    expected = {signal.SIGTERM: -signal.SIGTERM, signal.SIGINT: 130}
    assert client.server.process.returncode == expected[signal.Signals(number)]
    for n in range(10):
        end = events(client.server.log(f"{session}{n}"))[-1]
        assert end["payload"] == {"status": "interrupted"}


def test_a_terminals_ctrl_c_ends_all_workers_in_order(start: Start, session: str, gate: str):
    # What a terminal does: the signal goes to the whole process group.
    own_group = "import os, sys; os.setsid(); os.execvp(sys.argv[1], sys.argv[1:])"
    client = start(
        before=[sys.executable, "-c", own_group],
        options=["--workers", "2"],
        LITRO_GRACE=str(GRACE),
    )
    posted, _ = waiting(client, session, gate)
    os.killpg(client.server.process.pid, signal.SIGINT)
    assert b'"bye"' in posted.lines()[-1]
    client.server.ended(EXIT)
    assert client.server.process.returncode == 130
    assert events(client.server.log(session))[-1]["payload"] == {"status": "interrupted"}


def test_a_worker_outlives_no_parent_that_was_killed(several: Start, session: str, gate: str):
    client = several()
    posted, _ = waiting(client, session, gate)
    # It returns when nobody has the server's stderr any more, workers included.
    client.server.kill()
    assert b'"bye"' in posted.lines()[-1]
    assert events(client.server.log(session))[-1]["payload"] == {"status": "interrupted"}


@pytest.mark.parametrize("end", ["by a signal", "with its parent"])
def test_a_worker_whose_event_loop_is_blocked_ends_all_the_same(
    several: Start, session: str, gate: str, end: str
):
    client = several()
    client.post(session, f"block {gate}")
    client.server.reached(gate)
    if end == "by a signal":
        client.server.signal(signal.SIGTERM)
        client.server.ended(STUCK)
        assert "its event loop is blocked, so it is killed" in client.server.output
    else:
        client.server.kill()


def test_a_worker_that_cannot_start_ends_the_server_and_says_why_once(
    several: Start, project: Path
):
    (project / "agents/_config.py").write_text("1 / 0\n")
    with pytest.raises(AssertionError, match="ZeroDivisionError") as told:
        several()
    assert str(told.value).count("division by zero") == 1
    assert "worker 1 could not start, so the server ends" in str(told.value)


def test_a_replacement_that_cannot_start_ends_the_server_as_well(
    several: Start, project: Path, session: str
):
    client = several()
    one, _ = processes(client, session)
    (project / "agents/_config.py").write_text("1 / 0\n")
    os.kill(one, signal.SIGKILL)
    client.server.said("could not start, so the server ends")
    client.server.ended()
    assert client.server.process.returncode == 1


def test_workers_serve_an_app_of_the_projects_own(start: Start, project: Path, session: str):
    (project / "pyproject.toml").write_text('[tool.litro]\napp = "shop:app"\n')
    (project / "shop.py").write_text(
        "from pathlib import Path\n"
        "from fastapi import FastAPI\n"
        "from litro import create_app\n"
        "app = FastAPI()\n"
        "app.mount('/ai', create_app(Path(__file__).parent))\n"
    )
    client = start(mount="/ai", WEB_CONCURRENCY="2")
    assert len(processes(client, session)) == 2
    client.server.stop()
