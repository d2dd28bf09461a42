"""The file store against the suite that every store is held to."""

import inspect
import pkgutil
from importlib import import_module
from pathlib import Path

import pytest

from litro.sessions.file import FileStore
from litro.testing import stores


@pytest.mark.parametrize("check", stores.CHECKS, ids=[check.__name__ for check in stores.CHECKS])
async def test_the_file_store_conforms(check: stores.Check, tmp_path: Path):
    await check(lambda: FileStore(tmp_path / "sessions"))


def test_every_check_of_the_suite_is_in_its_list():
    modules = [
        f"{stores.__name__}.{module.name}" for module in pkgutil.iter_modules(stores.__path__)
    ]
    written = [
        value
        for module in modules
        for value in vars(import_module(module)).values()
        if inspect.iscoroutinefunction(value)
        and list(inspect.signature(value).parameters) == ["connect"]
        if value.__module__ == module
    ]
    assert set(written) == set(stores.CHECKS)
    assert len(written) == len(stores.CHECKS)
