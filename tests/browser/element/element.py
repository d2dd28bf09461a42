"""The page with the element as a person uses it, and what an attribute of the element's can change."""

import re
from urllib.parse import urlencode

from chat_page import Chat
from playwright.sync_api import Locator, Page


class Element(Chat):
    """An open page with one `<litro-chat>`.

    Args:
        page: The browser's page.
        url: Where the server is.
        session: The session's id.
        attributes: The element's, besides.
    """

    def __init__(self, page: Page, url: str, session: str, /, **attributes: str) -> None:
        query = urlencode({name.replace("_", "-"): value for name, value in attributes.items()})
        super().__init__(page, f"{url}?{query}", session)

    @property
    def status(self) -> Locator:
        return self.page.get_by_role("status")

    def ask(self, text: str) -> None:
        self.input.fill(text)
        self.input.press("Enter")

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
