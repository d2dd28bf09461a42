"""Litro beside its peers: one scripted conversation on each one's own server, in turn, in one run.

    .venv/bin/python bench/peers.py [--quick] [--rounds N] [--minutes M] [--only litro,adk] [--fresh] [--dir DIR]

A user asks, the model calls a tool, the tool answers, the model streams 200 deltas: for 1, 30 and 100 clients at once. Each peer is a folder
of `rivals/` with an environment of its own, its own kind of scripted model and its own persistence, started as its documentation says. Each
round starts every server anew; medians of the rounds are told, and ratios to Litro. Once a round, `kill -9` in the middle of a turn, and a
client that drops. What is compared is ratios within a run. A peer that fails is left out with its reason, and the exit code is 1.
"""

import argparse
import contextlib
import http.client
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from conditions import filesystem, is_disk, pressure, sync_time
from environment import Environment, NotInstalled, environment
from peer import RIVALS, Peer, Request, described
from tree import Tree

SHARED = RIVALS / "shared"
sys.path.append(str(SHARED))
from conversation import COUNT, PAUSE, QUESTION, SLOWLY  # noqa: E402

BENCH = Path(__file__).parent.absolute()
OURS = "litro"
CROWDS = ((1, 10), (30, 2), (100, 1))
"""Clients, and waves of them."""
KILLED_AT = 100
DROPPED_AT = 50
STARTING = 60.0
SETTLE = 0.5
WORD = re.compile(rb"w(\d{3})\b")
HIGHER = ("deltas/s", "events/s")
LOAD = {
    "first event": "first event, ms",
    "first delta": "first delta of text, ms",
    "turn": "whole turn, ms",
    "deltas/s": "deltas of text a second",
    "events/s": "events a second",
    "cpu": "server's CPU a delta, µs",
    "failed": "turns that failed",
    "client": "(the driver's own CPU)",
}


@dataclass(frozen=True)
class Row:
    """A line of numbers."""

    text: str
    key: str
    """Of the samples."""
    note: str
    """Which of a peer's footnotes belongs to it."""


HELD = (
    Row("memory, idle after start, MB (PSS)", "idle", "memory"),
    Row("memory after 100 clients, MB (PSS)", "after", "memory"),
    Row("memory at its peak, MB (resident)", "peak", "memory"),
    Row("cold start to the first answer, ms", "start", "start"),
)


class Broken(RuntimeError):
    """A peer did not do what its description says."""


@dataclass(frozen=True)
class Contestant:
    """A peer that can be started."""

    peer: Peer
    environment: Environment


@dataclass
class Running:
    """Its server, up."""

    contestant: Contestant
    port: int
    tree: Tree
    cold: float
    """Milliseconds from launch to the first answer."""


class Rows(defaultdict[str, list[float]]):
    """What was measured of one peer, by row, and how turns of it ended that were not whole."""

    def __init__(self) -> None:
        super().__init__(list)
        self.wrong: str | None = None


Samples = dict[str, Rows]
"""By peer."""


def main() -> None:
    """All rounds, then the table."""
    options = arguments()
    if not is_disk(options.dir):
        sys.exit(f"peers: {options.dir} is on {filesystem(options.dir)}, so syncs cost nothing. Name a disk with --dir.")  # fmt: skip
    out: dict[str, str] = left_out()
    contestants = installed(options.only, out, fresh=options.fresh)
    samples: Samples = defaultdict(Rows)
    begin, number = time.monotonic(), 0
    while number < options.rounds and contestants:
        number += 1
        # Whoever goes first meets the quieter machine: take turns in that too.
        for contestant in contestants if number % 2 else reversed(contestants):
            name = contestant.peer.name
            if name in out:
                continue
            try:
                one_round(contestant, options.dir, samples[name])
            except (Broken, OSError, http.client.HTTPException, subprocess.SubprocessError) as error:  # fmt: skip
                out[name] = f"{contestant.peer.title}: {' '.join(str(error).split())[:300]}"
                print(f"  {out[name]}", flush=True)
                continue
            print(f"  round {number} {name:12} {briefly(samples[name])}", flush=True)
        spent = time.monotonic() - begin
        if spent / number * (number + 1) > options.minutes * 60:
            break
    there = [one for one in contestants if one.peer.name not in out]
    print()
    print(table(there, samples, out, options.dir))
    sys.exit(any(name for name in out if not (RIVALS / name / "left-out.md").exists()))


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--rounds", type=int, help="rounds whose median counts (default 5; quick 1)")  # fmt: skip
    parser.add_argument("--minutes", type=float, default=60.0, help="begin no round that would end later; installing is not counted")  # fmt: skip
    parser.add_argument("--only", help="some of the peers' folders")
    parser.add_argument("--fresh", action="store_true", help="make every environment anew")
    parser.add_argument("--dir", type=Path, default=Path("/var/tmp"), help="a folder on a disk")
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 5)
    known = sorted(path.parent.name for path in RIVALS.glob("*/description.py"))
    known.sort(key=lambda name: name != OURS)
    options.only = options.only.split(",") if options.only else known
    if unknown := set(options.only) - set(known):
        parser.error(f"{sorted(unknown)} are unknown; what is known is {','.join(known)}")
    return options


def left_out() -> dict[str, str]:
    """Peers that are described by why they are not here."""
    return {path.parent.name: path.read_text().strip() for path in RIVALS.glob("*/left-out.md")}


def installed(names: list[str], out: dict[str, str], *, fresh: bool) -> list[Contestant]:
    """Those that can be installed."""
    found: list[Contestant] = []
    for name in names:
        peer = described(name)
        try:
            found.append(Contestant(peer, environment(peer, fresh=fresh)))
        except NotInstalled as error:
            out[name] = f"{peer.title} could not be installed: {error}"
            print(f"  {out[name]}", flush=True)
    return found


# --- one round


def one_round(contestant: Contestant, place: Path, samples: Rows) -> None:
    """Every row of one peer, once."""
    with tempfile.TemporaryDirectory(dir=place, prefix="litro-bench-") as folder:
        data = Path(folder)
        with server(contestant, data) as running:
            time.sleep(SETTLE)
            samples["start"].append(running.cold)
            samples["idle"].append(running.tree.pss())
            load(running, 1, 1, samples)
            for clients, waves in CROWDS:
                for key, value in load(running, clients, waves, samples).items():
                    samples[f"{clients} {key}"].append(value)
            samples["after"].append(running.tree.pss())
            samples["peak"].append(running.tree.peak())
    with tempfile.TemporaryDirectory(dir=place, prefix="litro-bench-") as folder:
        killed(contestant, Path(folder), samples)


def load(running: Running, clients: int, waves: int, samples: Rows) -> dict[str, float]:
    """What the driver says."""
    what = [running.contestant.peer.name, running.port, running.tree.root, clients, waves]
    command = [sys.executable, str(BENCH / "driver.py"), *map(str, what)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if said.returncode != 0:
        lines = said.stderr.strip().splitlines()
        msg = f"{clients} clients at once: {lines[-1] if lines else 'no word'}"
        raise Broken(msg)
    report = json.loads(said.stdout)
    if report["why"]:
        print(
            f"  {clients} clients, {report['numbers']['failed']} failed: {report['why']}",
            flush=True,
        )
        samples.wrong = samples.wrong or report["why"]
    return report["numbers"]


def killed(contestant: Contestant, data: Path, samples: Rows) -> None:
    """`kill -9` in the middle of a turn, what is there after a restart; then a client that drops."""
    peer, session = contestant.peer, str(uuid.uuid4())
    with server(contestant, data) as running:
        opened(running, session)
        with heard(running, peer.turn(session, SLOWLY), KILLED_AT) as seen:
            running.tree.kill()
        had = {word for text in peer.delta.findall(seen) for word in WORD.findall(text)}
    with server(contestant, data) as running:
        kept = stored(running, session)
        samples["had"].append(len(had))
        samples["lost"].append(len(had - kept))
        dropped(running, samples)


def dropped(running: Running, samples: Rows) -> None:
    """A client hears a part, goes, and comes back where that is possible."""
    peer, session = running.contestant.peer, str(uuid.uuid4())
    opened(running, session)
    with heard(running, peer.turn(session, SLOWLY), DROPPED_AT) as seen:
        pass
    if peer.resume is not None:
        with heard(running, peer.resume(session, seen), None) as rest:
            pass
        first, again = ([WORD.findall(t)[0] for t in peer.delta.findall(b)] for b in (seen, rest))
        samples["missed"].append(COUNT - len({*first, *again}))
        samples["repeated"].append(len(first) + len(again) - len({*first, *again}))
    else:
        time.sleep(COUNT * PAUSE * 1.5)
    samples["dropped kept"].append(len(stored(running, session)))


def opened(running: Running, session: str) -> None:
    """Make the session, where that has to be done."""
    opening = running.contestant.peer.opening
    if opening is not None:
        said = answer(running.port, opening(session))
        if said is None:
            msg = f"the session could not be made: {opening(session).path}"
            raise Broken(msg)


def stored(running: Running, session: str) -> set[bytes]:
    """The words that the server still knows of a session."""
    said = answer(running.port, running.contestant.peer.stored(session))
    return set(WORD.findall(said or b""))


@contextlib.contextmanager
def heard(running: Running, request: Request, deltas: int | None) -> Iterator[bytes]:
    """The body of a stream until that many deltas came, or its end; then it is cut off, behind the block."""
    peer = running.contestant.peer
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
    try:
        response = asked(connection, request)
        seen = piece = b""
        while deltas is None or len(peer.delta.findall(seen)) < deltas:
            piece = response.read1(1 << 16)
            if not piece:
                break
            seen += piece
        if response.status >= 300 or (deltas is not None and not piece):
            msg = f"{request.path}: status {response.status}, {seen[-200:]!r}"
            raise Broken(msg)
        yield seen
    finally:
        connection.close()


def answer(port: int, request: Request) -> bytes | None:
    """The body of an answer, or None where it is not 2xx."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        response = asked(connection, request)
        body = response.read()
        return body if response.status < 300 else None
    finally:
        connection.close()


def asked(connection: http.client.HTTPConnection, request: Request) -> http.client.HTTPResponse:
    """The head of an answer."""
    connection.connect()
    connection.sock.sendall(request.encode())
    response = http.client.HTTPResponse(connection.sock, method=request.method)
    response.begin()
    return response


@contextlib.contextmanager
def server(contestant: Contestant, data: Path) -> Iterator[Running]:
    """The peer's server, answering; ended afterwards."""
    peer, found = contestant.peer, contestant.environment
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    env = {name: value for name, value in os.environ.items() if not name.startswith("LITRO_")}
    env |= {"PYTHONPATH": str(SHARED), "VIRTUAL_ENV": str(found.folder), **peer.env}
    env["PATH"] = f"{found.bin}{os.pathsep}{env['PATH']}"
    log = data / "server.log"
    begin = time.perf_counter()
    with log.open("ab") as said:
        process = subprocess.Popen(
            peer.command(found.bin, port, data),
            cwd=data,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    tree = Tree(process.pid)
    try:
        await_ready(process, port, peer.ready, log)
        yield Running(contestant, port, tree, (time.perf_counter() - begin) * 1e3)
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        tree.kill()
        process.wait()


def await_ready(process: "subprocess.Popen[bytes]", port: int, request: Request, log: Path) -> None:
    """Return when the request is answered."""
    deadline = time.monotonic() + STARTING
    while time.monotonic() < deadline and process.poll() is None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            if answer(port, request) is not None:
                return
        time.sleep(0.005)
    state = "has ended" if process.poll() is not None else f"did not answer {request.path}"
    msg = f"the server {state}: {log.read_text(errors='replace')[-300:]!r}"
    raise Broken(msg)


def briefly(samples: Rows) -> str:
    """A line while it runs."""
    told = [f"{n:3}: {samples[f'{n} deltas/s'][-1]:6.0f}/s {samples[f'{n} cpu'][-1]:5.0f} us" for n, _ in CROWDS if samples[f"{n} cpu"]]  # fmt: skip
    return f"{'  '.join(told)}  lost {samples['lost'][-1]:.0f}  psi {pressure():.0f}"


# --- the table


def table(contestants: list[Contestant], samples: Samples, out: dict[str, str], place: Path) -> str:
    """Markdown: a row a number, a column a peer."""
    if not contestants:
        return "\n".join(["Nobody could be measured.", "", *out.values()])
    middle = {
        name: {
            row: (max if row.endswith("failed") else statistics.median)(found)
            for row, found in rows.items()
            if found
        }
        for name, rows in samples.items()
    }
    rows = [
        Row(f"{clients} client{'s' * (clients > 1)}: {text}", f"{clients} {key}", key)
        for clients, _ in CROWDS
        for key, text in LOAD.items()
    ]
    rows += HELD
    heads = [f"{one.peer.title} ({one.environment.version})" for one in contestants]
    notes = Notes()
    lines = [cells("", heads), cells("---", ["--:"] * len(heads))]
    for text, note, told in [
        *((row.text, row.note, numbers(contestants, middle, row.key)) for row in rows),
        *installs(contestants),
        *promises(contestants, samples),
    ]:
        marks = [
            notes.mark(footnote(one.peer, samples, note, cell))
            for one, cell in zip(contestants, told, strict=True)
        ]
        lines.append(cells(text, [cell + mark for cell, mark in zip(told, marks, strict=True)]))
    lines += ["", surroundings(contestants, samples, place), "", *notes.lines()]
    lines += [f"* Left out: {why}" for why in out.values()]
    return "\n".join(lines)


def footnote(peer: Peer, samples: Samples, note: str, cell: str) -> str | None:
    """What is to be said about a number."""
    wrong = samples[peer.name].wrong
    if note == "failed":
        is_fine = cell.startswith("0 of ") or wrong is None
        return None if is_fine else f"How one of them ended: `{wrong}`"
    return peer.notes.get(note)


def surroundings(contestants: list[Contestant], samples: Samples, place: Path) -> str:
    """Of what these are the medians."""
    first = contestants[0]
    runs = len(samples[first.peer.name]["start"])
    disk = f"{filesystem(place)}, an append and its fdatasync {sync_time(place):.2f} ms"
    return (
        f"Medians of {runs} round{'s' * (runs > 1)}, and ratios to {first.peer.title}; of what is kept, the worst. One conversation a client: "
        f'"{QUESTION}", a tool call, {COUNT} deltas of text. Each server has its defaults and starts as its documentation says; its data are on '
        f"{disk}. CPU pressure at the end {pressure():.0f} %. Python {first.environment.python}. The driver is one process of its own, on the "
        f"same {os.cpu_count()} CPUs."
    )


class Notes:
    """Footnotes, numbered as they are met."""

    def __init__(self) -> None:
        self._said: list[str] = []

    def mark(self, text: str | None) -> str:
        """The mark of a footnote."""
        if text is None:
            return ""
        if text not in self._said:
            self._said.append(text)
        return f" [{self._said.index(text) + 1}]"

    def lines(self) -> list[str]:
        """All of them."""
        return [f"{number}. {text}" for number, text in enumerate(self._said, 1)]


def cells(first: str, rest: list[str]) -> str:
    return f"| {' | '.join([first, *rest])} |"


def numbers(
    contestants: list[Contestant], middle: dict[str, dict[str, float]], key: str
) -> list[str]:
    """A number and its ratio to the first one's, for each."""
    first = middle[contestants[0].peer.name].get(key)
    told: list[str] = []
    for one in contestants:
        value = middle[one.peer.name].get(key)
        if value is None:
            told.append("-")
        elif key.endswith("client"):
            told.append(f"{value:.0%}")
        elif key.endswith("failed"):
            told.append(f"{value:.0f} of {turns(key)}")
        elif one is contestants[0] or first is None:
            told.append(plain(value))
        else:
            told.append(f"{plain(value)} ({ratio(value / first)})")
    return told


def turns(key: str) -> int:
    """How many turns of a round are behind a number of a crowd."""
    clients = int(key.split(maxsplit=1)[0])
    return clients * dict(CROWDS)[clients]


def plain(value: float) -> str:
    """As many digits as mean something."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def ratio(value: float) -> str:
    return f"{value:.1f}x" if value >= 1 else f"{value:.2f}x"


def installs(contestants: list[Contestant]) -> list[tuple[str, str, list[str]]]:
    """What installing takes."""
    first = contestants[0].environment
    rows: list[tuple[str, str, list[str]]] = []
    for text, key in (
        ("install, s (pip, no cache)", "seconds"),
        ("installed, MB (with bytecode)", "megabytes"),
        ("distributions", "distributions"),
    ):
        values = [getattr(one.environment, key) for one in contestants]
        shown = [f"{value:.0f}" if key == "distributions" else plain(value) for value in values]
        told = [
            f"{text} ({ratio(value / getattr(first, key))})"
            for text, value in zip(shown[1:], values[1:], strict=True)
        ]
        rows.append((text, "install", [shown[0], *told]))
    return rows


def promises(contestants: list[Contestant], samples: Samples) -> list[tuple[str, str, list[str]]]:
    """What is kept, and what can be heard again: the worst of the rounds."""
    return [
        (text, note, [tell(one.peer, samples[one.peer.name]) for one in contestants])
        for text, note, tell in (
            ("sessions are kept in", "persistence", where),
            ("`kill -9` in a turn: deltas lost of those that the client had", "kill", lost),
            (f"a client drops at delta {DROPPED_AT}: deltas kept of its answer", "drop", kept),
            ("it can hear the rest", "resume", resumed),
        )
    ]


def where(peer: Peer, _found: Rows) -> str:
    return peer.persistence


def lost(_peer: Peer, found: Rows) -> str:
    worst = max(zip(found["lost"], found["had"], strict=True))
    return f"{worst[0]:.0f} of {worst[1]:.0f}"


def kept(_peer: Peer, found: Rows) -> str:
    return f"{min(found['dropped kept']):.0f} of {COUNT}"


def resumed(peer: Peer, found: Rows) -> str:
    if peer.resume is None:
        return "-"
    return f"yes: {max(found['missed']):.0f} missed, {max(found['repeated']):.0f} repeated"


if __name__ == "__main__":
    main()
