"""Pydantic AI: its AG-UI adapter under uvicorn, both with their defaults."""

import re
from pathlib import Path

from peer import RIVALS, Peer, Request

ROOT = RIVALS / "pydantic_ai"


def _command(bin_folder: Path, port: int, _data: Path) -> list[str]:
    return [str(bin_folder / "uvicorn"), "--app-dir", str(ROOT), "--port", str(port), "app:app"]


def _turn(session: str, question: str) -> Request:
    body = {
        "threadId": session,
        "runId": session,
        "state": None,
        "messages": [{"id": session, "role": "user", "content": question}],
        "tools": [],
        "context": [],
        "forwardedProps": None,
    }
    return Request("POST", f"/sessions/{session}", body, {"accept": "text/event-stream"})


PEER = Peer(
    name="pydantic_ai",
    title="Pydantic AI, AG-UI under uvicorn",
    distribution="pydantic-ai-slim",
    command=_command,
    ready=Request("GET", "/sessions/nobody"),
    turn=_turn,
    event=re.compile(rb"^data: ", re.MULTILINE),
    delta=re.compile(rb'"TEXT_MESSAGE_CONTENT".*?"delta":"([^"]*)'),
    end=b'"RUN_FINISHED"',
    stored=lambda session: Request("GET", f"/sessions/{session}"),
    persistence="SQLite, one commit a turn, at its end (rollback journal, synchronous=FULL)",
    notes={
        "cpu": "uvicorn as the adapter's documentation installs it, without its extras: h11, and asyncio's own loop.",
        "drop": "The run belongs to its request: a client that goes cancels it, and its messages with it.",
        "persistence": "Pydantic AI brings no store on a disk: the SQLite table is written as in its chat example, by the app.",
        "resume": "The stream belongs to its request; nothing of it is kept to hear again.",
    },
)
