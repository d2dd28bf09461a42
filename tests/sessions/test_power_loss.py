"""The fault campaigns of bench/, in short: a few shots each. `make soak` fires hundreds."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

BENCH = Path(__file__).parents[2] / "bench"
CANNOT = 77
STORES = ("file", "sqlite", "postgres")


def campaign(program: str, store: str, count: int) -> str:
    command = [sys.executable, str(BENCH / f"{program}.py"), store, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=170, check=False)
    if done.returncode == CANNOT:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.timeout(180)
@pytest.mark.parametrize("store", STORES)
def test_pulling_the_plug_loses_nothing_that_was_acknowledged_and_without_syncs_does(store: str):
    assert f"powerloss {store} synced: 3 shots, 0 with a loss" in campaign("powerloss", store, 3)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("store", STORES)
def test_killing_a_writer_loses_nothing_that_was_acknowledged(store: str):
    assert f"killing {store}: 4 shots, 0 with a loss" in campaign("killing", store, 4)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("store", STORES)
def test_disks_that_are_full_or_fail_lose_nothing_that_was_acknowledged(store: str):
    assert "0 with a loss" in campaign("disks", store, 6)
