"""A real Postgres of the tests' own: on a private socket, started once, gone when they are done."""

import atexit
import functools
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import asyncpg
import pytest

MISSING = "Postgres is missing: apt-get install postgresql"


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    binaries: Path
    directory: Path
    user: str | None
    """Who runs it: it refuses to be root's."""

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={quote(str(self.directory))}"

    def control(self, *words: str) -> None:
        log = ["-l", str(self.directory / "log")]
        _run(self.user, self.binaries / "pg_ctl", "-D", str(self.directory / "data"), *log, *words)

    def restart(self) -> None:
        """As after a crash: no goodbye to anybody."""
        self.control("-w", "-m", "immediate", "restart")

    @contextmanager
    def stopped(self) -> Iterator[None]:
        self.control("-w", "-m", "immediate", "stop")
        try:
            yield
        finally:
            self.control("-w", "start")


@dataclass(frozen=True)
class Database:
    """A schema of a test's own on the server."""

    server: Server
    schema: str

    @property
    def url(self) -> str:
        """What a store takes."""
        return self.url_of(self.schema)

    def url_of(self, schema: str) -> str:
        return f"{self.server.url}&schema={quote(schema)}"

    async def run(self, query: str, *args: object) -> list[asyncpg.Record]:
        """The rows; `{s}` stands for the schema."""
        connection = await asyncpg.connect(self.server.url)
        try:
            quoted = '"' + self.schema.replace('"', '""') + '"'
            return await connection.fetch(query.replace("{s}", quoted), *args)
        finally:
            await connection.close()


@functools.cache
def server(*options: str) -> Server:
    """The running server; the test is skipped where there is no Postgres."""
    binaries = _binaries()
    if binaries is None:
        pytest.skip(MISSING)
    directory = Path(tempfile.mkdtemp(prefix="litro-pg-"))
    user = _user()
    if user is not None:
        shutil.chown(directory, user)
    data = str(directory / "data")
    _run(user, binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N")
    settings = ["listen_addresses=''", f"unix_socket_directories='{directory}'", *options]
    # Its files need not outlive the machine: it is killed, the machine is not.
    settings += ["fsync=off", "max_connections=200"] if not options else []
    with (directory / "data/postgresql.conf").open("a") as conf:
        conf.write("\n".join(settings) + "\n")
    made = Server(binaries, directory, user)
    made.control("-w", "start")
    atexit.register(_remove, _guard(made), directory)
    return made


def _guard(made: Server) -> "subprocess.Popen[bytes]":
    """What stops the server once this process is gone, however it went."""
    control = f"{made.binaries / 'pg_ctl'} -D {made.directory / 'data'}"
    stop = f"read _; {control} -m immediate stop; rm -rf {made.directory}/*"
    return subprocess.Popen(
        ["/bin/sh", "-c", stop],
        user=made.user,
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _remove(guard: "subprocess.Popen[bytes]", directory: Path) -> None:
    guard.communicate()
    shutil.rmtree(directory, ignore_errors=True)


def _binaries() -> Path | None:
    """Debian keeps them off PATH, a folder for each version."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "pg_ctl").exists()), None)


def _user() -> str | None:
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _run(user: str | None, program: Path, *words: str) -> None:
    done = subprocess.run(
        [program, *words],
        user=user,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{program.name} {' '.join(words)}: {done.stdout}"
