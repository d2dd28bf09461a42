"""What `litro doctor` looks at: each examination answers one finding, and changes nothing that stays."""

import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final, Literal

from litro.cli.filesystems import NETWORKED, kind_of
from litro.components.scan import scan as components_of
from litro.definitions import Config
from litro.discovery.load import Loaded, load
from litro.discovery.scan import require_project, scan
from litro.errors import EngineMissing, LitroError, ProjectError
from litro.sessions.file import lease
from litro.settings import resolve
from litro.settings.masking import without_password
from litro.ui.engine import find_node

Status = Literal["ok", "warn", "fail"]

_NEEDED: Final = ("starlette", "uvicorn", "pydantic", "orjson", "httpx2", "click")
_MODELS: Final = ("LLM_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY")
_PORT: Final = 8000


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found, and what to do where it is not well."""

    name: str
    status: Status
    text: str
    remedy: str | None = None


def examine(project: Path) -> Iterator[Finding]:
    """Everything, the machine first, then the project. `project` is absolute and its .env has been read."""
    yield python()
    yield packages()
    yield port(_PORT)
    yield models()
    try:
        require_project(project)
    except ProjectError:
        yield Finding(
            name="project",
            status="fail",
            text=f"{project} is no Litro project: it has no folder agents/",
            remedy="Go to the project's folder, or name it with --project. `litro new NAME` writes one.",
        )
        yield node(project, _configured_node(project, None))
        return
    yield Finding(name="project", status="ok", text=str(project))
    yield dotenv(project)
    loaded = load(scan(project))
    yield problems(loaded)
    yield node(project, _configured_node(project, loaded.config))
    yield from sessions(project, loaded)


def python() -> Finding:
    """The interpreter."""
    found = f"{sys.version.split()[0]} at {sys.executable}"
    if sys.version_info >= (3, 11):  # noqa: UP036 - said to whoever runs it some other way than by pip
        return Finding(name="python", status="ok", text=found)
    return Finding(
        name="python", status="fail", text=found, remedy="Litro needs Python 3.11 or newer."
    )


def packages() -> Finding:
    """Litro and what it stands on."""
    found, missing = [f"litro {_version('litro') or '(not installed)'}"], list[str]()
    for name in _NEEDED:
        installed = _version(name)
        (found if installed else missing).append(f"{name} {installed}" if installed else name)
    text = ", ".join(found)
    if not missing:
        return Finding(name="packages", status="ok", text=text)
    return Finding(
        name="packages",
        status="fail",
        text=f"{text}; missing: {', '.join(missing)}",
        remedy="Install them: pip install --upgrade litro",
    )


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def node(project: Path, configured: str | None) -> Finding:
    """Node.js, which renders components: only a project that has some needs it."""
    needed = bool(components_of(project))
    try:
        found = find_node(configured)
    except EngineMissing as error:
        text = str(error)
        remedy = (
            "Components cannot be rendered before."
            if needed
            else "Nothing of the project needs it yet."
        )
        return Finding(name="node", status="fail" if needed else "warn", text=text, remedy=remedy)
    major, minor = found.version
    text = f"{major}.{minor} of {found.source}, at {found.path}"
    return Finding(name="node", status="ok", text=text)


def _configured_node(project: Path, config: Config | None) -> str | None:
    try:
        return resolve(project, config=config).node
    except LitroError:
        # Another finding tells of it.
        return None


def port(number: int) -> Finding:
    """Whether the port that commands serve on is free."""
    name = f"port {number}"
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", number))
        except OSError as error:
            text = f"cannot be listened on: {error.strerror}"
            remedy = f"Name another with --port {number + 1}, or end the process that has it."
            return Finding(name=name, status="warn", text=text, remedy=remedy)
    return Finding(name=name, status="ok", text="free")


def models() -> Finding:
    """Which variables that lead to a model are set. Their values are nobody's business."""
    found = [name for name in _MODELS if os.environ.get(name, "").strip()]
    if found:
        return Finding(name="model", status="ok", text=f"set: {', '.join(found)}")
    return Finding(
        name="model",
        status="warn",
        text=f"none of {', '.join(_MODELS)} is set",
        remedy="Set one in .env or in the environment, unless your agents are scripted or need no key.",
    )


def dotenv(project: Path) -> Finding:
    """The .env file."""
    path = project / ".env"
    text = f"{path} is read" if path.is_file() else "none, so only the environment counts"
    return Finding(name=".env", status="ok", text=text)


def problems(loaded: Loaded) -> Finding:
    """What is wrong with the project's files."""
    count, agents = len(loaded.problems), len(loaded.agents)
    what = f"{agents} agent{'' if agents == 1 else 's'}"
    if not count:
        return Finding(name="agents", status="ok", text=f"{what}, no problems")
    text = f"{what}, {count} problem{'' if count == 1 else 's'}"
    return Finding(name="agents", status="fail", text=text, remedy="`litro check` tells each.")


def sessions(project: Path, loaded: Loaded) -> Iterator[Finding]:
    """Where sessions are kept: whether it can be written, on what kind of disk, and whether locks hold there."""
    try:
        store = resolve(project, config=loaded.config).sessions
    except LitroError as error:
        yield Finding(
            name="settings", status="fail", text=str(error), remedy="Correct the setting."
        )
        return
    if not isinstance(store, str):
        text = f"kept in a {type(store).__name__} of the project's own, which is not looked at"
        yield Finding(name="sessions", status="ok", text=text)
        return
    scheme, _, path = store.partition(":")
    if scheme not in {"file", "sqlite"}:
        text = f"kept at {without_password(store)}, which is not looked at"
        yield Finding(name="sessions", status="ok", text=text)
        return
    folder = Path(path) if scheme == "file" else Path(path).parent
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    yield _writable(folder, existing)
    yield _kind(existing)
    yield _locks(existing)


def _writable(folder: Path, existing: Path) -> Finding:
    if existing.is_dir() and os.access(existing, os.W_OK | os.X_OK):
        made = "" if existing == folder else " (made by the first turn)"
        return Finding(name="sessions", status="ok", text=f"{folder} can be written{made}")
    what = "cannot be written by this user" if existing.is_dir() else "is no folder"
    return Finding(
        name="sessions",
        status="fail",
        text=f"{existing} {what}",
        remedy="Let this user write there, or set LITRO_SESSIONS=file:DIR to another folder.",
    )


def _kind(existing: Path) -> Finding:
    kind = kind_of(existing)
    if kind in NETWORKED:
        return Finding(
            name="disk",
            status="warn",
            text=f"{existing} is on {kind}, a network file system, whose locks and syncs may not hold",
            remedy="Keep sessions on a local disk: LITRO_SESSIONS=file:DIR",
        )
    return Finding(name="disk", status="ok", text=kind or "its kind is not known on this system")


def _locks(existing: Path) -> Finding:
    """Take a lease in the folder, as a turn does, and see that it excludes."""
    failure = "two writers could hold one session"
    try:
        if _excludes(existing):
            return Finding(name="locks", status="ok", text="a second writer is kept out")
    except (LitroError, OSError) as error:
        failure = str(error).splitlines()[0]
    return Finding(
        name="locks",
        status="fail",
        text=f"locks do not work in {existing}: {failure}",
        remedy="Keep sessions on a local disk that this user may write: LITRO_SESSIONS=file:DIR",
    )


def _excludes(folder: Path) -> bool:
    with tempfile.NamedTemporaryFile(prefix=".litro-doctor-", dir=folder) as first:
        second = os.open(first.name, os.O_RDWR | os.O_CLOEXEC)
        try:
            return lease.take(first.fileno()) and not lease.take(second)
        finally:
            os.close(second)
