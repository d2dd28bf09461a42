"""What a card asks of its host, and what it makes of answers, late answers, and none."""

from typing import Any

import pytest
from bridge_host import Host

ASKED: list[tuple[str, str, dict[str, Any]]] = [
    (
        "callTool('forecast', {city: 'Bern'})",
        "tools/call",
        {"name": "forecast", "arguments": {"city": "Bern"}},
    ),
    ("callTool('forecast')", "tools/call", {"name": "forecast", "arguments": {}}),
    (
        "callTool('forecast', {when: new Date(0), no: undefined, run() {}})",
        "tools/call",
        {"name": "forecast", "arguments": {"when": "1970-01-01T00:00:00.000Z"}},
    ),
    ("readResource('ui://weather/card')", "resources/read", {"uri": "ui://weather/card"}),
    ("openLink('https://example.com/')", "ui/open-link", {"url": "https://example.com/"}),
    ("openLink(new URL('https://example.com/'))", "ui/open-link", {"url": "https://example.com/"}),
    (
        "sendMessage('hi')",
        "ui/message",
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
    ),
    (
        "sendMessage({type: 'text', text: 'hi'})",
        "ui/message",
        {"role": "user", "content": [{"type": "text", "text": "hi"}]},
    ),
    ("sendMessage([])", "ui/message", {"role": "user", "content": []}),
    (
        "updateModelContext({content: 'hot'})",
        "ui/update-model-context",
        {"content": [{"type": "text", "text": "hot"}]},
    ),
    (
        "updateModelContext({structuredContent: {t: 21}})",
        "ui/update-model-context",
        {"structuredContent": {"t": 21}},
    ),
    ("requestDisplayMode('fullscreen')", "ui/request-display-mode", {"mode": "fullscreen"}),
]
FAIL = "litroMcp.callTool('x').catch((error) => ({name: error.name, message: error.message, code: error.code, data: error.data}))"
SLOW = """(options) => {
    window.end = null;
    litroMcp.callTool("slow", {}, options).then((result) => (end = ["answered", result]), (error) => (end = [error.name, error.message]));
}"""


def slow(host: Host, options: dict[str, Any] | None = None) -> int:
    """Call a tool that does not answer. Returns the call's id."""
    host.run(SLOW, options)
    return host.hears("tools/call")["id"]


@pytest.mark.parametrize(
    ("script", "method", "params"), ASKED, ids=[script for script, _, _ in ASKED]
)
def test_a_request_is_the_hosts_to_answer(
    host: Host, script: str, method: str, params: dict[str, Any]
):
    host.open(answers={method: {"result": {"mode": "inline", "more": [1]}}})
    assert host.run(f"litroMcp.{script}") == {"mode": "inline", "more": [1]}
    [message] = [message for message in host.log if message.get("method") == method]
    assert message == {"jsonrpc": "2.0", "id": 2, "method": method, "params": params}


def test_a_failed_result_is_an_answer(host: Host):
    host.open(answers={"tools/call": {"result": {"isError": True, "content": []}}})
    assert host.run("litroMcp.callTool('x')") == {"isError": True, "content": []}


def test_an_error_of_the_host_is_an_error_here(host: Host):
    host.open(
        answers={"tools/call": {"error": {"code": -32602, "message": "no such tool", "data": [1]}}}
    )
    assert host.run(FAIL) == {
        "name": "Error",
        "message": "no such tool",
        "code": -32602,
        "data": [1],
    }


@pytest.mark.parametrize("error", ["broken", 1, {"message": {"a": 1}}], ids=str)
def test_an_error_that_says_nothing_is_one_too(host: Host, error: object):
    host.open(answers={"tools/call": {"error": error}})
    assert host.run(FAIL)["name"] == "Error"


def test_what_is_no_json_is_not_sent(host: Host):
    host.open()
    failure = host.run("litroMcp.callTool('x', {n: 1n}).catch((error) => error.name)")
    assert failure == "TypeError"
    assert host.sent("tools/call") == []


def test_answers_find_their_requests(host: Host):
    host.open()
    host.run(
        "() => { window.both = Promise.all([litroMcp.callTool('a'), litroMcp.readResource('b')]) }"
    )
    first, second = host.hears("tools/call")["id"], host.hears("resources/read")["id"]
    host.send(id=second, result={"is": "second"})
    host.send(id=first, result={"is": "first"})
    assert host.run("both") == [{"is": "first"}, {"is": "second"}]


@pytest.mark.parametrize("timeout", [None, -1, "1", float("nan"), {}], ids=str)
def test_a_request_waits_for_thirty_seconds(host: Host, timeout: object):
    host.open()
    call = slow(host, {"timeoutMs": timeout})
    host.pass_time(29_999)
    assert host.run("end") is None
    host.pass_time(1)
    assert host.run("end") == ["TimeoutError", "tools/call was not answered within 30000 ms."]
    host.send(id=call, result={"late": True})
    host.ask("ping")
    assert host.run("end[0]") == "TimeoutError"


def test_a_request_waits_as_long_as_it_wants(host: Host):
    host.open()
    slow(host, {"timeoutMs": 70})
    host.pass_time(70)
    assert host.run("end") == ["TimeoutError", "tools/call was not answered within 70 ms."]


@pytest.mark.parametrize("timeout", [0, 2**40, float("inf")], ids=str)
def test_a_request_may_wait_as_good_as_for_ever(host: Host, timeout: float):
    host.open()
    call = slow(host, {"timeoutMs": timeout})
    host.pass_time(1_000_000_000)
    assert host.run("end") is None
    host.send(id=call, result={"at": "last"})
    host.ask("ping")
    assert host.run("end") == ["answered", {"at": "last"}]


@pytest.mark.parametrize(
    "answer", [{"result": {}}, {"error": {"code": 1, "message": "x"}}], ids=str
)
def test_an_answered_request_has_no_timer(host: Host, answer: dict[str, Any]):
    host.open()
    call = slow(host)
    waiting = "[...timers.values()].filter(({at}) => at === 30_000).length"
    assert host.run(waiting) == 1
    host.send(id=call, **answer)
    host.ask("ping")
    assert host.run(waiting) == 0


def test_the_greeting_is_waited_for_without_end_and_requests_are_not(host: Host):
    host.open(answers={"ui/initialize": None})
    host.run(SLOW, {"timeoutMs": 50})
    host.pass_time(50)
    assert host.run("end") == ["TimeoutError", "tools/call was not answered within 50 ms."]
    host.pass_time(100_000_000)
    host.send(id=1, result={"hostContext": {"theme": "dark"}})
    host.hears("ui/notifications/initialized")
    assert host.run("document.documentElement.dataset.theme") == "dark"
    host.ask("ping")
    assert host.sent("tools/call") == []


def test_a_card_shows_what_its_own_call_answered(host: Host):
    host.open(
        answers={"tools/call": {"result": {"content": [], "structuredContent": {"city": "Basel"}}}}
    )
    host.result({"city": "Bern"})
    host.run("litroMcp.callTool('again').then(litroMcp.applyResult)")
    assert host.card("city") == ["Basel"]
