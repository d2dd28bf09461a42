"""Pull the plug: is everything that a store acknowledged on the disk?

    python bench/powerloss.py [file|sqlite|postgres] [SHOTS]

A shot is an image of a whole file system at a random instant: ext4 in a file that lies on XFS, which clones a file's
blocks at once (FICLONE). What the clone holds is what had reached the device, no cache of ours included. It is mounted, the
sessions are opened as after a restart, and what they hold is compared with what the writer had acknowledged. Of Postgres the
whole data directory lies there, and a second server recovers it.

The control is the same store with syncs that do nothing: where it loses nothing either, the rig proves nothing. Whether a
device keeps what it says it has kept cannot be seen from inside.

Needs root, mkfs.xfs and mkfs.ext4 (apt-get install xfsprogs e2fsprogs) and loop devices; without them it says so and
ends with 77. About a second a shot.
"""

import contextlib
import fcntl
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import databases
from acknowledged import Acknowledged, Verdict, check, heard

FICLONE = 0x40049409
CANNOT = 77
WRITER = Path(__file__).with_name("acknowledged.py")
LONGEST = 0.3
"""Seconds after its first acknowledgement until the plug is pulled."""

SIZES = {"file": 64 << 20, "sqlite": 64 << 20, "postgres": 1 << 30}


def run(*command: str | Path) -> None:
    subprocess.run(command, check=True, capture_output=True)


@contextmanager
def mounted(image: Path, place: Path) -> Iterator[Path]:
    place.mkdir(exist_ok=True)
    run("mount", "-o", "loop", image, place)
    try:
        yield place
    finally:
        run("umount", place)


@contextmanager
def device(work: Path, size: int) -> Iterator[tuple[Path, Path]]:
    """The file that a file system lies in, and where it is mounted."""
    outer = work / "outer.img"
    with outer.open("wb") as file:
        file.truncate(600 << 20 if size < 200 << 20 else 4 * size)
    run("mkfs.xfs", "-q", "-m", "reflink=1", outer)
    with mounted(outer, work / "outer") as clones:
        image = clones / "disk.img"
        with image.open("wb") as file:
            file.truncate(size)
        run("mkfs.ext4", "-q", "-F", image)
        with mounted(image, work / "disk") as disk:
            yield image, disk


def clone(image: Path) -> Path:
    """The image as it is at this instant."""
    copy = image.with_name("clone.img")
    with image.open("rb") as source, copy.open("wb") as target:
        fcntl.ioctl(target, FICLONE, source.fileno())
    return copy


def shoot(image: Path, url: str, mode: str, seed: int) -> tuple[Path, Acknowledged]:
    """Let a writer write, and pull the plug."""
    control = ["control"] if mode == "control" else []
    writer = subprocess.Popen(
        [sys.executable, WRITER, url, f"shot{seed}", str(seed), *control], stdout=subprocess.PIPE
    )
    assert writer.stdout is not None
    said = writer.stdout.readline()
    os.set_blocking(writer.stdout.fileno(), False)
    end = time.monotonic() + random.Random(seed).uniform(0, LONGEST)
    while time.monotonic() < end:
        said += writer.stdout.read() or b""
        time.sleep(0.001)
    # What was acknowledged before the clone must be in it.
    said += writer.stdout.read() or b""
    copy = clone(image)
    writer.kill()
    writer.wait()
    return copy, heard(said)


def shots_of_files(work: Path, store: str, mode: str, shots: int) -> Iterator[Verdict]:
    """Shots at a store that keeps its sessions in files: a directory each."""
    with device(work, SIZES[store]) as (image, disk):
        for seed in range(shots):
            name = f"shot{seed}"
            copy, acknowledged = shoot(image, url_of(store, disk / name), mode, seed)
            with mounted(copy, work / "clone") as after:
                yield check(url_of(store, after / name), name, acknowledged)
            shutil.rmtree(disk / name)


def url_of(store: str, directory: Path) -> str:
    return f"file:{directory}" if store == "file" else f"sqlite:{directory / 'sessions.db'}"


def shots_of_postgres(work: Path, _store: str, mode: str, shots: int) -> Iterator[Verdict]:
    """Shots at a Postgres server: each clone gets a server that recovers it."""
    work.chmod(0o711)
    settings = ["-c", "max_wal_size=128MB", *(["-c", "fsync=off"] if mode == "control" else [])]
    with (
        device(work, SIZES["postgres"]) as (image, disk),
        databases.postgres(disk / "pg", *settings) as url,
    ):
        for seed in range(shots):
            copy, acknowledged = shoot(image, url, mode, seed)
            with mounted(copy, work / "clone") as after:
                # The server that wrote it lives on, and these say so.
                for sign in [*(after / "pg").glob(".s.*"), after / "pg/data/postmaster.pid"]:
                    sign.unlink(missing_ok=True)
                try:
                    with databases.postgres(after / "pg") as recovered:
                        yield check(recovered, f"shot{seed}", acknowledged)
                except RuntimeError as error:
                    yield Verdict(acknowledged=len(acknowledged), lost=0, unreadable=str(error))


STORES: dict[str, Callable[[Path, str, str, int], Iterator[Verdict]]] = {
    "file": shots_of_files,
    "sqlite": shots_of_files,
    "postgres": shots_of_postgres,
}


def obstacle(store: str) -> str | None:
    """Why nothing can be shot here."""
    if os.geteuid() != 0:
        return "only root may mount"
    missing = [tool for tool in ("mkfs.xfs", "mkfs.ext4") if shutil.which(tool) is None]
    if missing:
        return f"{', '.join(missing)} is missing: apt-get install xfsprogs e2fsprogs"
    if store == "postgres" and databases.binaries() is None:
        return "no Postgres server is installed: apt-get install postgresql"
    try:
        with tempfile.TemporaryDirectory() as folder, device(Path(folder), SIZES["file"]):
            return None
    except (OSError, subprocess.CalledProcessError) as error:
        return f"file systems in files cannot be mounted: {error}"


def campaign(store: str, mode: str, shots: int) -> int:
    """How many shots lost something."""
    with tempfile.TemporaryDirectory() as folder:
        verdicts: list[Verdict] = []
        with contextlib.closing(STORES[store](Path(folder), store, mode, shots)) as fired:
            for verdict in fired:
                verdicts.append(verdict)
                if verdict.unreadable and mode == "synced":
                    print(f"  shot {len(verdicts) - 1}: {verdict.unreadable}")
    losses = sum(verdict.is_loss for verdict in verdicts)
    print(
        f"powerloss {store} {mode}: {shots} shots, {losses} with a loss; "
        f"{sum(verdict.acknowledged for verdict in verdicts)} events acknowledged, "
        f"{sum(verdict.lost for verdict in verdicts)} of them lost, "
        f"{sum(verdict.unreadable is not None for verdict in verdicts)} shots unreadable",
        flush=True,
    )
    return losses


def main(store: str = "file", shots: int = 20) -> int:
    """0 where the store lost nothing, and the control something."""
    reason = obstacle(store)
    if reason is not None:
        print(f"powerloss {store}: nothing was shot: {reason}")
        return CANNOT
    lost = campaign(store, "synced", shots)
    # Of a few shots, some find a control that wrote nothing that it could lose.
    return 0 if campaign(store, "control", min(shots, 20)) > 0 and lost == 0 else 1


if __name__ == "__main__":
    logging.disable()
    sys.exit(main(*sys.argv[1:2], *map(int, sys.argv[2:3])))
