"""A campaign: people use a server in every way at once while it is killed, stopped, paused and started anew. Nothing may be lost,
repeated or ended twice, and what the server holds stays what it is.

    python bench/mixed.py file|sqlite|postgres [--minutes N] [--seed N] [--people N] [--folder FOLDER]

Two servers share one store: one alone, one with workers. Of the first, the middle of the campaign is left to live, so that its memory
can be told; the second dies every half minute. What is wrong ends the campaign: it is printed with the seed, and the folder is kept.

It measures nothing but memory. `killing` and `powerloss` look at the stores alone.
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import databases
import httpx2
from crowd import SILENCE, Chat, Person, Town
from folding import Fold, Wrong
from ledger import Record, Tally, sieved
from lives import WARM, Held, Place, descriptors_of
from model_server import ModelServer

from litro.sessions import open_store
from litro.sessions.base import SessionKey
from litro.wire import public

PROJECT = Path(__file__).with_name("mixed_project")
CANNOT = 77
PEOPLE = 36
BETWEEN = (10, 35)
"""Seconds between one death of a server's and the next."""
LEFT_ALONE = (0.3, 0.9)
"""In which part of the campaign the first server is left to live."""
SETTLING = 240
SAMPLING = 3.0
ALLOWED = 2000
"""kB of memory that the server may grow by in a minute: it keeps the conversations of the last 1,000 sessions."""
KEPT = {"file": 0, "sqlite": 16, "postgres": 11}
"""Descriptors of a store's kept connections, at the most."""
MODELS = 20
"""Connections to a model's server that are kept."""
SLACK = 8

ENDS = ("completed", "failed", "cancelled", "interrupted")

Whole = dict[Record, list[bytes]]


class Campaign:
    """One store's campaign.

    Args:
        store: Which.
        url: Its sessions.
        folder: For everything.
        seed: Of all chances.
    """

    def __init__(self, store: str, url: str, folder: Path, seed: int) -> None:
        self.store = store
        self.url = url
        self.folder = folder
        self.seed = seed
        self.tally = Tally()
        self.begun = self.ends = time.monotonic()
        self._chance = random.Random(f"{seed} deaths")
        self._model = ModelServer()
        self._baseline: dict[str, tuple[int, int]] = {}
        self.town = Town([], self.tally, httpx2.AsyncClient())

    async def run(self, minutes: float, people: int) -> None:
        """All of it.

        Raises:
            Wrong: Something is.
        """
        async with self._servers():
            await self._warm()
            self.begun = time.monotonic()
            self.ends = self.begun + minutes * 60
            await self._crowd(people)
            logs = await self._settle()
            await self._idle()
            await self._stop()
        await self._read_store(logs)
        self._ran()
        self._hear_complaints()

    @contextlib.asynccontextmanager
    async def _servers(self) -> AsyncIterator[None]:
        await self._model.start()
        project = self.folder / "project"
        shutil.copytree(PROJECT, project, ignore=shutil.ignore_patterns("__pycache__"))
        (self.folder / "held").mkdir()
        environment = {
            "MIXED_MODEL": self._model.url,
            "MIXED_HELD": str(self.folder / "held"),
            "MIXED_RAN": str(self.folder / "ran"),
        }
        options = ["--project", str(project), "--port", "0", "--sessions", self.url]
        self.town.places += [Place(name, self.folder, options, environment) for name in "ab"]
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=50)
        timeout = httpx2.Timeout(SILENCE, connect=5)
        try:
            async with httpx2.AsyncClient(
                timeout=timeout, limits=limits, trust_env=False
            ) as self.town.client:
                for workers, place in enumerate(self.town.places, 1):
                    await place.start(workers)
                yield
        finally:
            for place in self.town.places:
                place.kill(place.tree())
            await self._model.stop()

    async def _warm(self) -> None:
        """Each kind of a turn, then what the servers hold when nobody is there."""
        people = [Person(self.town, -n, self.seed) for n in range(1, 9)]
        for _ in range(4):
            chats = [Chat(self.town.record(a, f"w{n}-{_}"), 0) for n, a in enumerate(["script", "wire"] * 4)]  # fmt: skip
            self.town.chats += chats
            await asyncio.gather(*map(Person.say, people, chats))
        await asyncio.sleep(8)
        for place in self.town.places:
            for pid, (tasks, descriptors) in (await self._held(place)).items():
                self._baseline[place.name] = (len(tasks), len(descriptors))
                print(f"  {place.name} {pid}: {len(tasks)} tasks, {len(descriptors)} descriptors")

    async def _crowd(self, people: int) -> None:
        crowd = [Person(self.town, n, self.seed) for n in range(people)]
        tasks = {asyncio.create_task(person.live()) for person in crowd}
        others = {asyncio.create_task(self._deaths()), asyncio.create_task(self._samples())}
        try:
            done, _ = await asyncio.wait(
                tasks | others,
                timeout=self.ends - time.monotonic(),
                return_when=asyncio.FIRST_EXCEPTION,
            )
            for task in done:
                task.result()
            self.town.is_over = True
            for task in others:
                task.cancel()
            await asyncio.wait(others)
            await self._all_up()
            done, _ = await asyncio.wait(tasks, timeout=150)
            for task in done:
                task.result()
        finally:
            for task in tasks | others:
                task.cancel()
            await asyncio.gather(*tasks, *others, return_exceptions=True)

    # What is done to servers.

    async def _samples(self) -> None:
        told = 0
        while True:
            for place in self.town.places:
                place.sample()
            told += 1
            if told % 20 == 0:
                self.tell()
                self._hear_complaints()
            await asyncio.sleep(SAMPLING)

    async def _deaths(self) -> None:
        one, two = self.town.places
        while True:
            await asyncio.sleep(self._chance.uniform(*BETWEEN))
            now = (time.monotonic() - self.begun) / (self.ends - self.begun)
            may_die = [two] if LEFT_ALONE[0] <= now <= LEFT_ALONE[1] else [one, two]
            await self._death(self._chance.choice(may_die))

    async def _death(self, place: Place) -> None:
        chance, counts = self._chance, self.tally.counts
        ways = {"kill": 8, "worker": 6, "parent": 2, "term": 5, "pause": 2, "engine": 1, "edit": 2}
        way = chance.choices(list(ways), list(ways.values()))[0]
        tree = place.tree()
        match way:
            case "pause":
                counts["pauses"] += 1
                await self._pause(tree)
                return
            case "engine":
                counts["engines killed"] += 1
                place.kill([pid for pid in tree if pid not in {*place.pythons(), tree[0]}])
                return
            case "edit" if place.workers == 0:
                counts["edits"] += 1
                self._edit()
                return
            case "worker" if place.workers > 1:
                counts["kills"] += 1
                place.kill([chance.choice(place.pythons())])
                return
            case "term" | "edit":
                counts["terms"] += 1
                os.kill(tree[0], signal.SIGTERM)
            case "parent":
                counts["kills"] += 1
                place.kill(tree[:1])
            case _:
                counts["kills"] += 1
                place.kill(tree)
        code = await place.ended(tree, 30)
        if way in {"term", "edit"} and code not in {0, -signal.SIGTERM}:
            msg = f"server {place.name} was asked to end, and ended with {code}"
            raise Wrong(msg)
        await asyncio.sleep(chance.choice([0, 0, 1, 4]))
        counts["restarts"] += 1
        await place.start(chance.choice([1, 2, 2, 0]) if place is self.town.places[1] else 1)

    async def _pause(self, tree: list[int]) -> None:
        """Stop all processes for a while, as a machine does that is moved: longer than Postgres's leases, at times."""
        longest = 20 if self.store == "postgres" else 6
        for pid in tree:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGSTOP)
        try:
            await asyncio.sleep(self._chance.uniform(1, longest))
        finally:
            for pid in tree:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def _edit(self) -> None:
        """Edit a tool and the agent, as under `litro dev`."""
        agent = self.folder / "project/agents/script"
        for path in (agent / "tools/hold.py", agent / "agent.py"):
            draft = path.with_name(f".{path.name}")
            draft.write_text(f"{path.read_text()}# {self._chance.random()}\n")
            draft.replace(path)

    async def _all_up(self) -> None:
        for workers, place in enumerate(self.town.places, 1):
            if place.process is not None and place.process.poll() is None and place.is_up:
                os.kill(place.process.pid, signal.SIGCONT)
                if place.workers == workers:
                    continue
            # As it was when what it holds was looked at.
            tree = place.tree()
            place.kill(tree)
            if place.process is not None:
                await place.ended(tree, 30)
            await place.start(workers)

    async def _stop(self) -> None:
        for place in self.town.places:
            tree = place.tree()
            os.kill(tree[0], signal.SIGTERM)
            code = await place.ended(tree, 30)
            if code not in {0, -signal.SIGTERM}:
                msg = f"server {place.name} was asked to end, and ended with {code}"
                raise Wrong(msg)

    # What is looked at.

    async def _settle(self) -> Whole:
        """Every log, once all of its turns have ended and nothing waits in it.

        Raises:
            Wrong: It does not come to that, or is not what was heard and promised.
        """
        asker = Person(self.town, 0, self.seed)
        records = [*self.town.retired, *(c.record for c in self.town.chats if not c.is_closed)]
        deadline = time.monotonic() + SETTLING
        logs: Whole = {}
        for record in records:
            while True:
                lines = await asker.history(record)
                if lines is None:
                    msg = f"{record}: nobody answers"
                    raise Wrong(msg)
                fold = record.examine(lines)
                if fold.is_settled:
                    break
                if time.monotonic() > deadline:
                    left = "turn has not ended" if fold.is_open else f"{[*fold.waiting]} waits"
                    msg = f"{record}: {SETTLING} s after the last person left: {left} (tail {fold.tail})"
                    raise Wrong(msg)
                await asyncio.sleep(0.5)
            record.keep_promises(fold)
            await self._same_without_deltas(asker, record, lines, fold)
            self._count(fold)
            logs[record] = lines
        return logs

    async def _same_without_deltas(
        self, asker: Person, record: Record, lines: list[bytes], fold: Fold
    ) -> None:
        told = await asker.history(record, "&deltas=false")
        if told != sieved(lines, fold):
            msg = f"{record}: without deltas it has {len(told or [])} events, {len(sieved(lines, fold))} are due"
            raise Wrong(msg)

    def _count(self, fold: Fold) -> None:
        counts = self.tally.counts
        counts["sessions"] += 1
        counts["turns"] += fold.turn
        for found in (fold.statuses, fold.failures, Counter(fold.calls.values())):
            for what, count in found.items():
                counts[f"={what}"] += count

    async def _held(self, place: Place) -> dict[int, tuple[list[str], list[str]]]:
        """The names of tasks and the descriptors of each process that answers."""
        found: dict[int, tuple[list[str], list[str]]] = {}
        for pid in place.pythons():
            told = self.folder / "held" / f"{pid}.json"
            told.unlink(missing_ok=True)
            os.kill(pid, signal.SIGUSR2)
            while not told.exists():
                await asyncio.sleep(0.05)
            found[pid] = json.loads(told.read_text()), descriptors_of(pid)
        return found

    async def _idle(self) -> None:
        """Whether what the servers hold is what they held before anybody came."""
        await asyncio.sleep(10)
        for place in self.town.places:
            for pid, (tasks, descriptors) in (await self._held(place)).items():
                was = self._baseline[place.name]
                print(f"  {place.name} {pid}: {len(tasks)} tasks, {len(descriptors)} descriptors; {was} at first")  # fmt: skip
                allowed = was[1] + KEPT[self.store] + MODELS + SLACK
                if len(tasks) > was[0] + 2 or len(descriptors) > allowed:
                    msg = f"server {place.name} is idle and holds {tasks}, {sorted(descriptors)}; {was} at first"
                    raise Wrong(msg)

    async def _read_store(self, logs: Whole) -> None:
        """Whether the store itself has what the servers told of it."""
        store = open_store(self.url)
        try:
            for record, lines in logs.items():
                key = SessionKey(record.agent, record.name)
                blocks = [public(block) async for block in store.read(key, 1)]
                if b"".join(blocks).splitlines() != lines:
                    msg = f"{record}: the store has another log than the servers told"
                    raise Wrong(msg)
        finally:
            await store.close()

    def _ran(self) -> None:
        """Whether no call of a tool has run twice."""
        path = self.folder / "ran"
        ran = Counter(path.read_text().splitlines()) if path.exists() else Counter[str]()
        for line, times in ran.items():
            session, _ = line.split()
            made = sum(count for (_, name), count in self.town.made.items() if name == session)
            if times > made:
                msg = f"call {line} ran {times} times"
                raise Wrong(msg)
        self.tally.counts["tools run"] = sum(ran.values())

    def _hear_complaints(self) -> None:
        complaints = [what for place in self.town.places for what in place.complaints()]
        if complaints:
            raise Wrong("a server complains:\n" + "\n".join(complaints[:5]))

    # What is told.

    def tell(self) -> None:
        """How far it is."""
        minutes = (time.monotonic() - self.begun) / 60
        counts = " ".join(f"{what}={n}" for what, n in sorted(self.tally.counts.items()))
        print(f"  {minutes:4.1f} min: {self.tally.events} events, {counts}", flush=True)

    def longest(self) -> Held | None:
        """The server process that lived longest, while people were there."""
        alive = [
            held
            for place in self.town.places
            for held in place.held.values()
            if held.what.endswith("litro")
        ]
        return max(alive, key=lambda held: held.lived, default=None)

    def memory(self) -> str:
        """What the processes held, told; the longest life's figures.

        Raises:
            Wrong: It grew.
        """
        for place in self.town.places:
            for held in place.held.values():
                slope = held.slope()
                if slope is not None:
                    first, last = held.samples[0], held.samples[-1]
                    print(f"  {held.what} {held.pid}: {held.lived:.0f} s, {first.memory / 1e3:.0f} to {last.memory / 1e3:.0f} MB, {slope:+.0f} kB/min")  # fmt: skip
        held = self.longest()
        slope = None if held is None else held.slope(max(WARM, held.lived / 2))
        if held is None or slope is None:
            return "memory: no life long enough"
        each = {int((s.at - held.samples[0].at) / 60): s.memory / 1e3 for s in held.samples}
        course = ", ".join(f"{memory:.0f}" for memory in each.values())
        if slope > ALLOWED:
            msg = f"memory: {held.what} {held.pid} grows by {slope:.0f} kB a minute"
            raise Wrong(msg)
        first = held.samples[0].memory / 1e3
        return f"PSS {first:.0f} MB at first, minute by minute {course}: {slope:+.0f} kB/min in the second half"


def line_of(campaign: Campaign, minutes: float) -> str:
    """The figures."""
    counts = campaign.tally.counts
    ends = {what[1:]: n for what, n in counts.items() if what.startswith("=")}
    told = ", ".join(f"{ends.get(what, 0)} {what}" for what in ENDS)
    return (
        f"mixed {campaign.store}: {minutes:g} min, seed {campaign.seed}; {counts['sessions']} sessions, {counts['turns']} turns "
        f"({told}), {campaign.tally.events} events checked; {counts['disconnects']} disconnects, {counts['resumes']} resumes, "
        f"{counts['cancels']} cancels, {counts['reloads']} reloads, {counts['forks']} forks, {counts['deletes']} deletes; "
        f"{counts['kills']} kills, {counts['terms']} terms, {counts['pauses']} pauses, {counts['restarts']} restarts; "
        f"0 lost, 0 repeated, 0 not ended, 0 ended twice"
    )


async def run(options: argparse.Namespace, url: str, folder: Path) -> int:
    campaign = Campaign(options.store, url, folder, options.seed)
    try:
        await campaign.run(options.minutes, options.people)
        memory = campaign.memory()
    except Wrong as wrong:
        campaign.tell()
        print(f"mixed {options.store}: seed {options.seed}: {wrong}\n  kept: {folder}", flush=True)
        return 1
    campaign.tell()
    print(f"{line_of(campaign, options.minutes)}; {memory}", flush=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("store", choices=["file", "sqlite", "postgres"])
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    parser.add_argument("--people", type=int, default=PEOPLE)
    parser.add_argument("--folder", type=Path, help="where to work; a temporary folder otherwise")
    options = parser.parse_args()
    if options.store == "postgres" and databases.binaries() is None:
        print("mixed postgres: no Postgres server is installed: apt-get install postgresql")
        return CANNOT
    folder = Path(tempfile.mkdtemp(prefix="mixed-", dir=options.folder or "/var/tmp"))
    print(f"mixed {options.store}: seed {options.seed}, {folder}", flush=True)
    with contextlib.ExitStack() as stack:
        if options.store == "postgres":
            folder.chmod(0o711)
            url = stack.enter_context(databases.postgres(folder / "pg"))
        else:
            name = "sessions" if options.store == "file" else "sessions/sessions.db"
            url = f"{options.store}:{folder / name}"
        code = asyncio.run(run(options, url, folder))
    if code == 0:
        shutil.rmtree(folder)
    return code


if __name__ == "__main__":
    sys.exit(main())
