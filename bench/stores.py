"""The stores by themselves, without HTTP and without turns.

    python bench/stores.py [--quick] [--rounds N] [--dir DIR] [--stores file,sqlite] [--parts closed,open]

* `closed`: 1,000 sessions, each with one event on its way to the disk: what a store can do.
* `open`: 300 and 1,000 sessions of 50 events a second each, on a schedule: what a store adds. Latency counts from when
  an event was due.
* `across`: two processes append 1,000 such sessions, a third follows all of them.
* `replay`: the last 100 events of a session of 200,000, by a handle that has not seen it.
* `history`: what the next turn reads in a session of 1,000 turns of 206 events: all of it in a new process, and then what
  one more turn adds; and what rebuilding the conversation from that costs.
* `folder`: a page of 50 out of 1,000 sessions; a fork of the long session.

Each run is a process of its own; stores take turns within each round. Beside the stores are `null`, which keeps nothing, and
`naive`, `to_thread(write + fsync)` an event. Ratios within one run mean something, numbers of two runs little.
"""

import argparse
import asyncio
import contextlib
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import uvloop
from conditions import filesystem, is_disk, pressure, sync_time
from databases import postgres
from naive_store import NaiveStore
from null_store import NullStore

from litro.events import Event
from litro.sessions import open_store
from litro.sessions.base import SessionKey, SessionStore, SessionWriter
from litro.turn.transcript import Transcript
from litro.wire import last_seq

Result = dict[str, float]

STORES = ("file", "sqlite", "postgres", "naive", "null")
RATE = 50
SESSIONS = 1000
REPLAYED = 200_000
TURNS = 1000
DELTAS = 199
INTERVAL = 1_000_000_000 // RATE

_DUE = re.compile(rb'"text":"(\d+) ')


def event(text: str, kind: str = "text-delta", turn: int = 1, **payload: Any) -> Event:
    return Event(kind=kind, payload={"text": text, **payload}, turn=turn, round=1)  # type: ignore[arg-type]


# What the children do.


async def closed(store: SessionStore, sessions: int, seconds: float) -> Result:
    """One event in flight a session."""
    writers = await opened(store, range(sessions))
    latencies: list[float] = []
    end = time.perf_counter() + seconds

    async def loop(writer: SessionWriter) -> None:
        while (begin := time.perf_counter()) < end:
            writer.append(event("0 token"))
            await writer.flush()
            latencies.append(time.perf_counter() - begin)

    begun, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*map(loop, writers))
    took, used = time.perf_counter() - begun, time.process_time() - cpu
    await closed_all(writers)
    return summary([late * 1e3 for late in latencies], took, used)


async def open_loop(
    store: SessionStore, first: int, sessions: int, seconds: float, start: int
) -> Result:
    """Events on a schedule, from `start` in nanoseconds of the monotonic clock (0: soon)."""
    writers = await opened(store, range(first, first + sessions))
    start = start or time.monotonic_ns() + 200_000_000
    if time.monotonic_ns() > start:
        sys.exit("stores: the sessions were not open in time")
    latencies: list[float] = []

    async def loop(number: int, writer: SessionWriter) -> None:
        due = start + number * INTERVAL // sessions
        last = due + round(seconds * RATE) * INTERVAL
        while due < last:
            wait = due - time.monotonic_ns()
            if wait > 0:
                await asyncio.sleep(math.ceil(wait / 1e6) / 1e3)
            dues = range(due, min(time.monotonic_ns() + 1, last), INTERVAL)
            for moment in dues:
                writer.append(event(f"{moment} token"))
            await writer.flush()
            now = time.monotonic_ns()
            latencies.extend((now - moment) / 1e6 for moment in dues)
            due += len(dues) * INTERVAL

    await asyncio.sleep(max(0, start - time.monotonic_ns()) / 1e9)
    cpu = time.process_time()
    await asyncio.gather(*(loop(n, writer) for n, writer in enumerate(writers)))
    took, used = (time.monotonic_ns() - start) / 1e9, time.process_time() - cpu
    await closed_all(writers)
    return summary(latencies, took, used)


async def tail(store: SessionStore, sessions: int, until: int) -> Result:
    """Follow what other processes append, until no more has come for a while."""
    latencies: list[float] = []
    last = [0]

    async def follow(key: SessionKey) -> None:
        following = 1
        while time.monotonic_ns() < until:
            async for block in store.follow(key, following):
                now = time.monotonic_ns()
                latencies.extend((now - int(due)) / 1e6 for due in _DUE.findall(block))
                following = (last_seq(block) or following - 1) + 1
                last[0] = now
            await asyncio.sleep(0.1)

    cpu = time.process_time()
    async with asyncio.TaskGroup() as group:
        for number in range(sessions):
            group.create_task(follow(key_of(number)))
    return summary(latencies, 1, time.process_time() - cpu)


async def fill(store: SessionStore, events: int) -> Result:
    """The long session, and the one of many turns."""
    writer = await store.open(LONG, owner=None)
    writer.append(*one_turn(1)[:2])
    # Batches as a turn makes them: how a store reads depends on how it was written.
    for begin in range(0, events, 50):
        writer.append(*(event(f"{n} token") for n in range(begin, min(begin + 50, events))))
        await writer.flush()
    await writer.close()
    writer = await store.open(TALK, owner=None)
    for turn in range(1, TURNS + 1):
        writer.append(*one_turn(turn))
        await writer.flush()
    await writer.close()
    for number in range(SESSIONS):
        writer = await store.open(SessionKey("folder", f"s{number}"), owner="o")
        writer.append(*one_turn(1)[:2])
        await writer.close()
    return {}


def one_turn(turn: int) -> list[Event]:
    """206 events: a question, a call, 199 deltas and what they make."""
    said = [event(f"{n} token ", turn=turn) for n in range(DELTAS)]
    call: dict[str, Any] = {"turn": turn, "round": 1, "call": f"c{turn}"}
    return [
        Event(kind="turn-start", payload={"trigger": "message", "message": f"m{turn}"}, turn=turn),
        event("What now?", "message", turn, id=f"m{turn}", role="user"),
        event("", "message", turn, role="assistant"),
        Event(kind="tool-call", payload={"name": "look", "input": {}}, **call),
        Event(kind="tool-result", payload={"found": turn}, **call),
        *said,
        event("".join(e.payload["text"] for e in said), "message", turn, role="assistant"),
        Event(kind="turn-end", payload={"status": "completed"}, turn=turn),
    ]


async def replay(store: SessionStore) -> Result:
    """`from=-100`, from a handle's first sight of the session to the first block."""
    begin = time.perf_counter()
    first = await first_block(store)
    cold = time.perf_counter() - begin
    again: list[float] = []
    for _ in range(20):
        begin = time.perf_counter()
        await first_block(store)
        again.append(time.perf_counter() - begin)
    return {"cold": cold * 1e3, "p50": statistics.median(again) * 1e3, "events": first.count(b"\n")}


async def first_block(store: SessionStore) -> bytes:
    meta = await store.meta(LONG)
    assert meta is not None
    blocks = store.read(LONG, meta.tail - 99)
    async for block in blocks:
        await blocks.aclose()  # type: ignore[attr-defined]
        return block
    sys.exit("stores: the long session is empty")


async def history(store: SessionStore) -> Result:
    """The transcript of the session of many turns, in a process that has none, and after one more turn."""
    begin = time.perf_counter()
    transcript = Transcript()
    async for block in store.read(TALK, 0):
        transcript.feed_block(block)
    transcript.messages("bench")
    cold = time.perf_counter() - begin
    if transcript.turn < TURNS:
        sys.exit("stores: the session of many turns has fewer")
    writer = await store.open(TALK, owner=None)
    writer.append(*one_turn(transcript.turn + 1))
    await writer.close()
    begin = time.perf_counter()
    meta = await store.meta(TALK)
    assert meta is not None
    writer = await store.open(TALK, owner=None)
    async for block in store.read(TALK, transcript.tail):
        transcript.feed_block(block)
    transcript.messages("bench")
    warm = time.perf_counter() - begin
    await writer.close()
    return {"cold": cold * 1e3, "warm": warm * 1e3}


async def folder(store: SessionStore) -> Result:
    """A page of a list, and a fork."""
    begin = time.perf_counter()
    seen = 0
    async for _ in store.list("folder", owner="o"):
        seen += 1
        if seen == 50:
            break
    listed = time.perf_counter() - begin
    begin = time.perf_counter()
    into = SessionKey(LONG.agent, f"fork-{time.time_ns()}")
    await store.fork(LONG, into, owner=None, at=REPLAYED)
    forked = time.perf_counter() - begin
    await store.delete(into)
    return {"list": listed * 1e3, "fork": forked * 1e3}


LONG = SessionKey("bench", "long")
TALK = SessionKey("bench", "talk")
CHILDREN: dict[str, Callable[..., Awaitable[Result]]] = {
    child.__name__: child for child in (closed, open_loop, tail, fill, replay, history, folder)
}


def key_of(number: int) -> SessionKey:
    return SessionKey("bench", f"{os.environ.get('BENCH_RUN', 'r')}-{number}")


async def opened(store: SessionStore, numbers: range) -> list[SessionWriter]:
    """A writer for each, some at a time."""
    writers: list[SessionWriter] = []
    for begin in range(numbers.start, numbers.stop, 50):
        some = range(begin, min(begin + 50, numbers.stop))
        writers += await asyncio.gather(*(store.open(key_of(n), owner=None) for n in some))
    for writer in writers:
        await writer.flush()
    return writers


async def closed_all(writers: list[SessionWriter]) -> None:
    for begin in range(0, len(writers), 50):
        await asyncio.gather(*(writer.close() for writer in writers[begin : begin + 50]))


def summary(latencies: list[float], took: float, used: float) -> Result:
    """Of milliseconds, seconds and seconds of CPU."""
    late = sorted(latencies) or [float("nan")]
    return {
        "rate": len(latencies) / took,
        "p50": late[len(late) // 2],
        "p99": late[len(late) * 99 // 100],
        "cpu": used / max(1, len(latencies)) * 1e6,
    }


async def child(name: str, place: str, arguments: list[float]) -> None:
    """Do one thing with one store and print what came of it."""
    kind, _, rest = place.partition(":")
    if kind == "null":
        store: SessionStore = NullStore()
    elif kind == "naive":
        store = NaiveStore(Path(rest))
    else:
        store = open_store(place)
    result = await CHILDREN[name](store, *arguments)
    await store.close()
    print(json.dumps(result))


# What the parent does.


class Bench:
    """Runs children and keeps what they said."""

    def __init__(self, places: dict[str, str], seconds: float, scratch: Path) -> None:
        self.places = places
        self.seconds = seconds
        self.results: dict[tuple[str, str], list[Result]] = defaultdict(list)
        self._scratch = scratch
        self._runs = 0

    def start(self, store: str, what: str, *arguments: float) -> subprocess.Popen[str]:
        command = [sys.executable, __file__, "--child", what, self.places[store]]
        env = {**os.environ, "BENCH_RUN": f"r{self._runs}"}
        return subprocess.Popen(
            [*command, *map(str, arguments)], stdout=subprocess.PIPE, text=True, env=env
        )

    def run(self, store: str, what: str, *arguments: float) -> Result:
        self._runs += 1
        return finished(self.start(store, what, *arguments))

    def across(self, store: str) -> dict[str, Result]:
        """Two that append, one that follows."""
        self._runs += 1
        start = time.monotonic_ns() + 6_000_000_000
        until = start + round((self.seconds + 1.5) * 1e9)
        half = SESSIONS // 2
        follower = self.start(store, "tail", SESSIONS, until)
        producers = [
            self.start(store, "open_loop", first, half, self.seconds, start) for first in (0, half)
        ]
        first, second = map(finished, producers)
        appended = {
            "rate": first["rate"] + second["rate"],
            "p50": max(first["p50"], second["p50"]),
            "p99": max(first["p99"], second["p99"]),
            "cpu": (first["cpu"] + second["cpu"]) / 2,
        }
        followed = finished(follower)
        followed["rate"] /= self.seconds
        return {"across: append": appended, "across: tail": followed}

    def note(self, part: str, store: str, result: Result) -> None:
        self.results[part, store].append(result)
        words = "  ".join(f"{name} {value:.2f}" for name, value in result.items())
        print(
            f"  {part:16} {store:9} psi {pressure():5.1f}  sync {sync_time(self._scratch):.2f} ms  {words}",
            flush=True,
        )

    def round(self, parts: list[str]) -> None:
        """Every part on every store."""
        loads = {
            "closed": ("closed", SESSIONS),
            "open 300": ("open_loop", 300),
            "open 1000": ("open_loop", SESSIONS),
        }
        for part, (what, sessions) in loads.items():
            if part.split()[0] in parts:
                for store in self.places:
                    more = (
                        [sessions, self.seconds]
                        if what == "closed"
                        else [0, sessions, self.seconds, 0]
                    )
                    if store == "naive" and what == "open_loop":
                        more[2] /= 3  # It falls behind without end; a third flatters it.
                    self.note(part, store, self.run(store, what, *more))
        for store in self.places:
            if store in {"null", "naive"}:
                continue
            if "across" in parts:
                for part, result in self.across(store).items():
                    self.note(part, store, result)
            for part in ("replay", "history", "folder"):
                if part in parts:
                    self.note(part, store, self.run(store, part))

    def table(self) -> str:
        """Medians, and each against the naive store."""
        lines = [
            f"{'part':16} {'store':9} medians of {max(map(len, self.results.values()), default=0)}"
        ]
        for (part, store), results in self.results.items():
            middle = {
                name: statistics.median(result[name] for result in results) for name in results[0]
            }
            words = "".join(f"{name:>7}{value:10.2f}" for name, value in middle.items())
            naive = self.results.get((part, "naive"))
            if naive and store != "naive" and "rate" in middle:
                rate = statistics.median(result["rate"] for result in naive)
                words += f"   {middle['rate'] / rate:.1f}x naive"
            lines.append(f"{part:16} {store:9}{words}")
        return "\n".join(
            [*lines, "rate: events/s; p50, p99, cold, warm, list, fork: ms; cpu: us an event"]
        )


def finished(process: subprocess.Popen[str]) -> Result:
    """What a child said."""
    said, _ = process.communicate(timeout=300)
    if process.returncode != 0:
        sys.exit(f"stores: {process.args} failed")
    return json.loads(said)


def places(
    folder: Path, stores: list[str], stack: contextlib.ExitStack
) -> Iterator[tuple[str, str]]:
    """Where each store keeps its sessions."""
    for name in stores:
        match name:
            case "sqlite":
                yield name, f"sqlite:{folder / 'sqlite' / 'sessions.db'}"
            case "postgres":
                try:
                    yield name, stack.enter_context(postgres(folder / "pg"))
                except RuntimeError as error:
                    print(f"stores: postgres is left out: {error}")
            case _:
                yield name, f"{name}:{folder / name}"


def main() -> None:
    """Fill, run the rounds, print the table."""
    parts = ("closed", "open", "across", "replay", "history", "folder")
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument(
        "--rounds", type=int, help="rounds whose median counts (default 3; quick 1)"
    )
    parser.add_argument("--seconds", type=float, help="seconds of a run (default 4; quick 1.5)")
    parser.add_argument("--dir", type=Path, default=Path("/var/tmp"), help="a folder on a disk")
    parser.add_argument("--stores", default=",".join(STORES), help="some of the stores")
    parser.add_argument("--parts", default=",".join(parts), help="some of the parts")
    options = parser.parse_args()
    print(f"sessions in {options.dir}, on {filesystem(options.dir)}; {os.cpu_count()} CPUs")
    if not is_disk(options.dir):
        sys.exit("stores: syncs cost nothing there. Name a disk with --dir.")
    asked = options.parts.split(",")
    with (
        tempfile.TemporaryDirectory(dir=options.dir, prefix="litro-bench-") as name,
        contextlib.ExitStack() as stack,
    ):
        folder = Path(name)
        folder.chmod(0o711)
        where = dict(places(folder, options.stores.split(","), stack))
        bench = Bench(where, options.seconds or (1.5 if options.quick else 4.0), folder)
        if {"replay", "history", "folder"} & set(asked):
            for store in where.keys() - {"null", "naive"}:
                bench.run(store, "fill", REPLAYED)
        for _ in range(options.rounds or (1 if options.quick else 3)):
            bench.round(asked)
        print()
        print(bench.table())


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        uvloop.run(child(sys.argv[2], sys.argv[3], [json.loads(text) for text in sys.argv[4:]]))
    else:
        main()
