"""A model that does as it is told: `say A; wait GATE; rest SECONDS; call hold {"gate": "g"}; process; block GATE`."""

import json
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

from litro.errors import ProviderError
from litro.providers import call, pause, reasoning, scripted
from litro.providers.base import ModelRequest, ResultsMessage
from litro.providers.script import ScriptItem

GATES = Path(__file__).parents[2] / "gates"


async def obey(request: ModelRequest, turn: int) -> AsyncIterator[ScriptItem]:
    last = request.messages[-1]
    if isinstance(last, ResultsMessage):
        yield "Done."
        return
    for step in last.text.split("; "):
        verb, _, rest = step.partition(" ")
        if verb == "wait":
            (GATES / f"{rest}.reached").touch()
            while not (GATES / rest).exists():
                yield pause(0.01)
        elif verb == "block":
            # As code does that forgets that it is async.
            (GATES / f"{rest}.reached").touch()
            while not (GATES / rest).exists():
                time.sleep(0.01)
        elif verb == "process":
            yield f"process {os.getpid()}"
        elif verb == "flood":
            for _ in range(int(rest)):
                yield "x" * 10_000
        else:
            yield item(verb, rest)


def item(verb: str, rest: str) -> ScriptItem:
    match verb:
        case "say":
            return rest
        case "think":
            return reasoning(rest)
        case "rest":
            return pause(float(rest))
        case "call":
            name, _, arguments = rest.partition(" ")
            return call(name, **json.loads(arguments or "{}"))
        case _:
            return ProviderError("overloaded", "secret words of the model's server")


model = scripted(obey)
