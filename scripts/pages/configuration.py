"""`configuration.md`: every setting and where it may come from, and every environment variable that is read."""

from typing import Final

from litro.settings import SETTINGS, Setting
from pages import markdown
from pages.markdown import from_docs, table, words_for
from pages.variables import variables

VARIABLES: Final[dict[str, str]] = {
    "OPENAI_API_KEY": 'The key of `openai_compatible(…)` and `"openai:NAME"`, read at the first request.',
    "ANTHROPIC_API_KEY": 'The key of `anthropic(…)` and `"anthropic:NAME"`, read at the first request.',
    "LLM_URL": "Where the model is of an agent that `litro new` or `litro add` has written; its agent.py reads it, and `LLM_MODEL`.",
    "WEB_CONCURRENCY": "How many processes `litro serve` starts, where `--workers` is not given.",
    "XDG_CACHE_HOME": "Where builds of components are kept, in `litro/`, where the project cannot be written to; `~/.cache` unless it is set.",
    "NODE_OPTIONS": "Kept from the Node.js that renders components.",
    "LANG": "Told to the Node.js that renders components, so that it writes numbers and dates as people here do.",
    "LC_ALL": "As `LANG`.",
    "LC_TIME": "As `LANG`.",
    "TZ": "As `LANG`.",
    "SYSTEMROOT": "As `LANG`; Windows starts no process without it.",
    "_LITRO_WORKER": "Of Litro's own: what `litro serve` hands to its workers.",
    "_LITRO_LISTENER": "Of Litro's own: the socket that `litro dev` keeps when it restarts.",
}
"""What each variable is for that is no setting's."""

_WHERE: Final = "scripts/pages/configuration.py, VARIABLES"


def pages() -> dict[str, str]:
    """The page.

    Raises:
        Undocumented: A variable is read that nothing is said of.
    """
    own = {setting.variable for setting in SETTINGS if setting.variable}
    others = words_for(variables() - own, VARIABLES, what="the variable", where=_WHERE)
    return {
        "configuration.md": markdown.page(
            "Configuration",
            "Of several sources of a setting the first wins: a command's flag or `create_app`'s argument, the variable, `Config(…)` in "
            "`agents/_config.py`, `[tool.litro]` in `pyproject.toml`, the default. [Settings](../settings.md) says how to write them.",
            "## Settings",
            table(["setting", "variable", "argument, file", "default", ""], map(_row, SETTINGS)),
            "A switch is `1`, `true`, `yes`, `on` or `0`, `false`, `no`, `off`. A variable that is blank is not set. A value that cannot be "
            "used stops the app, and the message names its source.",
            "## Another key of `[tool.litro]`",
            table(
                ["key", ""],
                [
                    (
                        "`app`",
                        "The project's own ASGI app, `module:name`, which `litro serve` and `litro dev` serve.",
                    )
                ],
            ),
            "## Other variables",
            table(["variable", ""], [(f"`{name}`", text) for name, text in others.items()]),
            "`litro` commands read the project's `.env` first; what is set in the environment already stays.",
        )
    }


def _row(setting: Setting) -> tuple[str, ...]:
    sources = [
        word
        for source, word in (
            ("flag", "argument"),
            ("config", "`Config`"),
            ("pyproject", "`[tool.litro]`"),
        )
        if source in setting.sources
    ]
    default = "" if setting.default in (None, ()) else f"`{_shown(setting.default)}`"
    variable = f"`{setting.variable}`" if setting.variable else ""
    return f"`{setting.name}`", variable, ", ".join(sources), default, from_docs(setting.summary)


def _shown(default: object) -> str:
    return {True: "yes", False: "no"}[default] if isinstance(default, bool) else str(default)
