"""Agno's AgentOS under uvicorn, its sessions in SQLite, its runs in the mode that a client can resume."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

from peer import RIVALS, Peer, Request

RUNS = "/agents/weather/runs"


@dataclass(frozen=True)
class Form(Request):
    """AgentOS takes forms."""

    body: Mapping[str, str] = field(default_factory=dict[str, str])

    def encode(self) -> bytes:
        """The request as bytes."""
        content = urlencode(self.body).encode()
        lines = [
            f"{self.method} {self.path} HTTP/1.1",
            "host: 127.0.0.1",
            "content-type: application/x-www-form-urlencoded",
            f"content-length: {len(content)}",
        ]
        return "\r\n".join([*lines, "", ""]).encode() + content


def _command(bin_folder: Path, port: int, _data: Path) -> list[str]:
    return [
        str(bin_folder / "uvicorn"),
        "--app-dir",
        str(RIVALS / "agno"),
        "app:app",
        "--port",
        str(port),
    ]


def _turn(session: str, question: str) -> Request:
    return Form(
        "POST",
        RUNS,
        {"message": question, "session_id": session, "stream": "true", "background": "true"},
    )


def _resume(session: str, seen: bytes) -> Request:
    run = re.findall(rb'"run_id":"([^"]+)"', seen)[-1].decode()
    last = re.findall(rb'"event_index":(\d+)', seen)[-1].decode()
    return Form("POST", f"{RUNS}/{run}/resume", {"session_id": session, "last_event_index": last})


PEER = Peer(
    name="agno",
    title="Agno, AgentOS under uvicorn",
    distribution="agno",
    command=_command,
    ready=Request("GET", "/health"),
    turn=_turn,
    event=re.compile(rb"^data: ", re.MULTILINE),
    delta=re.compile(
        rb'^data: (?=[^\n]*"event":"RunContent")[^\n]*"content":"([^"]*)', re.MULTILINE
    ),
    end=b'"event":"RunCompleted"',
    stored=lambda session: Request("GET", f"/sessions/{session}/runs?type=agent"),
    resume=_resume,
    persistence="SQLite; the run's row when it begins and when it ends, each commit synced (WAL, synchronous=FULL)",
    notes={
        "turn": "Runs are asked for in the mode that a client can resume (`background=true`), of which 32 go at once. By default a run belongs to its "
        "request: that takes about half the CPU, and a client that goes cancels it (https://docs.agno.com/background-execution/overview).",
        "kill": "The run's row still says RUNNING after the restart, with the question and nothing else: neither the tool's result nor any text.",
        "resume": "From an index, out of the memory of the same process, gone with it "
        "(https://docs.agno.com/reference-api/schema/agents/resume-agent-run-stream).",
    },
)
