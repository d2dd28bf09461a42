"""Gradio's ChatInterface with a history of so many messages, one server for each number.

    python gradio_chat.py 10 200 2000

Says its ports in one line of JSON, and serves until it is ended. It runs in an environment of its own, not in Litro's.
"""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
sys.path.insert(0, str(Path(__file__).parents[1]))

import gradio
from talk import answer, ordered, question

INTERVAL = float(os.environ["INTERVAL"])


async def reply(message: str, history: list[object]) -> AsyncIterator[str]:  # noqa: ARG001
    """What a Gradio function yields: all that there is so far."""
    said = ""
    for piece in ordered(message):
        said += piece
        yield said
        await asyncio.sleep(INTERVAL)


def history(messages: int) -> list[dict[str, str]]:
    """What was said before."""
    turns = range(1, messages // 2 + 1)
    return [
        {"role": role, "content": text(turn)}
        for turn in turns
        for role, text in (("user", question), ("assistant", answer))
    ]


def serve(messages: int) -> str:
    """The port of a chat with so many messages in it."""
    # As high as the one that ChatInterface makes by itself.
    chatbot = gradio.Chatbot(value=history(messages), scale=1)
    demo = gradio.ChatInterface(reply, chatbot=chatbot)
    demo.launch(server_name="127.0.0.1", prevent_thread_lock=True, quiet=True, ssr_mode=False)
    return demo.local_url.rstrip("/").rpartition(":")[2]


print(json.dumps([serve(int(number)) for number in sys.argv[1:]]), flush=True)
signal.pause()
