"""The project that `scripts/check-types` checks is one that runs: its types are not only agreeable but true."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SHOP = Path(__file__).parent / "shop"


@pytest.mark.once
@pytest.mark.timeout(300)
def test_the_typed_project_has_no_problems_and_its_own_tests_pass(tmp_path: Path):
    shop = tmp_path / "shop"
    shutil.copytree(SHOP, shop, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    tested = subprocess.run(command, cwd=shop, capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "6 passed" in tested.stdout
