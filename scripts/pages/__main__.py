"""scripts/reference [--check]."""

import sys
from pathlib import Path
from typing import Final

from pages import api, cli, configuration, errors, events, http
from pages.markdown import Undocumented
from pages.source import ROOT

FOLDER: Final = ROOT / "docs/reference"


def wanted() -> dict[Path, str]:
    """Every page as the code would have it.

    Raises:
        Undocumented: The code has something that nothing is said of.
    """
    topics = (api, cli, configuration, errors, events, http)
    return {FOLDER / name: text for topic in topics for name, text in topic.pages().items()}


def differences(pages: dict[Path, str]) -> list[str]:
    """What is wrong with the pages that are there, a sentence each."""
    there = set(FOLDER.glob("*.md"))
    wrong = [
        f"{path.relative_to(ROOT)}: is no page of the reference"
        for path in sorted(there - pages.keys())
    ]
    for path, text in pages.items():
        if path not in there:
            wrong.append(f"{path.relative_to(ROOT)}: is missing")
        elif path.read_text(encoding="utf-8") != text:
            wrong.append(f"{path.relative_to(ROOT)}: is not what the code says")
    return [f"{sentence}. Run scripts/reference." for sentence in wrong]


def main(arguments: list[str]) -> int:
    """Write the pages, or check them."""
    try:
        pages = wanted()
    except Undocumented as error:
        print(error, file=sys.stderr)
        return 1
    if arguments == ["--check"]:
        wrong = differences(pages)
        print(*wrong, sep="\n", end="\n" if wrong else "", file=sys.stderr)
        return 1 if wrong else 0
    FOLDER.mkdir(exist_ok=True)
    for path in set(FOLDER.glob("*.md")) - pages.keys():
        path.unlink()
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
