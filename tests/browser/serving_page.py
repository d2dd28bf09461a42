"""The page behind uvicorn, in a process of its own, and the browser that looks at it."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
SCAFFOLD = HERE.parents[1] / "src/litro/scaffold/project"


def make_project(folder: Path) -> Path:
    """What `litro new` makes of a page and a tool, with an agent whose turns the tests can hold."""
    folder.mkdir()
    shutil.copy(SCAFFOLD / "app.py", folder)
    skip = shutil.ignore_patterns("__pycache__")
    for name in ("page", "agents"):
        shutil.copytree(SCAFFOLD / name, folder / name, ignore=skip)
    index = folder / "page/index.html"
    index.write_text(index.read_text(encoding="utf-8").replace("{{name}}", folder.name))
    shutil.copytree(HERE / "project", folder, dirs_exist_ok=True, ignore=skip)
    return folder


class Server:
    """The project's page at `url`. What a turn waits for are files of `gates`.

    Args:
        project: Its folder.
        port: 0 picks one.
        environ: Variables that it gets besides.
    """

    def __init__(self, project: Path, port: int = 0, **environ: str) -> None:
        self.gates = project / "gates"
        self.gates.mkdir(exist_ok=True)
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        # Whoever connects from now on waits in the socket's queue until the server is up.
        listener.listen()
        self.port: int = listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LITRO_")}
        fd = listener.fileno()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "app:app", "--app-dir", project, "--fd", str(fd)],
            cwd=project,
            pass_fds=[fd],
            env=clean | {"GATES": str(self.gates)} | environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        listener.close()

    def stop(self, *, kill: bool = False) -> bytes:
        """End it; what it wrote."""
        self.process.kill() if kill else self.process.terminate()
        return self.process.communicate(timeout=20)[1]
