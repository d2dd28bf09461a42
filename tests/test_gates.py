"""The request gates: pure functions of a head and a policy."""

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from litro.gates import (
    GatePolicy,
    Refusal,
    RequestHead,
    check,
    cors_headers,
)
from litro.gates.checks import check_host, target_of
from litro.gates.names import parse_authority

METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
OPEN = GatePolicy()
LOOPBACK = GatePolicy(loopback_only=True)
PARTNER = "https://partner.example"
CORS = GatePolicy(allowed_origins=(PARTNER,))


def head(
    method: str = "GET", *, client: str | None = "203.0.113.9", scheme: str = "http", **headers: str
) -> RequestHead:
    """A request that passes unless `headers` (underscores for dashes) say otherwise; an empty value removes one."""
    given = {"host": "app.example.com", "x-litro-agent": "1"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    kept = {name: value for name, value in given.items() if value}
    return RequestHead(method=method, scheme=scheme, headers=kept, client=client)


def status(request: RequestHead, policy: GatePolicy = OPEN) -> int | None:
    refusal = check(request, policy)
    return None if refusal is None else refusal.status


def refused(request: RequestHead, policy: GatePolicy = OPEN) -> Refusal:
    refusal = check(request, policy)
    assert refusal is not None
    return refusal


# --- the head


def test_a_scope_becomes_a_head_with_lower_cased_names_and_repeated_headers_joined():
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": "/a",
        "scheme": "https",
        "headers": [(b"Host", b"a.example"), (b"x-a", b" 1\t"), (b"X-A", b"2\xff")],
        "client": ("10.0.0.7", 4000),
        "server": ("127.0.0.1", 8000),
    }
    built = RequestHead.from_scope(scope)
    assert dict(built.headers) == {"host": "a.example", "x-a": "1, 2\xff"}
    assert (built.client, built.scheme) == ("10.0.0.7", "https")


def test_a_scope_of_a_unix_socket_has_no_client():
    scope: dict[str, Any] = {
        "type": "http",
        "method": "GET",
        "path": "/",
        "headers": [],
        "client": None,
    }
    built = RequestHead.from_scope(scope)
    assert (built.client, built.scheme) == (None, "http")


# --- Host


@pytest.mark.parametrize(
    "host",
    [
        "a.example, b.example",
        "evil@app.example.com",
        "http://app.example.com",
        "app.example.com/",
        "app.example.com:",
        "app.example.com:x",
        "app.example.com:65536",
        "app.example.com:٣",
        "app..example",
        ".",
        " app",
        "app\n",
        "[::1",
        "[:::1]",
        "[fe80::1%eth0]",
        "bücher.example",
        "a" * 64,
        ".".join(["abc"] * 80),
    ],
)
def test_a_host_that_is_not_exactly_one_host_is_a_bad_request(host: str):
    for method in METHODS:
        assert refused(head(method, host=host)).type == "invalid-host"
        assert status(head(method, host=host)) == 400


def test_a_request_without_a_host_is_a_bad_request():
    assert status(head(host="")) == 400


def test_two_host_headers_of_a_scope_are_a_bad_request():
    scope: dict[str, Any] = {
        "method": "GET",
        "path": "/",
        "headers": [(b"host", b"a.example"), (b"host", b"a.example")],
    }
    assert status(RequestHead.from_scope(scope)) == 400


def test_any_host_is_answered_where_nothing_limits_them():
    assert status(head(host="anything.example:1234")) is None


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8000",
        "localhost.",
        "localhost.:8000",
        "app.localhost",
        "127.0.0.1:8000",
        "127.9.8.7",
        "[::1]:8000",
        "[0:0:0:0:0:0:0:1]",
    ],
)
def test_loopback_names_are_answered_in_development(host: str):
    assert status(head(host=host), LOOPBACK) is None


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "notlocalhost",
        "127.0.0.1.nip.io",
        "127.evil.example",
        "0177.0.0.1",
        "128.0.0.1",
        "0.0.0.0",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::2]",
    ],
)
def test_no_other_name_is_answered_in_development_whatever_the_method(host: str):
    for method in METHODS:
        assert status(head(method, host=host), LOOPBACK) == 421


def test_a_misdirected_request_is_told_the_settings_and_the_value_seen():
    message = refused(head(host="evil.example"), LOOPBACK).message
    assert "'evil.example'" in message
    assert "allowed_hosts" in message
    assert "LITRO_ALLOWED_HOSTS" in message


@pytest.mark.parametrize(
    ("pattern", "host"),
    [
        ("app.example.com", "app.example.com"),
        ("app.example.com", "APP.example.com.:8000"),
        ("App.Example.com.", "app.example.com"),
        ("app.example.com:*", "app.example.com:8000"),
        ("app.example.com:*", "app.example.com"),
        ("app.example.com:8000", "app.example.com:8000"),
        ("app.example.com:443", "app.example.com"),
        ("*.example.com", "a.example.com"),
        ("*.example.com", "b.a.example.com:8443"),
        ("*.example.com:8443", "a.example.com:8443"),
        ("[::1]:*", "[::1]:9"),
        ("[2001:DB8::1]", "[2001:db8:0::1]"),
    ],
)
def test_a_host_that_an_entry_covers_is_answered(pattern: str, host: str):
    assert status(head(host=host), GatePolicy(allowed_hosts=(pattern,))) is None
    assert status(head(host=host), GatePolicy(allowed_hosts=(pattern,), loopback_only=True)) is None


@pytest.mark.parametrize(
    ("pattern", "host"),
    [
        ("app.example.com", "b.app.example.com"),
        ("app.example.com:8000", "app.example.com:8001"),
        ("app.example.com:8000", "app.example.com"),
        ("*.example.com", "example.com"),
        ("*.example.com", "evilexample.com"),
        ("*.example.com", "example.com.evil.example"),
        ("*.example.com:8443", "a.example.com:80"),
        ("app.example.com", "localhost"),
    ],
)
def test_a_host_that_no_entry_covers_is_misdirected(pattern: str, host: str):
    assert status(head(host=host), GatePolicy(allowed_hosts=(pattern,))) == 421


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"allowed_hosts": ("*",)}, "every name"),
        ({"allowed_hosts": ("https://a.example",)}, "is not a host"),
        ({"allowed_hosts": ("::1",)}, "IPv6 in brackets"),
        ({"allowed_hosts": ("bücher.example",)}, "xn--"),
        ({"allowed_origins": ("*",)}, "exact origins"),
        ({"allowed_origins": ("https://*.example.com",)}, "exact origins"),
        ({"allowed_origins": ("null",)}, "never allowed"),
        ({"allowed_origins": ("https://a.example/",)}, "no path"),
        ({"allowed_origins": ("https://a.example/app",)}, "no path"),
        ({"allowed_origins": ("https://u:p@a.example",)}, "no path"),
        ({"allowed_origins": ("a.example",)}, "scheme://host"),
        ({"trusted_proxies": ("proxy.internal",)}, "an address or a network"),
        ({"trusted_proxies": ("10.0.0.7/8",)}, "host bits"),
    ],
)
def test_a_policy_with_an_entry_that_is_wrong_cannot_be_made(settings: dict[str, Any], text: str):
    with pytest.raises(ValueError, match=text):
        GatePolicy(**settings)


# --- Sec-Fetch-Site


@pytest.mark.parametrize("site", ["same-origin", "none"])
def test_the_browsers_own_site_passes(site: str):
    assert status(head(sec_fetch_site=site)) is None


@pytest.mark.parametrize(
    "site", ["cross-site", "same-site", "SAME-ORIGIN", "same-origin, same-origin", "?"]
)
def test_another_site_is_refused_whatever_the_method(site: str):
    for method in METHODS:
        assert refused(head(method, sec_fetch_site=site)).type == "cross-site"
        assert status(head(method, sec_fetch_site=site)) == 403


def test_another_site_passes_with_an_allowed_origin_only():
    assert status(head("POST", sec_fetch_site="cross-site", origin=PARTNER), CORS) is None
    assert status(head("POST", sec_fetch_site="cross-site"), CORS) == 403
    assert (
        status(head("POST", sec_fetch_site="cross-site", origin="https://evil.example"), CORS)
        == 403
    )


def test_another_site_whose_origin_claims_to_be_the_host_is_refused():
    assert status(head(sec_fetch_site="cross-site", origin="http://app.example.com")) == 403


# --- Origin


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("app.example.com", "http://app.example.com"),
        ("app.example.com", "https://app.example.com"),  # a proxy that nobody told of ends TLS
        ("app.example.com:443", "https://app.example.com"),
        ("app.example.com", "https://app.example.com:443"),
        ("APP.example.com:8000", "http://app.EXAMPLE.com:8000"),
        ("localhost.:8000", "http://localhost.:8000"),
        ("[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_the_hosts_own_origin_passes(host: str, origin: str):
    assert status(head("POST", host=host, origin=origin)) is None


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "https://app.example.com:8443",
        "https://app.example.com.evil.example",
        "https://app.example.com@evil.example",
        "https://evil.example#app.example.com",
        "https://evil.example/app.example.com",
        "https://evil.example\\.app.example.com",
        "http://app.example.com, http://evil.example",
        "capacitor://app.example.com",
        "file://",
        "null",
        "app.example.com",
        "//app.example.com",
        "http://",
        "http://äpp.example.com",
    ],
)
def test_any_other_origin_is_refused_whatever_the_method(origin: str):
    for method in METHODS:
        assert refused(head(method, origin=origin)).type == "foreign-origin"
        assert status(head(method, origin=origin)) == 403


def test_an_http_page_may_not_act_on_its_https_namesake():
    assert status(head(scheme="https", origin="http://app.example.com")) == 403
    assert status(head(scheme="https", origin="https://app.example.com")) is None


@pytest.mark.parametrize("origin", [PARTNER, "HTTPS://Partner.example:443", "app://mobile"])
def test_an_allowed_origin_passes_however_it_spells_its_own_port(origin: str):
    assert (
        status(head("POST", origin=origin), GatePolicy(allowed_origins=(PARTNER, "app://mobile")))
        is None
    )


@pytest.mark.parametrize(
    "origin",
    ["http://partner.example", "https://partner.example:8443", "https://a.partner.example", "null"],
)
def test_an_origin_that_is_only_like_an_allowed_one_is_refused(origin: str):
    assert status(head("POST", origin=origin), CORS) == 403


def test_a_refused_origin_is_told_both_values_and_both_remedies():
    message = refused(head(host="app.example.com", origin="https://evil.example")).message
    assert "'https://evil.example'" in message
    assert "'app.example.com'" in message
    assert "same host" in message
    assert "allowed_origins (LITRO_ALLOWED_ORIGINS)" in message
    assert "trusted_proxies" not in message


def test_a_null_origin_is_never_told_to_be_allowed():
    assert "add 'null'" not in refused(head(origin="null")).message


# --- proxies


def test_the_forwarded_host_of_a_trusted_proxy_is_the_host():
    policy = GatePolicy(trusted_proxies=("10.0.0.0/8",), allowed_hosts=("app.example.com",))
    request = head(
        "POST",
        host="127.0.0.1:8000",
        client="10.1.2.3",
        x_forwarded_host="app.example.com, inner",
        x_forwarded_proto="https, http",
        origin="https://app.example.com",
    )
    assert status(request, policy) is None


@pytest.mark.parametrize(
    ("proxies", "client", "trusted"),
    [
        (("10.0.0.7",), "10.0.0.7", True),
        (("10.0.0.7",), "10.0.0.8", False),
        (("10.0.0.0/8",), "::ffff:10.0.0.8", True),
        (("fd00::/8",), "fd00::1", True),
        (("fd00::/8",), "10.0.0.8", False),
        (("*",), "testclient", True),
        (("*",), None, True),
        (("10.0.0.7",), None, False),
        (("10.0.0.7",), "testclient", False),
        ((), "127.0.0.1", False),
    ],
)
def test_a_peer_is_trusted_by_its_address(
    proxies: tuple[str, ...], client: str | None, trusted: bool
):
    assert GatePolicy(trusted_proxies=proxies).trusts(client) is trusted


def test_the_forwarded_scheme_of_a_trusted_proxy_is_the_scheme():
    policy = GatePolicy(trusted_proxies=("*",))
    assert status(head(x_forwarded_proto="https", origin="http://app.example.com"), policy) == 403
    assert status(head(x_forwarded_proto="gopher", origin="http://app.example.com"), policy) is None
    assert status(head(x_forwarded_proto="https", origin="http://app.example.com"), OPEN) is None


def test_a_malformed_forwarded_host_of_a_trusted_proxy_is_a_bad_request():
    refusal = refused(
        head(x_forwarded_host=", app.example.com"), GatePolicy(trusted_proxies=("*",))
    )
    assert (refusal.status, refusal.message.startswith("X-Forwarded-Host:")) == (400, True)


def test_a_forwarded_host_of_an_untrusted_peer_does_not_count_and_the_refusal_says_so():
    request = head(
        host="127.0.0.1:8000",
        client="10.0.0.3",
        x_forwarded_host="app.example.com",
        origin="https://app.example.com",
    )
    message = refused(request).message
    assert "'10.0.0.3'" in message
    assert "trusted_proxies" in message
    assert "LITRO_TRUSTED_PROXIES" in message


# --- x-litro-agent


@pytest.mark.parametrize("method", METHODS)
def test_every_method_that_acts_requires_the_agent_header(method: str):
    expected = None if method in {"GET", "HEAD", "OPTIONS"} else 403
    assert status(head(method, x_litro_agent="")) == expected


@pytest.mark.parametrize("value", ["0", "1, 1", "true", "11"])
def test_the_agent_header_is_exactly_one(value: str):
    refusal = refused(head("POST", x_litro_agent=value))
    assert (refusal.status, refusal.type) == (403, "missing-header")
    assert "Send 'x-litro-agent: 1'" in refusal.message


# --- content type


@pytest.mark.parametrize(
    "value",
    [
        "application/json",
        "Application/JSON; charset=utf-8",
        "application/json;",
        "application/cloudevents+json",
    ],
)
def test_a_json_body_passes(value: str):
    assert status(head("POST", content_type=value, content_length="12")) is None


@pytest.mark.parametrize(
    "value",
    [
        "",
        "text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=application/json",
        "application/jsonp",
        "application/json, text/plain",
        "text/plain+json",
        "application/+json",
    ],
)
def test_any_other_body_is_an_unsupported_media_type(value: str):
    refusal = refused(head("POST", content_type=value, content_length="12"))
    assert (refusal.status, refusal.headers) == (415, ((b"accept-post", b"application/json"),))
    assert status(head("POST", content_type=value, transfer_encoding="chunked")) == 415


@pytest.mark.parametrize("length", ["", "0", "00"])
def test_a_post_without_a_body_needs_no_content_type(length: str):
    assert status(head("POST", content_length=length)) is None


def test_a_length_that_is_no_number_counts_as_a_body():
    assert status(head("POST", content_length="0, 5")) == 415


# --- the order, and whole attacks


def test_the_gates_stand_in_order():
    bad: dict[str, str] = {
        "content_type": "text/plain",
        "content_length": "1",
        "x_litro_agent": "",
        "origin": "https://evil.example",
        "sec_fetch_site": "cross-site",
    }
    seen = [refused(head("POST", host="", **bad), LOOPBACK).type]
    seen.append(refused(head("POST", host="evil.example", **bad), LOOPBACK).type)
    for fixed in ("sec_fetch_site", "origin", "x_litro_agent", "content_type"):
        seen.append(refused(head("POST", host="localhost", **bad), LOOPBACK).type)
        del bad[fixed]
    assert seen == [
        "invalid-host",
        "unknown-host",
        "cross-site",
        "foreign-origin",
        "missing-header",
        "unsupported-media-type",
    ]


@pytest.mark.parametrize("method", METHODS)
def test_drive_by_pages_and_rebound_names_are_refused_on_every_method(method: str):
    rebound = head(method, host="evil.example")
    spoofed = head(method, host="evil.example", origin="https://evil.example")
    foreign = head(method, host="localhost:8000", origin="https://evil.example")
    forwarded = head(method, host="evil.example", x_forwarded_host="localhost:8000")
    forged = head(
        method,
        host="localhost:8000",
        x_forwarded_host="evil.example",
        origin="https://evil.example",
    )
    assert [
        status(request, LOOPBACK) for request in (rebound, spoofed, foreign, forwarded, forged)
    ] == [421, 421, 403, 421, 403]


def test_a_form_of_another_site_is_refused_even_by_a_browser_that_says_nothing():
    form = head(
        "POST",
        x_litro_agent="",
        content_type="text/plain",
        content_length="20",
        host="localhost:8000",
    )
    assert status(form, LOOPBACK) == 403


def test_a_deployment_behind_a_proxy_is_told_which_setting_lets_it_work():
    request = head(
        "POST", host="app.example.com", content_type="application/json", content_length="9"
    )
    assert (
        "LITRO_ALLOWED_HOSTS"
        in refused(request, GatePolicy(allowed_hosts=("127.0.0.1:*",))).message
    )
    assert status(request, GatePolicy(allowed_hosts=("127.0.0.1:*", "app.example.com:*"))) is None


# --- CORS


def test_an_allowed_origin_is_echoed_and_never_a_wildcard():
    assert cors_headers(head(origin=PARTNER), CORS) == [
        (b"vary", b"Origin"),
        (b"access-control-allow-origin", b"https://partner.example"),
        (b"access-control-allow-credentials", b"true"),
        (b"access-control-expose-headers", b"litro-turn, litro-from, retry-after"),
    ]


@pytest.mark.parametrize("origin", ["", "null", "https://evil.example", "http://app.example.com"])
def test_an_answer_that_could_differ_by_origin_varies_and_grants_nothing(origin: str):
    for method in METHODS:
        assert cors_headers(head(method, origin=origin), CORS) == [(b"vary", b"Origin")]


def test_without_allowed_origins_there_is_no_cors():
    for method in METHODS:
        assert cors_headers(head(method, origin=PARTNER), OPEN) == []


def test_the_preflight_of_an_allowed_origin_passes_and_is_told_what_it_may_send():
    request = head("OPTIONS", origin=PARTNER, sec_fetch_site="cross-site", x_litro_agent="")
    told = dict(cors_headers(request, CORS))
    assert check(request, CORS) is None
    assert told[b"access-control-allow-origin"] == PARTNER.encode()
    assert told[b"access-control-allow-methods"] == b"GET, POST, PATCH, DELETE, HEAD, OPTIONS"
    assert (
        told[b"access-control-allow-headers"]
        == b"content-type, x-litro-agent, idempotency-key, last-event-id, authorization"
    )
    assert told[b"access-control-max-age"] == b"600"


# --- hostile heads

names = st.sampled_from(
    [
        b"host",
        b"Origin",
        b"sec-fetch-site",
        b"x-litro-agent",
        b"content-type",
        b"content-length",
        b"transfer-encoding",
        b"x-forwarded-host",
        b"x-forwarded-proto",
    ]
)
values = st.binary(max_size=40) | st.sampled_from(
    [
        b"localhost",
        b"app.example.com",
        b"http://localhost",
        PARTNER.encode(),
        b"1",
        b"same-origin",
        b"application/json",
    ]
)
scopes = st.fixed_dictionaries(
    {
        "method": st.sampled_from(METHODS) | st.text(max_size=5),
        "path": st.text(max_size=5),
        "scheme": st.text(max_size=5),
        "headers": st.lists(st.tuples(names | st.binary(max_size=10), values), max_size=8),
        "client": st.none()
        | st.tuples(st.text(max_size=12) | st.sampled_from(["10.0.0.7", "::1"]), st.integers()),
    }
)
policies = st.builds(
    GatePolicy,
    allowed_hosts=st.sampled_from([None, (), ("app.example.com", "*.example.org:*")]),
    loopback_only=st.booleans(),
    allowed_origins=st.sampled_from([(), (PARTNER,)]),
    trusted_proxies=st.sampled_from([(), ("*",), ("10.0.0.0/8", "::1")]),
)


@given(scopes, policies)
def test_any_bytes_pass_or_are_refused_and_never_raise(scope: dict[str, Any], policy: GatePolicy):
    request = RequestHead.from_scope(scope)
    refusal = check(request, policy)
    assert refusal is None or refusal.status in {400, 403, 415, 421}
    for name, value in cors_headers(request, policy):
        assert value != b"*"
        assert b"\n" not in name + value


@given(
    st.dictionaries(
        st.sampled_from(["host", "origin", "sec-fetch-site", "content-type", "x-forwarded-host"]),
        st.text(),
    ),
    policies,
)
@example({"host": "\ud800", "origin": "http://\ud800"}, LOOPBACK)
def test_a_head_built_by_hand_from_any_text_never_raises(
    headers: dict[str, str], policy: GatePolicy
):
    request = RequestHead(method="POST", scheme="http", headers=headers, client="\ud800")
    refusal = check(request, policy)
    assert refusal is not None
    assert refusal.message.encode()
    cors_headers(request, policy)


@given(st.from_regex(r"[a-zA-Z0-9.:@\[\]-]{0,20}\.evil\.example\.?(:[0-9]{1,5})?", fullmatch=True))
def test_no_name_under_a_foreign_domain_is_answered_in_development(host: str):
    assert status(head(host=host), LOOPBACK) in {400, 421}


PIECES = (
    "http",
    "https",
    "://",
    "app.example.com",
    "evil.example",
    ".",
    "@",
    ":80",
    ":443",
    "/",
    "#",
    "?",
    "\\",
    " ",
    "null",
)
OWN = {
    f"{site}{dot}{port}"
    for dot in ("", ".")
    for site, ports in (
        ("http://app.example.com", ("", ":80")),
        ("https://app.example.com", ("", ":443")),
    )
    for port in ports
}


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join))
@example("https://app.example.com.:443")
def test_no_origin_passes_that_does_not_spell_the_host(origin: str):
    assert (status(head(host="app.example.com", origin=origin)) is None) is (origin in OWN)


@given(st.text(max_size=60) | st.from_regex(r"[a-z0-9.\[\]:-]{1,30}", fullmatch=True))
def test_a_host_that_is_understood_is_understood_the_same_when_written_anew(text: str):
    host = parse_authority(text)
    if host is not None:
        name = f"[{host.name}]" if ":" in host.name else host.name
        assert parse_authority(name if host.port is None else f"{name}:{host.port}") == host


def test_each_gate_can_be_asked_alone():
    request = head(host="evil.example")
    target = target_of(request, LOOPBACK)
    assert not isinstance(target, Refusal)
    assert check_host(request, target, LOOPBACK) is not None
