"""A project's components, in generations: each is a build, and engine processes that have loaded it.

Nothing is built and no process is started before a component is first needed. A render keeps its generation to its end. It watches no
file: its owner says when a new generation is due.
"""

import asyncio
import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from litro.components.build import Build, build
from litro.components.scan import FOLDER, scan
from litro.errors import EngineMissing, Problem, RenderFailed
from litro.ui.engine import Node, Pool, find_node
from litro.ui.engine.limits import DEFAULT, Limits

_ALONE: Final = Limits(start=5.0)
"""What a component may use that is tried alone."""

ADDRESS: Final = "/__litro/components/"
"""Where browsers find components, below the mount."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One build, loaded.

    Attributes:
        build: Its files.
        pool: The processes that have loaded them.
        tags: Which component registered each tag.
        problems: What could not be built, and what could not be loaded.
    """

    build: Build
    pool: Pool
    tags: Mapping[str, str]
    problems: tuple[Problem, ...]

    def tags_of(self, adapter: str) -> frozenset[str]:
        """The tags that an adapter can render: FAST's components are templates, Lit's are classes."""
        return frozenset(
            tag
            for tag, name in self.tags.items()
            if (name in self.build.templates) == (adapter == "fast")
        )

    def has_lost(self, old: "Generation", names: Collection[str]) -> bool:
        """Whether something is wrong, and a component that was good in the old generation is not, though it is still there."""
        good = {name for name in old.tags.values() if name in names}
        return bool(self.problems) and not good <= {*self.tags.values()}

    def address_of(self, tag: str) -> str:
        """The stable address of the module that registers the tag."""
        return f"{ADDRESS}{self.tags[tag]}.js"


class Components:
    """A project's components.

    Args:
        project: Its folder.
        node: The setting `node`: a path, or None to look for one.
        processes: Engine processes at the most.
        development: Whether builds are for reading: not minified.
        tell: Told everything that is wrong, each time that a generation was made.
    """

    def __init__(
        self,
        project: Path,
        *,
        node: str | None,
        processes: int,
        development: bool,
        tell: Callable[[tuple[Problem, ...]], None] | None = None,
    ) -> None:
        self._project = project
        self._find: Callable[[], Node] = lambda: find_node(node)
        self._processes = processes
        self._development = development
        self._tell = tell
        self._loop: asyncio.AbstractEventLoop | None = None
        self._generation: asyncio.Future[Generation] | None = None
        self._renewing = asyncio.Lock()
        self._renewals: set[asyncio.Task[Generation]] = set()
        self._burials: set[asyncio.Task[None]] = set()
        self._retired: set[Pool] = set()

    @property
    def exist(self) -> bool:
        """Whether the project has any."""
        return bool(scan(self._project))

    def has(self, name: str) -> bool:
        """Whether a component's file has this name, below `components/` and without its suffix."""
        return any(file.name == name for file in scan(self._project))

    async def generation(self) -> Generation:
        """The newest good generation, made when it is first asked for.

        Raises:
            EngineMissing: There is no Node to build and render with.
            RenderFailed: The bundler or the engine itself failed.
        """
        self._move_here()
        if self._generation is None:
            self._generation = asyncio.create_task(self._made())
        making = self._generation
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            if making.cancelled():
                msg = "the components were closed meanwhile."
                raise RenderFailed(msg) from None
            raise
        except (EngineMissing, RenderFailed, OSError):
            # Installing Node helps without a restart.
            if self._generation is making:
                self._generation = None
            raise

    async def renew(self) -> Generation:
        """Make a new generation; meanwhile the last one renders, and what is rendering goes on with it.

        Where a component that was good is not any more, the last one stays in use, whole, until that is put right.

        Returns:
            What was made, with its problems.

        Raises:
            EngineMissing, RenderFailed: As `generation`. The last one stays in use.
        """
        self._move_here()
        # A task, so that `close` can end it.
        renewal = asyncio.create_task(self._renewed())
        self._renewals.add(renewal)
        renewal.add_done_callback(self._renewals.discard)
        return await renewal

    async def _renewed(self) -> Generation:
        async with self._renewing:
            old = None
            if self._generation is not None:
                with contextlib.suppress(EngineMissing, RenderFailed, OSError):
                    old = await self.generation()
            made = await self._made()
            if old is not None and made.has_lost(old, {file.name for file in scan(self._project)}):
                self._retire(made.pool)
                return made
            retired, self._generation = self._generation, _done(made)
            if retired is not None:
                self._bury(retired)
            return made

    async def close(self) -> None:
        """End every process. What is being built or rendered fails."""
        self._move_here()
        for renewal in self._renewals:
            renewal.cancel()
        if self._renewals:
            await asyncio.wait(self._renewals)
        generation, self._generation = self._generation, None
        if generation is not None:
            generation.cancel()
            self._bury(generation)
        if self._burials:
            await asyncio.wait(self._burials)
        for pool in list(self._retired):
            await pool.close()

    def _move_here(self) -> None:
        """Forget what another event loop has left: its processes ended with it."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._generation = loop, None
            self._renewing = asyncio.Lock()
            self._renewals.clear()
            self._burials.clear()
            self._retired.clear()

    async def _made(self) -> Generation:
        node = await asyncio.to_thread(self._find)
        files = scan(self._project)
        made = await build(self._project, files, node, minify=not self._development)
        pool, harmful = await self._loaded(node, made)
        failed = [*harmful, *pool.loaded["failed"]]
        paths = {file.name: file.path for file in files}
        problems = (*made.problems, *(_problem(one, paths) for one in failed))
        if self._tell is not None:
            self._tell(problems)
        return Generation(build=made, pool=pool, tags=pool.loaded["tags"], problems=problems)

    async def _loaded(self, node: Node, made: Build) -> tuple[Pool, list[Mapping[str, Any]]]:
        """A pool that has loaded what can be, and what does harm while it is loaded."""
        modules = _modules(made)
        pool = self._pool(node, made, modules)
        try:
            await pool.ready()
        except BaseException as error:
            await pool.close()
            if not isinstance(error, RenderFailed):
                raise
        else:
            return pool, []
        # One that loops, or ends its process, takes the others with it: each is tried alone.
        harmful: list[Mapping[str, Any]] = []
        for module in modules:
            alone = self._pool(node, made, [module], limits=_ALONE)
            try:
                await alone.ready()
            except RenderFailed as error:
                harmful.append({"name": module["name"], "message": str(error), "stack": ""})
            finally:
                await alone.close()
        names = {one["name"] for one in harmful}
        pool = self._pool(node, made, [one for one in modules if one["name"] not in names])
        try:
            await pool.ready()
        except BaseException:
            await pool.close()
            raise
        return pool, harmful

    def _pool(
        self,
        node: Node,
        made: Build,
        modules: Sequence[Mapping[str, Any]],
        *,
        limits: Limits = DEFAULT,
    ) -> Pool:
        return Pool(
            lambda: node,
            size=self._processes,
            setup={"op": "load", "modules": modules},
            reads=[made.folder.resolve()],
            limits=limits,
        )

    def _bury(self, generation: "asyncio.Future[Generation]") -> None:
        task = asyncio.create_task(self._retired_of(generation))
        self._burials.add(task)
        task.add_done_callback(self._burials.discard)

    async def _retired_of(self, generation: "asyncio.Future[Generation]") -> None:
        try:
            made = await generation
        except (EngineMissing, RenderFailed, OSError, asyncio.CancelledError):
            return
        self._retire(made.pool)

    def _retire(self, pool: Pool) -> None:
        pool.retire()
        self._retired = {pool, *(one for one in self._retired if not one.is_empty)}


def unmade(project: Path, error: Exception) -> Problem:
    """Why there are no components at all, as a problem of the project's."""
    stack = f"\n{error.stack}" if isinstance(error, RenderFailed) and error.stack else ""
    return Problem(path=project / FOLDER, line=None, text=f"{error}{stack}")


def _done(made: Generation) -> "asyncio.Future[Generation]":
    done = asyncio.get_running_loop().create_future()
    done.set_result(made)
    return done


def _modules(made: Build) -> list[Mapping[str, Any]]:
    of_lit = [
        {"name": name, "file": str(made.folder.resolve() / "server" / file)}
        for name, file in made.server.items()
    ]
    of_fast = [
        {"name": name, "templates": templates}
        for name, templates in made.templates.items()
        if name in made.browser
    ]
    return [*of_lit, *of_fast]


def _problem(failed: Mapping[str, Any], paths: Mapping[str, Path]) -> Problem:
    text = f"it failed while loading: {failed['message'].rstrip('.')}. Correct it there."
    stack = "\n" + failed["stack"] if failed["stack"] else ""
    return Problem(path=paths[failed["name"]], line=None, text=text + stack)
