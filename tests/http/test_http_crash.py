"""The process dies, or the disk fails: what was on the wire is in the log, and nothing is made up."""

import json
import shutil
import signal
import subprocess
from asyncio import create_task, sleep, to_thread
from collections.abc import Callable
from pathlib import Path

import pytest
from serving import Client, wait_for
from wiretap import events, kinds, seqs

from litro import create_app

Start = Callable[..., Client]
SYNCS_FAIL = "enable name=posix/io/sync/*,failinfo=5"
"""Every fsync and fdatasync answers EIO."""
ENDED = [b'{"done":true}\n']
needs_fiu = pytest.mark.skipif(
    shutil.which("fiu-run") is None,
    reason="apt-get install fiu-utils, which fails syncs on purpose",
)


def event_lines(lines: list[bytes]) -> list[bytes]:
    return [line for line in lines if line.startswith(b'{"seq":')]


def test_after_a_kill_the_durable_prefix_is_told_and_the_next_server_closes_the_dead_turn_once(
    start: Start, session: str, gate: str
):
    client = start()
    linger = f'call linger {{"gate": "{gate}"}}'
    posted = client.post(session, f"say one; {linger}; {linger}")
    posted.until("tool-progress")
    heard = event_lines(posted.raw.splitlines(keepends=True))
    client.server.kill()
    log = event_lines(client.server.log(session))
    assert log[: len(heard)] == heard
    assert "turn-end" not in kinds(log)

    client = start()
    wait_for(lambda: "turn-end" in kinds(client.get(session).lines()), "nobody recovers it")
    closed = client.get(session).lines()
    assert closed[: len(log)] == log
    assert client.get(session, "?from=-99").lines() == closed
    repairs = events(closed[len(log) :])
    assert [event["kind"] for event in repairs] == ["tool-error", "tool-error", "turn-end"]
    assert [event["payload"].get("type") for event in repairs[:2]] == ["interrupted"] * 2
    assert repairs[2]["payload"] == {"status": "interrupted"}

    assert kinds(client.post(session, "say on").lines())[0] == "turn-start"
    whole = client.get(session).lines()
    assert whole[: len(closed) - 1] == closed[:-1]
    assert seqs(whole) == list(range(1, len(whole)))
    assert kinds(whole).count("turn-end") == 2


def queue(client: Client, session: str, text: str) -> None:
    body = json.dumps({"text": text, "on_busy": "queue"}).encode()
    assert client.ask("POST", f"/__litro/agent/open/{session}", body).status == 202


def ended(client: Client, session: str) -> list[str]:
    log = events(event_lines(client.server.log(session)))
    return [event["payload"]["status"] for event in log if event["kind"] == "turn-end"]


def test_messages_that_wait_outlast_a_kill_and_are_answered_in_order_by_the_next_server(
    start: Start, session: str, gate: str
):
    client = start()
    client.post(session, f"say one; wait {gate}").until("text-delta")
    for text in ("say two", "say three"):
        queue(client, session, text)
    client.server.kill()
    assert ended(client, session) == []

    client = start()
    wait_for(lambda: len(ended(client, session)) == 3, "nobody answers what waits")
    assert ended(client, session) == ["interrupted", "completed", "completed"]
    lines = client.get(session).lines()
    assert seqs(lines) == list(range(1, len(lines)))
    said = [e["payload"]["text"] for e in events(lines) if e["kind"] == "text-delta"]
    assert said == ["one", "two", "three"]


async def test_a_process_that_lives_looks_after_the_sessions_of_one_that_was_killed(
    start: Start, session: str, gate: str
):
    client = start()
    app = create_app(client.server.project, signals=False)
    async with app.lifespan():
        await to_thread(client.post(session, f"say one; wait {gate}").until, "text-delta")
        waiting = app.session("open", session).send("say two", on_busy="queue")
        heard = create_task(anext(waiting))
        while not await app.session("open", session).queue():
            await sleep(0.01)
        await to_thread(client.server.kill)
        first = await heard
        rest = [event async for event in waiting]
    assert (first.kind, first.turn, rest[-1].payload) == ("turn-start", 2, {"status": "completed"})
    assert ended(client, session) == ["interrupted", "completed"]


async def test_a_cancel_from_another_process_is_prompt_and_what_was_not_started_never_starts(
    start: Start, session: str, gate: str
):
    client = start()
    hold = [f'call hold {{"gate": "{gate}-{n}"}}' for n in range(12)]
    posted = client.post(session, "; ".join(hold))
    await to_thread(client.server.reached, f"{gate}-0")
    app = create_app(client.server.project, signals=False, watch=False)
    assert await app.session("open", session).cancel()
    lines = await to_thread(posted.lines)
    types = [e["payload"]["type"] for e in events(lines) if e["kind"] == "tool-error"]
    assert types == ["cancelled"] * 8 + ["not-started"] * 4
    assert ended(client, session) == ["cancelled"]
    for n in range(8):
        client.server.let(f"{gate}-{n}")
    again = await to_thread(client.post(session, "say on").lines)
    assert "tool-result" not in kinds(client.get(session).lines())
    assert kinds(again)[-1] == "turn-end"
    assert not any((client.server.gates / f"{gate}-{n}.reached").exists() for n in range(8, 12))
    await app.shutdown()


def test_a_torn_line_is_never_told_and_cut_by_the_next_message(start: Start, session: str):
    client = start()
    client.post(session, "say one").all()
    whole = client.get(session).lines()
    client.server.kill()
    path = client.server.project / f".litro/sessions/open/{session}.jsonl"
    path.write_bytes(path.read_bytes() + '{"seq":6,"ts":1,"kind":"text-del☀'.encode()[:-1])

    client = start()
    assert client.get(session).lines() == whole
    client.post(session, "say two").all()
    lines = client.get(session).lines()
    assert seqs(lines) == list(range(1, len(lines)))


def test_a_message_repeated_after_a_restart_is_the_same_message(start: Start, session: str):
    client = start()
    first = client.post(session, "say one", idempotency_key="k").lines()
    client.server.kill()
    client = start()
    assert client.post(session, "say two", idempotency_key="k").status == 422
    assert client.post(session, "say one", idempotency_key="k").lines() == first
    assert client.post(session, "say one", idempotency_key="l").headers["litro-turn"] == "2"


def test_two_processes_share_a_session_one_turn_at_a_time(start: Start, session: str, gate: str):
    one, two = start(), start("without_lifespan", mount="/ai")
    posted = one.post(session, f"say one; wait {gate}", idempotency_key="k")
    posted.until("text-delta")
    busy = two.post(session, "say two")
    assert (busy.status, busy.json()["turn"]) == (409, 1)
    again = two.post(session, f"say one; wait {gate}", idempotency_key="k")
    elsewhere = two.get(session)
    elsewhere.until("text-delta")
    assert two.cancel(session).status == 202
    log = event_lines(posted.raw.splitlines(keepends=True)) + posted.lines()
    assert events(log)[-1]["payload"] == {"status": "cancelled"}
    assert event_lines(elsewhere.raw.splitlines(keepends=True)) + elsewhere.lines() == log
    assert again.lines() == log
    assert two.post(session, "say three").headers["litro-turn"] == "2"


def test_a_reader_in_another_process_does_not_wait_for_a_process_that_died(
    start: Start, session: str, gate: str
):
    one, two = start(), start()
    one.post(session, f"say one; wait {gate}").until("text-delta")
    elsewhere = two.get(session)
    elsewhere.until("text-delta")
    one.server.kill()
    assert elsewhere.lines() == ENDED
    assert two.post(session, "say on").headers["litro-turn"] == "2"


# --- syncs that fail


@needs_fiu
@pytest.mark.parametrize("has_folder", [False, True])
def test_where_nothing_can_be_made_durable_no_event_leaves(
    start: Start, project: Path, session: str, has_folder: bool
):
    if has_folder:
        (project / ".litro/sessions/open").mkdir(parents=True)
    client = start(before=["fiu-run", "-x", "-c", SYNCS_FAIL])
    for _ in range(2):
        response = client.post(session, "say secret")
        assert response.headers["content-type"] == "application/json"
        assert response.headers["retry-after"] == "1"
        assert response.told() == (503, "store")
    assert b'{"seq"' not in client.get(session).all()
    path = client.server.project / f".litro/sessions/open/{session}.jsonl"
    assert not path.exists() or path.read_bytes() == b""
    client.server.signal(signal.SIGTERM)
    client.server.ended(10)


@needs_fiu
def test_where_syncs_begin_to_fail_the_stream_ends_with_an_error_and_the_log_has_all_that_was_told(
    start: Start, tmp_path: Path, session: str, gate: str
):
    pipe = str(tmp_path / "fiu")
    client = start(before=["fiu-run", "-x", "-f", pipe])
    posted = client.post(session, f"say one; wait {gate}; say two; say three")
    listening = client.get(session)
    posted.until("text-delta")
    pid = str(client.server.process.pid)
    subprocess.run(["fiu-ctrl", "-f", pipe, "-c", SYNCS_FAIL, pid], check=True)
    client.server.let(gate)
    for response in (posted, listening):
        response.all()
        lines = response.raw.splitlines(keepends=True)
        assert b'"type":"store"' in lines[-1]
        assert lines[-1].startswith(b'{"err":')
        log = event_lines(client.server.log(session))
        told = event_lines(lines)
        assert told == log[: len(told)]
        assert b'"text":"two"' not in response.raw
    assert client.post(f"{session}2", "say four").told() == (503, "store")


@needs_fiu
def test_whenever_a_sync_fails_every_event_that_was_told_is_in_the_log(start: Start, session: str):
    now_and_then = SYNCS_FAIL.replace("enable", "enable_random") + ",probability=0.05"
    client = start(before=["fiu-run", "-x", "-c", now_and_then])
    for turn in range(1000):
        response = client.post(f"{session}{turn}", 'say one; call echo {"text": "x"}; say two')
        if response.status != 200:
            assert response.told() == (503, "store")
            break
        lines = response.lines()
        log = event_lines(client.server.log(f"{session}{turn}"))
        assert event_lines(lines) == log[: len(event_lines(lines))]
        if lines[-1:] != ENDED:
            assert b'"type":"store"' in lines[-1]
            break
