"""What an open page does while the server restarts."""

from pathlib import Path

from inspector_page import Inspector, make_inspected_project
from playwright.sync_api import BrowserContext, expect
from serving_page import Server


def test_after_a_restart_it_goes_on_and_says_that_older_requests_are_made_anew(
    context: BrowserContext, tmp_path: Path
):
    project = make_inspected_project(tmp_path / "my-app")
    first = Server(project, LITRO_DEV="1")
    inspector = Inspector(context.new_page(), first.url, "kept")
    inspector.say("weather Lisbon")
    inspector.look()
    expect(inspector.model(2)).to_contain_text("recorded")
    first.stop()
    expect(inspector.page.get_by_text("The server is away.")).to_be_visible()
    second = Server(project, first.port, LITRO_DEV="1")
    expect(inspector.page.get_by_text("The server is away.")).to_be_hidden()
    inspector.begin("Hello")
    expect(inspector.person(1)).to_contain_text("You said: Hello")
    expect(inspector.model(1)).to_contain_text("recorded")
    inspector.button("Turn before").click()
    inspector.page.reload()
    expect(inspector.model(2)).to_contain_text("rebuilt")
    expect(inspector.model(2)).to_contain_text("is not in this message")
    second.stop()
