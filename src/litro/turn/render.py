"""The rendering step: a component's template becomes HTML, after its tool has returned and under its own limit.

A template that raises, hangs or is huge costs the one call that made it. An object with `__html__()` is asked for it in a thread;
a `Template` is rendered by the project's engine, which the app hands down.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, Final

from litro.encoding import to_jsonable, well_formed
from litro.errors import EncodingError, EngineMissing, Failure, RenderFailed, TemplateError, tell
from litro.turn.threads import ToolThreads
from litro.turn.tools import Answer, Refusal
from litro.ui.renderers import markup
from litro.ui.renderers.base import TemplateRenderer
from litro.ui.result import UIResult
from litro.ui.template import Template

logger: Final = logging.getLogger(__name__)

RENDER_TIMEOUT: Final = 2.0
"""Seconds that one object's `__html__()` may take."""

MAX_HTML: Final = 2_000_000
"""Characters of one component's HTML."""


class Rendering:
    """How an app renders what tools return.

    Args:
        threads: Where `__html__()` runs.
        templates: Renders templates; None where the app has nothing that could.
        development: Whether failures are told in full.
    """

    def __init__(
        self, threads: ToolThreads, templates: TemplateRenderer | None, *, development: bool
    ) -> None:
        self._threads = threads
        self._templates = templates
        self._development = development

    async def payload(self, answer: Answer, *, name: str) -> dict[str, Any] | Refusal:
        """The payload of `ui` for an answer with something to show, or why there is none.

        Args:
            answer: What the tool returned.
            name: The tool's.
        """
        shown = answer.shown
        assert shown is not None  # noqa: S101 - the caller has looked
        subject = f"The component of tool {name!r}"
        try:
            html, hydrate = await self._rendered(shown, name)
            payload: dict[str, Any] = {"type": "ui", "html": well_formed(html), "data": answer.data}
            if hydrate is not None:
                payload["hydrate"] = hydrate
        except TimeoutError:
            message = f"{subject} took longer than {RENDER_TIMEOUT:g} s to render."
            return Refusal(type="render-failed", message=message)
        except EncodingError as error:
            return Refusal(type="render-failed", message=f"{subject}: hydrate: {error}")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a template runs code of users
            failure = self._told(error, subject)
            return Refusal(type="render-failed", message=failure.message, ref=failure.ref)
        if len(html) > MAX_HTML:
            message = f"{subject} has {len(html)} characters of HTML, and {MAX_HTML} are the most."
            return Refusal(type="too-large", message=message)
        return payload

    async def _rendered(
        self, shown: UIResult[Any], name: str
    ) -> tuple[str, Mapping[str, Any] | None]:
        template = shown.template
        # What the renderer answers is JSON already.
        own = None if shown.hydrate is None else to_jsonable(shown.hydrate)
        if isinstance(template, Template):
            if self._templates is None:
                msg = "a template was returned, but nothing here renders any, so an object with __html__() is required."
                raise RenderFailed(msg)
            rendered = await self._templates.render(template)
            return rendered.html, rendered.hydrate if shown.hydrate is None else own
        async with asyncio.timeout(RENDER_TIMEOUT):
            html = await self._threads.run(lambda: markup.render(template), name=name)
        return html, own

    def _told(self, error: BaseException, subject: str) -> Failure:
        failure = tell(error, what=subject, development=self._development)
        stack = error.stack if isinstance(error, RenderFailed) else None
        known = isinstance(error, RenderFailed | EngineMissing | TemplateError)
        logger.error(
            "%s failed (ref %s): %s%s",
            subject,
            failure.ref or "none",
            error,
            f"\n{stack}" if stack else "",
            # Of what the engine tells, our own way there says nothing.
            exc_info=None if known else error,
        )
        return failure
