"""The inspector as a developer uses it: by labels and roles. Playwright looks into shadow roots by itself."""

import re
import shutil
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, expect

HERE = Path(__file__).parent

# Said without waiting for what becomes of it.
SAY = """
    ([url, text]) => void fetch(url, { method: "POST", body: JSON.stringify({ text }),
        headers: { "content-type": "application/json", "x-litro-agent": "1", "idempotency-key": crypto.randomUUID() } })
"""


def make_inspected_project(folder: Path) -> Path:
    """The project, in a folder of its own."""
    return shutil.copytree(HERE / "project", folder, ignore=shutil.ignore_patterns("__pycache__"))


class Inspector:
    """A page for the inspector.

    Args:
        page: The browser's page.
        url: Where the server is.
        session: The session's id that the test has for itself.
    """

    def __init__(self, page: Page, url: str, session: str) -> None:
        self.page = page
        self.url = f"{url}__litro/inspector/"
        self.agents_url = f"{url}__litro/agent/"
        self.session = session

    def open(self, **at: str | int) -> None:
        """Look at what the address says."""
        # Another document, also where only the hash is another.
        self.page.goto("about:blank")
        self.page.goto(f"{self.url}#{urlencode(at)}")

    def look(self, **at: str | int) -> None:
        """Look at the test's session."""
        self.open(agent="demo", session=self.session, **at)

    def say(self, *texts: str, user: str | None = None, agent: str = "demo") -> None:
        """Say it in the test's session, and wait until its turns have ended."""
        headers = (
            {"x-litro-agent": "1", "cookie": f"user={user}"} if user else {"x-litro-agent": "1"}
        )
        for text in texts:
            answer = self.page.context.request.post(
                f"{self.agents_url}{agent}/{self.session}", data={"text": text}, headers=headers
            )
            assert answer.ok, answer.text()
            assert '"turn-end"' in answer.text()

    def begin(self, text: str) -> None:
        """Say it, while the page is open, and do not wait."""
        self.page.evaluate(SAY, [f"{self.agents_url}demo/{self.session}", text])

    @property
    def main(self) -> Locator:
        return self.page.get_by_role("main")

    @property
    def side(self) -> Locator:
        return self.page.get_by_role("navigation", name="Agents and sessions")

    @property
    def chat(self) -> Locator:
        return self.page.get_by_role("complementary", name="Chat")

    @property
    def events(self) -> Locator:
        return self.page.get_by_role("listbox", name="Events")

    @property
    def event(self) -> Locator:
        """The one that was chosen."""
        return self.page.get_by_role("region", name="The chosen event")

    @property
    def result(self) -> Locator:
        return self.page.get_by_role("region", name="Result")

    def person(self, number: int) -> Locator:
        """What the person saw in a round."""
        return self.main.get_by_role("group", name=f"What the person saw in round {number}")

    def model(self, number: int) -> Locator:
        """What the model saw in a round."""
        return self.main.get_by_role("group", name=f"What the model saw in round {number}")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def tab(self, name: str) -> Locator:
        return self.page.get_by_role("tab", name=name, exact=True)

    def fold(self, where: Locator, words: str) -> Locator:
        """What is folded under these words, opened."""
        fold = where.locator("details").filter(
            has=self.page.locator("summary", has_text=re.compile(words))
        )
        fold.locator("summary").first.click()
        return fold.first

    def is_at(self, **at: str | int) -> None:
        """The address says so."""
        for name, value in at.items():
            expect(self.page).to_have_url(re.compile(rf"[#&]{name}={value}(&|$)"))
