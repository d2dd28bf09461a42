"""A project's components as commands see them: made as production makes them, and gone when the command ends."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litro.components import Components
from litro.components.project import ADDRESS, Generation, unmade
from litro.components.scan import scan
from litro.errors import EngineMissing, Problem, RenderFailed


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What came of a project's components.

    Attributes:
        facts: Each with its name, file, address and the tags that it registers; none where it is broken.
        problems: Everything that is wrong with them.
    """

    facts: tuple[dict[str, Any], ...]
    problems: tuple[Problem, ...]


def make(project: Path, node: str | None) -> Made:
    """Make the project's components, where it has any.

    Args:
        project: Its folder.
        node: The setting `node`.
    """
    files = scan(project)
    if not files:
        return Made(facts=(), problems=())
    tags: dict[str, str] = {}
    try:
        generation = asyncio.run(_generation(project, node))
    except (EngineMissing, RenderFailed, OSError) as error:
        problems = (unmade(project, error),)
    else:
        tags, problems = {**generation.tags}, generation.problems
    facts = tuple(
        {
            "name": file.name,
            "path": str(file.path),
            "address": f"{ADDRESS}{file.name}.js",
            "tags": sorted(tag for tag, name in tags.items() if name == file.name),
        }
        for file in files
    )
    return Made(facts=facts, problems=problems)


async def _generation(project: Path, node: str | None) -> Generation:
    components = Components(project, node=node, processes=1, development=False)
    try:
        return await components.generation()
    finally:
        await components.close()
