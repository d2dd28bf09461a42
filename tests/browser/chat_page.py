"""The chat page as a person uses it: by labels and roles, not by what its script is made of."""

from playwright.sync_api import Locator, Page, expect


class Chat:
    """An open chat page.

    Args:
        page: The browser's page.
        url: Where the server is.
        session: The session's id.
    """

    def __init__(self, page: Page, url: str, session: str) -> None:
        self.page = page
        self.url = f"{url}#{session}"
        page.goto(self.url)

    @property
    def log(self) -> Locator:
        return self.page.get_by_role("log", name="Conversation")

    @property
    def input(self) -> Locator:
        return self.page.get_by_label("Message")

    @property
    def stop(self) -> Locator:
        return self.page.get_by_role("button", name="Stop")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)

    def ask(self, text: str) -> None:
        self.input.fill(text)
        self.button("Send").click()

    def ends(self) -> None:
        """Wait until no turn runs."""
        expect(self.stop).to_be_hidden()

    def shows(self, *texts: str) -> None:
        """Each text is in the log, and once."""
        for text in texts:
            expect(self.log.get_by_text(text)).to_have_count(1)
