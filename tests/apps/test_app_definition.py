"""What a file may declare as an app, and how each mistake is told where it is made."""

import subprocess
import sys
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from litro.mcp import McpApp
from litro.ui import element

SHELL = Markup("<p>…</p>")


def refusal(**given: Any) -> str:
    with pytest.raises((TypeError, ValueError)) as refused:
        McpApp(**{"shell": SHELL, **given})
    return str(refused.value)


def test_only_the_shell_is_required():
    app = McpApp(element("demo-card"))
    assert (app.version, app.display_modes, app.live) == ("0.0.0", ("inline",), True)
    assert app.uri is app.name is app.title is app.csp is app.permissions is app.domain is None


@pytest.mark.parametrize("shell", [None, "<p>", 7, {"html": "x"}])
def test_a_shell_is_a_template_or_has_html(shell: object):
    assert "McpApp: shell is" in refusal(shell=shell)
    assert "__html__()" in refusal(shell=shell)


def test_a_shell_can_be_a_template_string():
    @dataclass
    class Interpolation:
        value: object
        conversion: str | None = None
        format_spec: str = ""

    @dataclass
    class TemplateString:
        strings: tuple[str, ...]
        interpolations: tuple[Interpolation, ...]

    shell: Any = McpApp(TemplateString(("<p>", "</p>"), (Interpolation("Graz"),))).shell
    assert shell.values == ("Graz",)


@pytest.mark.parametrize(
    "uri", ["ui://", "ui:", "https://a", "UI:/a", "a", "ui://a b", "ui://a\n", ""]
)
def test_an_address_begins_with_ui_and_goes_on(uri: str):
    assert "uri is" in refusal(uri=uri)


@pytest.mark.parametrize("uri", ["ui://weather", "ui://a/b?c=d", "ui:///x"])
def test_any_other_address_is_kept_as_it_is(uri: str):
    assert McpApp(SHELL, uri=uri).uri == uri


@pytest.mark.parametrize("name", ["apply", "runtime"])
def test_a_python_function_cannot_run_in_a_browser(name: str):
    told = refusal(**{name: lambda element, data: None})
    assert f"{name} is <function" in told
    assert f'{name}="(element, data) =>' in told


@pytest.mark.parametrize(
    "name", ["title", "styles", "apply", "runtime", "domain", "name", "version"]
)
def test_texts_are_whole_strings(name: str):
    assert f"McpApp: {name} is 7" in refusal(**{name: 7})
    assert "half of one" in refusal(**{name: "a\ud800"})


def test_a_domain_is_not_empty():
    assert "domain is ''" in refusal(domain="")


@pytest.mark.parametrize("modes", [(), ("inline", "tiny"), "inline", 3, [["inline"]]])
def test_display_modes_are_some_of_three(modes: object):
    assert "inline, fullscreen, pip" in refusal(display_modes=modes)


def test_csp_and_permissions_take_the_names_of_python_and_of_the_protocol():
    app = McpApp(
        SHELL,
        csp={"connect_domains": ("https://a.example",), "frameDomains": []},
        permissions=["clipboard_write", "camera"],
    )
    assert app.csp == {"connectDomains": ["https://a.example"], "frameDomains": []}
    assert app.permissions == {"clipboardWrite": {}, "camera": {}}
    assert McpApp(SHELL, permissions={"geolocation": {}}).permissions == {"geolocation": {}}


def test_an_empty_csp_is_not_the_same_as_none():
    assert McpApp(SHELL, csp={}).csp == {}
    assert McpApp(SHELL).csp is None


@pytest.mark.parametrize(
    "csp",
    [{"connect": []}, {"connect_domains": "https://a"}, {"connect_domains": [7]}, ["https://a"]],
)
def test_a_csp_has_lists_of_origins(csp: object):
    assert "McpApp: csp" in refusal(csp=csp)


@given(st.text(min_size=1), st.sampled_from(list("; ,'\"\n\t")), st.text())
def test_no_origin_can_add_a_rule_to_the_hosts_policy(before: str, special: str, after: str):
    assert "an origin is required" in refusal(csp={"connect_domains": [before + special + after]})


@pytest.mark.parametrize("permissions", ["camera", ["screen"], 7])
def test_permissions_are_some_of_four(permissions: object):
    assert "camera, microphone, geolocation, clipboard_write" in refusal(permissions=permissions)


@pytest.mark.parametrize("name", ["prefers_border", "live"])
def test_switches_are_true_or_false(name: str):
    assert f"{name} is 1, so True or False" in refusal(**{name: 1})


def test_declaring_an_app_imports_neither_the_sdk_nor_a_server():
    program = (
        "import sys; from litro.mcp import McpApp; "
        "print(*{'mcp', 'pydantic', 'starlette', 'litro.components'} & sys.modules.keys())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
