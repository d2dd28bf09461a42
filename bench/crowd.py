"""People who use an agent in every way at once, each by a seeded chance: what they hear goes into records, which hold it against
what was heard before.

They do what clients do when a server dies: ask another one for the rest, and say again, under the same key, what nobody has answered.
"""

import asyncio
import contextlib
import random
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx2
import orjson
from folding import Wrong
from ledger import ACCEPTED, LINE, REFUSED, SENT, Heard, Record, Tally
from lives import Place

PATIENCE = 90.0
"""Seconds that somebody tries again: longer than a lease of Postgres and a restart take."""

SILENCE = 25.0
"""Seconds without a byte after which a stream counts as broken; heartbeats come every 10."""

NO_ANSWER = (httpx2.TransportError,)

KINDS: dict[str, Sequence[tuple[str, int, int, int]]] = {
    "script": [
        # What is ordered, how often, and of which sizes.
        ("words", 8, 5, 60),
        ("long", 5, 50, 400),
        ("think", 2, 3, 30),
        ("rounds", 4, 1, 5),
        ("many", 4, 3, 8),
        ("card", 3, 0, 9),
        ("hold", 2, 1, 6),
        ("big", 1, 1, 60),
        ("breaks", 1, 3, 20),
        ("raises", 1, 3, 20),
    ],
    "wire": [("words", 4, 5, 80), ("one", 3, 1, 40), ("moody", 2, 5, 30), ("broken", 1, 3, 20)],
}


class Chat:
    """A session in use.

    Args:
        record: What was heard of it.
        turns: After how many messages it is left alone.
    """

    def __init__(self, record: Record, turns: int) -> None:
        self.record = record
        self.left = turns
        self.users = 0
        """How many are doing something in it."""
        self.is_closed = False
        """Whether it is about to be deleted, or was."""


@dataclass
class Town:
    """What all people share."""

    places: list[Place]
    tally: Tally
    client: httpx2.AsyncClient
    chats: list[Chat] = field(default_factory=list[Chat])
    """Those in use."""
    retired: list[Record] = field(default_factory=list[Record])
    deleted: list[Record] = field(default_factory=list[Record])
    made: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])
    """How often there was a session of this name."""
    is_over: bool = False

    def record(self, agent: str, name: str) -> Record:
        """The record of a session that is new."""
        self.made[agent, name] = self.made.get((agent, name), 0) + 1
        return Record(agent, name, self.tally)


@dataclass(frozen=True)
class Reply:
    """A response that was read whole."""

    status: int
    body: Any
    tries: int
    """How often it was asked for; of all but the last nobody knows what they did."""


class Person:
    """Somebody who talks.

    Args:
        town: What is shared.
        number: Who.
        seed: Of all chances.
    """

    def __init__(self, town: Town, number: int, seed: int) -> None:
        self._town = town
        self._counts = town.tally.counts
        self._chance = random.Random(f"{seed} {number}")
        self._number = number
        self._said = 0
        self._acts: list[tuple[Callable[[Chat], Any], int]] = [
            (self.say, 50),
            (self.reload, 12),
            (self.read_twice, 6),
            (self.cancel, 6),
            (self.rename, 3),
            (self.fork, 4),
            (self.delete, 3),
            (self.turn_pages, 1),
        ]

    async def live(self) -> None:
        """Do one thing after another, until all is over.

        Raises:
            Wrong: What was heard cannot be.
        """
        acts, weights = zip(*self._acts, strict=True)
        while not self._town.is_over:
            chat = self._chat()
            (act,) = self._chance.choices(acts, weights)
            chat.users += 1
            try:
                await act(chat)
            finally:
                chat.users -= 1
            await asyncio.sleep(self._chance.expovariate(4))

    def _chat(self) -> Chat:
        """One that is in use, by anybody, or a new one."""
        town = self._town
        for chat in [chat for chat in town.chats if chat.left <= 0 and not chat.users]:
            town.chats.remove(chat)
            town.retired.append(chat.record)
        town.chats = [chat for chat in town.chats if not chat.is_closed]
        if len(town.chats) <= 12 or self._chance.random() < 0.25:
            return self._new_chat()
        # Where many are in few sessions at once, messages wait, join and are refused.
        return self._chance.choice(town.chats[:6] if self._chance.random() < 0.4 else town.chats)

    def _new_chat(self, record: Record | None = None) -> Chat:
        if record is None:
            agent = self._chance.choices(["script", "wire"], [3, 1])[0]
            gone = [r for r in self._town.deleted[-20:] if self._town.made[r.agent, r.name] < 4]
            name = f"s{self._number}-{self._said}-{len(self._town.made)}"
            if gone and self._chance.random() < 0.2:
                # A namesake of one that was deleted.
                again = self._chance.choice(gone)
                self._town.deleted.remove(again)
                agent, name = again.agent, again.name
                self._counts["namesakes"] += 1
            record = self._town.record(agent, name)
        turns = self._chance.choices(
            [self._chance.randint(1, 4), self._chance.randint(5, 40)], [5, 1]
        )
        chat = Chat(record, turns[0])
        self._town.chats.append(chat)
        return chat

    # What is done.

    async def say(self, chat: Chat) -> None:
        """Say something, until somebody has answered that it is known, or refused."""
        record, chance = chat.record, self._chance
        chat.left -= 1
        self._said += 1
        kinds = KINDS[record.agent]
        kind, _, least, most = chance.choices(kinds, [weight for _, weight, _, _ in kinds])[0]
        key = f"m{self._number}x{self._said}"
        content = {"text": f"{kind} {chance.randint(least, most)} #{key}"}
        on_busy = chance.choice([None, None, "reject", "queue", "queue", "steer"])
        if on_busy is not None:
            content["on_busy"] = on_busy
        deadline = time.monotonic() + PATIENCE
        record.said[key] = SENT
        is_sure = True
        while record.said[key] == SENT and time.monotonic() < deadline:
            try:
                async with self._asked(
                    "POST", record, content=content, headers={"idempotency-key": key}
                ) as response:
                    if response.status_code in {200, 202}:
                        record.said[key] = ACCEPTED
                        self._counts["accepted"] += 1
                        await self._accepted(response, record, key)
                        return
                    body = await response.aread()
            except NO_ANSWER:
                is_sure = False
                self._counts["unanswered"] += 1
            else:
                if not self._is_again(response, body, record, is_sure=is_sure):
                    record.said[key] = REFUSED
                is_sure = is_sure and b'"store"' not in body
            await self._wait()
        if is_sure:
            record.said[key] = REFUSED

    async def _accepted(self, response: httpx2.Response, record: Record, key: str) -> None:
        """What is done about a message that was taken: its turn streams, or it waits."""
        start = int(response.headers["litro-from"])
        if response.status_code == 202:
            await response.aclose()
            self._counts["queued"] += 1
            await self._queued(record, key, start)
            return
        turn = int(response.headers["litro-turn"])
        heard = Heard(record, start)
        is_left = await self._listen(response, heard, turn)
        await response.aclose()
        if is_left and self._chance.random() < 0.85:
            await self._follow(heard, lambda: turn in heard.ended)

    def _is_again(
        self, response: httpx2.Response, body: bytes, record: Record, *, is_sure: bool
    ) -> bool:
        """Whether a refused message is said again."""
        if response.status_code == 503:
            self._counts["503"] += 1
            return True
        if response.status_code == 409:
            # Where it was sent before, that may be what is on its way.
            self._counts["409"] += 1
            return not is_sure
        msg = f"{record}: a message was answered {response.status_code}: {body[:400]!r}"
        raise Wrong(msg)

    async def _listen(self, response: httpx2.Response, heard: Heard, turn: int) -> bool:
        """Hear a turn in one of several ways. Whether there may be more of it."""
        chance = self._chance
        way = chance.choices(["stay", "leave", "cancel", "slow"], [5, 4, 1, 1])[0]
        upto = chance.choice([1, 3, 10, 40, 120])
        try:
            async for _ in self._lines(response, heard):
                if way == "slow" and heard.count % 7 == 0:
                    await asyncio.sleep(0.05)
                if heard.count >= upto and way in {"leave", "cancel"}:
                    break
        except NO_ANSWER:
            self._counts["broken streams"] += 1
            return True
        if turn in heard.ended:
            return False
        if way == "cancel":
            await self._ask("POST", heard.record, "/cancel")
            self._counts["cancels"] += 1
        elif way == "leave":
            self._counts["disconnects"] += 1
        else:
            self._counts["broken streams"] += 1
        return True

    async def _queued(self, record: Record, key: str, start: int) -> None:
        """What is done about a message that waits."""
        chance = self._chance
        way = chance.choices(["hear", "withdraw", "leave"], [5, 3, 3])[0]
        if way == "withdraw":
            await asyncio.sleep(chance.random())
            reply = await self._ask("DELETE", record, f"/queue/{key}")
            if reply is None or reply.status != 200:
                return
            was: bool = reply.body["withdrawn"]
            self._counts["withdrawn" if was else "withdrawn too late"] += 1
            if reply.tries == 1:
                record.withdrawals[key] = was
        elif way == "hear":
            heard = Heard(record, start)
            await self._follow(heard, lambda: key in heard.met)

    async def reload(self, chat: Chat) -> None:
        """Read the whole history, and hold it against all that was heard before it was asked for."""
        record = chat.record
        if self._town.retired and self._chance.random() < 0.1:
            record = self._chance.choice(self._town.retired)
        known = len(record.heard)
        lines = await self.history(record)
        if lines is None:
            return
        self._counts["reloads"] += 1
        if len(lines) < known:
            msg = f"{record}: LOST: a reload has {len(lines)} events, {known} were heard before"
            raise Wrong(msg)
        record.examine(lines, whole=False)

    async def read_twice(self, chat: Chat) -> None:
        """Two readers from the beginning, one of whom leaves and comes back."""
        one, two = Heard(chat.record, 0), Heard(chat.record, 0)
        self._counts["two readers"] += 1
        await asyncio.gather(self._once(one, leaves=False), self._once(two, leaves=True))
        if two.next < one.next:
            await self._once(two, leaves=False)

    async def cancel(self, chat: Chat) -> None:
        """Cancel whatever runs."""
        reply = await self._ask("POST", chat.record, "/cancel")
        if reply is not None:
            self._counts["cancels"] += reply.status == 202

    async def rename(self, chat: Chat) -> None:
        """Give it a title that no other has."""
        record = chat.record
        if ACCEPTED not in record.said.values():
            return
        title = f"Title {self._number} {self._said} {self._chance.random()}"
        reply = await self._ask("PATCH", record, content={"title": title})
        if reply is None:
            return
        if reply.status != 200:
            msg = f"{record}: a new title was answered {reply.status}: {reply.body}"
            raise Wrong(msg)
        self._counts["renames"] += 1
        record.titles[title] = reply.tries - 1

    async def fork(self, chat: Chat) -> None:
        """Go another way from an earlier turn, as an edit of a message does."""
        record = chat.record
        if ACCEPTED not in record.said.values() or not record.heard:
            return
        name = f"{record.name[:30]}-f{self._number}-{self._said}-{len(self._town.made)}"
        content: dict[str, Any] = {"session": name}
        if self._chance.random() < 0.7:
            content["at"] = self._chance.randint(1, len(record.heard))
        reply = await self._ask("POST", record, "/fork", content=content, once=True)
        if reply is None or reply.status in {409, 503}:
            return
        if reply.status != 201:
            msg = f"{record}: a fork at {content} was answered {reply.status}: {reply.body}"
            raise Wrong(msg)
        self._town.made[record.agent, name] = 1
        made = record.fork(record.agent, name, reply.body["at"])
        self._counts["forks"] += 1
        new = self._new_chat(made)
        new.users += 1
        try:
            await self.say(new)
            await self.reload(new)
        finally:
            new.users -= 1

    async def delete(self, chat: Chat) -> None:
        """Delete it, when nobody else is in it."""
        record = chat.record
        if chat.users > 1 or chat.is_closed or ACCEPTED not in record.said.values():
            return
        chat.is_closed = True
        deadline = time.monotonic() + PATIENCE
        tries = 0
        while time.monotonic() < deadline:
            reply = await self._ask("DELETE", record)
            if reply is None:
                break
            tries += reply.tries
            if reply.status == 409:
                await self._ask("POST", record, "/cancel")
                await self._wait()
                continue
            if reply.status != 204 and not (reply.status == 404 and tries > 1):
                msg = f"{record}: deleting was answered {reply.status}: {reply.body}"
                raise Wrong(msg)
            left = await self.history(record)
            if left:
                msg = f"{record}: it was deleted, and has {len(left)} events"
                raise Wrong(msg)
            self._town.deleted.append(record)
            self._counts["deletes"] += 1
            return
        # Nobody knows: it is looked at no more, but its name is not used again.
        self._counts["deletes in doubt"] += 1

    async def turn_pages(self, chat: Chat) -> None:
        """Walk through the list of sessions: none may be there twice."""
        cursor, seen = None, set[str]()
        for _ in range(8):
            path = f"/__litro/agent/{chat.record.agent}?limit=200"
            reply = await self._get_json(path + ("" if cursor is None else f"&cursor={cursor}"))
            if reply is None:
                return
            names = [session["session"] for session in reply["sessions"]]
            if seen & set(names) or len(set(names)) < len(names):
                msg = f"a list of sessions has twice: {seen & set(names)}"
                raise Wrong(msg)
            seen.update(names)
            cursor = reply["next"]
            if cursor is None:
                break
        self._counts["lists"] += 1

    # How it is asked.

    async def history(self, record: Record, query: str = "") -> list[bytes] | None:
        """The whole log as a server has it now; None where nobody answered in time."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            lines: list[bytes] = []
            is_whole = False
            with contextlib.suppress(*NO_ANSWER):
                async with self._asked("GET", record, f"?follow=false{query}") as response:
                    if response.status_code == 200:
                        rest = b""
                        async for chunk in response.aiter_raw():
                            *whole, rest = (rest + chunk).split(b"\n")
                            lines += [line for line in whole if LINE.match(line)]
                            is_whole = is_whole or b'{"done":true}' in whole
                    elif response.status_code != 503:
                        msg = (
                            f"{record}: history: {response.status_code} {await response.aread()!r}"
                        )
                        raise Wrong(msg)
            if is_whole:
                return lines
            await self._wait()
        return None

    async def _follow(self, heard: Heard, is_heard: Callable[[], bool]) -> None:
        """Ask for the rest, again and again, until it was heard; sometimes lose patience."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and not self._town.is_over:
            await asyncio.sleep(self._chance.choice([0, 0, 0.2, 1]))
            self._counts["resumes"] += 1
            await self._once(heard, leaves=self._chance.random() < 0.2)
            if is_heard():
                return
            await asyncio.sleep(0.2)

    async def _once(self, heard: Heard, *, leaves: bool) -> None:
        """Hear what there is from where one is, in either format."""
        upto = heard.count + self._chance.choice([1, 10, 50]) if leaves else None
        headers: dict[str, str] = {}
        query = ""
        if self._chance.random() < 0.5:
            headers = {"accept": "text/event-stream", "last-event-id": str(heard.next - 1)}
        else:
            query = f"?from={heard.next}"
        try:
            async with self._asked("GET", heard.record, query, headers=headers) as response:
                if response.status_code == 204:
                    return
                if response.status_code == 503:
                    await self._wait()
                    return
                if response.status_code != 200:
                    body = await response.aread()
                    msg = f"{heard.record}: from {heard.next}: {response.status_code} {body!r}"
                    raise Wrong(msg)
                async for _ in self._lines(response, heard):
                    if upto is not None and heard.count >= upto:
                        self._counts["disconnects"] += 1
                        return
        except NO_ANSWER:
            self._counts["broken streams"] += 1
            await self._wait()

    async def _lines(self, response: httpx2.Response, heard: Heard) -> AsyncIterator[None]:
        """Hear a stream in either format, a step for each piece that arrives."""
        rest = b""
        async for chunk in response.aiter_raw():
            *whole, rest = (rest + chunk).split(b"\n")
            given: bytes | None = None
            for line in whole:
                if line.startswith(b"id: "):
                    given = line[4:]
                    continue
                if not heard.take(line.removeprefix(b"data: ")):
                    self._control(line, heard)
                elif given is not None and int(given) != heard.next - 1:
                    msg = f"{heard.record}: id {given!r} stands at {line[:200]!r}"
                    raise Wrong(msg)
            yield

    def _control(self, line: bytes, heard: Heard) -> None:
        if line.startswith((b"event: ", b":")) or not line:
            return
        content = orjson.loads(line.removeprefix(b"data: "))
        if "bye" in content:
            self._counts["byes"] += 1
            if content["bye"]["next"] != heard.next:
                msg = f"{heard.record}: goodbye names {content}, {heard.next} is next"
                raise Wrong(msg)
        elif "err" in content:
            self._counts[f"err {content['err']['type']}"] += 1
        elif content != {"done": True}:
            msg = f"{heard.record}: {line!r} is no line that is known"
            raise Wrong(msg)

    async def _ask(
        self,
        method: str,
        record: Record,
        path: str = "",
        *,
        content: Any = None,
        once: bool = False,
    ) -> Reply | None:
        """Ask until there is an answer; None where none came."""
        deadline = time.monotonic() + PATIENCE
        tries = 0
        while time.monotonic() < deadline:
            tries += 1
            try:
                async with self._asked(method, record, path, content=content) as response:
                    body = await response.aread()
            except NO_ANSWER:
                if once:
                    return None
                await self._wait()
                continue
            if response.status_code >= 500 and response.status_code != 503:
                msg = f"{record}: {method} {path}: {response.status_code} {body!r}"
                raise Wrong(msg)
            if response.status_code == 503 and not once:
                await self._wait()
                continue
            return Reply(response.status_code, orjson.loads(body) if body else None, tries)
        return None

    async def _get_json(self, path: str) -> Any:
        try:
            response = await self._town.client.get(f"{self._address()}{path}")
        except NO_ANSWER:
            return None
        return response.json() if response.status_code == 200 else None

    @contextlib.asynccontextmanager
    async def _asked(
        self,
        method: str,
        record: Record,
        path: str = "",
        *,
        content: Any = None,
        headers: dict[str, str] | None = None,
    ) -> AsyncIterator[httpx2.Response]:
        url = f"{self._address()}/__litro/agent/{record.agent}/{record.name}{path}"
        more = {"x-litro-agent": "1", **(headers or {})}
        body = None if content is None else orjson.dumps(content)
        if body is not None:
            more["content-type"] = "application/json"
        async with self._town.client.stream(method, url, content=body, headers=more) as response:
            yield response

    def _address(self) -> str:
        """A server that is up, any of them.

        Raises:
            TransportError: None is.
        """
        up = [place.address for place in self._town.places if place.is_up]
        if not up:
            msg = "no server is up"
            raise httpx2.ConnectError(msg)
        return self._chance.choice(up)

    async def _wait(self) -> None:
        await asyncio.sleep(self._chance.uniform(0.1, 1))
