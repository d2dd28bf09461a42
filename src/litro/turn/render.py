"""The rendering step: a component's template becomes HTML, after its tool has returned and under its own limit.

A template that raises, hangs or is huge costs the one call that made it. Which renderer knows which template is
`litro.ui.renderers`' business.
"""

import asyncio
import logging
from typing import Any, Final

from litro.encoding import to_jsonable, well_formed
from litro.errors import EncodingError, tell
from litro.turn.threads import ToolThreads
from litro.turn.tools import Answer, Refusal
from litro.ui.renderers import markup

logger = logging.getLogger(__name__)

RENDER_TIMEOUT: Final = 2.0
"""Seconds that one template may take."""

MAX_HTML: Final = 2_000_000
"""Characters of one component's HTML."""


async def render(
    answer: Answer, threads: ToolThreads, *, name: str, development: bool
) -> dict[str, Any] | Refusal:
    """The payload of `ui` for an answer with something to show, or why there is none."""
    shown = answer.shown
    assert shown is not None  # noqa: S101 - the caller has looked
    subject = f"The component of tool {name!r}"
    try:
        async with asyncio.timeout(RENDER_TIMEOUT):
            html = await threads.run(lambda: markup.render(shown.template), name=name)
        payload: dict[str, Any] = {"type": "ui", "html": well_formed(html), "data": answer.data}
        if shown.hydrate is not None:
            payload["hydrate"] = to_jsonable(shown.hydrate)
    except TimeoutError:
        message = f"{subject} took longer than {RENDER_TIMEOUT:g} s to render."
        return Refusal(type="render-failed", message=message)
    except EncodingError as error:
        return Refusal(type="render-failed", message=f"{subject}: hydrate: {error}")
    except (Exception, SystemExit) as error:
        failure = tell(error, what=subject, development=development)
        logger.exception("%s failed (ref %s)", subject, failure.ref or "none")
        return Refusal(type="render-failed", message=failure.message, ref=failure.ref)
    if len(html) > MAX_HTML:
        message = f"{subject} has {len(html)} characters of HTML, and {MAX_HTML} are the most."
        return Refusal(type="too-large", message=message)
    return payload
