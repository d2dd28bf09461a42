"""Starts `litro mcp serve` as a desktop host does, with the official MCP client, and prints what that sees.

`python scripts/probe_stdio.py`, after `litro mcp-app build`. With `--purity`, it reads the raw output instead: whatever is no message breaks a host.
"""

import json
import subprocess
import sys
from pathlib import Path

import anyio
from mcp.client.stdio import StdioServerParameters
from transcript import Transcript, probe

PROJECT = Path(__file__).parents[1]
COMMAND = ["-P", "-m", "litro", "mcp", "serve", "--project", str(PROJECT)]
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "probe", "version": "1"},
}
MESSAGES = [
    {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": HELLO},
    {"jsonrpc": "2.0", "method": "notifications/initialized"},
    {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    {
        "jsonrpc": "2.0",
        "id": 3,
        "method": "tools/call",
        "params": {"name": "get-weather", "arguments": {"city": "Lisbon"}},
    },
]


async def seen(transcript: Transcript) -> None:
    """Both ways of beginning a conversation."""
    for mode in ("legacy", "2026-07-28"):
        await probe(transcript, StdioServerParameters(command=sys.executable, args=COMMAND), mode)


def purity(transcript: Transcript) -> None:
    """Each line of the server's output is a message, and each request has its answer."""
    said = "".join(f"{json.dumps(message)}\n" for message in MESSAGES)
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, *COMMAND], input=said.encode(), stdout=subprocess.PIPE, check=False
    )
    answered: set[object] = set()
    for line in done.stdout.splitlines():
        try:
            message = json.loads(line)
            is_message = message["jsonrpc"] == "2.0"
            answered.add(message.get("id"))
        except (ValueError, KeyError, TypeError):
            is_message = False
        transcript.tell(line.decode(errors="replace")[:100], is_right=is_message)
    for unanswered in {1, 2, 3} - answered:
        transcript.tell(f"no answer to {unanswered}", is_right=False)


if __name__ == "__main__":
    told = Transcript()
    if "--purity" in sys.argv[1:]:
        purity(told)
    else:
        anyio.run(seen, told)
    told.end()
