"""Litro: `litro serve` with its defaults, on the file store."""

import re
from pathlib import Path

from peer import RIVALS, Peer, Request

ROOT = RIVALS / "litro"
AGENT = "/__litro/agent/weather"


def _command(bin_folder: Path, port: int, data: Path) -> list[str]:
    sessions = f"file:{data / 'sessions'}"
    serve = ["serve", "--project", str(ROOT / "project"), "--port", str(port)]
    return [str(bin_folder / "litro"), *serve, "--sessions", sessions]


def _turn(session: str, question: str) -> Request:
    return Request("POST", f"{AGENT}/{session}", {"text": question}, {"x-litro-agent": "1"})


def _resume(session: str, seen: bytes) -> Request:
    last = int(re.findall(rb'^\{"seq":(\d+)', seen, re.MULTILINE)[-1])
    return Request("GET", f"{AGENT}/{session}?from={last + 1}")


PEER = Peer(
    name="litro",
    title="Litro, `litro serve`",
    distribution="litro",
    command=_command,
    ready=Request("GET", f"{AGENT}/nobody?follow=false"),
    turn=_turn,
    event=re.compile(rb'^\{"seq":', re.MULTILINE),
    delta=re.compile(rb'"kind":"text-delta","payload":\{"text":"([^"]*)'),
    end=b'{"done":true}',
    stored=lambda session: Request("GET", f"{AGENT}/{session}?follow=false"),
    resume=_resume,
    persistence="a file a session; every event synced (fdatasync, in groups) before it is sent",
    notes={
        "first event": "Synced to the disk before it is sent, as every event is.",
        "install": "A wheel of this tree.",
        "resume": "From any event, by its number (`from`, or `Last-Event-ID`); also after a restart of the server.",
    },
)
