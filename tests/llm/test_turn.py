"""A turn, end to end: a project on disk, `litro serve`, a real model, and a server that is killed in the middle."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import orjson
import pytest

from llm.recorder import recording
from llm.serving import Server, serving

pytestmark = [pytest.mark.llm, pytest.mark.timeout(300)]

QUESTION = {"text": "What is the weather in Lisbon?"}
HEADERS = {"x-litro-agent": "1", "cookie": f"litro-visitor={'x' * 43}"}
"""One visitor's, whichever server runs."""


def lines(response: httpx2.Response) -> Iterator[dict[str, Any]]:
    for line in response.iter_lines():
        if line:
            yield orjson.loads(line)


def ask(server: Server) -> list[dict[str, Any]]:
    with httpx2.stream("POST", server.url, json=QUESTION, headers=HEADERS, timeout=240) as answer:
        assert answer.status_code == 200
        return list(lines(answer))


def hear(server: Server) -> list[dict[str, Any]]:
    with httpx2.stream("GET", server.url, headers=HEADERS, timeout=240) as answer:
        return list(lines(answer))


def payload(events: list[dict[str, Any]], kind: str) -> Any:
    return next(event["payload"] for event in events if event.get("kind") == kind)


def test_the_model_calls_the_tool_the_person_gets_the_card_and_the_model_only_the_data(
    project: Path, llm_url: str
):
    with recording(llm_url) as recorder, serving(project, recorder.url) as server:
        events = ask(server)
        assert payload(events, "tool-call") == {"name": "get-weather", "input": {"city": "Lisbon"}}
        card = payload(events, "ui")
        assert "<demo-weather-card" in card["html"]
        assert "70" in card["html"]
        assert card["data"] == {"city": "Lisbon", "temp_c": 21, "summary": "sunny"}
        assert events[-1] == {"done": True}
        answer = recorder.requests[1]["messages"][-1]
        assert answer["role"] == "tool"
        assert orjson.loads(answer["content"]) == card["data"]
        assert "weather-card" not in repr(recorder.requests)
        assert hear(server) == events


def test_a_server_that_is_killed_in_the_middle_shows_the_durable_prefix_and_goes_on(
    project: Path, llm_url: str
):
    server = Server(project, llm_url)
    seen: list[dict[str, Any]] = []
    with (
        contextlib.suppress(httpx2.TransportError),
        httpx2.stream("POST", server.url, json=QUESTION, headers=HEADERS, timeout=240) as answer,
    ):
        for event in lines(answer):
            seen.append(event)
            if event.get("kind") in {"text-delta", "ui"} and server.process.poll() is None:
                server.kill()
    with serving(project, llm_url) as again:
        durable = hear(again)
        while durable[-2].get("kind") != "turn-end":
            # The server closes what the dead one left as soon as it has started.
            durable = hear(again)
        assert durable[: len(seen)] == seen
        assert durable[-1] == {"done": True}
        events = ask(again)
        assert payload(events, "turn-end") == {"status": "completed"}
        ends = [e["payload"]["status"] for e in hear(again) if e.get("kind") == "turn-end"]
        assert ends == ["interrupted", "completed"]
