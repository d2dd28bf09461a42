"""Google's ADK: `adk api_server`, its sessions in SQLite."""

import re
from pathlib import Path

from peer import RIVALS, Peer, Request

AGENTS = RIVALS / "adk" / "agents"
USER = "/apps/weather/users/bench/sessions"


def _command(bin_folder: Path, port: int, data: Path) -> list[str]:
    sessions = f"sqlite:///{data / 'sessions.db'}"
    serve = ["api_server", "--host", "127.0.0.1", "--port", str(port)]
    return [str(bin_folder / "adk"), *serve, "--session_service_uri", sessions, str(AGENTS)]


def _turn(session: str, question: str) -> Request:
    message = {"role": "user", "parts": [{"text": question}]}
    body = {
        "app_name": "weather",
        "user_id": "bench",
        "session_id": session,
        "new_message": message,
        "streaming": True,
    }
    return Request("POST", "/run_sse", body)


PEER = Peer(
    name="adk",
    title="ADK, `adk api_server`",
    distribution="google-adk",
    command=_command,
    ready=Request("GET", "/health"),
    opening=lambda session: Request("POST", f"{USER}/{session}", {}),
    turn=_turn,
    event=re.compile(rb"^data: ", re.MULTILINE),
    delta=re.compile(rb'^data: (?=[^\n]*"partial":true)[^\n]*"text":"([^"]*)', re.MULTILINE),
    end=b'w199 "}],"role":"model"},"partial":false',
    stored=lambda session: Request("GET", f"{USER}/{session}"),
    persistence="SQLite; a commit for the question, the tool's call, its result and the answer, each synced (rollback journal, synchronous=FULL)",
    notes={
        "persistence": "`--session_service_uri sqlite:///…` as `adk api_server --help` has it. Deltas are not stored, only the whole answer.",
        "turn": "It opens a connection of SQLite for every call, so turns that write at once wait for each other, and fail after 5 s "
        "(https://github.com/google/adk-python/pull/4017). With SQLAlchemy's SQLite (`google-adk[db]`) they fail too.",
        "kill": "The question, the tool's call and its result are kept; of the answer, which is stored when it is whole, nothing is.",
        "drop": "A client that goes ends the turn: it is stored as aborted (https://github.com/google/adk-python/issues/4029).",
        "resume": "`/run_sse` belongs to its request, which aborts with its client; there is no request that hears a turn again.",
    },
)
