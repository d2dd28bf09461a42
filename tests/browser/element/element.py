"""The page with the element as a person uses it: by labels and roles. Playwright looks into shadow roots by itself."""

import re
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect


class Element:
    """An open page with one `<litro-chat>`.

    Args:
        page: The browser's page.
        url: Where the server is.
        session: The session's id.
        attributes: The element's, besides.
    """

    def __init__(self, page: Page, url: str, session: str, /, **attributes: str) -> None:
        self.page = page
        query = urlencode({name.replace("_", "-"): value for name, value in attributes.items()})
        self.url = f"{url}?{query}#{session}"
        page.goto(self.url)

    @property
    def log(self) -> Locator:
        return self.page.get_by_role("log", name="Conversation")

    @property
    def input(self) -> Locator:
        return self.page.get_by_label("Message", exact=True)

    @property
    def stop(self) -> Locator:
        return self.button("Stop")

    @property
    def status(self) -> Locator:
        return self.page.get_by_role("status")

    @property
    def problem(self) -> Locator:
        return self.page.locator(".problem")

    @property
    def outbox(self) -> Locator:
        return self.page.locator(".outbox")

    @property
    def said(self) -> Locator:
        """What people said and was heard."""
        return self.log.locator(".bubble")

    @property
    def answers(self) -> Locator:
        return self.log.locator(".text")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def ask(self, text: str) -> None:
        self.input.fill(text)
        self.input.press("Enter")

    def ends(self) -> None:
        """Wait until no turn runs and none waits."""
        expect(self.outbox).to_be_empty()
        expect(self.stop).to_be_hidden()

    def shows(self, *texts: str) -> None:
        """Each text is in the log, and once."""
        for text in texts:
            expect(self.log.get_by_text(text)).to_have_count(1)

    def fold(self, words: str) -> Locator:
        """What is folded under these words."""
        return self.log.locator("details").filter(
            has=self.page.locator("summary", has_text=re.compile(words))
        )

    def focused(self) -> str:
        """The accessible name of what has the focus, or its text."""
        return self.page.evaluate(
            "() => { let at = document.activeElement; while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;"
            " return at.ariaLabel ?? at.textContent.trim(); }"
        )
