"""Pull the plug on the file store: is everything that it acknowledged on the disk?

    python bench/powerloss.py [SHOTS]

A shot is an image of a whole file system at a random instant: ext4 in a file that lies on XFS, which clones a file's
blocks at once (FICLONE). What the clone holds is what had reached the device, no cache of ours included. It is mounted, the
session is opened as after a restart, and what it holds is compared with what the writer had acknowledged.

The control is the same store with syncs that do nothing: where it loses nothing either, the rig proves nothing. Whether a
device keeps what it says it has kept cannot be seen from inside.

Needs root, mkfs.xfs and mkfs.ext4 (apt-get install xfsprogs e2fsprogs) and loop devices. About a second a shot.
"""

import asyncio
import fcntl
import logging
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from litro.errors import LitroError
from litro.events import Event
from litro.sessions.base import SessionKey
from litro.sessions.file import FileStore
from litro.wire import events_of

FICLONE = 0x40049409
SESSIONS = [SessionKey("demo", f"s{n}") for n in range(3)]
LONGEST = 0.3
"""Seconds after its first acknowledgement until the plug is pulled."""


@dataclass(frozen=True, kw_only=True)
class Shot:
    acknowledged: int
    lost: int
    failed: bool


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
def device(work: Path) -> Iterator[tuple[Path, Path]]:
    """The file that a file system lies in, and where it is mounted."""
    outer = work / "outer.img"
    with outer.open("wb") as file:
        file.truncate(600 << 20)
    run("mkfs.xfs", "-q", "-m", "reflink=1", outer)
    with mounted(outer, work / "outer") as clones:
        image = clones / "disk.img"
        with image.open("wb") as file:
            file.truncate(64 << 20)
        run("mkfs.ext4", "-q", "-F", image)
        with mounted(image, work / "disk") as disk:
            yield image, disk


def clone(image: Path) -> Path:
    """The image as it is at this instant."""
    copy = image.with_name("clone.img")
    with image.open("rb") as source, copy.open("wb") as target:
        fcntl.ioctl(target, FICLONE, source.fileno())
    return copy


def shoot(image: Path, disk: Path, work: Path, mode: str, seed: int) -> Shot:
    directory = f"shot{seed}"
    writer = subprocess.Popen(
        [sys.executable, __file__, mode, disk / directory, str(seed)], stdout=subprocess.PIPE
    )
    assert writer.stdout is not None
    heard = writer.stdout.readline()
    os.set_blocking(writer.stdout.fileno(), False)
    end = time.monotonic() + random.Random(seed).uniform(0, LONGEST)
    while time.monotonic() < end:
        heard += writer.stdout.read() or b""
        time.sleep(0.001)
    # What was acknowledged before the clone must be in it.
    heard += writer.stdout.read() or b""
    copy = clone(image)
    writer.kill()
    writer.wait()
    acknowledged: dict[str, int] = {}
    for line in heard[: heard.rfind(b"\n") + 1].decode().splitlines():
        session, seq = line.split()
        acknowledged[session] = int(seq)
    with mounted(copy, work / "clone") as after:
        try:
            found = asyncio.run(recovered(after / directory))
        except (OSError, LitroError, AssertionError) as error:
            print(f"  shot {seed}: {type(error).__name__}: {error}")
            found = None
    shutil.rmtree(disk / directory)
    tails = found or {}
    return Shot(
        acknowledged=sum(acknowledged.values()),
        lost=sum(max(0, seq - tails.get(session, 0)) for session, seq in acknowledged.items()),
        failed=found is None,
    )


async def recovered(directory: Path) -> dict[str, int]:
    """The last seq of each session, each one opened and appended to as after a restart."""
    store, tails = FileStore(directory), dict[str, int]()
    for key in SESSIONS:
        writer = await store.open(key, owner=None)
        seqs = [event.seq async for block in store.read(key, 1) for event in events_of(block)]
        assert seqs == list(range(1, len(seqs) + 1)), "the seqs have gaps"
        assert writer.append(Event(kind="error", payload=None, turn=1)) == len(seqs) + 1
        await writer.flush()
        await writer.close()
        tails[key.session] = len(seqs)
    await store.close()
    return tails


async def write(directory: Path, seed: int) -> None:
    """Append to all sessions at once, without end, and say what was acknowledged."""
    store = FileStore(directory)

    async def turn(key: SessionKey, chance: random.Random) -> None:
        writer = await store.open(key, owner=None)
        while True:
            for _ in range(chance.randint(1, 8)):
                seq = writer.append(
                    Event(kind="text-delta", payload="é" * chance.randint(0, 400), turn=1)
                )
            await writer.flush()
            os.write(1, f"{key.session} {seq}\n".encode())

    await asyncio.gather(*(turn(key, random.Random(seed + n)) for n, key in enumerate(SESSIONS)))


def main(shots: int) -> bool:
    """Whether the store lost nothing, and the control something."""
    lost: dict[str, int] = {}
    for mode in ("synced", "control"):
        with tempfile.TemporaryDirectory() as folder, device(Path(folder)) as (image, disk):
            results = [shoot(image, disk, Path(folder), mode, seed) for seed in range(shots)]
        lost[mode] = sum(shot.lost > 0 or shot.failed for shot in results)
        print(
            f"{mode}: {shots} shots, {lost[mode]} with acknowledged events lost; "
            f"{sum(shot.acknowledged for shot in results)} acknowledged, "
            f"{sum(shot.lost for shot in results)} of them lost, "
            f"{sum(shot.failed for shot in results)} shots unreadable"
        )
    return lost["synced"] == 0 and lost["control"] > 0


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    if len(sys.argv) == 4:
        if sys.argv[1] == "control":
            os.fsync = os.fdatasync = lambda _fd: None
        asyncio.run(write(Path(sys.argv[2]), int(sys.argv[3])))
    else:
        sys.exit(not main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
