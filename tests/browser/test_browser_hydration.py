"""`hydrateUIResult` in a real browser: what was sent shows, wakes up with its properties, and can do no harm."""

from typing import Any

import pytest
from chat_page import Chat
from playwright.sync_api import Browser, expect
from serving_page import Server

COUNTER = (
    "<test-counter defer-hydration><template shadowrootmode='open'><!--kept--><button>4</button>"
    "<div><template shadowrootmode='open'><i>nested</i></template></div></template></test-counter>"
)
SCRIPT = """async ({results, native}) => {
    const {hydrateUIResult} = await import("/__litro/client.js");
    if (!native) delete Element.prototype.setHTMLUnsafe;
    const shown = [];
    for (const result of results) {
        const host = document.body.appendChild(document.createElement("div"));
        const root = await hydrateUIResult(host, result).catch((error) => error);
        const html = host.getHTML({shadowRoots: [...roots(host)]});
        shown.push({root: root instanceof Error ? root.message : root && root.localName, html});
    }
    function* roots(node) {
        for (const child of node.querySelectorAll("*")) {
            if (child.shadowRoot) { yield child.shadowRoot; yield* roots(child.shadowRoot); }
        }
    }
    return shown;
}"""


def hydrate(chat: Chat, *results: dict[str, Any], native: bool = True) -> list[dict[str, Any]]:
    return chat.page.evaluate(SCRIPT, {"results": results, "native": native})


@pytest.mark.parametrize("native", [True, False], ids=["native", "fallback"])
def test_a_component_wakes_up_with_its_properties_in_the_nodes_that_were_sent(
    chat: Chat, native: bool
):
    hydrate_ = {"props": {"count": 4}, "modules": ["/page/test-counter.js"]}
    [shown] = hydrate(chat, {"html": COUNTER, "hydrate": hydrate_}, native=native)
    assert shown["root"] == "test-counter"
    assert "<!--kept--><button>4</button>" in shown["html"]
    assert "defer-hydration" not in shown["html"]
    counter = chat.page.locator("test-counter")
    assert counter.evaluate("counter => counter.wasSent") is True
    counter.get_by_role("button").click()
    expect(counter.get_by_role("button")).to_have_text("5")


def test_a_browser_without_set_html_unsafe_shows_the_same(chat: Chat):
    results = [
        {"html": html}
        for html in (
            COUNTER,
            "plain & text",
            "<b>one</b><b>two</b>",
            "<p><template shadowrootmode='closed'>c</template></p>",
            "<ul><template shadowrootmode='open'>no host</template></ul>",
            "<div><template shadowrootmode='open'>1</template><template shadowrootmode='open'>2</template></div>",
            "<template><div><template shadowrootmode='open'>later</template></div></template>",
            "<div><template shadowrootmode='open'><template shadowrootmode='open'>x</template></template></div>",
        )
    ]
    native = hydrate(chat, *results)
    chat.page.reload()
    fallback = hydrate(chat, *results, native=False)
    for shown in fallback:
        # Of scoped registries, which browsers in need of the fallback do not have.
        shown["html"] = shown["html"].replace(' shadowrootcustomelementregistry=""', "")
    assert fallback == native


def test_text_alone_has_no_root(chat: Chat):
    assert hydrate(chat, {"html": "21 °C"}) == [{"root": None, "html": "21 °C"}]


def test_no_property_becomes_markup_or_breaks_the_element(chat: Chat):
    props = {
        "innerHTML": "<i>x</i>",
        "outerHTML": "<i>x</i>",
        "remove": 1,
        "__proto__": {"a": 1},
        "title": "Kept",
    }
    [shown] = hydrate(chat, {"html": "<div>safe</div>", "hydrate": {"props": props}})
    assert shown == {"root": "div", "html": '<div title="Kept">safe</div>'}


@pytest.mark.parametrize(
    "name", ["https://elsewhere.example/x.js", "../../x.js", "data:text/javascript,1"]
)
def test_a_module_from_elsewhere_is_not_loaded_but_the_markup_stands(chat: Chat, name: str):
    chat.page.evaluate("history.replaceState(null, '', '/page/')")
    warnings: list[str] = []
    chat.page.on("console", lambda said: warnings.append(said.text))
    script = """async (name) => {
        const {hydrateUIResult} = await import("/__litro/client.js");
        const host = document.createElement("div");
        const result = {html: "<b>x</b>", hydrate: {modules: [name]}};
        await hydrateUIResult(host, result, {base: "/page/below"});
        return host.innerHTML;
    }"""
    assert chat.page.evaluate(script, name) == "<b>x</b>"
    [warning] = warnings
    assert "was not loaded" in warning


def test_markup_runs_no_script_and_no_handler(browser: Browser, server: Server, session: str):
    context = browser.new_context()
    chat = Chat(context.new_page(), server.url, session)
    html = "<script>window.harm = 1</script><img src='data:,' onerror='window.harm = 2'>"
    chat.page.evaluate(
        "addEventListener('securitypolicyviolation', (e) => (window.stopped = e.effectiveDirective))"
    )
    hydrate(chat, {"html": html})
    chat.page.wait_for_function("window.stopped")
    assert chat.page.evaluate("window.harm") is None
    context.close()
