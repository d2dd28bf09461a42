"""The gates, in their order, over a real socket."""

import pytest
from serving import Client
from wiretap import Response, kinds

AGENT = "/__litro/agent/open"
PARTNER = "https://partner.example"
BODY = b'{"text": "say one"}'


def says(response: Response, status: int, *words: str) -> bool:
    told = response.json()
    return (response.status, told["status"]) == (status, status) and all(
        word in told["message"] for word in words
    )


# --- Host


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
@pytest.mark.parametrize(
    "headers",
    [
        {"host": "evil.example"},
        {"host": "evil.example", "origin": "http://evil.example"},
        {
            "host": "evil.example:80",
            "origin": "http://evil.example",
            "sec_fetch_site": "same-origin",
        },
        {"host": "localhost.evil.example"},
        {"host": "127.0.0.1.evil.example"},
        {"host": "evil.example", "x_forwarded_host": "localhost", "x_forwarded_for": "127.0.0.1"},
    ],
)
def test_a_rebound_name_is_refused_on_every_method(
    client: Client, session: str, method: str, headers: dict[str, str]
):
    response = client.ask(method, f"{AGENT}/{session}", BODY, **headers)
    assert response.status == 421
    assert b"allowed_hosts" in response.all() or method == "HEAD"


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost.",
        "LOCALHOST:9",
        "app.localhost",
        "127.0.0.1",
        "127.9.9.9",
        "[::1]",
        "[::1]:9",
        "[0:0:0:0:0:0:0:1]:9",
    ],
)
def test_loopback_names_are_answered(client: Client, session: str, host: str):
    assert client.get(session, host=host).status == 200


@pytest.mark.parametrize("host", [None, "", "a b", "a,b", "user@localhost", "[::1", "localhost:x"])
def test_a_host_that_is_none_is_400(client: Client, session: str, host: str | None):
    assert client.get(session, host=host).status == 400


def test_two_hosts_are_400(client: Client, session: str):
    assert client.get(session, host="localhost", Host="localhost").status == 400


def test_a_forwarded_host_counts_only_from_a_trusted_proxy(many: Client, session: str):
    forwarded = {"host": "internal", "x_forwarded_host": "app.example.com"}
    assert many.at("/proxied").get(session, **forwarded).status == 200
    refused = many.at("/hosts").get(session, **forwarded)
    assert says(refused, 421, "internal", "app.example.com", "trusted_proxies")
    assert (
        many.at("/dev").get(session, host="evil.example", x_forwarded_host="localhost").status
        == 421
    )
    assert (
        many.at("/proxied").get(session, **forwarded | {"x_forwarded_host": "evil"}).status == 421
    )


def test_litro_serve_trusts_no_peer_by_default(client: Client, session: str):
    assert client.get(session, host="evil.example", x_forwarded_host="localhost").status == 421


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("app.example.com", 200),
        ("APP.example.com.:8080", 200),
        ("a.tenants.example", 200),
        ("tenants.example", 421),
        ("localhost", 421),
    ],
)
def test_allowed_hosts_alone_are_answered_where_they_are_set(
    many: Client, session: str, host: str, status: int
):
    assert many.at("/hosts").get(session, host=host).status == status


def test_in_production_any_host_is_answered_where_none_is_set(many: Client, session: str):
    assert many.get(session, host="whatever.example").status == 200


def test_in_development_a_mounted_app_answers_loopback_names_only(many: Client, session: str):
    assert many.at("/dev").get(session, host="evil.example").status == 421
    assert many.at("/dev").get(session, host="localhost").status == 200


# --- Sec-Fetch-Site, Origin


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
@pytest.mark.parametrize(
    "headers",
    [
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": ""},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "http://127.0.0.1.evil.example"},
        {"origin": "https://evil.example", "sec_fetch_site": "same-origin"},
    ],
)
def test_a_page_of_another_site_is_refused_on_every_method(
    client: Client, session: str, method: str, headers: dict[str, str]
):
    assert client.ask(method, f"{AGENT}/{session}", BODY, **headers).status == 403


def test_a_foreign_origin_is_told_both_values_and_both_remedies(client: Client, session: str):
    refused = client.get(session, origin="https://evil.example")
    own = f"127.0.0.1:{client.server.port}"
    assert says(refused, 403, "https://evil.example", own, "allowed_origins", "same host")


def test_a_page_of_the_same_host_is_served(client: Client, session: str):
    origin = f"http://127.0.0.1:{client.server.port}"
    response = client.post(session, "say one", origin=origin, sec_fetch_site="same-origin")
    assert response.status == 200
    assert client.get(session, sec_fetch_site="none").status == 200
    assert "access-control-allow-origin" not in response.headers


def test_a_page_behind_a_trusted_proxy_is_of_the_host_that_its_browser_saw(
    many: Client, session: str
):
    proxied = {
        "host": "internal",
        "x_forwarded_host": "app.example.com",
        "x_forwarded_proto": "https",
    }
    client = many.at("/proxied")
    assert (
        client.post(session, "say one", **proxied, origin="https://app.example.com").status == 200
    )
    assert client.get(session, **proxied, origin="http://internal").status == 403


def test_an_allowed_origin_may_call_and_read(many: Client, session: str):
    response = many.at("/cors").post(
        session, "say one", origin=PARTNER, sec_fetch_site="cross-site"
    )
    assert response.status == 200
    assert response.headers["access-control-allow-origin"] == PARTNER
    assert response.headers["vary"] == "Origin"
    assert "litro-turn" in response.headers["access-control-expose-headers"]
    assert kinds(response.lines())[-1] == "turn-end"


def test_an_allowed_origin_may_read_refusals_too(many: Client, session: str):
    response = many.at("/cors").get(session, "?from=9", origin=PARTNER)
    assert response.status == 416
    assert response.headers["access-control-allow-origin"] == PARTNER


def test_a_preflight_tells_an_allowed_origin_what_it_may_send(many: Client, session: str):
    response = many.at("/cors").ask(
        "OPTIONS",
        f"{AGENT}/{session}",
        origin=PARTNER,
        sec_fetch_site="cross-site",
        access_control_request_method="POST",
        access_control_request_headers="x-litro-agent",
    )
    assert (response.status, response.headers["access-control-allow-origin"]) == (204, PARTNER)
    assert "x-litro-agent" in response.headers["access-control-allow-headers"]
    assert "POST" in response.headers["access-control-allow-methods"]


@pytest.mark.parametrize(
    "origin", ["https://other.example", "http://partner.example", f"{PARTNER}:444"]
)
def test_no_other_origin_is_granted_anything(many: Client, session: str, origin: str):
    response = many.at("/cors").ask("OPTIONS", f"{AGENT}/{session}", origin=origin)
    assert response.status == 403
    assert "access-control-allow-origin" not in response.headers


# --- x-litro-agent, content type


@pytest.mark.parametrize("value", [None, "", "0", "true", "1, 1"])
@pytest.mark.parametrize("path", ["", "/cancel"])
def test_a_post_without_our_header_is_refused(
    client: Client, session: str, path: str, value: str | None
):
    response = client.ask("POST", f"{AGENT}/{session}{path}", BODY, x_litro_agent=value)
    assert says(response, 403, "x-litro-agent: 1")


def test_reading_needs_no_header_of_ours(client: Client, session: str):
    assert client.get(session).status == 200


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain, application/json",
        "application/jsonp",
    ],
)
def test_a_body_that_is_not_json_is_415(client: Client, session: str, content_type: str | None):
    response = client.post(session, "say one", content_type=content_type)
    assert response.headers["accept-post"] == "application/json"
    assert response.told() == (415, "unsupported-media-type")
    assert client.get(session).lines() == [b'{"done":true}\n']


@pytest.mark.parametrize("content_type", ["application/json; charset=utf-8", "Application/JSON"])
def test_json_by_any_of_its_names_is_taken(client: Client, session: str, content_type: str):
    assert client.post(session, "say one", content_type=content_type).status == 200


# --- the order


def test_the_gates_are_asked_in_their_order(many: Client, client: Client, session: str, gate: str):
    path = "/__litro/agent/nobody/bad.id"
    wrong: dict[str, str | None] = {
        "host": "evil.example",
        "sec_fetch_site": "cross-site",
        "origin": "https://evil.example",
        "x_litro_agent": None,
        "content_type": "text/plain",
    }
    order: list[tuple[int, str]] = []
    for right in (
        {"host": f"127.0.0.1:{client.server.port}"},
        {"sec_fetch_site": None},
        {"origin": None},
        {"x_litro_agent": "1"},
        {"content_type": "application/json"},
    ):
        order.append(client.ask("POST", path, b"nonsense", **wrong).told())
        wrong |= right
    order += [
        client.ask("POST", path, b"nonsense", **wrong).told(),
        client.ask("POST", f"/__litro/agent/nobody/{session}", b"nonsense").told(),
    ]
    one = many.at("/one-turn")
    one.post(session, "say mine", agent="guarded", x_as="name:ann").all()
    running = one.post(session, f"wait {gate}", agent="guarded", x_as="name:ann")
    guarded = f"/__litro/agent/guarded/{session}"
    order += [
        one.ask("POST", guarded, b"nonsense", x_as="refused").told(),
        one.ask("POST", guarded, b"nonsense", x_as="name:bob").told(),
        one.ask("POST", guarded, b"nonsense", x_as="name:ann").told(),
        one.ask("POST", guarded, BODY, x_as="name:ann").told(),
        one.ask("POST", f"{guarded}-2", BODY, x_as="name:ann").told(),
    ]
    many.server.let(gate)
    running.all()
    assert order == [
        (421, "unknown-host"),
        (403, "cross-site"),
        (403, "foreign-origin"),
        (403, "missing-header"),
        (415, "unsupported-media-type"),
        (400, "invalid-session"),
        (404, "unknown-agent"),
        (401, "refused"),
        (404, "unknown-session"),
        (400, "invalid-body"),
        (409, "busy"),
        (503, "too-many-turns"),
    ]
