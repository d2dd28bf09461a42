"""The example's page in a real browser, with a real model behind it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect, sync_playwright

from browser.chat_page import Chat
from chromium import FLAGS, INSTALL, find_chromium
from llm.serving import Server, serving

pytestmark = [pytest.mark.llm, pytest.mark.timeout(600)]

PATIENCE = 120_000
"""Milliseconds: a small model on a busy machine takes its time."""

QUESTION = "What is the weather in Lisbon?"


@pytest.fixture
def server(project: Path, llm_url: str) -> Iterator[Server]:
    with serving(project, llm_url) as server:
        yield server


@pytest.fixture
def context() -> Iterator[BrowserContext]:
    chromium = find_chromium()
    if chromium is None:
        pytest.skip(f"Chromium is required: {INSTALL}")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        expect.set_options(timeout=PATIENCE)
        yield browser.new_context()
        browser.close()


def test_the_card_appears_and_a_page_that_was_closed_in_the_middle_shows_the_whole_turn(
    server: Server, context: BrowserContext
):
    chat = Chat(context.new_page(), server.page, "s1")
    chat.ask(QUESTION)
    # The tool's line is there long before the model has said its last sentence.
    expect(chat.log.locator("summary")).to_contain_text("get-weather")
    chat.page.close()
    again = Chat(context.new_page(), server.page, "s1")
    expect(again.cards.locator("demo-weather-card article")).to_contain_text("70")
    expect(again.answers.last).to_have_text(re.compile(r"\w"))
    again.ends()
    again.shows(QUESTION)
    expect(again.cards.locator("demo-weather-card")).to_have_count(1)


def test_an_answer_is_stopped_asked_again_and_its_question_edited(
    server: Server, context: BrowserContext
):
    chat = Chat(context.new_page(), server.page, "s2")
    chat.ask("Write a very long story about a sailor, an old lighthouse and the sea.")
    expect(chat.answers).to_have_text(re.compile(r"\w"))
    chat.stop.click()
    chat.shows("Stopped.")
    chat.button("Ask again").click()
    expect(chat.answers.last).to_have_text(re.compile(r"\w"))
    chat.stop.click()
    expect(chat.log.get_by_text("Stopped.")).to_have_count(2)
    # Of the first one: a small model would rather go on with what it has been saying.
    chat.button("Edit the message").first.click()
    chat.page.get_by_label("Your message, edited").fill(QUESTION)
    chat.page.keyboard.press("Enter")
    expect(chat.cards.locator("demo-weather-card article")).to_contain_text("70")
    chat.ends()
    chat.log.locator("summary").click()
    expect(chat.log.get_by_label("Input", exact=True)).to_contain_text('"city": "Lisbon"')
    chat.button("Open the earlier chat").click()
    expect(chat.said).to_have_count(2)
