"""The code of docs/browser.md runs."""

import re
from pathlib import Path

from chat_page import Chat

PAGE = Path(__file__).parents[2] / "docs/browser.md"
BLOCK = re.compile(r"^```js\n(.*?)^```", re.MULTILINE | re.DOTALL)
IMPORT = re.compile(r'^import (\{.*\}) from ("/__litro/client\.js");', re.MULTILINE)


def test_every_block_of_docs_browser_runs_in_the_page(chat: Chat):
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    chat.page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p id=answer></p>')")
    for block in blocks:
        script = IMPORT.sub(r"const \1 = await import(\2);", block)
        chat.page.evaluate(f"async () => {{ {script} }}")
    assert len(blocks) == 5
    answer = chat.page.locator("#answer").text_content()
    assert answer is not None
    assert answer.count("It is a good day for a walk.") == 1
    assert chat.page.locator("body > div weather-card").count() == 1
