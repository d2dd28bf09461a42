"""Starts `litro serve` with a token, and prints who is let in, and what the official MCP client sees over HTTP.

`python scripts/probe_http.py`, after `litro mcp-app build`. With `--gates`, it prints who is let in and no more.
"""

import contextlib
import os
import re
import secrets
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator
from pathlib import Path

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from transcript import Transcript, probe

PROJECT = Path(__file__).parents[1]
SERVE = [sys.executable, "-m", "litro", "serve", "--project", str(PROJECT), "--port", "0"]
TOKEN = secrets.token_urlsafe()
FRIEND = "https://host.example"
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
REQUESTS: list[tuple[str, str, dict[str, str], int]] = [
    ("the token, as a desktop host sends it", "POST", {"authorization": f"Bearer {TOKEN}"}, 200),
    ("no token", "POST", {}, 401),
    ("another token", "POST", {"authorization": "Bearer another"}, 401),
    ("a page that is let in", "POST", {"authorization": f"Bearer {TOKEN}", "origin": FRIEND}, 200),
    (
        "a page that is not, with the token",
        "POST",
        {"authorization": f"Bearer {TOKEN}", "origin": "https://elsewhere.example"},
        403,
    ),
    (
        "a browser's question, without a token",
        "OPTIONS",
        {"origin": FRIEND, "access-control-request-method": "POST"},
        204,
    ),
    ("GET", "GET", {"authorization": f"Bearer {TOKEN}"}, 405),
]
"""Who asks, how, and the status that answers."""


def environment(**more: str) -> dict[str, str]:
    """Ours, without what settles MCP already."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LITRO_MCP")}
    return kept | more


@contextlib.contextmanager
def served() -> Generator[str]:
    """The project's server. Yields the address for its agent."""
    process = subprocess.Popen(  # noqa: S603 - our own command
        SERVE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(LITRO_MCP_TOKEN=TOKEN, LITRO_MCP_ORIGINS=FRIEND),
    )
    assert process.stderr is not None
    try:
        yield f"{address(process.stderr)}/__litro/mcp/demo"
    finally:
        process.terminate()
        process.wait()


def address(stderr: Iterator[str]) -> str:
    """Where the server listens, once it says so."""
    said: list[str] = []
    for line in stderr:
        said.append(line)
        if found := re.search(r"http://[^/ ]+:\d+", line):
            # What it says from now on is read and left, or the pipe would fill.
            threading.Thread(target=lambda: list(stderr), daemon=True).start()
            return found[0]
    sys.exit(f"The server did not start:\n{''.join(said)}")


def gates(transcript: Transcript, url: str) -> None:
    """Who is let in; and that nobody serves without saying who."""
    with httpx2.Client(trust_env=False) as client:
        for who, method, headers, status in REQUESTS:
            body = PING if method == "POST" else None
            answer = client.request(method, url, headers=accepting(headers), json=body)
            allowed = answer.headers.get("access-control-allow-origin", "-")
            told = f"{answer.status_code} {who} (allow-origin: {allowed})"
            transcript.tell(told, is_right=answer.status_code == status)
    open_door = subprocess.run(  # noqa: S603 - our own command
        SERVE, env=environment(LITRO_MCP="1"), capture_output=True, timeout=60, check=False
    )
    told = f"exit code {open_door.returncode} without a token"
    transcript.tell(told, is_right=open_door.returncode == 1)


def accepting(headers: dict[str, str]) -> dict[str, str]:
    """The headers, with what every MCP client accepts."""
    return headers | {"accept": "application/json, text/event-stream"}


async def seen(transcript: Transcript, url: str) -> None:
    """What a host with the token sees, both ways of beginning a conversation."""
    headers = {"authorization": f"Bearer {TOKEN}"}
    for mode in ("legacy", "2026-07-28"):
        async with httpx2.AsyncClient(headers=headers, trust_env=False) as client:
            await probe(transcript, streamable_http_client(url, http_client=client), mode)


if __name__ == "__main__":
    told = Transcript()
    with served() as route:
        gates(told, route)
        if "--gates" not in sys.argv[1:]:
            anyio.run(seen, told, route)
    told.end()
