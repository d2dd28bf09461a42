"""Watches for what a process cannot take up while it runs: modules outside agents/ and mcp-apps/, pyproject.toml and .env.

It has a thread and an event loop of its own, since the app's may be busy, or may not have started. What happens upon a
change is its owner's business.
"""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from litro.dev.files import folders_below, forget_bytecode, is_below
from litro.dev.trouble import tell
from litro.dev.watch import Watch

_SETTINGS: Final = ("pyproject.toml", ".env")


class Restarts:
    """Tells of the first change that a restart is needed for.

    Args:
        project: The project's folder.
        is_waiting: Whether the app cannot be served, so that a change below agents/ may be the remedy as well.
        restart: Called with what changed, from a thread.
    """

    def __init__(
        self, project: Path, is_waiting: Callable[[], bool], restart: Callable[[str], None]
    ) -> None:
        # What the system tells of is where a link leads.
        self._project = project.resolve()
        self._is_waiting = is_waiting
        self._restart = restart
        self._watches = threading.Event()

    def start(self) -> None:
        """Watch from now on, until the process ends."""
        threading.Thread(target=self._run, name="litro-restarts", daemon=True).start()
        self._watches.wait()

    def _run(self) -> None:
        try:
            asyncio.run(self._tell())
        except Exception as error:  # noqa: BLE001 - such as a limit of the system's; the app goes on
            tell(f"warning: changes are not seen any more ({error})")
        finally:
            self._watches.set()

    async def _tell(self) -> None:
        watch = Watch(self._folders)
        await watch.start()
        self._watches.set()
        async for changes in watch.changes():
            ours = sorted(path for path in changes if self._concerns(path))
            for path in ours:
                forget_bytecode(path)
            if ours:
                self._restart(str(ours[0].relative_to(self._project)))

    def _folders(self) -> Iterator[Path]:
        return folders_below(self._project)

    def _concerns(self, path: Path) -> bool:
        if path.parent == self._project and path.name in _SETTINGS:
            return True
        if not is_below(path, self._project):
            return False
        if is_below(path, self._project / "agents"):
            return self._is_waiting()
        if is_below(path, self._project / "mcp-apps"):
            # They are packed anew, and nothing else imports them.
            return False
        # A folder that comes has modules in it which were there before it was watched.
        return path.suffix == ".py" or (path.is_dir() and any(path.rglob("*.py")))
