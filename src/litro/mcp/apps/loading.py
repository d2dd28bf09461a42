"""Apps, imported from the files that were found: each file binds one, as `app`.

The modules have names of their own, as those of agents have, and relative imports work as they read.
"""

import importlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from litro.discovery.faults import problem_of
from litro.discovery.modules import Generation
from litro.errors import Problem
from litro.mcp.apps.definition import McpApp
from litro.mcp.apps.sources import AppFile

_WRITE = "Write `app = McpApp(…)`."


def load(
    project: Path, folder: Path, files: Iterable[AppFile], problems: list[Problem]
) -> Mapping[AppFile, McpApp]:
    """Import the files, and forget their modules again.

    Args:
        project: The project, whose modules can be imported already.
        folder: Where the files are.
        files: What was found there.
        problems: Gets everything that is wrong with them.

    Returns:
        The apps of those that are good.
    """
    # Python remembers what folders held; a file may have come since.
    importlib.invalidate_caches()
    generation = Generation(project if _has_packages(project, folder) else folder)
    try:
        loaded = {file: _app(file, generation, problems) for file in files}
    finally:
        generation.unload()
    return {file: app for file, app in loaded.items() if app is not None}


def _has_packages(project: Path, folder: Path) -> bool:
    """Whether the folder's files can be modules of the project's: a dot would end a package's name."""
    return folder.is_relative_to(project) and "." not in "".join(folder.relative_to(project).parts)


def _app(file: AppFile, generation: Generation, problems: list[Problem]) -> McpApp | None:
    try:
        held = vars(generation.module(file.path))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - the user's code, which may even call sys.exit()
        problems.append(problem_of(error, generation, file.path))
        return None
    app: object = held.get("app")
    if isinstance(app, McpApp):
        return app
    others = [repr(name) for name, value in held.items() if isinstance(value, McpApp)]
    if "app" in held:
        what = f"the class {app.__name__}" if isinstance(app, type) else f"a {type(app).__name__}"
        text = f"`app` is {what}, so an instance of McpApp is required. {_WRITE}"
    elif others:
        text = f"it holds no `app`, but the McpApp {' and '.join(others)}. Rename it: the name has to be `app`."
    else:
        text = f"it holds no `app`, which is the McpApp that is looked for. {_WRITE} Put _ before the file's name if it is none."
    problems.append(Problem(path=file.path, line=None, text=text))
    return None
