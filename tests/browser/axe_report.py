"""What axe-core has to say about a page: WCAG A and AA, and its best practices."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page


def violations(page: Page, moment: str = "") -> list[str]:
    """Each rule that is broken, with the elements that break it. None is what is wanted."""
    # What fades in is half there, and too pale for a moment.
    page.evaluate(
        "Promise.allSettled(document.getAnimations().map((it) => it.effect.getTiming().iterations === Infinity || it.finished))"
    )
    found = Axe().run(page).response["violations"]
    return [
        f"{moment} {rule['id']}: {node['target']} {node['html']}"
        for rule in found
        for node in rule["nodes"]
    ]
