"""`http.md`: every route with what it takes and answers, and every header that means something."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from litro.http.route import METHODS, Resource, route_of
from pages import markdown, routing
from pages.errors import ANSWERS
from pages.markdown import Undocumented, code, table, words_for

_WHERE: Final = "scripts/pages/http.py"

PATHS: Final[dict[Resource, str]] = {
    "sessions": "/__litro/agent/{agent}",
    "session": "/__litro/agent/{agent}/{session}",
    "cancel": "/__litro/agent/{agent}/{session}/cancel",
    "queue": "/__litro/agent/{agent}/{session}/queue",
    "queued": "/__litro/agent/{agent}/{session}/queue/{id}",
    "fork": "/__litro/agent/{agent}/{session}/fork",
}


@dataclass(frozen=True)
class Told:
    """What is said of an endpoint besides its docstring."""

    answers: dict[int, str]
    query: dict[str, str] = field(default_factory=dict)
    body: dict[str, str] = field(default_factory=dict)
    errors: tuple[str, ...] = ()
    """Of its own: every endpoint has the gates', the agent's and the store's."""


_OF_ALL: Final = (
    "method-not-allowed",
    "invalid-host",
    "unknown-host",
    "cross-site",
    "foreign-origin",
    "missing-header",
    "unsupported-media-type",
    "invalid-session",
    "unknown-agent",
    "broken-agent",
    "refused",
    "unknown-session",
    "store",
    "internal",
)
"""The failures that any of them can tell."""

_OF_NONE: Final = ("not-found",)

ENDPOINTS: Final[dict[tuple[Resource, str], Told]] = {
    ("sessions", "GET"): Told(
        query={
            "limit": "How many, 1 to 200. Default 50.",
            "cursor": "The `next` of the page before. Without it: the first page.",
        },
        answers={
            200: '`{"sessions": [{"session", "title", "created", "updated", "tail", "running"}], "next"}`; `next` is null on the last page.'
        },
        errors=("invalid-limit", "invalid-cursor"),
    ),
    ("session", "POST"): Told(
        body={
            "text": "What to say. Required; not blank.",
            "on_busy": "`reject`, `queue` or `steer`: what becomes of it while a turn runs. Default: as the agent has it.",
        },
        answers={
            200: "The turn's events as they become durable, then `{\"done\":true}`.",
            202: '`{"queued": {"id", "mode", "turn"}}`: it waits.',
        },
        errors=("invalid-body", "invalid-idempotency-key", "too-large", "busy", "message-reused", "too-many-turns", "going-away"),
    ),
    ("session", "GET"): Told(
        query={
            "from": "The first seq, inclusive. Default 0; negative counts from the tail (`-1` is the last event).",
            "follow": "`false`: only what is durable now. Default `true`.",
            "limit": 'At most so many events, then `{"done":true}`, also where a turn runs on; the seq behind the last goes on. Default: all.',
            "deltas": "`false`: without the `text-delta`s of rounds that have their `message`, which holds all of their text. Default `true`.",
        },
        answers={
            200: 'The events, those of a turn in flight to its end, then `{"done":true}`. Of an unknown session there are none.',
            204: "To an EventSource that reconnects and has heard everything: it stops.",
        },
        errors=("invalid-position", "invalid-follow", "invalid-limit", "invalid-deltas", "beyond-tail"),
    ),
    ("session", "PATCH"): Told(
        body={"title": "1 to 120 characters on one line. Required."},
        answers={200: '`{"session", "title"}`.'},
        errors=("invalid-body", "invalid-title", "too-large"),
    ),
    ("session", "DELETE"): Told(answers={204: "It is gone."}, errors=("busy", "too-large")),
    ("cancel", "POST"): Told(
        answers={202: '`{"cancelling": true}`.', 200: '`{"cancelling": false}`: nothing runs.'},
        errors=("too-large",),
    ),
    ("queue", "GET"): Told(
        answers={200: '`{"queue": [{"id", "text", "mode", "by"?}]}`, in the order in which they will start.'}
    ),
    ("queued", "DELETE"): Told(
        answers={200: '`{"withdrawn": true}`, or `false` where it has started, or none of this id waits.'},
        errors=("busy", "too-large"),
    ),
    ("fork", "POST"): Told(
        body={
            "at": "The seq to fork at, rounded down to a `turn-end`. Default: the last one.",
            "session": "The new session's id. Default: a random one.",
        },
        answers={201: '`{"session", "at"}`.'},
        errors=("invalid-body", "invalid-session", "no-turn-end", "session-exists", "too-large"),
    ),
}  # fmt: skip

OTHERS: Final[tuple[tuple[str, str, str], ...]] = (
    ("POST", "/__litro/mcp/{agent}", "The agent's tools for an MCP host, where [MCP](../http.md#mcp) is on."),
    ("GET", "/__litro/client.js", "The [browser client](../browser.md). `no-cache` and an ETag, as all modules."),
    ("GET", "/__litro/chat.js", "The [chat](../chat.md): `<litro-chat>`."),
    ("GET", "/__litro/chat/{name}.js", "What the chat imports."),
    ("GET", "/__litro/vendor/{name}.js", "The same, of others' making."),
    ("GET", "/__litro/components/{name}.js", "A [component](../components.md) of the project, at a stable address; it re-exports a hashed file, which never changes."),
    ("GET", "/__litro/dev", "In development: what is wrong with the project's files, as Server-Sent Events."),
    ("GET", "/__litro/inspector", "In development: the [inspector](../development.md), for this machine alone."),
)  # fmt: skip

REQUEST: Final[dict[str, str]] = {
    "host": "Which server is meant: among `allowed_hosts`.",
    "origin": "Of which site the page is that calls: the app's own, or among `allowed_origins`.",
    "sec-fetch-site": "Whether another site calls, as the browser says.",
    "x-litro-agent": "`1`. Required of POST, PATCH and DELETE; not of MCP.",
    "content-type": "`application/json`. Required where there is a body.",
    "content-length": "Whether there is a body.",
    "transfer-encoding": "Whether there is a body.",
    "accept": "`text/event-stream` asks for Server-Sent Events; else lines of JSON.",
    "accept-encoding": "Whether modules may be gzipped.",
    "if-none-match": "The ETag of the module that the browser has.",
    "idempotency-key": "The message's id, 1 to 200 printable ASCII characters: the same one again is the same message.",
    "last-event-id": "The last seq that was heard. It wins over `from`.",
    "authorization": "Your guard's to read. To MCP: `Bearer` and `LITRO_MCP_TOKEN`.",
    "x-forwarded-host": "The host, where a proxy among `trusted_proxies` says so.",
    "x-forwarded-proto": "The scheme, likewise.",
}  # fmt: skip

ANSWER: Final[dict[str, str]] = {
    "litro-turn": "The number of the turn that the message started.",
    "litro-from": "The seq of its `turn-start`; of a message that waits, the seq behind which the log tells what becomes of it.",
    "retry-after": "Seconds after which to try again.",
    "allow": "The methods of the path: with 405, and of OPTIONS.",
    "accept-post": "What a POST may send: with 415.",
    "www-authenticate": "`Bearer`: with 401, of MCP.",
    "content-type": "`application/x-ndjson`, `text/event-stream`, `application/json` or `text/javascript`.",
    "content-length": "Of answers that are no streams.",
    "content-encoding": "Of a stream `identity`, so that nobody compresses it; of a module `gzip` where that is taken.",
    "cache-control": "Of a stream `no-store, no-transform`, of other answers `no-store`, of modules `no-cache`, of hashed files for ever.",
    "x-accel-buffering": "`no`: nginx holds no stream back.",
    "x-content-type-options": "`nosniff`.",
    "etag": "Of a module.",
    "vary": "`Origin` where origins are allowed; of modules `Accept-Encoding`.",
    "set-cookie": "The cookie of the guard `visitor`.",
    "access-control-allow-origin": "The page's origin, where it is allowed.",
    "access-control-allow-credentials": "`true`, with it.",
    "access-control-allow-methods": "Of OPTIONS.",
    "access-control-allow-headers": "Of OPTIONS.",
    "access-control-max-age": "Of OPTIONS: 10 minutes.",
    "access-control-expose-headers": "What a page of another origin may read.",
}  # fmt: skip


def pages() -> dict[str, str]:
    """The page.

    Raises:
        Undocumented: The code takes or answers what nothing is said of.
    """
    _check()
    return {
        "http.md": markdown.page(
            "HTTP",
            "Paths are below where the app is mounted. [HTTP](../http.md) explains what happens; every type of failure is among [errors](errors.md).",
            "## Routes",
            table(
                ["path", "methods"], [(f"`{path}`", _methods(name)) for name, path in PATHS.items()]
            ),
            "GET has HEAD beside it, and every path OPTIONS. `{session}` is 1 to 64 of `A-Z a-z 0-9 _ -`. What passes no gate, "
            "or is asked of what is not there or not the caller's, fails with "
            f"{code(*_OF_ALL)}; a path that nothing has, with {code(*_OF_NONE)}.",
            *_sections(),
            "## Other routes",
            table(
                ["method", "path", ""],
                [(method, f"`{path}`", text) for method, path, text in OTHERS],
            ),
            "## Headers of requests",
            table(["header", ""], _rows(routing.headers_read(), REQUEST, "the request's header")),
            "## Headers of answers",
            table(["header", ""], _rows(routing.headers_sent(), ANSWER, "the answer's header")),
        )
    }


def _methods(resource: Resource) -> str:
    return code(*(name for name in METHODS[resource] if name not in {"HEAD", "OPTIONS"}))


def _sections() -> Iterator[str]:
    docs = routing.endpoints()
    for (resource, method), told in ENDPOINTS.items():
        yield f"## `{method} {PATHS[resource]}`"
        yield docs[resource, method]
        if told.query:
            yield table(["query", ""], [(f"`{name}`", text) for name, text in told.query.items()])
        if told.body:
            yield table(["body", ""], [(f"`{name}`", text) for name, text in told.body.items()])
        yield table(["status", "answer"], [(str(n), text) for n, text in told.answers.items()])
        if told.errors:
            yield f"Fails with {code(*told.errors)}, besides what every request can."


def _rows(names: set[str], words: dict[str, str], what: str) -> list[tuple[str, str]]:
    said = words_for(names, words, what=what, where=_WHERE)
    return [(f"`{name}`", text) for name, text in said.items()]


def _places() -> set[str]:
    # The modules' own names are found in the package's folders, and stand in no address.
    paths = [*PATHS.values(), *(path for _, path, _ in OTHERS)]
    return {match[1] for path in paths if (match := re.match(r"/__litro/([a-z]+)", path))}


def _check() -> None:
    """Refuse words that are not about what the code has."""
    words_for(METHODS, PATHS, what="the resource", where=_WHERE)
    words_for(routing.endpoints(), ENDPOINTS, what="the endpoint", where=_WHERE)
    every = ENDPOINTS.values()
    for what, known, said in (
        ("the route /__litro/", routing.places() | _places(), _places()),
        ("the query's parameter", routing.parameters(), {n for told in every for n in told.query}),
        ("the body's field", routing.fields(), {n for told in every for n in told.body}),
        ("the error", ANSWERS, {*_OF_ALL, *_OF_NONE, *(n for told in every for n in told.errors)}),
        ("the status", routing.statuses(), {n for told in every for n in told.answers}),
    ):
        words_for(map(str, known), dict.fromkeys(map(str, said), ""), what=what, where=_WHERE)
    for resource, path in PATHS.items():
        route = route_of(path.replace("{", "").replace("}", ""))
        if route is None or route.resource != resource:
            msg = f"{_WHERE}: the path {path!r} is not that of {resource!r}, so another one is required."
            raise Undocumented(msg)
