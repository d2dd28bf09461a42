"""A private Postgres: started for one run in a folder of its own, reached by a socket there, gone afterwards.

It keeps every default that says what is durable. Servers that somebody runs are none of its business.
"""

import contextlib
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

ACCOUNT = "postgres"


def binaries() -> Path | None:
    """Where a Postgres server is installed, or None."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return versions[-1].parent if versions else None


@contextlib.contextmanager
def postgres(folder: Path, *settings: str) -> Iterator[str]:
    """The URL of a server whose data lie in `folder`, which is made, or is found as a crash left it.

    Args:
        folder: Its data, its log and its socket; whoever runs Postgres must be able to reach it.
        settings: More of the server's command line.

    Raises:
        RuntimeError: No server is installed, or it does not start; says what to do.
    """
    tools = binaries()
    if tools is None:
        msg = "no Postgres server is installed: apt-get install postgresql"
        raise RuntimeError(msg)
    folder.mkdir(exist_ok=True)
    data = folder / "data"
    if os.geteuid() == 0:
        # Postgres refuses to run as root.
        entry = pwd.getpwnam(ACCOUNT)
        os.chown(folder, entry.pw_uid, entry.pw_gid)
    if not (data / "PG_VERSION").exists():
        _run(
            tools / "initdb", "-D", data, "-U", ACCOUNT, "-A", "trust", "-E", "UTF8", "--no-locale"
        )
    options = f"-k {folder} -c listen_addresses= -c max_connections=60 {' '.join(settings)}"
    log = folder / "log"
    try:
        _run(tools / "pg_ctl", "-D", data, "-l", log, "-w", "-t", "60", "-o", options, "start")
    except RuntimeError as error:
        said = log.read_text() if log.exists() else "no log"
        msg = f"{error}\n{said[-2000:]}"
        raise RuntimeError(msg) from None
    try:
        yield f"postgresql://{ACCOUNT}@/postgres?host={folder}"
    finally:
        # Not there where somebody has killed it.
        with contextlib.suppress(RuntimeError):
            _run(tools / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def kill(folder: Path) -> None:
    """End the server of `folder` at once, all its processes, as a crash of the machine would."""
    main = int((folder / "data" / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{main}/task/{main}/children").read_text().split()
    for process in (main, *map(int, children)):
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, 9)


def _run(*command: str | Path) -> None:
    as_whom = {"user": ACCOUNT, "group": ACCOUNT, "extra_groups": []} if os.geteuid() == 0 else {}
    done = subprocess.run(
        list(command),
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if "start" not in command else subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        text=True,
        cwd="/",
        **as_whom,
    )
    if done.returncode != 0:
        msg = f"{command[0]} failed: {(done.stdout or '')[-1000:]}"
        raise RuntimeError(msg)
