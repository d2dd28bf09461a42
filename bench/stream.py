"""The streaming benchmark: from the model's tick to the client's socket, over real servers.

    python bench/stream.py [--quick] [--rounds N] [--dir DIR] [--against SRC] [--only 10,burst1]

Three servers run side by side and take turns within each round, because the machine is never quiet:

* `file`: `litro serve` with the file store, every event durable before it is sent;
* `null`: the same with a store that keeps nothing, so the difference is the disk's;
* `floor`: uvicorn and the ticks, without Litro.

Latency counts from when a tick was due, not from when it was sent. Numbers of different runs compare badly, ratios
within one run well, CPU per event best. `--against` adds a fourth server, `other`: the file store of another source tree.
"""

import argparse
import contextlib
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

BENCH = Path(__file__).parent.absolute()
SOURCE = BENCH.parent / "src"

LEAD = 1.2
"""Seconds for the client to start and its turns to begin, before the clock does."""
SYNCS = 30
NOT_A_DISK = {"tmpfs", "ramfs", "devtmpfs"}

CASES = {
    "1": ("ticks", 1),
    "10": ("ticks", 10),
    "100": ("ticks", 100),
    "burst1": ("burst", 1),
    "burst30": ("burst", 30),
}
ORIGINAL = {"burst1": (4400, 193), "burst30": (11700, 105)}
"""Events a second and CPU µs an event of the original, which syncs nothing."""

AGENT = """from litro import Agent
from ticks import Ticker

agent = Agent(Ticker(), "Tick.")
"""
NULL_CONFIG = """from litro import Config
from null_store import NullStore

config = Config(sessions=NullStore())
"""


@dataclass(frozen=True)
class Server:
    """A server that is up."""

    name: str
    port: int
    pid: int

    def cpu(self) -> float:
        """Seconds of CPU, all threads."""
        try:
            # Nanoseconds, where /proc/PID/stat counts hundredths of a second.
            tasks = Path(f"/proc/{self.pid}/task").iterdir()
            return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
        except OSError:
            stat = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK")


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
    if disk.split()[0] in NOT_A_DISK:
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
        servers(Path(folder), options.against) as running,
    ):
        for number in range(options.rounds):
            for case, (kind, clients) in cases.items():
                # Whoever goes first meets the quieter machine: take turns in that too.
                for server in running if number % 2 == 0 else reversed(running):
                    row = measure(server, kind, clients, options.seconds, Path(folder))
                    rows.setdefault((case, server.name), []).append(row)
                    print(
                        f"  round {number + 1} {case:>7} {server.name:5}  psi {row.psi:5.1f}  "
                        f"sync {row.sync:5.2f} ms  {row.rate:7.0f} ev/s  p50 {row.p50:6.2f}  "
                        f"p99 {row.p99:7.2f} ms  {row.cpu:6.1f} us/ev",
                        flush=True,
                    )
    print()
    print(table(cases, rows))


def arguments() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="three short rounds, about a minute")
    parser.add_argument(
        "--rounds", type=int, help="rounds whose median counts (default 5; quick 3)"
    )
    parser.add_argument("--seconds", type=float, help="seconds of a run (default 5; quick 1.5)")
    parser.add_argument("--dir", type=Path, default=Path("/var/tmp"), help="where logs go: a disk")
    parser.add_argument("--against", type=Path, metavar="SRC", help="another tree's src")
    parser.add_argument("--only", metavar="CASES", help=f"some of {','.join(CASES)}")
    options = parser.parse_args()
    options.rounds = options.rounds or (3 if options.quick else 5)
    options.seconds = options.seconds or (1.5 if options.quick else 5.0)
    unknown = set((options.only or "1").split(",")) - set(CASES)
    if unknown:
        parser.error(f"--only: {sorted(unknown)} are no cases; the cases are {','.join(CASES)}")
    return options


@contextlib.contextmanager
def servers(folder: Path, against: Path | None) -> Iterator[list[Server]]:
    """The servers, all up; ended afterwards."""
    wanted = {
        "file": serve(folder / "file", SOURCE, config=None),
        "null": serve(folder / "null", SOURCE, config=NULL_CONFIG),
        "floor": ([str(BENCH / "floor.py")], SOURCE),
    }
    if against is not None:
        wanted["other"] = serve(folder / "other", against.absolute(), config=None)
    processes: list[subprocess.Popen[str]] = []
    try:
        running: list[Server] = []
        for name, (command, source) in wanted.items():
            env = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{BENCH}"}
            process = subprocess.Popen(
                [sys.executable, *command], env=env, stderr=subprocess.PIPE, text=True
            )
            processes.append(process)
            running.append(Server(name, port_of(process), process.pid))
        yield running
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(10)


def serve(project: Path, source: Path, *, config: str | None) -> tuple[list[str], Path]:
    """The command that serves a project, which is written."""
    agent = project / "agents" / "bench"
    agent.mkdir(parents=True)
    (agent / "agent.py").write_text(AGENT)
    if config is not None:
        (project / "agents" / "_config.py").write_text(config)
    return ["-m", "litro", "serve", "--project", str(project), "--port", "0"], source


def port_of(process: subprocess.Popen[str]) -> int:
    """The port that the server says it listens on."""
    assert process.stderr is not None
    said = ""
    for line in process.stderr:
        said += line
        found = re.search(r"http://127\.0\.0\.1:(\d+) ", line)
        if found:
            await_listening(int(found[1]))
            return int(found[1])
    sys.exit(f"bench: a server did not start:\n{said}")


def await_listening(port: int) -> None:
    """Return when connections are taken: a server may say its port before."""
    deadline = time.monotonic() + 20
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                sys.exit(f"bench: nothing listens on port {port}")
            time.sleep(0.02)
        else:
            return


def measure(server: Server, kind: str, clients: int, seconds: float, folder: Path) -> Row:
    """One run."""
    psi, sync = pressure(), sync_time(folder)
    start = time.monotonic_ns() + round(LEAD * 1e9)
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
    said, _ = client.communicate(timeout=seconds * 10 + 30)
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
        client=report["client_cpu"] / (report["seconds"] + LEAD),
        sync=sync,
        psi=psi,
    )


def pressure() -> float:
    """How much of the last ten seconds somebody waited for a CPU, in percent."""
    try:
        return float(Path("/proc/pressure/cpu").read_text().split()[1].partition("=")[2])
    except OSError:
        return float("nan")


def sync_time(folder: Path) -> float:
    """What one append and its fdatasync take now."""
    taken: list[float] = []
    fd = os.open(folder / "probe", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        for _ in range(SYNCS):
            begin = time.perf_counter()
            os.write(fd, b"x" * 119 + b"\n")
            os.fdatasync(fd)
            taken.append(time.perf_counter() - begin)
    finally:
        os.close(fd)
    return statistics.median(taken) * 1e3


def filesystem(path: Path) -> str:
    """The type and device of the file system that a path is on."""
    device = path.stat().st_dev
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        place, _, kind = line.partition(" - ")
        if place.split()[2] == wanted:
            return " ".join(kind.split()[:2])
    return "an unknown file system"


def table(cases: dict[str, tuple[str, int]], rows: dict[tuple[str, str], list[Row]]) -> str:
    """Medians, and each as a ratio to `null` and a distance from the floor."""
    heading = (
        f"{'case':8}{'server':7}{'ev/s':>8}{'p50 ms':>9}{'p99 ms':>9}{'CPU us/ev':>11}"
        f"{'vs null: ev/s':>15}{'CPU':>7}{'p50-floor':>11}{'client':>8}{'sync ms':>9}{'psi':>6}{'409s':>6}"
    )
    lines = [heading]
    middle = {key: medians(runs) for key, runs in rows.items()}
    for (case, name), row in sorted(middle.items(), key=lambda item: list(cases).index(item[0][0])):
        null, floor = middle[case, "null"], middle[case, "floor"]
        lines.append(
            f"{case:8}{name:7}{row.rate:8.0f}{row.p50:9.2f}{row.p99:9.2f}{row.cpu:11.1f}"
            f"{row.rate / null.rate:14.2f}x{row.cpu / null.cpu:6.2f}x{row.p50 - floor.p50:+11.2f}"
            f"{row.client:8.0%}{row.sync:9.2f}{row.psi:6.1f}{row.busy:6.0f}"
        )
        if case in ORIGINAL and name == "floor":
            rate, cpu = ORIGINAL[case]
            file = middle[case, "file"]
            lines.append(
                f"{'':8}{'(orig.)':7}{rate:8}{'':18}{cpu:11}   target, without any sync: "
                f"file has {file.rate / rate:.2f}x its ev/s at {file.cpu / cpu:.2f}x its CPU"
            )
    runs = max(map(len, rows.values()))
    return "\n".join([*lines, f"medians of {runs}; events counted, every line with a seq"])


def medians(runs: list[Row]) -> Row:
    """The median of each number by itself."""
    names = [field.name for field in fields(Row)]
    return Row(**{name: statistics.median(getattr(run, name) for run in runs) for name in names})


if __name__ == "__main__":
    main()
