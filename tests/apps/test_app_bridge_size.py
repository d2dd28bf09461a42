"""The view tells its height when that changes, and no host can make it tell more."""

import pytest
from bridge_host import Host

SIZE = "ui/notifications/size-changed"
BOX = "<div style='height: 90.5px'></div>"
FLUSH = "body { margin: 0 }"
FOLLOW = """extra => addEventListener("message", ({data}) => {
    if (data.method === "ui/notifications/size-changed") frame.style.height = `${data.params.height + extra}px`;
})"""


def settle(host: Host) -> list[dict[str, int]]:
    """All reports, once nothing follows any more."""
    for _ in range(10):
        before = len(host.sent(SIZE))
        host.settle()
        host.settle()
        if len(host.sent(SIZE)) == before:
            break
    else:
        pytest.fail("It reports again and again.")
    return host.sent(SIZE)


@pytest.mark.parametrize(
    "style", [FLUSH, "", "html, body { height: 100%; margin: 0 }", "body { margin: 30px }"]
)
def test_a_card_that_does_not_change_is_reported_once(live_host: Host, style: str):
    live_host.page.evaluate(FOLLOW, 0)
    live_host.open(BOX, style=style)
    live_host.result({"city": "Bern"})
    live_host.result({"city": "Basel"})
    live_host.run("() => litroMcp.reportSize()")
    margin = {FLUSH: 0, "": 8, "html, body { height: 100%; margin: 0 }": 0}.get(style, 30)
    [report] = settle(live_host)
    assert report in ({"height": 91 + 2 * margin}, {"height": -(-905 // 10) + 2 * margin})
    assert live_host.run("document.documentElement.scrollHeight > innerHeight") is False


def test_nothing_is_reported_before_the_greeting_is_answered(live_host: Host):
    live_host.open(BOX, answers={"ui/initialize": None})
    live_host.result({"city": "Bern"})
    assert settle(live_host) == []
    live_host.send(id=1, result={"hostContext": {}})
    live_host.hears("ui/notifications/initialized")
    assert len(settle(live_host)) == 1


def test_a_card_that_grows_and_shrinks_is_reported_anew(live_host: Host):
    live_host.page.evaluate(FOLLOW, 0)
    live_host.open(BOX, style=FLUSH)
    settle(live_host)
    for height in (200, 40, 300, 301, 302):
        live_host.run(
            "height => { document.body.firstElementChild.style.height = `${height}px` }", height
        )
        assert settle(live_host)[-1] == {"height": height}
    assert len(live_host.sent(SIZE)) == 6


def test_changes_at_one_time_are_one_report(live_host: Host):
    live_host.open(BOX, style=FLUSH)
    settle(live_host)
    live_host.run("""async () => {
        for (const height of [10, 20, 30]) {
            document.body.firstElementChild.style.height = `${height}px`;
            litroMcp.reportSize();
            await null;
        }
    }""")
    assert settle(live_host) == [{"height": 91}, {"height": 30}]


def test_a_narrower_view_is_reported_by_its_height_alone(live_host: Host):
    live_host.open(
        "<div style='overflow-wrap: anywhere; font: 16px monospace'>" + "x" * 100 + "</div>",
        style=FLUSH,
    )
    settle(live_host)
    live_host.page.evaluate("frame.style.width = '100px'")
    live_host.settle()
    reports = settle(live_host)
    assert len(reports) == 2
    assert reports[1]["height"] > reports[0]["height"]
    assert all(set(report) == {"height"} for report in reports)


@pytest.mark.parametrize("extra", [0, 16, -16])
@pytest.mark.parametrize(
    "style",
    [
        "body { min-height: 100vh }",
        "div { height: calc(100vh + 20px) !important }",
        "div { height: calc(90vh) !important }",
    ],
)
def test_a_card_as_high_as_its_host_does_not_chase_it(live_host: Host, style: str, extra: int):
    live_host.page.evaluate(FOLLOW, extra)
    live_host.open(BOX, style=style)
    assert 1 <= len(settle(live_host)) <= 4
    live_host.run("() => litroMcp.reportSize()")
    live_host.result({"city": "Bern"})
    live_host.run("() => new Promise((resolve) => setTimeout(resolve, 600))")
    assert len(settle(live_host)) <= 4


def test_what_a_card_has_come_to_is_told_though_it_grew_whenever_its_host_followed(live_host: Host):
    live_host.page.evaluate(FOLLOW, 0)
    grows = """let left = 3;
        addEventListener("resize", () => {
            const { style } = document.body.firstElementChild;
            if (left-- > 0) style.height = `${parseFloat(style.height) + 50}px`;
        });"""
    live_host.open(BOX, style=FLUSH, before=grows)
    live_host.page.evaluate("heard(({ params }) => params?.height === 241)")
    assert [report["height"] for report in settle(live_host)] == [91, 141, 191, 241]


def test_a_host_that_squeezes_the_view_is_not_helped(live_host: Host):
    live_host.page.evaluate("""() => addEventListener("message", ({data}) => {
        if (data.method === "ui/notifications/size-changed") frame.style.width = `${data.params.width ?? frame.offsetWidth}px`;
    })""")
    live_host.open(BOX)
    assert len(settle(live_host)) == 1


def test_a_hidden_view_reports_itself_once_it_is_shown(live_host: Host):
    live_host.page.evaluate("frame.style.display = 'none'")
    live_host.open(BOX, style=FLUSH)
    live_host.run("() => new Promise((resolve) => setTimeout(resolve, 50))")
    assert live_host.sent(SIZE) == []
    live_host.page.evaluate("frame.style.display = ''")
    live_host.hears(SIZE)
    assert settle(live_host) == [{"height": 91}]


def test_measuring_leaves_no_trace(live_host: Host):
    live_host.open(BOX, before="document.documentElement.style.height = '50%'")
    settle(live_host)
    assert live_host.run("document.documentElement.getAttribute('style')") == "height: 50%;"


def test_a_positioned_part_counts(live_host: Host):
    tall = "<div style='position: absolute; top: 0; height: 200px; width: 10px'></div>"
    live_host.open(tall, style="body { position: relative }")
    assert settle(live_host) == [{"height": 200}]
