"""axe-core finds nothing on the page of `litro mcp preview`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from preview_page import PREVIEW, Preview, document, shop

from browser.axe_report import violations
from dev.developing import Process


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page(reduced_motion="reduce")
    yield page
    page.close()


def test_the_preview_page_has_no_violation_in_light_and_dark(page: Page, tmp_path: Path):
    process = Process(shop(tmp_path, document()), command=PREVIEW)
    preview = Preview(page, process)
    found = violations(page, "ready")
    preview.result.fill('{"temp_c": 21}')
    preview.press("Send result")
    expect(preview.card.locator("temp-card")).to_have_text("70 °F")
    for fold in page.locator("#log summary").all():
        fold.click()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found += violations(page, f"{scheme}, answered")
    page.set_viewport_size({"width": 360, "height": 640})
    found += violations(page, "phone")
    process.end()
    assert found == []
