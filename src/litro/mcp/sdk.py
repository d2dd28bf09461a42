"""Loading what needs the official SDK, which projects without MCP need not have. It imports none of it before it is asked."""

import gc
import importlib
from collections.abc import Generator
from contextlib import contextmanager
from types import ModuleType
from typing import Final

from litro.errors import LitroError

REMEDY: Final = "Install it with: pip install 'litro[mcp]'"


class McpMissing(LitroError):
    """MCP cannot be served, since its SDK cannot be imported. The message says what to do."""


def load(module: str) -> ModuleType:
    """A module of `litro.mcp` that imports the SDK.

    Args:
        module: Its full name.

    Raises:
        McpMissing: The SDK is not installed, or cannot be imported: then the cause is quoted.
    """
    try:
        with _uncollected():
            return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in {"mcp", "mcp_types"}:
            raise McpMissing(_broken(error)) from error
        if error.name in {"mcp", "mcp_types"}:
            msg = f"MCP is served by the package mcp, which is not installed. {REMEDY}"
        else:
            msg = f"MCP needs mcp 2.3 or later, and the one that is installed has no {error.name}. {REMEDY}"
        raise McpMissing(msg) from error
    except ImportError as error:
        raise McpMissing(_broken(error)) from error


@contextmanager
def _uncollected() -> Generator[None]:
    """Without looking for garbage, which modules are not: it takes an eighth of the import."""
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()


def _broken(error: ImportError) -> str:
    return f"MCP cannot be served: importing its SDK failed with {type(error).__name__}: {error}"
