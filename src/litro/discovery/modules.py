"""The modules of one generation of a project: its files, imported under names that only this generation has.

`agents/demo/tools/get-weather.py` becomes `litro_project_7.agents.demo.tools.get-weather`. The names follow the
folders, hyphens included, so relative imports work as they read; and they share nothing with other projects, or with
this one before an edit. It touches neither sys.path nor sys.meta_path: packages that point at the real folders are
enough for Python to find what a file imports relatively.
"""

import itertools
import sys
from collections.abc import Mapping
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

_numbers = itertools.count(1)


class Generation:
    """One generation of a project's modules.

    Attributes:
        project: The project's folder.
        prefix: The name of the package that stands for it.
    """

    def __init__(self, project: Path) -> None:
        self.project = project
        self.prefix: str = f"litro_project_{next(_numbers)}"
        # The project itself is no package of the user's, whatever it holds: only agents/ and below are.
        _run(self.prefix, None, project)

    def module(self, path: Path) -> ModuleType:
        """The module of a file, imported unless another file has done so already.

        Raises:
            BaseException: What the file raised.
        """
        *folders, _ = path.relative_to(self.project).parts
        name, folder = self.prefix, self.project
        for part in folders:
            name, folder = f"{name}.{part}", folder / part
            init = folder / "__init__.py"
            _module(name, init if init.is_file() else None, folder)
        return _module(f"{name}.{path.stem}", path, None)

    def unload(self) -> None:
        """Forget the modules. What still runs in them keeps running, but can import nothing more."""
        for name in list(sys.modules):
            if name == self.prefix or name.startswith(f"{self.prefix}."):
                del sys.modules[name]


class _FreshSource(SourceFileLoader):
    """A loader that neither reads nor writes bytecode.

    A cache entry is known by its source's size and the second it was written in: an edit within that second,
    which `litro dev` must see, would go unnoticed.
    """

    def path_stats(self, path: Any) -> Mapping[str, Any]:
        msg = f"{path} is never cached"
        raise OSError(msg)


def _module(name: str, file: Path | None, folder: Path | None) -> ModuleType:
    known = sys.modules.get(name)
    return _run(name, file, folder) if known is None else known


def _run(name: str, file: Path | None, folder: Path | None) -> ModuleType:
    """A new module: the file's code is run in it, and `from .x import y` looks into the folder."""
    loader = None if file is None else _FreshSource(name, str(file))
    spec = ModuleSpec(name, loader, origin=None if file is None else str(file))
    spec.has_location = file is not None
    spec.submodule_search_locations = None if folder is None else [str(folder)]
    module = module_from_spec(spec)
    # Before it runs: dataclasses and circular imports look a module up while it does.
    sys.modules[name] = module
    if loader is not None:
        try:
            loader.exec_module(module)
        except BaseException:
            sys.modules.pop(name, None)
            raise
    above, _, own = name.rpartition(".")
    if above:
        setattr(sys.modules[above], own, module)
    return module
