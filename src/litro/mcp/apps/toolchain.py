"""What Node does for the packer: bundles of components and the bridge, and the examination of whole documents.

Each is one process, however many apps there are. It knows scripts and documents, not what an app is made of or where its files are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from litro.components.scan import ComponentFile
from litro.errors import Problem, ProjectError, RenderFailed
from litro.ui.engine import Node, run_once
from litro.ui.engine.sidecar import SOURCES

_PATIENCE: Final = 120.0
_BRIDGE: Final = SOURCES.parent / "assets" / "bridge.js"
_OURS: Final = "litro:"
_FILLS: Final = (
    "runtime assigns litroMcpApply, which is the app's fill step, so the function is expected in apply. "
    "Move it there: a runtime is for everything else."
)
_IS_OPEN: Final = (
    "its shell leaves a comment or an element open, which takes in the document's own scripts, so markup that ends what it begins "
    "is required. Close it."
)
_LONGEST: Final = 200
"""Characters of an address, or of an engine's message, that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripts:
    """Classic scripts that can stand in a `<script>` as they are.

    Attributes:
        bridge: What speaks with the host.
        bundles: Of each set of components, the script that brings them to life, in the order in which they were asked for.
    """

    bridge: str
    bundles: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document to examine.

    Attributes:
        html: All of it, as it was assembled.
        runtime: As its author wrote it.
        apply: As its author wrote it.
    """

    html: str
    runtime: str | None = None
    apply: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """What is to say of a document, in whole sentences.

    Attributes:
        problems: Why it cannot be an app.
        warnings: What its author had better know.
    """

    problems: tuple[str, ...]
    warnings: tuple[str, ...]


async def make_scripts(
    node: Node,
    project: Path,
    bundles: Sequence[Sequence[ComponentFile]],
    *,
    components: Sequence[ComponentFile] = (),
) -> Scripts:
    """Bundle the components, each set for itself, and the bridge. The same files make the same scripts, byte by byte.

    Args:
        node: What runs the bundler.
        project: The project's folder.
        bundles: Sets of components.
        components: All of the project's: FAST templates name each other's tags. Those of `bundles` count anyway.

    Raises:
        ProjectError: Components cannot be bundled; all the reasons.
        RenderFailed: The bundler itself failed.
    """
    known = (*components, *(file for bundle in bundles for file in bundle))
    request = {
        "op": "pack",
        "project": str(project),
        "components": list(dict.fromkeys(str(file.path) for file in known)),
        "bundles": [[str(file.path) for file in bundle] for bundle in bundles],
        "bridge": str(_BRIDGE),
    }
    answer = await _asked(node, request)
    if answer["failed"]:
        # A file that several sets have fails for each of them.
        raise ProjectError(list(dict.fromkeys(_problem(project, one) for one in answer["failed"])))
    return Scripts(bridge=answer["bridge"], bundles=tuple(answer["bundles"]))


async def examine(node: Node, documents: Sequence[Document]) -> tuple[Examined, ...]:
    """Examine documents: whether their scripts parse, and whether they load nothing from elsewhere. Nothing of them is run.

    Whatever `csp` allows: a host may show the document without its leave, so it is to be whole by itself.

    Raises:
        RenderFailed: The examination itself failed.
    """
    asked = [{"html": one.html, "runtime": one.runtime, "apply": one.apply} for one in documents]
    answer = await _asked(node, {"op": "examine", "documents": asked})
    return tuple(map(_examined, answer["documents"]))


async def _asked(node: Node, request: Mapping[str, Any]) -> dict[str, Any]:
    answer = await run_once(node, request, timeout=_PATIENCE)
    if not answer["ok"]:
        msg = f"{request['op']} failed in Node: {answer['message']}"
        raise RenderFailed(msg, stack=answer["stack"])
    return answer


def _problem(project: Path, failure: Mapping[str, Any]) -> Problem:
    message: str = failure["message"].rstrip(".")
    remedy = "Correct it there, or give the app live=False, which leaves components out."
    if message.startswith("Could not resolve"):
        remedy = (
            "Lit, FAST and files beside it are always there; install anything else with npm, "
            "into the project's node_modules."
        )
    file: str = failure["file"] or _OURS
    path, line = (project, None) if file.startswith(_OURS) else (project / file, failure["line"])
    return Problem(path=path, line=line, text=f"{message}. {remedy}")


def _examined(answer: Mapping[str, Any]) -> Examined:
    problems = [_fault(fault) for fault in answer["faults"]]
    if answer["isOpen"]:
        problems.append(_IS_OPEN)
    if answer["external"]:
        problems.append(_loads(answer["external"]))
    return Examined(problems=tuple(problems), warnings=(_FILLS,) if answer["fills"] else ())


def _fault(fault: Mapping[str, Any]) -> str:
    what, message = fault["what"], fault["message"][:_LONGEST]
    wanted = {
        "runtime": "a script is required, as it would stand in <script>",
        "apply": "the source text of a function (element, structuredContent) is required",
    }
    so = wanted.get(what, "its source is required to be written in another way")
    return f'"{what}" is not valid JavaScript: {message} (its line {fault["line"]}), so {so}. Correct it there.'


def _loads(references: Sequence[Mapping[str, str]]) -> str:
    those = ", ".join(f"{one['kind']} {one['url'][:_LONGEST]!r}" for one in references)
    return (
        f"it would load from elsewhere: {those}, so it would show nothing of that in most hosts, whatever csp allows. "
        "Bring it along: images and fonts as data: addresses, styles in styles, scripts in runtime."
    )
