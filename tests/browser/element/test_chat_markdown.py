"""An answer's Markdown in a page: the same nodes however it comes, and those that are finished stay what they are."""

import random
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from element import Element
from playwright.sync_api import BrowserContext, Page, expect
from serving_page import Server

ANSWER = """\
# A **day** in Lisbon

Some words with *emphasis*, `code`, ~~no~~ and a [link](https://lisbon.example/a?b=1&amp;c=2).
The second line.

- One
- Two with **bold**
  - deeper
    1. deepest

  A paragraph of two.
- [x] Done
- [ ] Open

| City | Temperature |
|:-----|------------:|
| Lisbon | 21 °C |
| Porto | `19` |

> Quoted *words*
> on two lines

### Code

```python
def f(x):
    return x  # <b>not bold</b>

f(1)
```
7. Seven
8. Eight

---

The end, with https://auto.example and an ![image](https://evil.example/p.png).
"""

START = """
    async ([images]) => {
        const { Markdown } = await import("/__litro/chat/markdown.js");
        const { ENGLISH } = await import("/__litro/chat/texts.js");
        const context = { images, texts: ENGLISH, announcer: { say() {} } };
        window.write = (pieces, isEnded = true) => {
            const host = document.createElement("div");
            document.body.append(host);
            const markdown = new Markdown(host, context);
            for (const piece of pieces) markdown.append(piece);
            if (isEnded) markdown.end();
            host.remove();
            return host.innerHTML;
        };
        window.begin = () => {
            const host = document.body.appendChild(document.createElement("div"));
            return { host, markdown: new Markdown(host, context) };
        };
    }
"""


def started(context: BrowserContext, server: Server, images: str = "none") -> Page:
    page = context.new_page()
    page.goto(server.url)
    page.evaluate(START, [images])
    return page


def pieces_of(text: str, dice: random.Random) -> list[str]:
    pieces: list[str] = []
    while text:
        size = dice.choice([1, 1, 2, 3, 5, 8, 40])
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def test_the_same_text_gives_the_same_nodes_in_whichever_pieces_it_comes(
    context: BrowserContext, server: Server
):
    page = started(context, server)
    whole = page.evaluate("text => write([text])", ANSWER)
    assert whole.count("<li") == 8
    assert whole.count("<tr") == 3
    dice = random.Random(9)
    many = [list(ANSWER), *(pieces_of(ANSWER, dice) for _ in range(30))]
    assert set(page.evaluate("many => many.map((pieces) => write(pieces))", many)) == {whole}


def test_what_is_seen_of_an_unfinished_text_is_the_same_in_whichever_pieces_it_came(
    context: BrowserContext, server: Server
):
    page = started(context, server)
    starts = [ANSWER[:end] for end in range(0, len(ANSWER), 7)]
    code = "starts => starts.map((text) => [write([text], false), write([...text], false)])"
    for at, (whole, streamed) in enumerate(page.evaluate(code, starts)):
        assert whole == streamed, starts[at]


def test_words_nobody_has_finished_marking_up_show_no_marks(
    context: BrowserContext, server: Server
):
    page = started(context, server)
    seen = page.evaluate("texts => texts.map((text) => write([text], false))", [
        "Some **bold wo", "Look [here](https://a.exa", "| a | b |", "```py", "- One\n- ",
    ])  # fmt: skip
    assert seen[0] == "<p>Some <strong>bold wo</strong></p>"
    assert seen[1] == "<p>Look here</p>"
    assert "<th" in seen[2]
    assert seen[3] == ""
    assert seen[4] == "<ul><li><p>One</p></li></ul>"


TOUCHED = """
    (part) => {
        const { host, markdown } = begin();
        const seen = new MutationObserver(() => {});
        seen.observe(host, { childList: true, characterData: true, subtree: true });
        const costs = [];
        for (let round = 0; round < 300; round++) {
            for (const letter of part) markdown.append(letter);
            costs.push(seen.takeRecords().length);
        }
        host.remove();
        return costs;
    }
"""


def test_a_piece_costs_no_more_in_a_long_answer_than_in_a_short_one(
    context: BrowserContext, server: Server
):
    page = started(context, server)
    for part in ("Some **bold** words.\n\n", "- An `item`\n", "1. Another\n\n   of two\n"):
        costs: list[int] = page.evaluate(TOUCHED, part)
        assert costs[-1] <= costs[1], part
        assert max(costs) <= 6 * len(part), part


def test_what_is_finished_stays_selected_while_the_answer_goes_on(
    context: BrowserContext, server: Server
):
    page = started(context, server)
    selected: list[Any] = page.evaluate("""
        () => {
            const { host, markdown } = begin();
            markdown.append("Finished *words*.\\n\\n- an item\\n- **more** and");
            const first = host.querySelector("em");
            getSelection().selectAllChildren(host);
            const before = getSelection().toString();
            for (const letter of " more of it\\n- and others\\n\\n```js\\nx = 1\\n```\\n") markdown.append(letter);
            return [before, getSelection().toString(), first === host.querySelector("em"), host.querySelectorAll("li").length];
        }
    """)
    before, after, is_same, items = selected
    assert after.startswith(before)
    assert is_same
    assert items == 3


def test_pictures_are_loaded_from_where_the_page_allows_and_from_nowhere_else(
    context: BrowserContext, server: Server
):
    page = started(context, server, "origin")
    text = "![own](/own.png) ![other](https://evil.example/p.png) ![data](data:image/gif;base64,R0lGODlhAQABAAAAACw=)"
    shown = page.evaluate("text => write([text])", text)
    assert f'src="{server.url}own.png"' in shown
    assert 'src="data:image/gif' in shown
    assert 'href="https://evil.example/p.png"' in shown
    assert shown.count("<img") == 2


def test_code_is_copied_as_it_was_written(chat: Element, context: BrowserContext):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.ask("x\n\n```js\nlet a = 1;\n\nf(a);\n```")
    chat.ends()
    expect(chat.log.get_by_role("group", name="Code: js")).to_contain_text("f(a);")
    chat.button("Copy the code").click()
    assert chat.page.evaluate("navigator.clipboard.readText()") == "let a = 1;\n\nf(a);"


def test_an_answer_looks_well(
    context: BrowserContext, server: Server, session: str, tmp_path: Path
):
    page = context.new_page()
    chat = Element(page, server.url, session)
    chat.ask(f"x\n\n{ANSWER}")
    chat.ends()
    expect(chat.log.locator(".text table")).to_be_visible()
    for width, scheme in ((1280, "light"), (400, "dark")):
        page.set_viewport_size({"width": width, "height": 1500})
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=tmp_path / f"answer-{scheme}.png")
        overflow = page.locator(".scroller").evaluate("at => at.scrollWidth - at.clientWidth")
        assert overflow == 0
        violations = Axe().run(page).response["violations"]
        assert [(it["id"], [node["html"] for node in it["nodes"]]) for it in violations] == []
