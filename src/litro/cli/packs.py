"""A project's MCP Apps as commands pack them: with components of their own, which are gone when the command ends."""

from pathlib import Path

from litro.components import Components
from litro.components.rendering import Renderer
from litro.mcp.apps.output import Packed
from litro.mcp.apps.packing import pack
from litro.settings import Settings


async def packed(settings: Settings, folder: Path) -> tuple[Packed, ...]:
    """Pack the apps of a folder.

    Args:
        settings: The project's.
        folder: Where the apps' files are, absolute.

    Raises:
        ProjectError: Something is wrong; all of it is in there.
    """
    components = Components(
        settings.project, node=settings.node, processes=1, development=settings.development
    )
    try:
        return await pack(
            settings.project,
            folder=folder,
            renderer=Renderer(components, settings.adapter_now),
            components=components,
            node=settings.node,
        )
    finally:
        await components.close()
