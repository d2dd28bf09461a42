"""Packing: every app of a folder becomes a document, or everything that is wrong with any of them is told, in one report.

It writes nothing (`litro.mcp.apps.output` does), and starts as few processes as it can: one renders, one bundles, one examines,
whatever the number of apps.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from litro.components import Components
from litro.components.rendering import Renderer
from litro.components.scan import ComponentFile, scan
from litro.errors import EngineMissing, LitroError, Problem, ProjectError, RenderFailed
from litro.mcp.apps.addresses import authority_of, clashes, derived, last_part
from litro.mcp.apps.definition import McpApp
from litro.mcp.apps.document import Parts, assembled, descriptor, refusals
from litro.mcp.apps.loading import load
from litro.mcp.apps.output import Packed
from litro.mcp.apps.sources import AppFile, find
from litro.mcp.apps.toolchain import Document, Scripts, examine, make_scripts
from litro.ui.engine import Node, find_node
from litro.ui.renderers import markup
from litro.ui.template import Template

logger: Final = logging.getLogger(__name__)

_UNFILLED: Final = (
    "with live=False its components do not come along, and there is no apply, so nothing shows what a tool answers. Give it "
    "apply=…, or leave live=False out."
)

Bundled = tuple[str, ...]
"""The components that a document carries, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _App:
    """An app that is being packed."""

    file: AppFile
    app: McpApp
    uri: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    html: str
    components: Bundled


async def pack(
    project: Path,
    *,
    folder: Path,
    renderer: Renderer,
    components: Components,
    node: str | None,
) -> tuple[Packed, ...]:
    """Pack the apps of a folder. Modules of the project's must be importable by then.

    Args:
        project: The project's folder, absolute.
        folder: Where the apps' files are, absolute.
        renderer: Renders the shells.
        components: The project's.
        node: The setting `node`.

    Returns:
        Each app's document, by name.

    Raises:
        ProjectError: Something is wrong; all of it is in there.
    """
    found = await asyncio.to_thread(find, folder)
    if found.problems:
        raise ProjectError(found.problems)
    packing = _Packing(project, renderer, components, node)
    loaded = await asyncio.to_thread(load, project, folder, found.files, packing.problems)
    packed = await packing.packed(loaded)
    if packing.problems:
        # A component that several apps need is wrong for each of them.
        problems = dict.fromkeys(packing.problems)
        raise ProjectError(sorted(problems, key=lambda problem: problem.path))
    return packed


class _Packing:
    """One packing: its problems collect here, so that all of them are told at once."""

    def __init__(
        self, project: Path, renderer: Renderer, components: Components, node: str | None
    ) -> None:
        self._project = project
        self._renderer = renderer
        self._components = components
        self._node = node
        self.problems: list[Problem] = []

    async def packed(self, loaded: Mapping[AppFile, McpApp]) -> tuple[Packed, ...]:
        apps = self._addressed(loaded)
        shown = {app: shell for app in apps if (shell := await self._shell(app)) is not None}
        try:
            node = await asyncio.to_thread(find_node, self._node)
            if not shown:
                return ()
            scripts = await self._scripts(node, {app: one.components for app, one in shown.items()})
            return await self._documents(node, shown, scripts)
        except ProjectError as error:
            self.problems.extend(error.problems)
        except LitroError as error:
            self._problem(self._project, f"{error}{_stack(error)}")
        return ()

    def _addressed(self, loaded: Mapping[AppFile, McpApp]) -> list[_App]:
        authority = authority_of(self._project)
        apps: list[_App] = []
        for file, app in loaded.items():
            for text in refusals(app):
                self._problem(file.path, text)
            try:
                uri = app.uri or derived(authority, file.name)
            except ValueError as error:
                self._problem(file.path, str(error))
            else:
                apps.append(_App(file=file, app=app, uri=uri))
        self.problems.extend(clashes((app.file, app.uri) for app in apps))
        return apps

    async def _shell(self, app: _App) -> _Shown | None:
        shell = app.app.shell
        try:
            if not isinstance(shell, Template):
                html = markup.render(shell)
                # Half a character has no UTF-8, and is the author's like what is raised here.
                html.encode()
                return _Shown(html=html, components=())
            rendered = await self._renderer.shell(shell, live=app.app.live)
        except EngineMissing:
            # Packing needs the engine for every app: it is told once.
            return None
        except LitroError as error:
            self._problem(app.file.path, f"its shell cannot be rendered: {error}{_stack(error)}")
            if isinstance(error, RenderFailed):
                await self._blame_components()
            return None
        except Exception as error:  # noqa: BLE001 - the shell's class is the user's
            text = f"its shell's __html__() raised {type(error).__name__}: {error}. Correct what it is made of."
            self._problem(app.file.path, text)
            return None
        if app.app.live:
            return _Shown(html=rendered.html, components=rendered.components)
        if rendered.components and app.app.apply is None and app.app.runtime is None:
            logger.warning("%s: %s", app.file.path, _UNFILLED)
        return _Shown(html=rendered.html, components=())

    async def _blame_components(self) -> None:
        """Tell what is wrong with components: the tag that is missing may be one of theirs."""
        try:
            generation = await self._components.generation()
        except (LitroError, OSError):
            return
        self.problems.extend(generation.problems)

    async def _scripts(self, node: Node, needed: Mapping[_App, Bundled]) -> "_Bundles":
        everything = scan(self._project)
        files = {file.name: file for file in everything}
        distinct = [names for names in dict.fromkeys(needed.values()) if names]
        gone = sorted({name for names in distinct for name in names} - files.keys())
        if gone:
            msg = (
                f"the component {', '.join(map(repr, gone))} went while it was packed. Build again."
            )
            raise LitroError(msg)
        asked: list[list[ComponentFile]] = [[files[name] for name in names] for names in distinct]
        made = await make_scripts(node, self._project, asked, components=everything)
        return _Bundles(made, dict(zip(distinct, made.bundles, strict=True)))

    async def _documents(
        self, node: Node, shown: Mapping[_App, _Shown], scripts: "_Bundles"
    ) -> tuple[Packed, ...]:
        parts = {app: scripts.parts(app, one) for app, one in shown.items()}
        packed = {
            app: Packed(
                name=app.file.name, uri=app.uri, html=assembled(it), descriptor=descriptor(it)
            )
            for app, it in parts.items()
        }
        documents = [
            Document(html=one.html, runtime=app.app.runtime, apply=app.app.apply)
            for app, one in packed.items()
        ]
        for app, examined in zip(packed, await examine(node, documents), strict=True):
            for text in examined.problems:
                self._problem(app.file.path, text)
            for text in examined.warnings:
                logger.warning("%s: %s", app.file.path, text)
        return tuple(packed.values())

    def _problem(self, path: Path, text: str) -> None:
        self.problems.append(Problem(path=path, line=None, text=text))


class _Bundles:
    """The scripts that were made, by what they are for."""

    def __init__(self, made: Scripts, bundles: Mapping[Bundled, str]) -> None:
        self._made = made
        self._bundles = bundles

    def parts(self, app: _App, shown: _Shown) -> Parts:
        return Parts(
            app=app.app,
            uri=app.uri,
            name=app.app.name or last_part(app.uri),
            shell=shown.html,
            bundle=self._bundles.get(shown.components),
            bridge=self._made.bridge,
        )


def _stack(error: LitroError) -> str:
    return f"\n{error.stack}" if isinstance(error, RenderFailed) and error.stack else ""
