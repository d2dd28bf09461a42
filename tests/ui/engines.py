"""What the engine's tests share: a pool with components of a few lines."""

import contextlib
import os
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from litro.ui.engine import Node, Pool, find_node
from litro.ui.engine.limits import Limits
from litro.ui.engine.sidecar import VENDOR

LIT = (VENDOR / "server" / "lit.mjs").as_uri()

CARD = """
class Card extends LitElement {
  static properties = { city: {}, tempC: { type: Number } };
  render() { return html`<b>${this.city}</b>`; }
}
customElements.define("demo-card", Card);
"""


def node() -> Node:
    return find_node(os.environ.get("LITRO_NODE"))


def component(folder: Path, source: str, name: str = "card") -> dict[str, Any]:
    """A module as the engine loads it, and the request that loads it."""
    path = folder / f"{name}.mjs"
    path.write_text(f'import {{ LitElement, html, css, nothing }} from "{LIT}";\n{source}')
    return {"name": name, "file": str(path)}


def load(*modules: Mapping[str, Any]) -> dict[str, Any]:
    return {"op": "load", "modules": list(modules)}


@contextlib.asynccontextmanager
async def pool_of(
    folder: Path, source: str = CARD, *, size: int = 1, limits: Limits | None = None
) -> AsyncIterator[Pool]:
    pool = Pool(
        node,
        size=size,
        setup=load(component(folder, source)),
        reads=[folder],
        limits=limits or Limits(),
    )
    try:
        yield pool
    finally:
        await pool.close()


def card(city: object) -> dict[str, Any]:
    template = {"s": ["<demo-card .city=", "></demo-card>"], "v": [{"j": city}]}
    return {"op": "render", "adapter": "lit", "template": template}


def text(words: str) -> dict[str, Any]:
    return {"op": "render", "adapter": "lit", "template": {"s": ["<p>", "</p>"], "v": [words]}}


def element(tag: str) -> dict[str, Any]:
    template = {"s": [f"<{tag}></{tag}>"], "v": []}
    return {"op": "render", "adapter": "lit", "template": template}


def behaves(code: str) -> str:
    """A component that runs the code while it renders."""
    return (
        CARD
        + f"""
class Bad extends LitElement {{ render() {{ {code} }} }}
customElements.define("demo-bad", Bad);
"""
    )


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def children_of(pid: int) -> set[int]:
    """The processes that one started, where the system tells."""
    found = Path(f"/proc/{pid}/task").glob("*/children")
    return {int(child) for path in found for child in path.read_text().split()}
