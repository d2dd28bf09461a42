"""Disks that are full, files that may grow no more, writes that are short or fail, syncs that fail: is anything lost?

    python bench/disks.py [file|sqlite|postgres] [ROUNDS]

* `full`: a small tmpfs that is written full, then made larger. Of Postgres, the server's data lie there.
* `limit`: RLIMIT_FSIZE, for stores that write themselves.
* `faults`: libfiu lets system calls fail at random, of other kinds each round: short writes, refused writes, failed syncs. Its
  chance is its own: the same round fails elsewhere the next time.

The writer says what was acknowledged until its store refuses for the third time, or is killed. Then its sessions are
opened without faults: what was acknowledged has to be there, numbered without a gap, and the next event has to fit.

Needs root for `full`, and fiu-run (apt-get install fiu-utils) for `faults`; what is missing is said and left out.
"""

import contextlib
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import databases
from acknowledged import Verdict, check, heard

WRITER = Path(__file__).with_name("acknowledged.py")
SPACE = {"file": "200k", "sqlite": "1m", "postgres": "64m"}
LIMIT = {"file": "20000", "sqlite": "400000"}
LONGEST = 2.0
"""Seconds of a writer whose store has not failed: not every fault is one."""
UNTIL_FULL = 40.0

FAULTS = (
    ("posix/io/rw/pwrite/reduce", 0.2),
    ("posix/io/rw/pwrite", 0.01),
    ("posix/io/sync/fdatasync", 0.01),
    ("posix/io/sync/fsync", 0.02),
    ("posix/io/rw/ftruncate", 0.05),
)


def written(
    url: str,
    agent: str,
    seed: int,
    *,
    longest: float = LONGEST,
    under: Sequence[str] = (),
    env: Mapping[str, str] = {},
) -> bytes:
    """What a writer said until its store had failed three times, or its time was over."""
    command = [*under, sys.executable, str(WRITER), url, agent, str(seed)]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **env},
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=longest)
        except subprocess.TimeoutExpired:
            # fiu-run is a shell, and its child is the writer.
            os.killpg(process.pid, 9)
            said, _ = process.communicate()
    return said


def judged(url: str, agent: str, said: bytes) -> Verdict:
    """What became of what the writer said, and how often its store refused."""
    return replace(check(url, agent, heard(said)), refusals=said.count(b"!"))


def url_of(store: str, folder: Path) -> str:
    place = folder / "sessions"
    return f"file:{place}" if store == "file" else f"sqlite:{place / 'sessions.db'}"


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    place = folder / "small"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def grow(place: Path) -> None:
    subprocess.run(["mount", "-o", "remount,size=512m", place], check=True)


def full(store: str, folder: Path) -> Verdict:
    """A full disk, that has space again."""
    with small_disk(folder, SPACE[store]) as place:
        if store != "postgres":
            said = written(url_of(store, place), "full", 1, longest=UNTIL_FULL)
            grow(place)
            return judged(url_of(store, place), "full", said)
        place.chmod(0o711)
        with databases.postgres(place / "pg", "-c", "max_wal_size=32MB") as url:
            said = written(url, "full", 1, longest=UNTIL_FULL)
        grow(place)
        with databases.postgres(place / "pg") as url:
            return judged(url, "full", said)


def limit(store: str, folder: Path) -> Verdict:
    """Files that may grow to a limit, which is gone afterwards."""
    url = url_of(store, folder)
    said = written(url, "limit", 1, longest=UNTIL_FULL, env={"WRITER_FSIZE": LIMIT[store]})
    return judged(url, "limit", said)


def faults(store: str, folder: Path, seed: int) -> Verdict:
    """One or two kinds of faults at random."""
    kinds = FAULTS
    chosen = {kinds[seed % len(kinds)], kinds[seed // len(kinds) % len(kinds)]}
    under = ["fiu-run", "-x"]
    for name, probability in sorted(chosen):
        under += ["-c", f"enable_random name={name},probability={probability},failinfo=5"]
    url = url_of(store, folder)
    return judged(url, f"seed{seed}", written(url, f"seed{seed}", seed, under=under))


def verdicts(store: str, rounds: int) -> Iterator[tuple[str, Verdict]]:
    """What each scenario did to the store."""
    if os.geteuid() == 0:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o711)
            yield "full", full(store, Path(folder))
    else:
        print("disks: `full` is left out: only root may mount")
    if store == "postgres":
        return
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield "limit", limit(store, Path(folder))
    if shutil.which("fiu-run") is None:
        print("disks: `faults` are left out: apt-get install fiu-utils")
        return
    for seed in range(rounds):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
            yield f"faults {seed}", faults(store, Path(folder), seed)


def main(store: str = "file", rounds: int = 10) -> int:
    """0 where nothing was lost."""
    found = list(verdicts(store, rounds))
    for name, verdict in found:
        if verdict.is_loss:
            print(f"  {name}: {verdict}")
    losses = sum(verdict.is_loss for _, verdict in found)
    print(
        f"disks {store}: {len(found)} scenarios, {losses} with a loss; "
        f"{sum(verdict.acknowledged for _, verdict in found)} events acknowledged, "
        f"{sum(verdict.refusals for _, verdict in found)} refusals",
        flush=True,
    )
    return 1 if losses else 0


if __name__ == "__main__":
    logging.disable()
    sys.exit(main(*sys.argv[1:2], *map(int, sys.argv[2:3])))
