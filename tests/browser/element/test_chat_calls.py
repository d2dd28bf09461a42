"""What tools and reasoning look like in `<litro-chat>`: folded, with everything inside."""

import re

from element import Element
from playwright.sync_api import BrowserContext, expect
from serving_page import Server


def test_a_call_is_folded_and_has_its_input_its_output_and_its_time(chat: Element):
    chat.ask("weather")
    chat.ends()
    fold = chat.fold("get-weather")
    expect(fold.locator("summary")).to_have_text(re.compile(r"is done · \d+\.\d s$"))
    expect(fold.get_by_label("Input", exact=True)).to_be_hidden()
    fold.locator("summary").press("Enter")
    expect(fold.get_by_label("Input", exact=True)).to_have_text('{\n  "city": "Lisbon"\n}')
    expect(fold.get_by_label("Output", exact=True)).to_contain_text('"temp_c": 21')
    expect(fold.get_by_label("Output", exact=True)).not_to_contain_text("70")


def test_a_call_that_runs_tells_how_far_it_is(chat: Element, server: Server, session: str):
    chat.ask(f"count {session}")
    summary = chat.fold("count-to").locator("summary")
    expect(summary).to_contain_text("3 of 10, counting")
    summary.click()
    expect(chat.fold("count-to").get_by_label("Output", exact=True)).to_have_count(0)
    (server.gates / session).touch()
    expect(chat.fold("count-to").get_by_label("Output", exact=True)).to_contain_text(
        '"counted": 10'
    )
    expect(summary).to_contain_text("is done")


def test_a_call_that_fails_says_why(chat: Element):
    chat.ask("break")
    fold = chat.fold("break-it")
    expect(fold.locator("summary")).to_contain_text("failed")
    fold.locator("summary").click()
    expect(fold.get_by_label("Input", exact=True)).to_have_text("None")
    expect(fold.get_by_label("Error", exact=True)).to_have_text(
        "It is broken. Ask for another one."
    )


def test_a_large_output_is_cut_and_can_be_seen_whole(chat: Element):
    chat.ask("big")
    fold = chat.fold("read-file")
    fold.locator("summary").click()
    output = fold.get_by_label("Output", exact=True)
    expect(output).to_contain_text("The beginning of big.txt.")
    expect(output).not_to_contain_text("The end.")
    chat.button("Show all of it (6.0 kB)").click()
    expect(output).to_contain_text("The end.")
    expect(output).to_be_focused()


def test_a_value_and_an_answer_can_be_copied(chat: Element, context: BrowserContext):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    chat.ask("weather")
    chat.ends()
    chat.fold("get-weather").locator("summary").click()
    chat.button("Copy: Input").click()
    assert chat.page.evaluate("navigator.clipboard.readText()") == '{\n  "city": "Lisbon"\n}'
    chat.button("Copy the answer").click()
    copied = chat.page.evaluate("navigator.clipboard.readText()")
    assert copied == "Let me look.\n\nHere it is. It is a good day for a walk."
    expect(chat.page.get_by_text("Copied").last).to_be_attached()


def test_reasoning_is_folded_also_after_a_reload(chat: Element, server: Server, session: str):
    chat.ask(f"think {session}")
    chat.fold("Thinking…").locator("summary").click()
    expect(chat.log).to_contain_text("First this.")
    (server.gates / session).touch()
    chat.shows("I have thought.")
    expect(chat.fold("Thought for")).to_contain_text("First this. Then that.")
    chat.page.reload()
    fold = chat.fold("Thought for")
    expect(fold).to_be_visible()
    expect(fold.get_by_text("First this.")).to_be_hidden()
    fold.locator("summary").click()
    expect(fold).to_contain_text("First this. Then that.")


def test_a_call_that_was_stopped_says_so(chat: Element, session: str):
    chat.ask(f"count {session}")
    expect(chat.log).to_contain_text("3 of 10")
    chat.stop.click()
    expect(chat.fold("count-to").locator("summary")).to_contain_text("was stopped")
