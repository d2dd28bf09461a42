"""The streaming benchmark: from the model's tick to the client's socket, over real servers.

    python bench/stream.py [--quick] [--rounds N] [--dir DIR] [--against SRC] [--only 10,burst1] [--stores file,null]

Servers run side by side and take turns within each round, because the machine is never quiet:

* `file`, `sqlite`, `postgres`: `litro serve` with each store, every event durable before it is sent. Postgres is a private
  server, started for the run; its own CPU is not counted, that of Litro is;
* `naive`: the store that one would write first, `to_thread(write + fsync)` an event;
* `null`: a store that keeps nothing, so the difference is the disk's;
* `floor`: uvicorn and the ticks, without Litro.

Latency counts from when a tick was due, not from when it was sent. Numbers of different runs compare badly, ratios
within one run well, CPU per event best. `--against` adds a server, `other`: the file store of another source tree.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from conditions import filesystem, is_disk, pressure, sync_time
from databases import postgres
from serving import BENCH, Order, Server, project, serving, store

CASES = {
    "1": ("ticks", 1),
    "10": ("ticks", 10),
    "100": ("ticks", 100),
    "300": ("ticks", 300),
    "1000": ("ticks", 1000),
    "burst1": ("burst", 1),
    "burst30": ("burst", 30),
}
STORES = ("file", "sqlite", "postgres", "naive", "null", "floor")
ORIGINAL = {"burst1": (4400, 193), "burst30": (11700, 105)}
"""Events a second and CPU µs an event of the original, which syncs nothing."""
NAIVE_LIMIT = 100
"""Streams above which the naive store falls behind without end: it gets a third of the time, which flatters its latency."""


@dataclass(frozen=True)
class Row:
    """One run, or the medians of several."""

    rate: float
    p50: float
    p99: float
    cpu: float
    """Microseconds an event."""
    busy: float
    client: float
    """Share of one CPU that the client needed: near 1 it is what was measured."""
    sync: float
    """Median milliseconds of an append and its fdatasync, just before."""
    psi: float
    """`some avg10` of /proc/pressure/cpu, just before."""


def main() -> None:
    """Run every case on every server, in turn, and print the table."""
    options = arguments()
    disk = filesystem(options.dir)
    if not is_disk(options.dir):
        sys.exit(
            f"bench: {options.dir} is on {disk}, so syncs cost nothing. Name a disk with --dir."
        )
    print(
        f"logs in {options.dir}, on {disk}; {os.cpu_count()} CPUs; Python {sys.version.split()[0]}"
    )
    cases = {name: CASES[name] for name in options.only.split(",")} if options.only else CASES
    rows: dict[tuple[str, str], list[Row]] = {}
    with (
        tempfile.TemporaryDirectory(dir=options.dir, prefix="litro-bench-") as folder,
        servers(Path(folder), options.stores, options.against) as running,
    ):
        for number in range(options.rounds):
            for case, (kind, clients) in cases.items():
                # Whoever goes first meets the quieter machine: take turns in that too.
                for server in running if number % 2 == 0 else reversed(running):
                    row = measure(server, kind, clients, options.seconds, Path(folder))
                    rows.setdefault((case, server.name), []).append(row)
                    print(
                        f"  round {number + 1} {case:>7} {server.name:8}  psi {row.psi:5.1f}  "
                        f"sync {row.sync:5.2f} ms  {row.rate:7.0f} ev/s  p50 {row.p50:7.2f}  "
                        f"p99 {row.p99:7.2f} ms  {row.cpu:6.1f} us/ev",
                        flush=True,
                    )
    print()
    print(table(cases, rows))


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one short round, two minutes or so")
    parser.add_argument(
        "--rounds", type=int, help="rounds whose median counts (default 3; quick 1)"
    )
    parser.add_argument("--seconds", type=float, help="seconds of a run (default 5; quick 1.5)")
    parser.add_argument("--dir", type=Path, default=Path("/var/tmp"), help="where logs go: a disk")
    parser.add_argument("--against", type=Path, metavar="SRC", help="another tree's src")
    parser.add_argument("--only", metavar="CASES", help=f"some of {','.join(CASES)}")
    parser.add_argument("--stores", default=",".join(STORES), help="some of the servers")
    options = parser.parse_args()
    options.rounds = options.rounds or (1 if options.quick else 3)
    options.seconds = options.seconds or (1.5 if options.quick else 5.0)
    options.stores = options.stores.split(",")
    for given, known in ((options.only or "1").split(","), CASES), (options.stores, STORES):
        unknown = set(given) - set(known)
        if unknown:
            parser.error(f"{sorted(unknown)} are unknown; what is known is {','.join(known)}")
    return options


@contextlib.contextmanager
def servers(folder: Path, stores: list[str], against: Path | None) -> Iterator[list[Server]]:
    """The servers, all up; ended afterwards."""
    # Postgres runs as a user of its own.
    folder.chmod(0o711)
    with contextlib.ExitStack() as stack:
        orders: list[Order] = []
        for name in stores:
            url: str | None = None
            if name == "postgres":
                try:
                    url = stack.enter_context(postgres(folder / "pg"))
                except RuntimeError as error:
                    print(f"bench: postgres is left out: {error}")
                    continue
            if name == "floor":
                orders.append(Order(name, [str(BENCH / "floor.py")]))
            else:
                orders.append(project(folder, name, store(folder, name, url)))
        if against is not None:
            other = store(folder, "other")
            orders.append(project(folder, "other", other, source=against.absolute()))
        yield stack.enter_context(serving(orders))


def measure(server: Server, kind: str, clients: int, seconds: float, folder: Path) -> Row:
    """One run."""
    psi, sync = pressure(), sync_time(folder)
    if server.name == "naive" and clients > NAIVE_LIMIT:
        seconds /= 3
    # For the client to start and its turns to begin, before the clock does.
    lead = 1.2 + clients / 300
    start = time.monotonic_ns() + round(lead * 1e9)
    command = [
        str(BENCH / "load.py"),
        str(server.port),
        kind,
        str(start),
        str(clients),
        str(seconds),
    ]
    client = subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True)
    time.sleep(max(0, start - time.monotonic_ns()) / 1e9)
    before = server.cpu()
    said, _ = client.communicate(timeout=seconds * 40 + 60)
    used = server.cpu() - before
    if client.returncode != 0:
        sys.exit(f"bench: the load client failed against {server.name}")
    report = json.loads(said)
    return Row(
        rate=report["events"] / report["seconds"],
        p50=report["p50"],
        p99=report["p99"],
        cpu=used / report["events"] * 1e6,
        busy=report["busy"],
        client=report["client_cpu"] / (report["seconds"] + lead),
        sync=sync,
        psi=psi,
    )


def table(cases: dict[str, tuple[str, int]], rows: dict[tuple[str, str], list[Row]]) -> str:
    """Medians, and each as a ratio to `null` and a distance from the floor."""
    heading = (
        f"{'case':8}{'server':9}{'ev/s':>8}{'p50 ms':>9}{'p99 ms':>9}{'CPU us/ev':>11}"
        f"{'vs null: ev/s':>15}{'CPU':>7}{'vs naive: ev/s':>16}{'CPU':>7}{'p50-floor':>11}{'client':>8}{'sync ms':>9}{'psi':>6}{'409s':>6}"
    )
    lines = [heading]
    middle = {key: medians(runs) for key, runs in rows.items()}
    for (case, name), row in sorted(middle.items(), key=lambda item: list(cases).index(item[0][0])):
        null, naive, floor = (middle.get((case, other)) for other in ("null", "naive", "floor"))
        nearness = f"{row.p50 - floor.p50:+11.2f}" if floor else f"{'':11}"
        lines.append(
            f"{case:8}{name:9}{row.rate:8.0f}{row.p50:9.2f}{row.p99:9.2f}{row.cpu:11.1f}"
            f"{ratios(row, null, 15)}{ratios(row, naive, 16)}{nearness}"
            f"{row.client:8.0%}{row.sync:9.2f}{row.psi:6.1f}{row.busy:6.0f}"
        )
        if case in ORIGINAL and name == "floor" and (case, "file") in middle:
            rate, cpu = ORIGINAL[case]
            file = middle[case, "file"]
            lines.append(
                f"{'':8}{'(orig.)':9}{rate:8}{'':18}{cpu:11}   target, without any sync: "
                f"file has {file.rate / rate:.2f}x its ev/s at {file.cpu / cpu:.2f}x its CPU"
            )
    runs = max(map(len, rows.values()))
    return "\n".join([*lines, f"medians of {runs}; events counted, every line with a seq"])


def ratios(row: Row, other: Row | None, width: int) -> str:
    """Events and CPU against another server's."""
    if other is None:
        return " " * (width + 7)
    return f"{row.rate / other.rate:{width - 1}.2f}x{row.cpu / other.cpu:6.2f}x"


def medians(runs: list[Row]) -> Row:
    """The median of each number by itself."""
    names = [field.name for field in fields(Row)]
    return Row(**{name: statistics.median(getattr(run, name) for run in runs) for name in names})


if __name__ == "__main__":
    main()
