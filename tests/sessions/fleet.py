"""Several servers of one project on one store, as processes."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

from sessions import databases

# The HTTP tests' own tools: a server is what they start.
sys.path.append(str(Path(__file__).parents[1] / "http"))

from serving import Client, Server

STORES = ["file", "sqlite", "postgres"]

Servers = tuple[Client, Client]


def url_of(store: str) -> str:
    if store != "postgres":
        return f"{store}:.litro/sessions"
    return databases.Database(databases.server(), f"two_{token_hex(6)}").url


def short_lived(project: Path, store: str) -> dict[str, str]:
    """The environment of servers whose leases end 2 seconds after they died, where not at once."""
    if store != "postgres":
        return {"LITRO_SESSIONS": url_of(store)}
    (project / "agents/_config.py").write_text(
        "from litro import Config\n"
        "from litro.sessions.postgres import PostgresStore\n"
        f"config = Config(sessions=PostgresStore({url_of(store)!r}, ttl=2))\n"
    )
    return {}


@contextmanager
def two_of(project: Path, **environment: str) -> Iterator[Servers]:
    with several_of(2, project, **environment) as (one, two):
        yield one, two


@contextmanager
def several_of(count: int, project: Path, **environment: str) -> Iterator[list[Client]]:
    clients: list[Client] = []
    try:
        # One by one: when the second cannot start, the first is still to be ended.
        clients.extend(Client(Server(project, **environment)) for _ in range(count))
        yield clients
    finally:
        for client in clients:
            client.close()
            if client.server.process.poll() is None:
                client.server.kill()
