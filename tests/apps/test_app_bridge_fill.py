"""The bridge puts what a tool was asked and answered into the card, and nothing that could harm it."""

from typing import Any

import pytest
from bridge_host import CARD, Host, names_in, warnings
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

WATCHED = """
customElements.define("test-card", class extends HTMLElement {
    online = false;
    onSelect = null;
    renderRoot = document.body;
    #once; #city;
    set once(value) { this.#once = value; } get once() { return this.#once; }
    set city(value) { this.#city = value; this.count = (this.count ?? 0) + 1; } get city() { return this.#city; }
    set tempC(value) { this.kept = value; } get tempC() { return this.kept; }
    set broken(value) { throw new Error("no"); }
    set worse(value) { throw null; }
    get failing() { throw new Error("no"); }
    get fixed() { return 1; }
    set markup(value) { this.innerHTML = value; }
    refresh() { return "refreshed"; }
});
"""
DENIED = [
    "innerHTML",
    "outerHTML",
    "innerText",
    "outerText",
    "textContent",
    "nodeValue",
    "insertAdjacentHTML",
    "src",
    "srcset",
    "srcdoc",
    "href",
    "action",
    "formaction",
    "formAction",
    "style",
    "nonce",
    "contentEditable",
    "contentWindow",
    "contentDocument",
    "ownerDocument",
    "attributes",
    "constructor",
    "prototype",
]
HANDLERS = [
    "onclick",
    "onload",
    "onerror",
    "onmessage",
    "onstorage",
    "onreadystatechange",
    "onfullscreenchange",
    "onbeforeunload",
    "ononline",
]
METHODS = ["refresh", "remove", "append", "setAttribute", "toString", "attachShadow"]
BROKEN = [
    "broken",
    "worse",
    "failing",
    "fixed",
    "children",
    "parentNode",
    "isConnected",
    "renderRoot",
    "shadowRoot",
]
STATE = "document.documentElement.dataset.toolState"


def test_each_property_is_set_by_its_name(host: Host):
    host.open()
    data = {"city": "Bern", "days": [1, {"a": None}], "title": "x", "unknown_name": True}
    host.result(data)
    assert host.card(*data) == list(data.values())
    assert host.run(STATE) == "result"
    assert warnings(host) == []


def test_a_name_with_underscores_is_a_property_in_camel_case_if_only_that_is_there(host: Host):
    host.open(before=WATCHED)
    host.result({"temp_c": 21, "tab_index": 3, "on_select": "x", "is_new": 1})
    assert host.card("tempC", "temp_c", "tabIndex", "onSelect", "is_new", "isNew") == [
        21,
        None,
        3,
        "x",
        1,
        None,
    ]


@pytest.mark.parametrize("data", [[1, 2], 21, "text", False, None], ids=str)
def test_what_is_no_object_is_a_value(host: Host, data: object):
    host.open()
    host.result({"value": "before"})
    host.result(data)
    assert host.card("value") == [data]


def test_a_result_without_data_changes_nothing_but_the_state(host: Host):
    host.open()
    host.tell("ui/notifications/tool-result", {"content": [{"type": "text", "text": "hi"}]})
    assert host.run(STATE) == "result"
    assert host.run("Object.keys(document.body.firstElementChild)") == []


@pytest.mark.parametrize("params", [None, "x", 3, [], {"content": None, "isError": True}], ids=str)
def test_a_result_that_is_none_fills_nothing(host: Host, params: object):
    host.open()
    host.tell("ui/notifications/tool-result", params)
    assert set(host.run("Object.keys(document.body.firstElementChild)")) <= {"toolError"}


SEEN = """() => {
    const card = document.body.firstElementChild;
    return [document.body.innerHTML.replace(/<script>.*?<[/]script>/gs, ""), card.constructor.name, card.refresh(), typeof card.remove, card.onclick, {}.polluted ?? null];
}"""


@pytest.mark.parametrize("key", [*DENIED, *HANDLERS, *METHODS, *BROKEN])
def test_a_property_that_could_do_harm_is_refused_and_the_rest_is_filled(host: Host, key: str):
    host.open(before=WATCHED)
    before = host.run(SEEN)
    host.result({"city": "Bern", key: "<img src=x onerror=alert(1)>", "days": 3})
    assert host.run(SEEN) == before
    assert host.card("city", "days") == ["Bern", 3]
    [warning] = warnings(host)
    assert names_in(warning) == {key}


def test_proto_is_refused(host: Host):
    host.open(before=WATCHED)
    hostile = """() => send({method: "ui/notifications/tool-result", params: {
        structuredContent: JSON.parse('{"__proto__": {"polluted": 1}, "city": "Bern"}')}})"""
    host.page.evaluate(hostile)
    host.ask("ping")
    assert host.card("city", "polluted") == ["Bern", None]
    assert host.run(
        "document.querySelector('test-card') instanceof customElements.get('test-card')"
    )
    assert [names_in(warning) for warning in warnings(host)] == [{"__proto__"}]


@pytest.mark.parametrize(
    "key",
    ["inner_h_t_m_l", "form_action", "content_editable", "text_content", "insert_adjacent_h_t_m_l"],
)
def test_the_deny_list_holds_for_the_name_that_would_be_set(host: Host, key: str):
    host.open("<button>shell</button>")
    host.result({key: "<b>x</b>"})
    assert host.run("document.body.firstElementChild.outerHTML") == "<button>shell</button>"
    assert [names_in(warning) for warning in warnings(host)] == [{key}]


def test_all_refusals_of_a_fill_are_one_warning(host: Host):
    host.open(before=WATCHED)
    host.result({"innerHTML": "x", "city": "Bern", "onclick": "x", "broken": 1})
    host.result({"innerHTML": "y", "city": "Basel"})
    assert [names_in(said) for said in warnings(host)] == [
        {"innerHTML", "onclick", "broken"},
        {"innerHTML"},
    ]


def test_a_host_without_a_log_is_spared_the_warning(host: Host):
    said: list[str] = []
    host.page.on("console", lambda message: said.append(message.text))
    host.open(greeting={"hostCapabilities": {}})
    host.result({"innerHTML": "x"})
    assert warnings(host) == []
    assert [names_in(warning) for warning in said] == [{"innerHTML"}]


def test_names_that_only_look_like_event_handlers_are_filled(host: Host):
    host.open(before=WATCHED)
    data = {"online": True, "once": 1, "on": "x", "ongoing": [1], "onSelect": "y", "only": 2}
    for _ in range(2):
        host.result(data)
        host.result({**data, "again": 1})
    assert host.card(*data) == list(data.values())
    assert warnings(host) == []


def test_they_are_so_in_a_card_of_plain_html(host: Host):
    host.open("<video></video>", before="var online = 1;")
    host.result({"online": 1, "only": 2, "onencrypted": 3})
    host.result({"online": 2, "only": 3})
    assert host.card("online", "only") == [2, 3]
    assert [names_in(warning) for warning in warnings(host)] == [{"onencrypted"}]


def test_a_components_own_setter_that_makes_markup_is_the_components(host: Host):
    host.open(before=WATCHED)
    host.result({"markup": "<b>reached</b>"})
    assert host.run("document.querySelector('test-card b').textContent") == "reached"


def test_a_megabyte_is_text_like_any_other(host: Host):
    host.open(before=WATCHED)
    long = "<script>" * 131_072
    host.result({"city": long})
    assert host.card("city") == [long]
    assert host.run("document.querySelectorAll('script').length") == 2


def test_what_is_before_the_card_is_no_card(host: Host):
    host.open(f"<!-- made by hand --><style>p {{ color: red }}</style> text {CARD}")
    host.result({"city": "Bern"})
    assert host.run("document.querySelector('test-card').city") == "Bern"


def test_a_card_that_was_replaced_is_found_again(host: Host):
    host.open()
    host.result({"city": "Bern"})
    host.run("() => document.body.firstElementChild.replaceWith(document.createElement('p'))")
    host.result({"city": "Basel"})
    assert host.card("city", "localName") == ["Basel", "p"]


def test_a_document_without_a_card_is_filled_with_nothing(host: Host):
    host.open("only text")
    host.tell("ui/notifications/tool-input", {"arguments": {}})
    host.result({"city": "Bern"})
    host.result(isError=True)
    assert host.run(STATE) == "error"


def test_the_apps_own_apply_fills_in_place_of_the_bridge(host: Host):
    host.open(
        "<p></p>",
        before="litroMcpApply = (element, data) => (element.textContent = data.innerHTML ?? data.value)",
    )
    host.result({"innerHTML": "<b>safe</b>"})
    assert host.run("document.querySelector('p').textContent") == "<b>safe</b>"
    host.result([1, 2])
    assert host.run("document.querySelector('p').textContent") == "1,2"
    assert warnings(host) == []


@pytest.mark.parametrize("arrow", ["() =>", "async () =>"])
def test_an_apply_that_fails_is_told_of(host: Host, arrow: str):
    host.open(before=f"litroMcpApply = {arrow} {{ throw new TypeError('no element') }}")
    host.result({"city": "Bern"})
    assert warnings(host) == ["The app's own apply failed. TypeError: no element"]
    assert host.run(STATE) == "result"


def test_an_apply_that_is_no_function_is_none(host: Host):
    host.open(before="litroMcpApply = 'x'")
    host.result({"city": "Bern"})
    assert host.card("city") == ["Bern"]


def test_the_input_is_there_before_the_result(host: Host):
    host.open()
    assert host.run(STATE) == "waiting"
    host.run(
        "() => { window.told = []; for (const type of ['toolinput', 'toolinputpartial']) litroMcp.addEventListener(type, (event) => told.push(event.detail)); }"
    )
    host.tell("ui/notifications/tool-input-partial", {"arguments": {"city": "Be"}})
    assert (host.run(STATE), host.card("toolInput")) == ("waiting", [{"city": "Be"}])
    host.tell("ui/notifications/tool-input", {"arguments": {"city": "Bern"}})
    assert (host.run(STATE), host.card("toolInput")) == ("input", [{"city": "Bern"}])
    host.tell("ui/notifications/tool-input-partial", {"arguments": {"city": "B"}})
    assert host.card("toolInput") == [{"city": "Bern"}]
    assert [detail["arguments"]["city"] for detail in host.run("told")] == ["Be", "Bern", "B"]


def test_the_same_input_and_result_again_change_nothing(host: Host):
    host.open(before=WATCHED)
    host.run(
        "() => { window.told = []; for (const type of ['toolinput', 'toolresult']) litroMcp.addEventListener(type, () => told.push(type)); }"
    )
    for _ in range(3):
        host.tell("ui/notifications/tool-input", {"arguments": {"city": "Bern"}})
    host.result({"city": "Bern"})
    host.run("() => litroMcp.applyResult({structuredContent: {city: 'Bern, later'}})")
    host.result({"city": "Bern"})
    host.tell("ui/notifications/tool-input", {"arguments": {"city": "Bern"}})
    assert host.card("city", "count") == ["Bern, later", 2]
    assert host.run("told") == ["toolinput", "toolresult"]
    assert host.run(STATE) == "result"


def test_a_tool_that_is_asked_anew_may_answer_the_same(host: Host):
    host.open()
    host.result({"city": "Bern"})
    host.run("() => { document.body.firstElementChild.city = 'edited' }")
    host.tell("ui/notifications/tool-input", {"arguments": {"again": True}})
    host.result({"city": "Bern"})
    assert host.card("city") == ["Bern"]


def test_a_failed_result_is_the_cards_error_and_fills_nothing(host: Host):
    host.open()
    texts = [
        {"type": "text", "text": "no such"},
        {"type": "image"},
        None,
        {"type": "text", "text": "city"},
    ]
    host.result({"city": "Bern"}, isError=True, content=texts)
    assert host.card("city", "toolError") == [None, "no such\ncity"]
    assert host.run(STATE) == "error"
    host.result({"city": "Basel"})
    assert host.card("city", "toolError") == ["Basel", None]
    assert host.run(STATE) == "result"


def test_a_cancelled_tool_is_told_of(host: Host):
    host.open()
    host.run(
        "() => void litroMcp.addEventListener('toolcancelled', (event) => (window.told = event.detail))"
    )
    host.tell("ui/notifications/tool-cancelled", {"reason": "timeout"})
    assert host.run(STATE) == "cancelled"
    assert host.run("told") == {"reason": "timeout"}


def test_a_listener_that_fails_keeps_nothing_from_the_card(host: Host):
    host.open()
    host.run("""() => {
        addEventListener("error", (event) => { event.preventDefault(); window.failure = event.message; });
        litroMcp.addEventListener("toolresult", () => { throw new Error("mine") });
    }""")
    host.result({"city": "Bern"})
    assert host.card("city") == ["Bern"]
    assert host.run("failure") == "Uncaught Error: mine"


@pytest.mark.parametrize("answered", [True, False])
def test_a_result_before_the_greeting_is_answered_is_shown(host: Host, answered: bool):
    host.open(answers={"ui/initialize": None})
    host.result({"city": "Bern"})
    if answered:
        host.send(id=1, result={"hostContext": {}})
        host.hears("ui/notifications/initialized")
    assert host.card("city") == ["Bern"]


WORDS = st.one_of(
    st.sampled_from(
        [*DENIED, *HANDLERS, *METHODS, "__proto__", "city", "temp_c", "inner_text", "toolInput"]
    ),
    st.text(max_size=8),
)
TREES = st.dictionaries(
    WORDS,
    st.one_of(st.none(), st.integers(-9, 9), st.text(max_size=20), st.lists(st.booleans())),
    max_size=8,
)


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(trees=st.lists(TREES, min_size=1, max_size=4))
def test_no_data_changes_the_cards_markup_or_class(host: Host, trees: list[dict[str, Any]]):
    if len(host.page.frames) == 1 or not host.log:
        host.open(before=WATCHED)
    host.run(
        "() => document.body.firstElementChild.replaceWith(document.createElement('test-card'))"
    )
    for tree in trees:
        host.result(tree)
    assert host.run("document.body.children.length") == 3
    assert host.run("document.body.firstElementChild.childNodes.length") == 0
    assert host.run("document.querySelector('test-card').refresh()") == "refreshed"
    assert host.run("({}).polluted ?? null") is None
