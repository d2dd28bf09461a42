"""The project's components, for browsers: `/__litro/components/…`.

A component's stable address is asked for anew each time, and re-exports its hashed file of today, which never changes: so a card
that was stored last month finds its module, and a page loads what it has. Hashed files of earlier builds are answered as long as
they are kept. Which builds there are is `litro.components`' business.
"""

import asyncio
from pathlib import Path
from typing import Final

from litro.components import Components
from litro.components.build import kept_file
from litro.components.project import ADDRESS
from litro.gates import GatePolicy, RequestHead, cors_headers
from litro.http.answers import Answer, Scope, Send, failure, of_error
from litro.http.assets import module, refusal_of, tag_of

_FOR_EVER: Final = b"public, max-age=31536000, immutable"


class ComponentFiles:
    """Serves `/__litro/components/…`.

    Args:
        components: The project's.
        project: Its folder.
        gates: Which hosts are answered.
        development: Whether failures are told in full.
    """

    def __init__(
        self, components: Components, project: Path, gates: GatePolicy, *, development: bool
    ) -> None:
        self._components = components
        self._project = project
        self._gates = gates
        self._development = development

    async def __call__(self, path: str, scope: Scope, send: Send) -> bool:
        """Answer a request for `path` below the mount. False where it is another's."""
        if not path.startswith(ADDRESS):
            return False
        head = RequestHead.from_scope(scope)
        answer = refusal_of(head, self._gates)
        if answer is None:
            try:
                answer = await self._answer(path.removeprefix(ADDRESS), head)
            except Exception as error:  # noqa: BLE001 - the outermost edge: whatever it was, the browser gets an answer
                answer = of_error(error, development=self._development)
        await answer.send(send, cors_headers(head, self._gates), with_body=head.method != "HEAD")
        return True

    async def _answer(self, name: str, head: RequestHead) -> Answer:
        # A hashed file needs no engine, and may be older than the newest build.
        kept = await asyncio.to_thread(kept_file, self._project, name)
        if kept is not None:
            content = await asyncio.to_thread(kept.read_bytes)
            return module(head, content, tag_of(content), cache=_FOR_EVER)
        stem = name.removesuffix(".js")
        if name.endswith(".js") and self._components.has(stem):
            generation = await self._components.generation()
            file = generation.build.browser.get(stem)
            if file is not None:
                content = _reexport("../" * stem.count("/") + file)
                return module(head, content, tag_of(content))
        return failure(404, "not-found", f"The project has no component {name[:200]!r}.")


def _reexport(file: str) -> bytes:
    path = file if file.startswith("../") else f"./{file}"
    return f'export * from "{path}";\n'.encode()
