"""`api.md` and a page for each module that users import from: names, signatures, and what their docstrings say."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from pages import markdown
from pages.docstrings import Doc, doc_of
from pages.markdown import Undocumented, table
from pages.source import (
    Attribute,
    Function,
    attributes,
    called,
    constructor,
    has,
    home_of,
    methods,
    module_of,
    parameters,
    signature,
    types_set_by,
)


@dataclass(frozen=True)
class Part:
    """A module, and the names of it that a page shows: by default all that it exports."""

    module: str
    names: tuple[str, ...] = ()
    about: str = ""
    is_adapter: bool = False
    """Whether its methods are a port's, which are described there."""

    @property
    def all_names(self) -> list[str]:
        """The names, in the order in which they are shown."""
        return list(self.names or import_module(self.module).__all__)


PAGES: Final[dict[str, tuple[Part, ...]]] = {
    "litro": (
        Part("litro"),
        Part("litro.app", ("Litro",), "What `create_app` answers, and the session that it gives."),
        Part("litro.turn.session", ("Session",)),
        Part("litro.turn.queue", ("QueuedMessage",)),
        Part(
            "litro.content",
            ("Text", "Image", "Audio", "File"),
            "What a tool may return that is not data, alone or in a list.",
        ),
        Part(
            "litro.definitions",
            (
                "ToolSession",
                "TurnContext",
                "ToolHints",
                "Principal",
                "Access",
                "Instructions",
                "History",
                "Lifespan",
                "Icons",
                "Audience",
            ),
            "What the signatures above name.",
        ),
        Part("litro.events", ("Event", "Private", "OnBusy", "WaitMode")),
    ),
    "litro.ui": (Part("litro.ui"),),
    "litro.providers": (
        Part("litro.providers"),
        Part("litro.providers.script", ("Script", "ScriptItem"), "What a script is."),
        Part(
            "litro.providers.base",
            (
                "Provider",
                "ModelRequest",
                "Message",
                "UserMessage",
                "AssistantMessage",
                "CallMade",
                "ResultsMessage",
                "CallResult",
                "ToolSpec",
                "ModelEvent",
                "TextDelta",
                "ReasoningDelta",
                "ToolCall",
                "Usage",
                "Finished",
            ),
            "The port: what a turn asks of a model, and what it hears back. A provider of your own has these in its hands.",
        ),
    ),
    "litro.client": (Part("litro.client"),),
    "litro.testing": (
        Part("litro.testing"),
        Part("litro.testing.stores", ("CHECKS", "Check", "Connect")),
        Part(
            "litro.testing.plugin",
            ("litro_project",),
            "The pytest fixture that the package brings.",
        ),
    ),
    "litro.mcp": (Part("litro.mcp"),),
    "litro.sessions": (
        Part("litro.sessions", ("open_store",)),
        Part("litro.sessions.file", ("FileStore",), is_adapter=True),
        Part("litro.sessions.sqlite", ("SqliteStore",), is_adapter=True),
        Part("litro.sessions.postgres", ("PostgresStore",), is_adapter=True),
        Part(
            "litro.sessions.base",
            ("SessionStore", "SessionWriter", "SessionMeta", "SessionKey", "Place", "ANY"),
            "The port, for a store of your own.",
        ),
    ),
}


@dataclass(frozen=True)
class Name:
    """A public name: where it is imported from, and the statement that makes it."""

    module: str
    name: str
    node: ast.stmt | ast.Module
    attribute: Attribute | None = None

    @property
    def doc(self) -> Doc:
        """What is said of it.

        Raises:
            Undocumented: Nothing is.
        """
        if isinstance(self.node, ast.ClassDef | Function | ast.Module):
            doc = doc_of(self.node)
        else:
            doc = Doc("" if self.attribute is None else markdown.one_line(self.attribute.doc))
        if not doc.summary:
            msg = f"{self.module}: {self.name} is public and has no docstring, so one is required."
            raise Undocumented(msg)
        return doc


def pages() -> dict[str, str]:
    """The index, and the page of each module."""
    return {"api.md": _index()} | {f"{name}.md": _page(name) for name in PAGES}


def names_of(page: str) -> list[Name]:
    """The names that the page shows."""
    return [_name(part.module, name) for part in PAGES[page] for name in part.all_names]


def _name(module: str, name: str) -> Name:
    if f"{module}.{name}" == "litro.testing.stores":
        return Name(module, name, module_of("litro.testing.stores"))
    _, node = home_of(module, name)
    attribute = next((one for one in attributes([node]) if one.name == name), None)
    if attribute is not None:
        body = module_of(home_of(module, name)[0]).body
        attribute = next(one for one in attributes(body) if one.name == name)
    return Name(module, name, node, attribute)


def _index() -> str:
    parts = [
        "What is imported from where. Names that begin with `_`, and modules that are not here, are Litro's own and may change.",
        "Errors are on a [page of their own](errors.md), payloads of events [too](events.md).",
    ]
    for page in PAGES:
        parts.append(f"## [`{page}`]({page}.md)")
        parts.append(_meanings(page, f"{page}.md"))
    return markdown.page("Python", *parts)


def _meanings(page: str, target: str = "") -> str:
    rows: list[tuple[str, str]] = []
    for n, one in enumerate(names := names_of(page)):
        # GitHub numbers headings that differ in case alone.
        before = sum(other.name.lower() == one.name.lower() for other in names[:n])
        anchor = one.name.lower() + (f"-{before}" if before else "")
        rows.append((f"[`{one.name}`]({target}#{anchor})", _first_sentence(one.doc.summary)))
    return table(["name", ""], rows)


def _page(page: str) -> str:
    about = doc_of(module_of(page))
    parts = [about.summary, about.rest, _meanings(page)]
    for part in PAGES[page]:
        if part.about:
            parts.append(f"---\n\n{part.about}")
        for name in part.all_names:
            parts += _sections(_name(part.module, name), is_adapter=part.is_adapter)
    return markdown.page(f"`{page}`", *parts)


def _sections(one: Name, *, is_adapter: bool = False) -> Iterator[str]:
    yield f"## `{one.name}`"
    yield f"`from {one.module} import {one.name}`"
    if isinstance(one.node, ast.ClassDef):
        yield from _class(one, one.node, [] if is_adapter else methods(one.node))
    elif isinstance(one.node, Function):
        if not has(one.node, "fixture"):
            yield _block(signature(one.name, one.node))
        yield from _told(one.doc)
    else:
        if one.attribute is not None and len(one.attribute.value) < 200:
            yield _block(f"{one.name} = {one.attribute.value}")
        yield from _told(one.doc)


def _class(one: Name, node: ast.ClassDef, own: list[Function]) -> Iterator[str]:
    made = constructor(node, module_of(home_of(one.module, one.name)[0]))
    is_data = has(node, "dataclass") or any("NamedTuple" in ast.unparse(b) for b in node.bases)
    fields = attributes(node.body) if is_data else []
    if made is not None and one.doc.arguments:
        yield _block(signature(one.name, made, with_self=True))
    elif fields:
        yield _block(called(one.name, _given(node, fields)))
    yield from _told(one.doc)
    # Those without words say it all by their names, above.
    rows = [(f"`{f.name}`", f"`{f.annotation}`", markdown.one_line(f.doc)) for f in fields if f.doc]
    types = types_set_by(made)
    for name, text in one.doc.attributes.items():
        rows.append((f"`{name}`", markdown.code(*filter(None, [types.get(name)])), text))
    rows += [
        (f"`{method.name}`", f"`{_returns(method)}`", _summary(one, method).summary)
        for method in own
        if has(method, "property")
    ]
    if rows:
        yield table(["attribute", "type", ""], rows)
    for method in own:
        if not any(has(method, kind) for kind in ("property", "setter")):
            yield f"### `{one.name}.{method.name}`"
            yield _block(signature(method.name, method, with_self=not has(method, "staticmethod")))
            yield from _told(_summary(one, method))


def _summary(one: Name, method: Function) -> Doc:
    doc = doc_of(method)
    if not doc.summary:
        msg = f"{one.module}: {one.name}.{method.name} is public and has no docstring, so one is required."
        raise Undocumented(msg)
    unknown = doc.arguments.keys() - set(parameters(method))
    if unknown:
        msg = f"{one.module}: {one.name}.{method.name} has no argument {min(unknown)!r}, which its docstring describes."
        raise Undocumented(msg)
    return doc


def _told(doc: Doc) -> Iterator[str]:
    yield doc.summary
    yield doc.rest
    if doc.arguments:
        yield table(["argument", ""], [(f"`{n}`", text) for n, text in doc.arguments.items()])
    if doc.returns:
        yield f"**Returns** {doc.returns}"
    if doc.raises:
        yield "\n".join(f"* **Raises** {_kinds(kinds)}: {text}" for kinds, text in doc.raises)


def _kinds(kinds: str) -> str:
    return markdown.code(*(kind.strip() for kind in kinds.split(",")))


def _returns(method: Function) -> str:
    return signature("", method).rpartition("-> ")[2]


def _given(node: ast.ClassDef, fields: list[Attribute]) -> list[str]:
    by_name = "KW_ONLY" in ast.unparse(node) or "kw_only=True" in ast.unparse(node)
    given = [f"{f.name}: {f.annotation}" + _default(f) for f in fields]
    return ["*", *given] if by_name else given


def _default(one: Attribute) -> str:
    if not one.value:
        return ""
    # `field(default=None, repr=False)` is None to whoever calls.
    return " = " + (one.value if not one.value.startswith("field(") else "None")


def _first_sentence(text: str) -> str:
    return text.partition(". ")[0].removesuffix(".") + "."


def _block(text: str) -> str:
    # `py`, not `python`: blocks of the latter are programs, which the tests run.
    return f"```py\n{text}\n```"
