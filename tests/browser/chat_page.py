"""A page with `<litro-chat>` as a person uses it: by labels and roles. Playwright looks into shadow roots by itself."""

from playwright.sync_api import Locator, Page, expect


class Chat:
    """An open chat page.

    Args:
        page: The browser's page.
        url: Where the server is.
        session: The session's id.
    """

    name = ""

    def __init__(self, page: Page, url: str, session: str) -> None:
        self.page = page
        self.url = f"{url}#{session}"
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

    @property
    def cards(self) -> Locator:
        """What tools made with `ui()`: in the page itself, shown in the log."""
        return self.page.locator("litro-chat > [data-litro-card]")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def ask(self, text: str) -> None:
        self.input.fill(text)
        self.button("Send").click()

    def ends(self) -> None:
        """Wait until no turn runs and none waits."""
        expect(self.outbox).to_be_empty()
        expect(self.stop).to_be_hidden()

    def shows(self, *texts: str) -> None:
        """Each text is in the log, and once."""
        for text in texts:
            expect(self.log.get_by_text(text)).to_have_count(1)
