"""The Postgres store: sessions as chunks of lines in a table, for processes on several machines."""

from litro.sessions.postgres.store import PostgresStore

__all__ = ["PostgresStore"]
