"""The SQLite store: sessions in one database, for many streams, and for several processes on one host.

What is committed first is a log: a row for each session of a batch, in order, without an index (`journal`). Filing joins those
rows into chunks that are found by their place, once a second, off the path of commits (`housekeeping`), which also moves the
WAL into the file. Readers look into both.

The layout was chosen by measurement: closed loop, 1,000 sessions with one event in flight each, two cores, beside
`to_thread(INSERT and COMMIT)` an event (1x, about 4,000 events a second) in the same minute:

* one row a commit, its sessions within: 54x. Nothing is found in it without taking it apart.
* one row a session and commit, many rows a statement: 37x to 55x. This is what is done here.
* the same with a unique index of session and seq: 15x to 20x. `journal` has a fence instead, which costs one look a commit.
* a table keyed by session and seq, with SQLite's own checkpoints: 7x to 8x.

Many rows a statement matters where the loop is busy: each step of SQLite gives the interpreter's lock away, and ten steps a
commit instead of one let a load of 50,000 events a second come down to 18,000.
"""

from litro.sessions.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
