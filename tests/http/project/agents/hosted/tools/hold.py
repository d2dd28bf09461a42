import time

from litro import tool

from ..._shared.script import GATES  # noqa: TID252 - as users write it


@tool
def hold(gate: str):
    """Block a thread until the gate opens."""
    (GATES / f"{gate}.reached").touch()
    while not (GATES / gate).exists():
        time.sleep(0.01)
    return "held"
