"""Every benchmark in one run that ends by itself, and a file of results for each topic.

    scripts/bench [--quick] [--minutes M] [--into DIR] [TOPIC ...]

A topic is one program of this folder with settings that fit into the whole's time; its own options, and longer runs, are had by calling it by
itself. What it prints goes to the terminal, and without what it says on the way into `bench/results/TOPIC.md`, below what machine that was, of
which versions, when, and how busy. A topic that fails says so in its file and does not stop the others; the exit code is then 1.
It measures nothing.
"""

import argparse
import contextlib
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import distributions, version
from pathlib import Path
from typing import Self

from conditions import filesystem, pressure, sync_time
from tree import Tree

BENCH = Path(__file__).parent.absolute()
RESULTS = BENCH / "results"
MINUTES = 24.0
"""Of the whole, so that the last one's end is within 25."""
PATIENCE = 20.0
"""Seconds that a topic has to end its servers, once its time is over."""
DATA = Path("/var/tmp")
"""Where the programs keep their data unless they are told otherwise."""
COMPLAINTS = 12
"""Last lines of what a topic that failed wrote to its standard error."""
OF_INTEREST = ("uvicorn", "starlette", "pydantic", "orjson", "uvloop", "httptools", "httpx2")
ON_THE_WAY = re.compile(
    r"^(\s+round \d|making |\s+\d+ clients, \d+ failed|  .* psi +[\d.]+  sync )"
)
"""What programs say while they run."""


@dataclass(frozen=True)
class Topic:
    """A program, and the time that it gets."""

    name: str
    title: str
    arguments: tuple[str, ...]
    quick: tuple[str, ...]
    seconds: float
    """That it may take at the most, an environment's making included."""
    beside: tuple[str, ...] = ()
    """Distributions that it compares with, whose versions are told."""

    @property
    def command(self) -> list[str]:
        """What is run, without its arguments."""
        return [sys.executable, "-u", str(BENCH / f"{self.name}.py")]


QUICK = ("--quick",)
TOPICS = (
    Topic("peers", "Litro beside its peers", ("--minutes", "6"), QUICK, 780),
    Topic("stream", "Streaming, and what durability costs", QUICK, QUICK, 240, ("asyncpg",)),
    Topic("stores", "The stores by themselves", QUICK, QUICK, 300, ("asyncpg",)),
    Topic("idle", "What costs while nothing happens", QUICK, QUICK, 180, ("asyncpg",)),
    Topic("render", "Components rendered on the server", QUICK, QUICK, 120, ("jinja2",)),
    Topic("mcp", "MCP", QUICK, QUICK, 300, ("mcp", "fastmcp")),
    Topic("apps", "MCP Apps", ("--rounds", "5"), ("--rounds", "3"), 300, ("prefab-ui", "fastmcp")),
    Topic(
        "chat", "Long chats in a browser", ("--rounds", "2"), ("--rounds", "1"), 360, ("gradio",)
    ),
    Topic("providers", "Reading a provider's answer", QUICK, QUICK, 120, ("openai", "anthropic")),
)


@dataclass(frozen=True)
class Outcome:
    """What became of a topic."""

    said: str
    failure: str | None
    seconds: float
    before: float
    """CPU pressure."""
    after: float


def main() -> None:
    """The topics, one after the other, and a line for each at the end."""
    options = arguments()
    # Whoever ends this ends what it runs.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    options.into.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + options.minutes * 60
    failed: list[str] = []
    lines: list[str] = []
    for topic in TOPICS:
        if topic.name not in (options.topics or [each.name for each in TOPICS]):
            continue
        print(f"\n== {topic.name}: {topic.title}", flush=True)
        outcome = run(topic, topic.quick if options.quick else topic.arguments, deadline)
        file = options.into / f"{topic.name}.md"
        file.write_text(page(topic, outcome, quick=options.quick))
        lines.append(
            f"{topic.name:10} {outcome.seconds:5.0f} s  {shown(file)}  {outcome.failure or ''}"
        )
        if outcome.failure:
            print(f"bench: {topic.name} {outcome.failure}", flush=True)
            failed.append(topic.name)
    print("\n" + "\n".join(lines))
    sys.exit(bool(failed))


def arguments() -> argparse.Namespace:
    """What was asked for."""
    names = [topic.name for topic in TOPICS]
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=f"some of {', '.join(names)}")
    parser.add_argument("--quick", action="store_true", help="the peers too in one round")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="of the whole (default 24)")
    parser.add_argument(
        "--into", type=Path, default=RESULTS, help="where results go (bench/results)"
    )
    options = parser.parse_args()
    if unknown := set(options.topics) - set(names):
        parser.error(f"{sorted(unknown)} are unknown; what is known is {', '.join(names)}")
    return options


def run(topic: Topic, arguments: tuple[str, ...], deadline: float) -> Outcome:
    """One topic, to its end or that of its time."""
    before, begin = pressure(), time.monotonic()
    limit = min(topic.seconds, deadline - PATIENCE - begin)
    if limit <= 0:
        return Outcome("", "was not run: the time of the whole was over", 0, before, before)
    with tempfile.TemporaryFile("w+", errors="replace") as complaints:
        process = subprocess.Popen(
            [*topic.command, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        said: list[str] = []
        with Watch(process, limit) as watch:
            assert process.stdout is not None
            for line in process.stdout:
                print(line, end="", flush=True)
                said.append(line)
            process.wait()
        complaints.seek(0)
        last = complaints.readlines()[-COMPLAINTS:]
    failure = None
    if watch.is_over:
        failure = f"did not end within {limit:.0f} s"
    elif process.returncode:
        failure = f"ended with exit code {process.returncode}"
    if failure and not watch.is_over:
        print(*last, sep="", end="", flush=True)
        said += last
    return Outcome("".join(said), failure, time.monotonic() - begin, before, pressure())


class Watch:
    """Ends a process when its time is over: by a signal that lets it clean up, then by the other one."""

    def __init__(self, process: "subprocess.Popen[str]", limit: float) -> None:
        self.is_over = False
        self._process = process
        self._limit = limit
        self._before = signal.getsignal(signal.SIGALRM)

    def __enter__(self) -> Self:
        signal.signal(signal.SIGALRM, self._ring)
        signal.setitimer(signal.ITIMER_REAL, self._limit, PATIENCE)
        return self

    def __exit__(self, *exc: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
        if self._process.poll() is None:
            # Somebody stopped the whole: the program ends its servers itself, if it is asked to.
            self._process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(PATIENCE)
        # Nothing that it started goes on beside the next one.
        Tree(self._process.pid).kill()

    def _ring(self, *_: object) -> None:
        if self.is_over:
            Tree(self._process.pid).kill()
        else:
            self.is_over = True
            self._process.send_signal(signal.SIGINT)


# --- the page


def page(topic: Topic, outcome: Outcome, *, quick: bool) -> str:
    """The file of a topic."""
    arguments = " ".join(topic.quick if quick else topic.arguments)
    heading = f"# {topic.title}"
    facts = "\n".join(f"* {line}" for line in [*machine(), *beside(topic), *moment(outcome)])
    how = f"`bench/{topic.name}.py {arguments}`, written by `make bench`; how to read it is in that file's docstring."
    parts = [heading, how, facts]
    if outcome.failure:
        parts.append(f"**It failed**: it {outcome.failure}. What it said:")
    parts.append(body(outcome.said, whole=outcome.failure is not None))
    return "\n\n".join(part for part in parts if part) + "\n"


def body(said: str, *, whole: bool) -> str:
    """What was said in the end, or all of it, in a block of code unless it is Markdown."""
    is_markdown = re.search(r"^\| --- \|", said, re.MULTILINE)
    lines = [line.rstrip() for line in said.splitlines()]
    if is_markdown or not whole:
        lines = [line for line in lines if not ON_THE_WAY.match(line)]
    text = "\n".join(lines).strip("\n")
    return text if is_markdown or not text else f"```text\n{text}\n```"


def machine() -> list[str]:
    """What this ran on."""
    about = Path("/proc/cpuinfo").read_text()
    model = re.search(r"^model name\s*:\s*(.+)$", about, re.MULTILINE)
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return [
        f"{model[1] if model else platform.machine()}, {os.cpu_count()} CPUs, {memory:.0f} GiB of memory",
        f"{platform.system()} {platform.release()}, {filesystem(DATA)}, an append and its fdatasync {sync_time(DATA):.2f} ms",
        f"Python {platform.python_version()}, Litro {version('litro')} ({revision()}), {', '.join(versions(OF_INTEREST))}",
    ]


def beside(topic: Topic) -> list[str]:
    """What it was compared with."""
    found = versions(topic.beside)
    return [f"beside {', '.join(found)}"] if found else []


def moment(outcome: Outcome) -> list[str]:
    """When it ran, and how busy the machine was."""
    now = datetime.now(UTC)
    load = "/".join(f"{one:.1f}" for one in os.getloadavg())
    pressed = f"{outcome.before:.0f} % before and {outcome.after:.0f} % at its end"
    return [
        f"{now:%Y-%m-%d %H:%M} UTC, {outcome.seconds:.0f} s; CPU pressure (`some avg10`) {pressed}, load {load}"
    ]


def versions(names: tuple[str, ...]) -> list[str]:
    """Of distributions, wherever in the environments of the benchmarks they are."""
    homes = BENCH.parent.glob(".venv-bench*/lib/python*/site-packages")
    places = [*sys.path, *sorted(map(str, homes))]
    found: list[str] = []
    for name in names:
        for one in distributions(name=name, path=places):
            found.append(f"{name} {one.version}")
            break
    return found


def revision() -> str:
    """The commit that was measured."""
    git = ["git", "-C", str(BENCH.parent)]
    try:
        commit, changed = (
            subprocess.run([*git, *ask], capture_output=True, text=True, check=True).stdout.strip()
            for ask in (["rev-parse", "--short=10", "HEAD"], ["status", "--short", "--", "src"])
        )
    except (OSError, subprocess.CalledProcessError):
        return "of no commit"
    return f"{commit}, and changes" if changed else commit


def shown(file: Path) -> str:
    """A path as one would name it here."""
    try:
        return str(file.absolute().relative_to(BENCH.parent))
    except ValueError:
        return str(file)


if __name__ == "__main__":
    main()
