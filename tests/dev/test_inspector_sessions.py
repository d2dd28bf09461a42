"""Every session is listed and heard, whosoever it is, as long as it grows."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest
from inspecting import Open, developed, lines

from litro.dev.inspector.sessions import page_of
from litro.sessions.base import Place, SessionKey, SessionMeta, SessionStore


@pytest.fixture
async def inspector(tmp_path: Path) -> AsyncIterator[Open]:
    async with developed(tmp_path) as inspector:
        yield inspector


async def test_sessions_of_every_owner_are_listed_and_read(inspector: Open):
    await inspector.say("mine", agent="guarded", session="a", principal="ada")
    await inspector.say("yours", agent="guarded", session="b", principal="bob")
    page = await inspector.load("/sessions?agent=guarded")
    assert {(s["session"], s["owner"], s["title"]) for s in page["sessions"]} == {
        ("a", "ada", "mine"),
        ("b", "bob", "yours"),
    }
    assert page["next"] is None
    events = await inspector.events("b", agent="guarded")
    assert [event["payload"]["text"] for event in events if event["kind"] == "message"] == [
        "yours",
        "Be brief with bob.",
    ]


async def test_sessions_of_all_agents_are_one_list_whose_pages_lose_none(inspector: Open):
    for number in range(5):
        for agent in ("demo", "guarded"):
            await inspector.say("hi", agent=agent, session=f"s{number}", principal="ada")
    seen: list[tuple[str, str]] = []
    times: list[int] = []
    cursor = ""
    while True:
        page = await inspector.load(f"/sessions?limit=3{cursor}")
        seen += [(s["agent"], s["session"]) for s in page["sessions"]]
        times += [s["updated"] for s in page["sessions"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"
    assert len(seen) == len(set(seen)) == 10
    assert times == sorted(times, reverse=True)


class Tied:
    """A store in which sessions of two agents have one place in the list."""

    async def list(
        self, agent: str, *, owner: Any, before: Place | None = None
    ) -> AsyncIterator[SessionMeta]:
        for session in ("c", "b", "a"):
            if before is None or Place(7, session) < before:
                yield SessionMeta(
                    key=SessionKey(agent, session), owner=None, created=7, updated=7, tail=1
                )


async def test_sessions_of_one_place_stand_on_one_page():
    seen: list[tuple[str, str]] = []
    store, cursor = cast("SessionStore", Tied()), None
    for _ in range(3):
        page = await page_of(store, ["one", "two"], cursor=cursor, limit=1)
        seen += [(s["agent"], s["session"]) for s in page["sessions"]]
        cursor = page["next"]
    assert seen == [(agent, session) for session in "cba" for agent in ("one", "two")]
    assert cursor is None


async def test_events_are_the_logs_own_bytes_without_private_lines(inspector: Open):
    await inspector.say("add")
    heard = await inspector.get("/api/sessions/demo/s1/events?follow=false")
    own = await inspector.client.get("/__litro/agent/demo/s1")
    assert heard.content == own.content
    assert heard.headers["cache-control"] == "no-store, no-transform"
    assert "owner" not in heard.text
    assert '"replay"' not in heard.text


async def test_a_part_of_the_log_can_be_asked_for(inspector: Open):
    await inspector.say("one")
    await inspector.say("two")
    everything = await inspector.events("s1")
    assert await inspector.events("s1", "&from=-3") == everything[-3:]
    assert await inspector.events("s1", "&from=2&limit=2") == everything[1:3]
    quiet = await inspector.events("s1", "&deltas=false")
    assert "text-delta" not in {event["kind"] for event in quiet}
    assert (await inspector.get("/api/sessions/demo/s1/events?from=99")).status_code == 416


async def test_a_session_is_heard_from_turn_to_turn_until_it_is_deleted(inspector: Open):
    await inspector.say("one")
    async with inspector.following("/api/sessions/demo/s1/events") as stream:
        heard = await stream.until("turn-end")
        await inspector.say("two")
        heard += await stream.until("turn-end")
        assert heard == await inspector.events("s1")
        deleted = await inspector.client.delete(
            "/__litro/agent/demo/s1", headers={"x-litro-agent": "1"}
        )
        assert deleted.status_code == 204
        assert await stream.until("done") == [{"done": True}]


async def test_a_stream_that_is_open_does_not_keep_the_server(tmp_path: Path):
    async with developed(tmp_path) as inspector:
        await inspector.say("one")
        async with inspector.following("/api/sessions/demo/s1/events") as stream:
            end = (await stream.until("turn-end"))[-1]
            (await inspector.app.start()).streams.leave()
            assert await stream.until("bye") == [{"bye": {"next": end["seq"] + 1}}]


async def test_an_event_source_gets_server_sent_events(inspector: Open):
    await inspector.say("one")
    path = "/api/sessions/demo/s1/events?follow=false"
    response = await inspector.get(path, accept="text/event-stream")
    assert response.headers["content-type"].startswith("text/event-stream")
    assert "\nid: 1\ndata: {" in response.text
    assert response.text.endswith('event: done\ndata: {"done":true}\n\n')


@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [
        ("/sessions?agent=nobody", 404, "unknown-agent"),
        ("/sessions?cursor=x", 400, "invalid-cursor"),
        ("/sessions?limit=0", 400, "invalid-limit"),
        ("/sessions/demo/none/events", 404, "unknown-session"),
        ("/sessions/demo/%20/events", 400, "invalid-session"),
        ("/sessions/demo/none/turns/1/requests", 404, "unknown-session"),
        ("/sessions/demo/s1/turns/9/requests", 404, "unknown-turn"),
        ("/sessions/demo/s1/turns/0/requests", 404, "not-found"),
    ],
)
async def test_what_cannot_be_answered_says_why(inspector: Open, path: str, status: int, kind: str):
    await inspector.say("one")
    response = await inspector.get(f"/api{path}")
    assert (response.status_code, response.json()["type"]) == (status, kind)
    assert lines(response)[0]["status"] == status
