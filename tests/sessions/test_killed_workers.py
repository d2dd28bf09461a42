"""Workers are killed again and again under load: every message that was accepted ends once, in a log without a gap."""

import os
import random
import re
import signal
import threading
from collections import Counter
from pathlib import Path
from secrets import token_hex

import pytest

from sessions.fleet import STORES, short_lived

# isort: split
from serving import Client, Server, make_project, wait_for
from wiretap import events

pytestmark = pytest.mark.once

TALKERS = 8
KILLS = 5
TURN = 'process; rest 0.05; call echo {"text": "x"}; rest 0.05'
CUT_OFF = (IndexError, ValueError, OSError, AssertionError)
"""What reading an answer raises whose server died."""


class Talker:
    """Somebody who says the next thing as soon as the last was answered, whatever became of it."""

    def __init__(self, server: Server, session: str) -> None:
        self.session = session
        self.accepted: list[str] = []
        self.processes: list[int] = []
        self._server = server
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._talk)
        self._thread.start()

    def end(self) -> None:
        self._over.set()
        self._thread.join()

    def _talk(self) -> None:
        while not self._over.is_set():
            client = Client(self._server)
            try:
                self._say(client, token_hex(8))
            except CUT_OFF:
                continue
            finally:
                client.close()

    def _say(self, client: Client, key: str) -> None:
        response = client.post(self.session, TURN, idempotency_key=key)
        if response.status != 200:
            return
        self.accepted.append(key)
        self.processes += [int(n) for n in re.findall(rb"process (\d+)", response.all())]


@pytest.mark.parametrize("store", STORES)
def test_every_message_that_was_accepted_ends_once(tmp_path: Path, store: str):
    project = make_project(tmp_path / "app")
    server = Server(project, options=["--workers", "3"], **short_lived(project, store))
    talkers = [Talker(server, f"s{n}") for n in range(TALKERS)]
    try:
        killed: set[int] = set()
        for _ in range(KILLS):
            kill_one(server, talkers, killed)
        for talker in talkers:
            talker.end()
        client = Client(server)
        for talker in talkers:
            wait_for(lambda talker=talker: is_settled(client, talker), f"{talker.session}: open")
        client.close()
        server.stop()
    finally:
        for talker in talkers:
            talker.end()
        server.kill()


def kill_one(server: Server, talkers: list[Talker], killed: set[int]) -> None:
    """Kill a worker that was heard of and is alive, once a turn has run in it."""

    def alive() -> list[int]:
        heard = {process for talker in talkers for process in talker.processes}
        return sorted(heard - killed)

    wait_for(lambda: bool(alive()), "no worker answers")
    victim = random.choice(alive())
    killed.add(victim)
    os.kill(victim, signal.SIGKILL)
    server.said(rf"process {victim}\) was killed by SIGKILL")


def is_settled(client: Client, talker: Talker) -> bool:
    """Whether every turn has ended once, what was accepted among them, with no gap between events."""
    log = events(client.get(talker.session, "?follow=false").lines())
    assert [event["seq"] for event in log] == list(range(1, len(log) + 1))
    starts = {e["turn"]: e["payload"]["message"] for e in log if e["kind"] == "turn-start"}
    ends = Counter(event["turn"] for event in log if event["kind"] == "turn-end")
    assert set(ends.values()) <= {1}
    assert set(talker.accepted) <= set(starts.values())
    assert len(set(starts.values())) == len(starts)
    return ends.keys() == starts.keys()
