"""LangGraph's server as it runs without a licence and without Docker: `langgraph dev`, in memory, written to files now and then."""

import re
import shutil
from pathlib import Path

from peer import RIVALS, Peer, Request


def _command(bin_folder: Path, port: int, data: Path) -> list[str]:
    # It keeps what it keeps in the project's folder, and looks for the graph there.
    for name in ("app.py", "langgraph.json"):
        shutil.copy(RIVALS / "langgraph" / name, data)
    return [
        str(bin_folder / "langgraph"),
        "dev",
        "--no-browser",
        "--no-reload",
        "--port",
        str(port),
    ]


def _turn(session: str, question: str) -> Request:
    body = {
        "assistant_id": "weather",
        "input": {"messages": [{"role": "user", "content": question}]},
        "if_not_exists": "create",
        "stream_mode": ["messages-tuple"],
        "stream_resumable": True,
    }
    return Request("POST", f"/threads/{session}/runs/stream", body)


def _resume(session: str, seen: bytes) -> Request:
    run = re.findall(rb'"run_id":"([^"]+)"', seen)[0].decode()
    last = re.findall(rb"^id: (\S+)\r\n\r\n", seen, re.MULTILINE)[-1].decode()
    return Request("GET", f"/threads/{session}/runs/{run}/stream", headers={"last-event-id": last})


PEER = Peer(
    name="langgraph",
    title="LangGraph, `langgraph dev`",
    distribution="langgraph-api",
    command=_command,
    ready=Request("GET", "/ok"),
    turn=_turn,
    event=re.compile(rb"^data: ", re.MULTILINE),
    delta=re.compile(
        rb'^data: \[\{"content":"(w[^"]*)"(?=[^\n]*"type":"AIMessageChunk")', re.MULTILINE
    ),
    end=None,
    stored=lambda session: Request("GET", f"/threads/{session}/state"),
    resume=_resume,
    persistence="memory; pickled to files every 10 s, not synced",
    notes={
        "persistence": "What runs without a licence or Docker: `langgraph dev`, which says of itself that it is for development and testing. With a licence "
        "it is Postgres and Redis (https://docs.langchain.com/langsmith/data-storage-and-privacy).",
        "first event": "A run waits in a queue. While that is empty it is looked at every half second, for runs older than the look before: half a second to a whole one.",
        "turn": "`langgraph dev` takes one run after the other from its queue, unless `--n-jobs-per-worker` is given.",
        "kill": "The whole session is gone, and with it all that was said to anybody in the up to 10 s since the files were written.",
        "resume": "By the last event's id. Ids are milliseconds: events of one millisecond share one, so that some can be missed; and one that comes "
        "while the stream is taken up can come twice (https://github.com/langchain-ai/langgraph/issues/8112).",
    },
    # It calls home, and asks a package index whether it is the newest, before it is up.
    env={
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "1",
        "LANGSMITH_TRACING": "false",
    },
)
