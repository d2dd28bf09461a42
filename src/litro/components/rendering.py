"""Rendering of templates: which adapter, which tags, and what the browser is told to bring the result to life."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from markupsafe import Markup

from litro.components.project import Components, Generation
from litro.errors import RenderFailed, SettingsError
from litro.ui.renderers import fast, lit
from litro.ui.renderers.base import Rendered
from litro.ui.renderers.marks import begins_with_root, custom_tags, for_page
from litro.ui.template import Template


class _Adapter(Protocol):
    def __call__(self, template: Template, *, for_page: bool = False) -> Any: ...


ADAPTERS: Final[Mapping[str, _Adapter]] = {"lit": lit.asked, "fast": fast.asked}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shell:
    """What a document shows before it has any data.

    Attributes:
        html: Its markup.
        components: The components that its tags need, by name, in order.
    """

    html: str
    components: tuple[str, ...]


class Renderer:
    """Renders the templates of one app.

    Args:
        components: The project's.
        adapter: Answers `lit` or `fast`, each time anew.
    """

    def __init__(self, components: Components, adapter: Callable[[], str]) -> None:
        self._components = components
        self._adapter = adapter

    async def render(self, template: Template) -> Rendered:
        """The component of a tool's result.

        Raises:
            EngineMissing, RenderFailed, TemplateError, SettingsError: It cannot be rendered; the message says why.
        """
        generation = await self._components.generation()
        adapter = self._adapter_of(generation, template)
        html = await _html(generation, adapter, template, for_page=False)
        props = template.properties_of(0) if begins_with_root(template) else {}
        modules = dict.fromkeys(map(generation.address_of, custom_tags(template)))
        return Rendered(html=html, hydrate={"modules": list(modules), "props": props})

    async def page(self, template: Template) -> Markup:
        """A part of a page, whose components `client.js` brings to life when it loads.

        Raises:
            EngineMissing, RenderFailed, TemplateError, SettingsError: As `render`.
        """
        generation = await self._components.generation()
        adapter = self._adapter_of(generation, template)
        marked = for_page(template, lambda tag: [generation.address_of(tag)])
        return Markup(await _html(generation, adapter, marked, for_page=True))  # noqa: S704 - the engine has escaped it

    async def shell(self, template: Template, *, live: bool) -> Shell:
        """What a document shows before it has any data: no address of a module is in it.

        A document is alone, so where the adapter does not know its components the other one may.

        Args:
            template: What its author made.
            live: Whether its components come along in the document, and are to take over these very nodes.

        Raises:
            EngineMissing, RenderFailed, TemplateError, SettingsError: As `render`.
        """
        generation = await self._components.generation()
        adapter = self._adapter_of(generation, template, or_other=True)
        names = dict.fromkeys(generation.tags[tag] for tag in custom_tags(template))
        shown = for_page(template, lambda _: []) if live else template
        html = await _html(generation, adapter, shown, for_page=True)
        return Shell(html=html, components=tuple(names))

    def _adapter_of(
        self, generation: Generation, template: Template, *, or_other: bool = False
    ) -> str:
        """The adapter that renders now, which knows each of the template's tags.

        Args:
            generation: The components.
            template: What is to be rendered.
            or_other: Whether another one may that knows them.
        """
        adapter = self._adapter()
        if adapter not in ADAPTERS:
            msg = f"LITRO_ADAPTER is {adapter!r:.80}, so 'lit' or 'fast' is required."
            raise SettingsError(msg)
        tags = custom_tags(template)
        for one in (adapter, *ADAPTERS) if or_other else (adapter,):
            if generation.tags_of(one).issuperset(tags):
                return one
        known = generation.tags_of(adapter)
        unknown = [tag for tag in tags if tag not in known]
        other = next((one for one in ADAPTERS if unknown[0] in generation.tags_of(one)), None)
        whose = "no component" if other is None else f"a component of {other!r} alone"
        registered = ", ".join(sorted(known)) or "none"
        msg = (
            f"<{unknown[0]}> is registered by {whose}, and LITRO_ADAPTER is {adapter!r}, so it would stay empty. "
            f"Registered for it are: {registered}. Add it to components/, or correct the tag or the adapter."
        )
        raise RenderFailed(msg)


async def _html(generation: Generation, adapter: str, template: Template, *, for_page: bool) -> str:
    request = {
        "op": "render",
        "adapter": adapter,
        "template": ADAPTERS[adapter](template, for_page=for_page),
    }
    answer = await generation.pool.request(request)
    if not answer["ok"]:
        raise RenderFailed(answer["message"], stack=answer.get("stack"))
    return answer["html"]
