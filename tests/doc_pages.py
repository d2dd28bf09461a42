"""The pages of the documentation, and the blocks of code in them. It runs nothing."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.glob("*.md")])
"""Those that somebody wrote; docs/reference/ is made of the code."""

_FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NAME = re.compile(r"(?:# |; |// |<!-- )((?:/|[\w-]+/)*[\w.-]+\.\w+)(?: -->)?\n")
_ASSIGNED = re.compile(r"[A-Z_]+=")


@dataclass(frozen=True)
class Block:
    """A block of code on a page."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        """Where it is, for whoever has to mend it."""
        return f"{self.page.name}:{self.line}"

    @property
    def file(self) -> str | None:
        """The file that its first line names."""
        named = _NAME.match(self.text)
        return named[1] if named else None


@dataclass(frozen=True)
class Command:
    """One command of a line in a shell."""

    block: Block
    words: tuple[str, ...]
    """The program and its arguments."""
    variables: tuple[str, ...]
    """What is set for it, by name."""

    @property
    def program(self) -> str:
        """Its name without a folder."""
        return Path(self.words[0]).name if self.words else ""


def blocks(*languages: str) -> list[Block]:
    """The blocks of all pages, the reference's too, of these languages where some are named."""
    found: list[Block] = []
    for page in [*PAGES, *sorted(DOCS.glob("reference/*.md"))]:
        text = page.read_text(encoding="utf-8")
        for fence in _FENCE.finditer(text):
            line = text.count("\n", 0, fence.start()) + 1
            found.append(Block(page, line, fence[1], fence[2]))
    return [block for block in found if not languages or block.language in languages]


def typed(block: Block) -> list[str]:
    """The lines of a console that somebody types; the others are what they come to."""
    return [line[2:] for line in block.text.splitlines() if line.startswith("$ ")]


def commands(block: Block) -> Iterator[Command]:
    """Each command that is typed, those joined by `&&` and `|` apart."""
    for line in typed(block):
        words = shlex.shlex(line, posix=True, punctuation_chars=True)
        words.whitespace_split = True
        yield from _split(block, [*words])


def _split(block: Block, words: list[str]) -> Iterator[Command]:
    ends = [at for at, word in enumerate(words) if word in {"&&", "||", "|", ";"}]
    for start, end in zip([0, *(at + 1 for at in ends)], [*ends, len(words)], strict=True):
        own = words[start:end]
        for at in reversed([at for at, word in enumerate(own) if word in {">", ">>", "<"}]):
            del own[at : at + 2]
        if own[0] in {"sudo", "export"}:
            del own[0]
        variables: list[str] = []
        while own and _ASSIGNED.match(own[0]):
            variables.append(own.pop(0).partition("=")[0])
        yield Command(block, tuple(own), tuple(variables))
