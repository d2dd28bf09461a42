"""The bridge and the host greet each other, and the view takes on what the host says of itself."""

from typing import Any

import pytest
from bridge_host import Host

CONTEXT: dict[str, Any] = {
    "theme": "dark",
    "locale": "de-CH",
    "displayMode": "inline",
    "styles": {
        "variables": {"--color-text-primary": "#123456", "color": "red", "--font-sans": None},
        "css": {"fonts": "@font-face { font-family: Fun; src: local(Fun) }"},
    },
    "safeAreaInsets": {"top": 12, "right": 0, "bottom": "1px", "left": 3.5},
}
ROOT = """() => {
    const {documentElement: html} = document;
    const {colorScheme, color} = html.style;
    const value = (name) => html.style.getPropertyValue(name);
    const insets = ["top", "right", "bottom", "left"].map((side) => value(`--safe-area-inset-${side}`));
    return {
        theme: html.dataset.theme, colorScheme, lang: html.lang, mode: html.dataset.displayMode,
        text: value("--color-text-primary"), sans: value("--font-sans"), color, insets,
        fonts: [...document.querySelectorAll("head style")].map((style) => style.textContent),
    };
}"""


def test_the_greeting_says_who_the_view_is_and_what_it_can(host: Host):
    host.open()
    first, then = host.log[:2]
    assert first == {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "ui/initialize",
        "params": {
            "protocolVersion": "2026-01-26",
            "appInfo": {"name": "weather", "version": "1.2.3"},
            "appCapabilities": {"availableDisplayModes": ["inline", "fullscreen"]},
        },
    }
    assert then == {"jsonrpc": "2.0", "method": "ui/notifications/initialized", "params": {}}


def test_an_app_without_a_name_has_one(host: Host):
    host.open(meta=None)
    params = host.log[0]["params"]
    assert params["appInfo"] == {"name": "litro-mcp-app", "version": "0.0.0"}
    assert params["appCapabilities"] == {"availableDisplayModes": ["inline"]}


def test_nothing_but_the_greeting_is_sent_before_it_is_answered(host: Host):
    host.open(answers={"ui/initialize": None})
    host.run("() => void litroMcp.callTool('late').catch(() => {})")
    host.result({"innerHTML": "<b>"})
    host.pass_time(1_000)
    assert [message.get("method", "ping") for message in host.log] == ["ui/initialize", "ping"]
    host.send(id=1, result={"hostCapabilities": {"logging": {}}})
    host.hears("tools/call")
    methods = [message.get("method") for message in host.log[2:]]
    assert methods[0] == "ui/notifications/initialized"
    assert set(methods[1:]) == {"notifications/message", "tools/call"}


def test_the_view_looks_as_the_host_wishes(host: Host):
    host.open(greeting={"hostContext": CONTEXT})
    assert host.run(ROOT) == {
        "theme": "dark",
        "colorScheme": "dark",
        "lang": "de-CH",
        "mode": "inline",
        "text": "#123456",
        "sans": "",
        "color": "",
        "insets": ["12px", "0px", "", "3.5px"],
        "fonts": ["", CONTEXT["styles"]["css"]["fonts"]],
    }
    assert host.run("litroMcp.hostContext") == CONTEXT
    assert host.run("litroMcp.hostCapabilities") == {"logging": {}, "serverTools": {}}


def test_a_change_of_context_changes_what_it_names(host: Host):
    host.open(greeting={"hostContext": CONTEXT})
    host.run(
        "() => void litroMcp.addEventListener('hostcontextchanged', (event) => (window.told = event.detail))"
    )
    changed = {"theme": "light", "styles": {"css": {"fonts": "/* none */"}}}
    host.tell("ui/notifications/host-context-changed", changed)
    root = host.run(ROOT)
    assert (root["theme"], root["colorScheme"], root["lang"]) == ("light", "light", "de-CH")
    assert root["text"] == "#123456"
    assert root["fonts"] == ["", "/* none */"]
    assert host.run("told") == changed
    assert host.run("litroMcp.hostContext") == {**CONTEXT, **changed}


HOSTILE: list[Any] = [
    None,
    "dark",
    7,
    ["dark"],
    {
        "theme": {"toString": "x"},
        "locale": 1,
        "displayMode": None,
        "styles": None,
        "safeAreaInsets": 4,
    },
    {"styles": {"variables": "--x", "css": []}, "safeAreaInsets": {"top": "1px; color: red"}},
    {"styles": {"variables": {"__proto__": "x", "--": "x", "--x": {}}, "css": {"fonts": 1}}},
]


@pytest.mark.parametrize("context", HOSTILE, ids=map(str, HOSTILE))
def test_a_context_that_is_none_changes_nothing(host: Host, context: object):
    host.open(greeting={"hostContext": context})
    host.tell("ui/notifications/host-context-changed", context)
    root = host.run(ROOT)
    assert root["insets"] == [""] * 4
    assert root["fonts"] == [""]
    assert not any(root[name] for name in ("theme", "colorScheme", "lang", "mode", "text", "color"))


@pytest.mark.parametrize("answer", [{"error": {"code": -32603, "message": "no"}}, None])
def test_a_host_that_refuses_the_greeting_leaves_the_shell_alone(host: Host, answer: object):
    host.open("<p>shell</p>", answers={"ui/initialize": answer})
    host.pass_time(10_000_000)
    assert host.ask("ping")["result"] == {}
    assert host.run("document.body.innerText") == "shell"
    assert [message.get("method") for message in host.log] == ["ui/initialize", None]


def test_a_refused_greeting_is_why_requests_fail(host: Host):
    host.open(answers={"ui/initialize": {"error": {"code": -32603, "message": "not you"}}})
    assert host.run(
        "() => litroMcp.callTool('x').catch((error) => [error.message, error.code])"
    ) == ["not you", -32603]


@pytest.mark.parametrize("result", [None, "yes", []], ids=str)
def test_an_answer_that_says_nothing_is_enough(host: Host, result: object):
    host.open(answers={"ui/initialize": {"result": result}})
    host.result({"city": "Bern"})
    assert host.card("city") == ["Bern"]


def test_a_document_without_a_host_shows_its_shell_and_says_why_nothing_else_works(host: Host):
    host.open("<p>shell</p>")
    script = "<p>shell</p><script>" + host.run("document.scripts[1].text") + "</script>"
    host.page.set_content(f"<!doctype html>{script}")
    host.page.evaluate("litroMcp.applyResult({structuredContent: {title: 'Bern'}})")
    assert host.page.evaluate("document.querySelector('p').title") == "Bern"
    failure = host.page.evaluate("litroMcp.callTool('x').catch((error) => error.message)")
    assert failure == "This document is in no frame of an MCP host."


def test_a_ping_is_answered_only_if_it_is_a_request(host: Host):
    host.open()
    host.send(method="ping")
    assert host.ask("ping") == {"jsonrpc": "2.0", "id": "host-1", "result": {}}
    assert [message["id"] for message in host.log if "result" in message] == ["host-1"]


@pytest.mark.parametrize("method", ["tools/list", "ui/notifications/tool-result", "__proto__", ""])
def test_an_unknown_request_is_answered_with_an_error(host: Host, method: str):
    host.open()
    answer = host.ask(method, {"structuredContent": {"city": "Bern"}})
    assert answer["error"] == {"code": -32601, "message": f'weather has no method "{method}".'}
    assert host.card("city") == [None]


@pytest.mark.parametrize(
    "method", ["constructor", "__proto__", "ui/notifications/new", "ui/resource-teardown"]
)
def test_an_unknown_notification_is_nothing(host: Host, method: str):
    host.open()
    before = host.log
    host.tell(method, {"structuredContent": {"city": "Bern"}})
    assert host.log[len(before) :] == [{"jsonrpc": "2.0", "id": "host-1", "result": {}}]


def test_teardown_is_answered(host: Host):
    host.open()
    host.run("() => void litroMcp.addEventListener('teardown', () => (window.torn = true))")
    assert host.ask("ui/resource-teardown")["result"] == {}
    assert host.run("torn") is True


def test_teardown_waits_for_listeners_for_a_second(host: Host):
    host.open()
    host.run("""() => {
        litroMcp.addEventListener("teardown", (event) => event.waitUntil(Promise.reject(new Error("lost"))));
        litroMcp.addEventListener("teardown", (event) => event.waitUntil(new Promise((saved) => (window.saved = saved))));
    }""")
    host.send(id="a", method="ui/resource-teardown", params={})
    host.ask("ping")
    assert "a" not in [message.get("id") for message in host.log]
    host.run("() => saved()")
    assert host.answer("a")["result"] == {}
    host.send(id="b", method="ui/resource-teardown", params={})
    host.ask("ping")
    host.pass_time(1_000)
    assert host.answer("b")["result"] == {}


STRANGERS = """() => {
    const result = (extra) => ({jsonrpc: "2.0", method: "ui/notifications/tool-result", params: {structuredContent: {city: "Bern"}}, ...extra});
    postMessage(result(), "*");
    const other = document.body.appendChild(document.createElement("iframe"));
    dispatchEvent(new MessageEvent("message", {source: other.contentWindow, data: result()}));
    dispatchEvent(new MessageEvent("message", {data: result()}));
    return new Promise((resolve) => setTimeout(resolve));
}"""


def test_only_the_parent_is_listened_to(live_host: Host):
    live_host.open()
    live_host.run(STRANGERS)
    live_host.ask("ping")
    assert live_host.card("city") == [None]


@pytest.mark.parametrize(
    "data", [None, "text", 1, [], {}, {"jsonrpc": "1.0"}, {"jsonrpc": 2.0}], ids=str
)
def test_what_is_no_json_rpc_is_ignored(host: Host, data: object):
    host.open()
    message = data
    if isinstance(data, dict):
        params = {"structuredContent": {"city": "Bern"}}
        message = {"method": "ui/notifications/tool-result", "params": params, **data}
    host.page.evaluate("data => frame.contentWindow.postMessage(data, '*')", message)
    host.ask("ping")
    assert host.card("city") == [None]


IDS = ["__proto__", "constructor", "toString", "1", 1, 2, 99, None, {"a": 1}, ""]


@pytest.mark.parametrize("number", IDS, ids=map(str, IDS))
@pytest.mark.parametrize("how", ["result", "error"])
def test_a_response_to_nothing_is_ignored(host: Host, number: object, how: str):
    host.open()
    before = len(host.log)
    host.send(
        id=number, **{how: {"code": 1, "message": "x", "structuredContent": {"city": "Bern"}}}
    )
    host.ask("ping")
    assert len(host.log) == before + 1
    assert host.card("city") == [None]


SHADOWED = (
    '<template shadowrootmode="open" shadowrootdelegatesfocus><i-in><template shadowrootmode="open">inner</template></i-in></template>light'
    '<template id="a">x</template><ul><template shadowrootmode="open">no host</template></ul>'
)


def test_shadow_roots_that_the_parser_left_as_templates_are_attached(host: Host):
    # As innerHTML leaves them, and document.write of some browsers.
    host.open(
        "<test-card></test-card>",
        before=f"document.querySelector('test-card').innerHTML = `{SHADOWED}`",
    )
    assert host.run("document.querySelector('test-card').shadowRoot.delegatesFocus") is True
    inside = "document.querySelector('test-card').shadowRoot.querySelector('i-in').shadowRoot.textContent"
    assert host.run(inside) == "inner"
    left = "[...document.querySelectorAll('template')].map((template) => template.parentElement.localName)"
    assert host.run(left) == ["test-card", "ul"]


@pytest.mark.parametrize("how", ["srcdoc", "sandbox", "write"])
def test_a_painted_card_is_filled_however_the_host_writes_the_document(host: Host, how: str):
    painted = '<test-card><template shadowrootmode="open"><p>painted</p></template></test-card>'
    host.open(painted, how=how)
    assert host.run("document.querySelector('test-card').shadowRoot.textContent") == "painted"
    host.result({"city": "Bern"})
    assert host.card("city") == ["Bern"]


def test_a_card_that_has_its_shadow_root_keeps_it(host: Host):
    own = "document.querySelector('test-card').attachShadow({mode: 'open'}).innerHTML = 'own';"
    late = "document.querySelector('test-card').innerHTML = '<template shadowrootmode=open>late</template>'"
    host.open(before=own + late)
    assert host.run("document.querySelector('test-card').shadowRoot.textContent") == "own"
