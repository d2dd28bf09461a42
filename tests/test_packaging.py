"""What installing brings."""

import subprocess
import sys
from pathlib import Path

import orjson

ROOT = Path(__file__).parents[1]


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
