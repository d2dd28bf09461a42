"""A long session in `<litro-chat>`: it opens from its end, and grows at both."""

import json
from pathlib import Path

import pytest
from element import Element
from playwright.sync_api import BrowserContext, Route, expect
from serving_page import Server


def write_session(server: Server, session: str, turns: int) -> None:
    """A log of so many turns, of five events each, as the file store keeps it."""
    header = {"litro": 1, "agent": "demo", "session": session, "owner": None, "created": 1}
    lines = [header]
    for turn in range(1, turns + 1):
        start = 5 * (turn - 1)
        said = {"id": f"m{turn}", "role": "user", "text": f"Question {turn}?"}
        answer = {"id": f"t{turn}r1", "role": "assistant", "text": f"Answer {turn}.", "stop": "end"}
        events = [
            ("turn-start", {"trigger": "message", "message": f"m{turn}"}),
            ("message", said),
            ("text-delta", {"text": f"Answer {turn}."}),
            ("message", answer),
            ("turn-end", {"status": "completed"}),
        ]
        for number, (kind, payload) in enumerate(events, start + 1):
            place = {"seq": number, "ts": 1, "turn": turn}
            if number > start + 2 and kind != "turn-end":
                place["round"] = 1
            lines.append({**place, "kind": kind, "payload": payload})
    folder = server.gates.parent / ".litro/sessions/demo"
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    Path(folder, f"{session}.jsonl").write_text(text)


@pytest.fixture
def long(context: BrowserContext, server: Server, session: str) -> Element:
    write_session(server, session, 1000)
    return Element(context.new_page(), server.url, session)


def top(chat: Element) -> float:
    return chat.page.locator(".scroller").evaluate("scroller => scroller.scrollTop")


def rest(chat: Element) -> float:
    """How far its end is away."""
    return chat.page.locator(".scroller").evaluate(
        "scroller => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight"
    )


def test_it_opens_at_its_end_and_reads_no_more_than_is_near(long: Element):
    expect(long.answers.last).to_be_in_viewport()
    long.shows("Answer 1000.")
    assert rest(long) < 2
    assert long.said.count() < 600
    long.ask("Hello")
    long.shows("You said: Hello")
    assert rest(long) < 2


def test_who_scrolls_up_reads_older_turns_in_order_without_a_jump(long: Element):
    long.shows("Answer 1000.")
    seen = long.said.count()
    long.page.mouse.move(300, 300)
    while long.said.count() == seen:
        long.page.mouse.wheel(0, -2000)
        long.page.evaluate("() => new Promise(requestAnimationFrame)")
    said = long.said.all_text_contents()
    assert said == [f"Question {number}?" for number in range(1001 - len(said), 1001)]
    assert top(long) > 0


def test_what_is_read_stays_where_it_is_when_older_turns_come(long: Element):
    long.shows("Answer 1000.")
    page, seen, held = long.page, long.said.count(), []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/*limit=*", hold)
    with page.expect_request("**/*limit=*"):
        page.locator(".scroller").evaluate("scroller => scroller.scrollTo(0, 1150)")
    settle(long)
    before = page.evaluate(PLACE)
    held[0].continue_()
    page.wait_for_function("seen => chat().querySelectorAll('.bubble').length > seen", arg=seen)
    settle(long)
    assert abs(page.evaluate(PLACE) - before) < 3


PLACE = """() => {
    window.read ??= [...chat().querySelectorAll(".bubble")].find((one) => one.getBoundingClientRect().top > 100);
    return window.read.getBoundingClientRect().top;
}"""


def settle(chat: Element) -> None:
    """Let two frames be drawn."""
    chat.page.evaluate(
        """() => {
            window.chat = () => document.querySelector("litro-chat").shadowRoot;
            return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
        }"""
    )


def test_who_reads_further_up_is_left_alone_and_one_button_leads_back(
    long: Element, server: Server, session: str
):
    long.ask(f"gate {session}")
    expect(long.log).to_contain_text("The sec")
    long.page.mouse.move(300, 300)
    long.page.mouse.wheel(0, -900)
    expect(long.button("Go to the newest message")).to_be_visible()
    before = top(long)
    (server.gates / session).touch()
    long.ends()
    assert top(long) == before
    long.button("Go to the newest message").click()
    assert rest(long) < 2
    expect(long.button("Go to the newest message")).to_be_hidden()
    expect(long.input).to_be_focused()


def test_a_turn_longer_than_what_is_read_at_once_is_shown_from_its_beginning(
    context: BrowserContext, server: Server, session: str
):
    folder = server.gates.parent / ".litro/sessions/demo"
    folder.mkdir(parents=True, exist_ok=True)
    events = [
        ("turn-start", {"trigger": "message", "message": "m1"}),
        ("message", {"id": "m1", "role": "user", "text": "Tell me"}),
    ]
    events += [("text-delta", {"text": f"{number} "}) for number in range(2500)]
    events += [
        (
            "message",
            {
                "id": "t1r1",
                "role": "assistant",
                "text": " ".join(map(str, range(2500))),
                "stop": "end",
            },
        )
    ]
    events += [("turn-end", {"status": "completed"})]
    lines = [{"litro": 1, "agent": "demo", "session": session, "owner": None, "created": 1}]
    lines += [
        {"seq": seq, "ts": 1, "turn": 1, "kind": kind, "payload": payload}
        for seq, (kind, payload) in enumerate(events, 1)
    ]
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    Path(folder, f"{session}.jsonl").write_text(text)
    chat = Element(context.new_page(), server.url, session)
    expect(chat.said).to_have_text(["Tell me"])
    expect(chat.answers).to_contain_text("0 1 2 3")
    expect(chat.answers).to_contain_text("2498 2499")
