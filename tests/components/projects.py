"""What the components' tests share: projects of a few files."""

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from litro.components import Components
from litro.components.project import Generation

CARD = """
import { LitElement, html } from "lit";
class Card extends LitElement {
  static properties = { city: {} };
  render() { return html`<b>${this.city}</b>`; }
}
customElements.define("demo-card", Card);
"""


def write(project: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = project / "components" / name if not name.startswith("/") else project / name[1:]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return project


@contextlib.asynccontextmanager
async def components_of(project: Path, *, development: bool = False) -> AsyncIterator[Components]:
    components = Components(project, node=None, processes=1, development=development)
    try:
        yield components
    finally:
        await components.close()


async def html_of(generation: Generation, tag: str) -> str:
    template = {"s": [f"<{tag} .city=", f"></{tag}>"], "v": [{"j": "Graz"}]}
    answer = await generation.pool.request(
        {"op": "render", "adapter": "lit", "template": template}, timeout=10
    )
    return str(answer["html"]) if answer["ok"] else f"{answer['message']}\n{answer['stack']}"
