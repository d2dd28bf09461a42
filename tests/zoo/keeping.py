"""How the servers are told what to do. It starts none: that is `conftest`."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from litro.providers import anthropic, openai_compatible
from litro.providers.base import Provider
from litro.providers.retries import Retries

LLMOCK = (
    "python -m venv .venv/zoo/python && .venv/zoo/python/bin/pip install -r requirements/zoo.txt"
)
AIMOCK = "npm install --prefix .venv/zoo --no-package-lock --no-save -E @copilotkit/aimock@1.43.0"

QUICK = Retries(count=2, first_wait=0.02)
FORMATS = ("chat completions", "messages")


@dataclass(frozen=True)
class Llmock:
    """The server of the package `llmock`."""

    url: str

    def model(self, wire: str, **options: Any) -> Provider:
        options = {"api_key": "k", "retries": QUICK} | options
        if wire == "messages":
            return anthropic("m", base_url=f"{self.url}/anthropic", **options)
        return openai_compatible("m", base_url=f"{self.url}/v1", **options)

    def reset(self) -> None:
        self._post("reset", {})

    def misbehave(self, *behaviours: dict[str, Any], times: int | None = None) -> None:
        """Do this to the next requests: `times` of them, by default all."""
        self._post("scenario", {"behaviors": [{"times": times} | each for each in behaviours]})

    def requests(self) -> int:
        """How many came since the last reset."""
        return self._get("requests")["count"]

    def reproaches(self) -> list[str]:
        """What the server holds against us as a client, its warnings left out."""
        findings = self._get("verdict")["findings"]
        return [finding["code"] for finding in findings if finding["severity"] == "error"]

    def _get(self, path: str) -> Any:
        return httpx2.get(f"{self.url}/_llmock/{path}", trust_env=False).json()

    def _post(self, path: str, body: Any) -> None:
        answer = httpx2.post(f"{self.url}/_llmock/{path}", json=body, trust_env=False)
        assert answer.is_success, answer.text


@dataclass(frozen=True)
class Aimock:
    """The server of the npm package `@copilotkit/aimock`."""

    url: str

    def model(self, wire: str) -> Provider:
        if wire == "messages":
            return anthropic("m", base_url=self.url, api_key="k", retries=QUICK)
        return openai_compatible("m", base_url=f"{self.url}/v1", api_key="k", retries=QUICK)

    @staticmethod
    def configure(folder: Path) -> Path:
        """The configuration's file, written with the answers beside it."""
        fixtures = folder / "fixtures.json"
        fixtures.write_text(json.dumps({"fixtures": ANSWERS}))
        config = folder / "aimock.json"
        config.write_text(json.dumps({"llm": {"fixtures": str(fixtures), "chunkSize": 8}}))
        return config


WHERE = {"name": "get-weather", "arguments": {"city": "Lisbon"}}
LONG = "one two three four five six seven eight nine ten"


def answer(to: str, response: Any, **more: Any) -> dict[str, Any]:
    return {"match": {"userMessage": to}, "response": response, **more}


def error(to: str, status: int, kind: str, message: str) -> dict[str, Any]:
    return answer(to, {"error": {"message": message, "type": kind}, "status": status})


ANSWERS: list[dict[str, Any]] = [
    # First, because a failed turn's question stays in the history, and a later answer would match it.
    answer("And now?", {"content": "All is well."}),
    {
        "match": {"userMessage": "two cities", "hasToolResult": False},
        "response": {
            "content": "Looking. ",
            "toolCalls": [WHERE, {"name": "get-weather", "arguments": {"city": "Oslo"}}],
        },
    },
    {
        "match": {"userMessage": "two cities", "hasToolResult": True},
        "response": {"content": "21 degrees in both ☀️."},
    },
    answer("think", {"reasoning": "Hm, let me see.", "content": "Thought."}),
    answer("count then break", {"content": LONG}, latency=10, truncateAfterChunks=4),
    answer("count then vanish", {"content": LONG}, latency=40, disconnectAfterMs=150),
    answer(
        "call then break",
        {"content": "", "toolCalls": [WHERE]},
        latency=10,
        truncateAfterChunks=3,
    ),
    answer("drop", {"content": LONG}, chaos={"dropRate": 1.0}),
    answer("garble", {"content": LONG}, chaos={"malformedRate": 1.0}),
    answer("hang up", {"content": LONG}, chaos={"disconnectRate": 1.0}),
    error("too fast", 429, "rate_limit_error", "Slow down"),
    error("overload", 529, "overloaded_error", "Overloaded"),
    error("who are you", 401, "authentication_error", "Bad key"),
    error(
        "war and peace", 400, "invalid_request_error", "prompt is too long: 9 tokens > 8 maximum"
    ),
]
