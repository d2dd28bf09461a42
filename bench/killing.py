"""`kill -9`: is everything that a dead process had acknowledged still there, and can its sessions be written on?

    python bench/killing.py [file|sqlite|postgres] [SHOTS]

A writer is killed at a random instant, and its sessions are opened as after a restart. Of Postgres every fourth shot kills
the server instead, with all its processes, and starts it anew: the writer has to say so and stop.

It proves nothing about syncs: the kernel keeps what a dead process has written. That is what `powerloss` is for.
"""

import contextlib
import logging
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import databases
from acknowledged import Acknowledged, Verdict, check, heard

WRITER = Path(__file__).with_name("acknowledged.py")
LONGEST = 0.3
BATCH = 25
"""Shots of Postgres that wait together until the leases of the dead have run out."""
CANNOT = 77


def kill_writer(url: str, seed: int) -> Acknowledged:
    """What a writer had acknowledged when it was killed."""
    writer = started(url, seed)
    assert writer.stdout is not None
    said = writer.stdout.readline()
    time.sleep(random.Random(seed).uniform(0, LONGEST))
    writer.kill()
    said += writer.stdout.read()
    writer.wait()
    return heard(said)


def kill_server(folder: Path, url: str, seed: int) -> Acknowledged:
    """What a writer had acknowledged when the database under it was killed."""
    writer = started(url, seed)
    assert writer.stdout is not None
    said = writer.stdout.readline()
    time.sleep(random.Random(seed).uniform(0, LONGEST))
    databases.kill(folder)
    time.sleep(0.2)
    writer.kill()
    said += writer.stdout.read()
    writer.wait()
    return heard(said)


def started(url: str, seed: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, WRITER, url, f"shot{seed}", str(seed)]
    return subprocess.Popen(command, stdout=subprocess.PIPE)


def shots_of_files(store: str, folder: Path, shots: int) -> list[Verdict]:
    verdicts: list[Verdict] = []
    for seed in range(shots):
        # All in one place: what the dead leave there is met by those who come after.
        place = folder / "sessions"
        url = f"file:{place}" if store == "file" else f"sqlite:{place / 'sessions.db'}"
        verdicts.append(check(url, f"shot{seed}", kill_writer(url, seed)))
    return verdicts


def shots_of_postgres(folder: Path, shots: int) -> list[Verdict]:
    folder.chmod(0o711)
    verdicts: list[Verdict] = []
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(databases.postgres(folder / "pg"))
        for first in range(0, shots, BATCH):
            dead: dict[int, Acknowledged] = {}
            for seed in range(first, min(first + BATCH, shots)):
                if seed % 4 == 3:
                    dead[seed] = kill_server(folder / "pg", url, seed)
                    stack.close()
                    url = stack.enter_context(databases.postgres(folder / "pg"))
                else:
                    dead[seed] = kill_writer(url, seed)
            verdicts += [check(url, f"shot{seed}", said) for seed, said in dead.items()]
    return verdicts


def main(store: str = "file", shots: int = 20) -> int:
    """0 where nothing was lost."""
    if store == "postgres" and databases.binaries() is None:
        print("killing postgres: no Postgres server is installed: apt-get install postgresql")
        return CANNOT
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name:
        folder = Path(name)
        if store == "postgres":
            verdicts = shots_of_postgres(folder, shots)
        else:
            verdicts = shots_of_files(store, folder, shots)
    for number, verdict in enumerate(verdicts):
        if verdict.unreadable:
            print(f"  shot {number}: {verdict.unreadable}")
    losses = sum(verdict.is_loss for verdict in verdicts)
    print(
        f"killing {store}: {len(verdicts)} shots, {losses} with a loss; "
        f"{sum(verdict.acknowledged for verdict in verdicts)} events acknowledged, "
        f"{sum(verdict.lost for verdict in verdicts)} of them lost",
        flush=True,
    )
    return 1 if losses else 0


if __name__ == "__main__":
    logging.disable()
    sys.exit(main(*sys.argv[1:2], *map(int, sys.argv[2:3])))
