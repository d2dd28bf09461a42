"""`errors.md`: every type of failure that a client can read, and every error that Python code can meet, with what to do."""

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, get_args

from litro.errors import ErrorType, ToolErrorType
from pages import markdown
from pages.docstrings import doc_of
from pages.failures import Failure, failures_in
from pages.markdown import code, table, words_for
from pages.source import PACKAGE, nodes, parsed, python_files

Words = tuple[str, str]
"""When it comes, and what to do."""

_WHERE: Final = "scripts/pages/errors.py"
_ANY: Final = 600
"""Sorts what has no status of its own behind the others."""
_FIX: Final = "Send what is required; the message names it."

ANSWERS: Final[dict[str, Words]] = {
    "invalid-host": ("`Host`, or a proxy's `X-Forwarded-Host`, is missing or no host.", "Send one host."),
    "invalid-session": ("The session's id is not 1 to 64 of `A-Z a-z 0-9 _ -`.", "Choose another id."),
    "invalid-body": ("The body is no JSON object, has unknown keys or wrong values, or did not come whole.", _FIX),
    "invalid-position": ("`from` or `Last-Event-ID` is no whole number.", _FIX),
    "invalid-follow": ("`follow` is neither `true` nor `false`.", _FIX),
    "invalid-deltas": ("`deltas` is neither `true` nor `false`.", _FIX),
    "invalid-limit": ("`limit` is no whole number, or out of its range.", _FIX),
    "invalid-cursor": ("No page gave this `cursor`.", "Give the `next` of the page before, or begin anew."),
    "invalid-title": ("The title has not 1 to 120 characters, or control characters.", _FIX),
    "invalid-idempotency-key": ("`Idempotency-Key` is not 1 to 200 printable ASCII characters.", _FIX),
    "cross-site": ("The browser says that another site's page calls.", "Serve the page from the app's origin, or add its origin to `allowed_origins`."),
    "foreign-origin": ("`Origin` is neither the app's nor allowed.", "As above; for MCP, `mcp_origins`. Behind a proxy: `trusted_proxies`."),
    "missing-header": ("`x-litro-agent: 1` is missing.", "Send it with every POST, PATCH and DELETE."),
    "unknown-agent": ("The project has no such agent.", "See the agent's name: `litro info`."),
    "unknown-session": ("There is no such session, or it is somebody else's.", "Say something to begin it, or be its owner."),
    "not-found": ("Nothing is served at this path.", "See the path, and where the app is mounted."),
    "method-not-allowed": ("The path has not this method.", "`Allow` names those that it has."),
    "busy": ("A turn runs in the session. `turn` and `since` tell which, where it is known. Or the process that holds it does not answer.", "Wait for its end, cancel it, or send `on_busy`."),
    "no-turn-end": ("No turn has ended where the fork is to be.", "Fork after the first `turn-end`."),
    "session-exists": ("The fork's id is taken.", "Choose another, or none."),
    "too-large": ("The body has more bytes than `max_body`.", "Send less, or raise `max_body`."),
    "unsupported-media-type": ("The body does not say that it is JSON.", "Send `content-type: application/json`."),
    "beyond-tail": ("`from` is behind the session's last event.", "Ask from the seq that follows the last one heard."),
    "unknown-host": ("The server does not answer to this name.", "Add it to `allowed_hosts`, if it is yours."),
    "message-reused": ("The idempotency key was used for another text, or its message was withdrawn.", "Take a new key for each message."),
    "internal": ("Something that nobody foresaw.", "Look for `ref` in the server's log."),
    "broken-agent": ("The agent's files are wrong.", "Run `litro check`."),
    "too-many-turns": ("`max_turns` turns run, or 100 messages wait in the session.", "Try again after `Retry-After`."),
    "going-away": ("The server ends.", "Try again after `Retry-After`: another one answers."),
    "store": ("The sessions' store cannot be read or written.", "Try again; look at the disk or the database."),
    "refused": ("The agent's `access` refused, with a status, words and headers of its own.", "What it says."),
}  # fmt: skip
"""What is said of each type of an HTTP answer."""

MCP_ANSWERS: Final[dict[str, Words]] = {
    "mcp-off": ("MCP is not served.", "Set `LITRO_MCP_TOKEN`, or `LITRO_MCP_LOCAL=1`, and start anew."),
    "unauthorized": ("No bearer token came, or another one.", "Send `Authorization: Bearer …` with the value of `LITRO_MCP_TOKEN`."),
    "not-acceptable": ("The client takes neither JSON nor an event stream.", "Send an `Accept` with one of them."),
    "mcp-missing": ("In development: MCP's SDK is not installed.", "`pip install 'litro[mcp]'`."),
}  # fmt: skip
"""Those that MCP's route alone tells."""

DEVELOPMENT_ANSWERS: Final[dict[str, Words]] = {
    "not-this-machine": ("The inspector is asked from another machine.", "Open it on the machine that `litro dev` runs on."),
    "unknown-tool": ("The agent has no such tool.", "Choose one that it has."),
    "unknown-turn": ("The session has no such turn.", "Choose one that it has."),
}  # fmt: skip
"""Those of the pages that `litro dev` has."""

STREAM: Final[dict[str, Words]] = {
    "store": ("The log cannot be read, or nothing more of it becomes durable.", "Resume from the next seq, a moment later."),
    "internal": ("Something that nobody foresaw.", "Look for `ref` in the server's log, and resume."),
}  # fmt: skip

TURN: Final[dict[str, Words]] = {
    "truncated": ("The answer was cut off in the middle of a tool call, which was not run.", "Raise the provider's `max_tokens`."),
    "stream-incomplete": ("The connection to the model broke before its answer was complete.", "Ask again."),
    "rate-limited": ("The model's server limits requests, also after the retries.", "Wait; raise `retries` or the account's limits."),
    "overloaded": ("The model's server is overloaded, also after the retries.", "Wait, or take another model."),
    "refused": ("The model's server refused the request.", "Read its reason in the server's log: a key, a name, an option."),
    "unreachable": ("The model's server cannot be reached.", "See `base_url`, and that the server runs."),
    "timeout": ("The model's server took too long.", "Set `timeouts=Timeouts(…)` where it is slow by nature."),
    "context-too-long": ("The conversation is too long for the model.", "Shorten it with `Agent(history=…)`, or begin a new session."),
    "provider": ("Any other failure of the model's server, or of your provider.", "Read its reason in the server's log."),
    "max-rounds": ("The turn asked the model as often as it may.", "Raise `Agent(max_rounds=…)`, or see why the tools do not satisfy the model."),
    "store": ("The log cannot be written.", "Look at the disk or the database; nothing that was shown is lost."),
    "internal": ("Something that nobody foresaw, in your code or in ours.", "Look for `ref` in the server's log."),
}  # fmt: skip

TOOL_CALL: Final[dict[str, Words]] = {
    "unknown-tool": ("The model asked for a tool that is not there.", "Nothing: the model reads which there are."),
    "invalid-input": ("The input does not fit the schema.", "Nothing: the model reads what is wrong. Where it repeats, describe the parameters better."),
    "failed": ("The function raised.", "Look for `ref` in the server's log. Raise `AgentError` for what the model may read."),
    "timeout": ("It took longer than `@tool(timeout=…)`, or else `Agent(tool_timeout=…)`.", "Raise the limit, or do less."),
    "nested-ui": ("A `ui(…)` is inside of another value.", "Return it as it is."),
    "not-json": ("The value has no JSON.", "Return what JSON can hold: dataclasses and pydantic models too."),
    "too-large": ("The value is too large for the log.", "Return less, and tell where the rest is."),
    "render-failed": ("The component cannot be rendered.", "Run `litro check`; the message says what is wrong in development."),
    "not-started": ("The turn ended before the call was started: it had no effect.", "Ask again."),
    "interrupted": ("The process died while the call ran: whether it took effect is unknown.", "Make the tool's work safe to repeat, by `ctx.call_id`."),
    "cancelled": ("The turn was cancelled while the call ran: whether it took effect is unknown.", "As above."),
}  # fmt: skip

CLIENT: Final[dict[str, Words]] = {
    "unreachable": ("Nothing could be heard for `patience` seconds.", "See that the server runs; `resume` brings what it has recorded."),
    "unexpected-answer": ("What answers is no Litro server.", "See that `base_url` is the app's address with its mount."),
}  # fmt: skip
"""What a client tells by itself. Its other types are the answers' and the streams'."""

CLASSES: Final[dict[str, str]] = {
    "litro.errors.LitroError": "Catch it for all of them.",
    "litro.errors.AgentError": "Raise it: its message is told verbatim.",
    "litro.errors.ProjectError": "Mend what `problems` names, each with its file and line.",
    "litro.errors.SettingsError": "Mend the source that the message names.",
    "litro.errors.EncodingError": "Return what JSON can hold, or less of it.",
    "litro.errors.TemplateError": "Mend the template at the place that is shown.",
    "litro.errors.RenderFailed": "Mend the component that the message names.",
    "litro.errors.EngineMissing": "`pip install 'litro[components]'`, or set `node`.",
    "litro.errors.InvalidInput": "Call the tool with what its schema wants.",
    "litro.errors.ProviderError": "A provider of yours raises it; `retryable` says whether asking again may help.",
    "litro.errors.RemoteError": "See `type`: [of a client](#of-a-client).",
    "litro.errors.TurnRefused": "Catch it for the five below it.",
    "litro.errors.UnknownAgent": "See the agent's name.",
    "litro.errors.BrokenAgent": "Run `litro check`.",
    "litro.errors.MessageReused": "Take a new id for each message.",
    "litro.errors.TooManyTurns": "Try again later, or raise `max_turns`.",
    "litro.errors.GoingAway": "Try again with another process.",
    "litro.errors.SessionError": "Catch it for what stands below it.",
    "litro.errors.InvalidSessionId": "Choose another id.",
    "litro.errors.NotOwner": "Speak as the principal that began the session.",
    "litro.errors.UnknownSession": "Say something to begin it.",
    "litro.errors.SessionExists": "Choose another id.",
    "litro.errors.SessionBusy": "Wait for the turn's end, cancel it, or send with `on_busy`.",
    "litro.errors.SessionDamaged": "Restore the log from a backup.",
    "litro.errors.NewerFormat": "Run the newer Litro that wrote it.",
    "litro.errors.LeaseLost": "Nothing: the session's next writer goes on.",
    "litro.errors.StoreFailed": "Look at the disk or the database.",
    "litro.turn.catalogue.NoTurnEnd": "Fork after the first `turn-end`.",
    "litro.turn.cursor.InvalidCursor": "Give the `next` of the page before.",
    "litro.turn.title.InvalidTitle": "Choose 1 to 120 characters on one line.",
    "litro.mcp.sdk.McpMissing": "`pip install 'litro[mcp]'`.",
    "litro.mcp.packed.AppMissing": "Run `litro mcp-app build`.",
    "litro.mcp.agent.UnknownTool": "An MCP host is told -32602: it lists the tools anew.",
    "litro.mcp.agent.UnknownResource": "An MCP host is told -32602, or -32002: it lists the resources anew.",
    "litro.mcp.pages.InvalidCursor": "An MCP host is told -32602: it lists anew.",
    "litro.cli.logs.NoSession": "`litro sessions list` names those that there are.",
}  # fmt: skip
"""What to do about each error of Python's."""


def pages() -> dict[str, str]:
    """The page.

    Raises:
        Undocumented: An error has no words.
    """
    http = failures_in("http", "gates", "app")
    mcp = http | failures_in("mcp")
    everywhere = mcp | failures_in("dev")
    return {
        "errors.md": markdown.page(
            "Errors",
            "A failure is told in one shape wherever it is told: `type`, `message`, `status` where there is one, and `ref` where the server's log "
            "has more under that word. Decide by `type`; the message is for people, and may change.",
            "## Of an HTTP answer",
            _answers(http, ANSWERS, "the type of an answer"),
            "`busy`, `store`, `too-many-turns` and `going-away` come with `Retry-After`.",
            "## Of MCP's route",
            "Those above, and:",
            _answers(_beside(mcp, http), MCP_ANSWERS, "the type of an answer of MCP's"),
            "What is wrong with a message that was read is a JSON-RPC error.",
            "## Of the pages of `litro dev`",
            _answers(
                _beside(everywhere, mcp),
                DEVELOPMENT_ANSWERS,
                "the type of an answer of litro dev's",
            ),
            "## Of a stream",
            "In the control line `err`, after which the stream ends. The turn runs on, if it can.",
            _table(words_for(_of_streams(), STREAM, what="the type of an err line", where=_WHERE)),
            "## Of a turn",
            "In the event `error`, before a `turn-end` that is `failed`. People read words of Litro's own, never the model's server's.",
            _table(words_for(get_args(ErrorType), TURN, what="the error type", where=_WHERE)),
            "## Of a tool call",
            "In the event `tool-error`. The turn goes on, and the model reads why.",
            _table(
                words_for(
                    get_args(ToolErrorType), TOOL_CALL, what="the tool-error type", where=_WHERE
                )
            ),
            "## Of a client",
            "`RemoteError.type` of the Python client, besides what the server answered:",
            _table(words_for(_of_clients(), CLIENT, what="the client's error type", where=_WHERE)),
            "## In Python",
            "All are of `litro.errors` unless it says otherwise, and of `LitroError`; each `·` is a step down: a row is of the class that is a step less, above it.",
            _classes({one.error: one for one in http if one.error}),
        )
    }


def classes() -> dict[str, ast.ClassDef]:
    """Every error that Litro defines for purposes of its own, by module and name: `LitroError` and what descends from it."""
    found: dict[str, ast.ClassDef] = {}
    every = {
        f"{_module(path)}.{one.name}": one
        for path in [PACKAGE / "errors.py", *python_files()]
        for one in parsed(path).body
        if isinstance(one, ast.ClassDef)
    }
    known = {"LitroError"}
    for name, one in every.items():
        if one.name == "LitroError" or known & set(map(ast.unparse, one.bases)):
            found[name] = one
            known.add(one.name)
    return found


def _module(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def _of_streams() -> set[str]:
    """What `of_stream` can say."""
    answers = parsed(PACKAGE / "http/answers.py")
    ways = [
        o
        for o in answers.body
        if isinstance(o, ast.FunctionDef) and o.name in {"of_stream", "internal"}
    ]
    return {
        str(value.value)
        for way in ways
        for one in ast.walk(way)
        if isinstance(one, ast.Dict)
        for key, value in zip(one.keys, one.values, strict=True)
        if isinstance(key, ast.Constant) and key.value == "type" and isinstance(value, ast.Constant)
    }


def _of_clients() -> set[str]:
    return {
        str(call.args[0].value)
        for path in python_files("client")
        for call in nodes(parsed(path))
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) == "RemoteError"
        and isinstance(call.args[0], ast.Constant)
    }


def _beside(more: set[Failure], known: set[Failure]) -> set[Failure]:
    types = {one.type for one in known}
    return {one for one in more if one.type not in types}


def _answers(found: Iterable[Failure], words: Mapping[str, Words], what: str) -> str:
    statuses: dict[str, int] = {}
    for one in found:
        statuses[one.type] = min(statuses.get(one.type, _ANY), one.status)
    said = words_for(statuses, words, what=what, where=_WHERE)
    order = sorted(said, key=lambda name: statuses[name] or _ANY)
    rows = [(str(statuses[name] or "any"), f"`{name}`", *said[name]) for name in order]
    return table(["status", "type", "when", "what to do"], rows)


def _table(said: Mapping[str, Words]) -> str:
    return table(
        ["type", "when", "what to do"], [(f"`{name}`", *words) for name, words in said.items()]
    )


def _classes(told: Mapping[str, Failure]) -> str:
    found = classes()
    said = words_for(found, CLASSES, what="the error class", where=_WHERE)
    rows: list[tuple[str, ...]] = []
    for name, remedy in said.items():
        module, _, own = name.rpartition(".")
        shown = code(own if module == "litro.errors" else name)
        failure = told.get(own) if module != "litro.mcp.pages" else None
        answer = f"{failure.status} `{failure.type}`" if failure else _ANSWERED.get(own, "")
        indent = "· " * _depth(found, name)
        rows.append((indent + shown, doc_of(found[name]).summary, answer, remedy))
    return table(["error", "what it says", "HTTP", "what to do"], rows)


_ANSWERED: Final = {"AgentError": "its `status`, `refused`", "SessionBusy": "409 `busy`"}
"""Those that are answered outside of the table from errors to answers."""


def _depth(found: Mapping[str, ast.ClassDef], name: str) -> int:
    bases = set(map(ast.unparse, found[name].bases))
    above = [other for other, one in found.items() if one.name in bases]
    return 1 + _depth(found, above[0]) if above else 0
