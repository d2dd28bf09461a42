"""The example behind `litro serve`, with a real model behind it."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path


class Server:
    """`litro serve` in a process of its own."""

    def __init__(self, project: Path, llm_url: str) -> None:
        environ = {**os.environ, "LLM_URL": llm_url}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "litro", "serve", "--port", "0"],
            cwd=project,
            env=environ,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        # Before it tells its address, it may warn of something.
        told = ""
        while "http://" not in told:
            told = self.process.stderr.readline()
            assert told, "litro serve ended"
        self.page = next(word for word in told.split() if "http://" in word)
        self.url = f"{self.page}/__litro/agent/demo/s1"

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextlib.contextmanager
def serving(project: Path, llm_url: str) -> Iterator[Server]:
    server = Server(project, llm_url)
    try:
        yield server
    finally:
        server.process.terminate()
        server.process.communicate(timeout=30)
