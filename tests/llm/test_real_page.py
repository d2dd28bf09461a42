"""The example's page in a real browser, with a real model behind it."""

from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from browser.chat_page import Chat
from chromium import FLAGS, INSTALL, find_chromium
from llm.serving import serving

pytestmark = [pytest.mark.llm, pytest.mark.timeout(300)]

PATIENCE = 240_000
"""Milliseconds: a small model on a busy machine takes its time."""


def test_the_card_appears_and_a_page_that_was_closed_in_the_middle_shows_the_whole_turn(
    project: Path, llm_url: str
):
    chromium = find_chromium()
    if chromium is None:
        pytest.skip(f"Chromium is required: {INSTALL}")
    with serving(project, llm_url) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        context = browser.new_context()
        chat = Chat(context.new_page(), server.page, "s1")
        chat.ask("What is the weather in Lisbon?")
        # The tool's line is there long before the model has said its last sentence.
        expect(chat.log.get_by_text("get-weather")).to_have_count(1, timeout=PATIENCE)
        chat.page.close()
        again = Chat(context.new_page(), server.page, "s1")
        expect(again.log.locator("demo-weather-card article")).to_contain_text(
            "70", timeout=PATIENCE
        )
        expect(again.stop).to_be_hidden(timeout=PATIENCE)
        again.shows("What is the weather in Lisbon?")
        expect(again.log.locator("demo-weather-card")).to_have_count(1)
        browser.close()
