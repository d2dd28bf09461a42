"""axe-core finds nothing in the inspector, whatever is looked at."""

from typing import Literal

import pytest
from axe_report import violations
from inspector_page import Inspector
from playwright.sync_api import expect


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_view_has_a_violation(
    inspector: Inspector, scheme: Literal["light", "dark"], width: int
):
    inspector.say("weather Lisbon")
    page, found = inspector.page, []
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    for view in ({"agent": "demo"}, {"agent": "broken"}, {"agent": "demo", "tool": "plan-trip"}):
        inspector.open(**view)
        expect(inspector.main.get_by_role("heading").first).to_be_visible()
        found += violations(page, str(view))
    inspector.look()
    for name in ("Two channels", "Timeline", "Events"):
        inspector.tab(name).click()
        expect(page.get_by_role("tabpanel", name=name)).to_be_visible()
        for fold in inspector.main.locator("details:not([open]) > summary:visible").all()[:6]:
            fold.click()
        found += violations(page, name)
    assert found == []
