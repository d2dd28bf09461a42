"""Settings: one table, five sources, and messages that say which source is wrong."""

import dataclasses
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litro.definitions import Config
from litro.errors import SettingsError
from litro.settings import SETTINGS, Settings, load_dotenv, read_pyproject, resolve

NOTHING: dict[str, str] = {}


class Store:
    """As much of a session store as settings look at."""

    async def open(self) -> None: ...

    def read(self) -> None: ...


def pyproject(project: Path, text: str) -> Path:
    path = project / "pyproject.toml"
    path.write_text(text, encoding="utf-8")
    return path


def refusal(project: Path, **sources: Any) -> str:
    with pytest.raises(SettingsError) as caught:
        resolve(project, **{"environ": NOTHING} | sources)
    return str(caught.value)


# --- the table


def test_the_table_holds_every_field_of_config_and_of_settings():
    config = {field.name for field in dataclasses.fields(Config) if field.name != "_"}
    assert {setting.name for setting in SETTINGS if "config" in setting.sources} == config
    assert [setting.name for setting in SETTINGS] == [
        field.name for field in dataclasses.fields(Settings) if field.name != "project"
    ]


def test_every_row_can_be_documented():
    for setting in SETTINGS:
        assert setting.summary.endswith(".")
        assert "\n" not in setting.summary
        assert (setting.variable is not None) is ("environment" in setting.sources)
        assert setting.variable is None or setting.variable.startswith("LITRO_")


def test_without_any_source_every_setting_has_its_default(tmp_path: Path):
    assert resolve(tmp_path, environ=NOTHING) == Settings(
        project=tmp_path,
        sessions=f"file:{tmp_path}/.litro/sessions",
        access=None,
        allowed_hosts=None,
        allowed_origins=(),
        trusted_proxies=(),
        max_body=1_048_576,
        max_turns=1000,
        tool_threads=32,
        grace=3.0,
        lifespan=None,
        mcp=None,
        mcp_token=None,
        mcp_local=None,
        mcp_origins=(),
        mcp_apps_dir=tmp_path / "dist/mcp-apps",
        mcp_app_versions=True,
        mcp_json=False,
        adapter="lit",
        node=None,
        signals=True,
        loopback=False,
        development=False,
    )


# --- precedence


def test_each_source_gives_way_to_the_stronger_one(tmp_path: Path):
    pyproject(tmp_path, "[tool.litro]\nmax_turns = 4\nmax_body = 4\ntool_threads = 4\ngrace = 4\n")
    config = Config(max_turns=3, max_body=3, tool_threads=3)
    environ = {"LITRO_MAX_TURNS": "2", "LITRO_MAX_BODY": "2"}
    settings = resolve(tmp_path, config=config, environ=environ, flags={"max_turns": 1})
    assert (settings.max_turns, settings.max_body, settings.tool_threads, settings.grace) == (
        1,
        2,
        3,
        4.0,
    )


def test_false_and_zero_of_a_strong_source_count(tmp_path: Path):
    pyproject(tmp_path, "[tool.litro]\nsignals = true\nmcp = true\ngrace = 9\n")
    settings = resolve(
        tmp_path, config=Config(signals=False, grace=0), flags={"mcp": False}, environ=NOTHING
    )
    assert (settings.signals, settings.mcp, settings.grace) == (False, False, 0.0)


def test_flags_that_were_not_given_and_blank_variables_are_skipped(tmp_path: Path):
    flags = {"max_turns": None, "allowed_hosts": ()}
    environ = {"LITRO_MAX_TURNS": " ", "LITRO_ALLOWED_HOSTS": ""}
    settings = resolve(tmp_path, config=Config(max_turns=7), flags=flags, environ=environ)
    assert (settings.max_turns, settings.allowed_hosts) == (7, None)


def test_a_weak_source_that_is_overridden_is_not_judged(tmp_path: Path):
    assert (
        resolve(tmp_path, flags={"max_turns": 1}, environ={"LITRO_MAX_TURNS": "many"}).max_turns
        == 1
    )


def test_every_variable_reaches_its_setting(tmp_path: Path):
    environ = {
        "LITRO_SESSIONS": "file:/var/lib/app",
        "LITRO_ALLOWED_HOSTS": "app.example.com, *.example.org:*,",
        "LITRO_ALLOWED_ORIGINS": "https://a.example,http://b.example:81",
        "LITRO_TRUSTED_PROXIES": "10.0.0.0/8,::1",
        "LITRO_MAX_BODY": "2048",
        "LITRO_MAX_TURNS": "5",
        "LITRO_TOOL_THREADS": "6",
        "LITRO_GRACE": "0.5",
        "LITRO_MCP": "yes",
        "LITRO_MCP_TOKEN": " s3cret ",
        "LITRO_MCP_LOCAL": "0",
        "LITRO_MCP_ORIGINS": "https://c.example,",
        "LITRO_MCP_APPS_DIR": "/srv/apps",
        "LITRO_MCP_APP_VERSIONS": "no",
        "LITRO_MCP_JSON": "1",
        "LITRO_ADAPTER": "fast",
        "LITRO_NODE": "/usr/bin/node",
        "LITRO_SIGNALS": "off",
        "LITRO_LOOPBACK": "1",
        "LITRO_DEV": "1",
    }
    assert {setting.variable for setting in SETTINGS if setting.variable} == set(environ)
    settings = resolve(tmp_path, environ=environ)
    assert settings.sessions == "file:/var/lib/app"
    assert settings.allowed_hosts == ("app.example.com", "*.example.org:*")
    assert settings.allowed_origins == ("https://a.example", "http://b.example:81")
    assert settings.trusted_proxies == ("10.0.0.0/8", "::1")
    assert (settings.max_body, settings.max_turns, settings.tool_threads, settings.grace) == (
        2048,
        5,
        6,
        0.5,
    )
    switches = (settings.mcp, settings.signals, settings.loopback, settings.development)
    assert switches == (True, False, True, True)
    assert (settings.mcp_token, settings.mcp_local, settings.mcp_json) == ("s3cret", False, True)
    assert settings.mcp_origins == ("https://c.example",)
    assert (settings.mcp_apps_dir, settings.mcp_app_versions) == (Path("/srv/apps"), False)
    assert (settings.adapter, settings.node) == ("fast", "/usr/bin/node")


def test_every_key_of_the_table_in_pyproject_reaches_its_setting(tmp_path: Path):
    pyproject(
        tmp_path,
        '[tool.litro]\napp = "app:api"\nsessions = "file:data"\nallowed_hosts = ["a.example"]\n'
        'allowed_origins = ["https://a.example"]\ntrusted_proxies = ["*"]\nmax_body = 1\nmax_turns = 2\n'
        "tool_threads = 3\ngrace = 4.5\nmcp = true\nsignals = false\n"
        'mcp_origins = ["https://b.example"]\nmcp_apps_dir = "out"\nmcp_json = true\nmcp_app_versions = false\nadapter = "fast"\n',
    )
    settings = resolve(tmp_path, environ=NOTHING)
    assert settings.sessions == f"file:{tmp_path}/data"
    assert (settings.allowed_hosts, settings.allowed_origins, settings.trusted_proxies) == (
        ("a.example",),
        ("https://a.example",),
        ("*",),
    )
    assert (settings.max_body, settings.max_turns, settings.tool_threads, settings.grace) == (
        1,
        2,
        3,
        4.5,
    )
    assert (settings.mcp, settings.mcp_json, settings.signals) == (True, True, False)
    assert settings.mcp_origins == ("https://b.example",)
    assert (settings.mcp_apps_dir, settings.mcp_app_versions) == (tmp_path / "out", False)


def test_code_only_settings_come_from_config(tmp_path: Path):
    def access(_: object) -> None: ...

    def lifespan() -> Any: ...

    store: Any = Store()
    settings = resolve(
        tmp_path, config=Config(access=access, lifespan=lifespan, sessions=store), environ=NOTHING
    )
    assert (settings.access, settings.lifespan, settings.sessions) == (access, lifespan, store)


def test_variables_that_settings_do_not_know_are_no_errors(tmp_path: Path):
    assert resolve(tmp_path, environ={"LITRO_OTHER": "s3cret"})


def test_a_pyproject_of_other_tools_gives_nothing(tmp_path: Path):
    pyproject(tmp_path, "[project]\nname = 'x'\n[tool.ruff]\nline-length = 100\n")
    assert read_pyproject(tmp_path) == {}


# --- sessions


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("file:data", "{project}/data"),
        ("file:./data/x", "{project}/data/x"),
        ("file:../data", "{project}/../data"),
        ("file:/srv/data", "/srv/data"),
        ("file:///srv/data", "/srv/data"),
        ("file://localhost/srv/data", "/srv/data"),
        ("file:with space", "{project}/with space"),
        ("sqlite:data.db", "{project}/data.db"),
        ("sqlite:.litro/sessions.db", "{project}/.litro/sessions.db"),
        ("sqlite:/srv/data.db", "/srv/data.db"),
        ("sqlite:///srv/data.db", "/srv/data.db"),
    ],
)
def test_sessions_count_from_the_project_whatever_their_source(
    tmp_path: Path, given: str, path: str
):
    expected = f"{given.partition(':')[0]}:{path.format(project=tmp_path)}"
    assert resolve(tmp_path, environ={"LITRO_SESSIONS": given}).sessions == expected
    assert resolve(tmp_path, config=Config(sessions=given), environ=NOTHING).sessions == expected


@pytest.mark.parametrize(
    "given", ["postgresql://me@db.example/app?schema=x", "postgres:///app?host=/run/postgresql"]
)
def test_a_server_s_url_stays_as_it_is(tmp_path: Path, given: str):
    assert resolve(tmp_path, environ={"LITRO_SESSIONS": given}).sessions == given
    assert resolve(tmp_path, config=Config(sessions=given), environ=NOTHING).sessions == given


def test_a_relative_project_becomes_absolute(tmp_path: Path):
    settings = resolve(Path(os.path.relpath(tmp_path)), environ=NOTHING)
    assert settings.project.is_absolute()
    assert settings.project.samefile(tmp_path)


# --- bad values

BAD = [
    ("LITRO_SESSIONS", ".litro/sessions", "Write 'file:.litro/sessions'"),
    ("LITRO_SESSIONS", "C:\\data", "has no scheme"),
    (
        "LITRO_SESSIONS",
        "redis://localhost",
        "'file:DIR', 'sqlite:FILE' and 'postgresql://…' is required",
    ),
    ("LITRO_SESSIONS", "file:", "one of 'file:DIR'"),
    ("LITRO_SESSIONS", "file://server/share", "one of 'file:DIR'"),
    ("LITRO_SESSIONS", "sqlite:", "one of 'file:DIR'"),
    ("LITRO_SESSIONS", "sqlite://server/share", "one of 'file:DIR'"),
    ("LITRO_SESSIONS", "postgresql:app", "one of 'file:DIR'"),
    ("LITRO_ALLOWED_HOSTS", "*", "names are required"),
    ("LITRO_ALLOWED_HOSTS", "https://a.example", "is not a host"),
    ("LITRO_ALLOWED_HOSTS", ",", "has no entry"),
    ("LITRO_ALLOWED_ORIGINS", "*", "exact origins are required"),
    ("LITRO_ALLOWED_ORIGINS", "https://a.example/", "browsers send no path"),
    ("LITRO_ALLOWED_ORIGINS", "a.example", "scheme://host"),
    ("LITRO_TRUSTED_PROXIES", "nginx", "an address or a network is required"),
    ("LITRO_MAX_BODY", "1MB", "a whole number of at least 1 is required"),
    ("LITRO_MAX_BODY", "9" * 5000, "a whole number of at least 1 is required"),
    ("LITRO_MAX_TURNS", "0", "a whole number of at least 1 is required"),
    ("LITRO_MAX_TURNS", "٣", "a whole number of at least 1 is required"),
    ("LITRO_TOOL_THREADS", "-1", "a whole number of at least 1 is required"),
    ("LITRO_GRACE", "-0.1", "a number of at least 0 is required"),
    ("LITRO_GRACE", "nan", "a number of at least 0 is required"),
    ("LITRO_GRACE", "inf", "a number of at least 0 is required"),
    ("LITRO_GRACE", "soon", "a number of at least 0 is required"),
    ("LITRO_MCP", "maybe", "1, true, yes, on, 0, false, no, off is required"),
    ("LITRO_MCP_LOCAL", "here", "1, true, yes, on, 0, false, no, off is required"),
    ("LITRO_MCP_ORIGINS", "*", "exact origins are required"),
    ("LITRO_MCP_APPS_DIR", "a\0b", "the path of a folder is required"),
    ("LITRO_SIGNALS", "2", "1, true, yes, on, 0, false, no, off is required"),
    ("LITRO_DEV", "dev", "1, true, yes, on, 0, false, no, off is required"),
]


@pytest.mark.parametrize(("variable", "value", "required"), BAD)
def test_a_bad_variable_is_told_with_its_name_its_value_and_what_is_required(
    tmp_path: Path, variable: str, value: str, required: str
):
    message = refusal(tmp_path, environ={variable: value})
    assert message.startswith(f"{variable}: ")
    assert repr(value)[:60] in message
    assert required in message


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("max_turns", True),
        ("max_turns", 2.5),
        ("grace", False),
        ("grace", 10**400),
        ("mcp", 1),
        ("mcp", []),
        ("allowed_hosts", 5),
        ("allowed_hosts", []),
        ("allowed_hosts", [5]),
        ("allowed_origins", {"a": 1}),
        ("trusted_proxies", [None]),
        ("sessions", 5),
    ],
)
def test_a_config_with_a_value_of_a_wrong_type_is_refused(tmp_path: Path, name: str, value: Any):
    message = refusal(tmp_path, config=Config(**{name: value}))
    assert message.startswith(f"agents/_config.py: {name}: ")
    assert "required" in message


def test_the_message_names_the_source_that_gave_the_value(tmp_path: Path):
    path = pyproject(tmp_path, "[tool.litro]\nmax_turns = 'many'\n")
    assert refusal(tmp_path).startswith(f"{path}: [tool.litro] max_turns: 'many'")
    assert refusal(tmp_path, config=Config(max_turns=0)).startswith(
        "agents/_config.py: max_turns: 0"
    )
    assert refusal(tmp_path, environ={"LITRO_MAX_TURNS": "x"}).startswith("LITRO_MAX_TURNS: 'x'")
    assert refusal(tmp_path, flags={"max_turns": -1}).startswith("--max-turns: -1")


def test_all_bad_values_are_told_at_once(tmp_path: Path):
    message = refusal(tmp_path, environ={"LITRO_GRACE": "x", "LITRO_MAX_BODY": "y"})
    assert [line.partition(":")[0] for line in message.splitlines()] == [
        "LITRO_MAX_BODY",
        "LITRO_GRACE",
    ]


def test_a_flag_that_is_no_setting_is_refused(tmp_path: Path):
    assert (
        refusal(tmp_path, flags={"max_turn": 1})
        == "--max-turn: is no setting. Did you mean 'max_turns'?"
    )


# --- pyproject.toml


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("max_turn = 1", "'max_turn' is no setting. Did you mean 'max_turns'?"),
        ("allowed-hosts = []", "Did you mean 'allowed_hosts'?"),
        ("zzz = 1", "so one of adapter, allowed_hosts, allowed_origins, app, "),
        ("access = 'x'", "Write it as Config(access=…) in agents/_config.py."),
        ("development = true", "Set LITRO_DEV=1 where it is meant"),
        ("mcp_token = 's3cret'", "Set LITRO_MCP_TOKEN=… where it is meant"),
        ("app = 'app'", "app: 'app' is not 'module:name'"),
        ("app = 3", "app: 3 is not 'module:name'"),
    ],
)
def test_a_key_that_nobody_reads_is_told_with_what_was_meant(tmp_path: Path, line: str, told: str):
    path = pyproject(tmp_path, f"[tool.litro]\n{line}\n")
    message = refusal(tmp_path)
    assert message.startswith(f"{path}: [tool.litro] ")
    assert told in message


@pytest.mark.parametrize(
    ("text", "line"),
    [("[tool.litro]\nmax_turns = \n", 2), ("[project]\n\nname = 'x", 3), ("a = 1\na = 2", 2)],
)
def test_a_pyproject_that_is_not_toml_is_told_with_its_line(tmp_path: Path, text: str, line: int):
    path = pyproject(tmp_path, text)
    assert refusal(tmp_path).startswith(f"{path}:{line}: is not TOML")


def test_a_pyproject_that_is_not_utf8_is_told_with_its_line(tmp_path: Path):
    path = tmp_path / "pyproject.toml"
    path.write_bytes(b"[project]\nname = '\xff'\n")
    assert refusal(tmp_path).startswith(f"{path}:2: is not UTF-8")


def test_a_pyproject_that_cannot_be_read_is_told(tmp_path: Path):
    (tmp_path / "pyproject.toml").mkdir()
    assert "cannot be read" in refusal(tmp_path)


@pytest.mark.parametrize("text", ["[tool]\nlitro = 3\n", "[[tool.litro]]\n"])
def test_a_litro_that_is_no_table_is_told(tmp_path: Path, text: str):
    pyproject(tmp_path, text)
    assert "so a table is required" in refusal(tmp_path)


def test_a_tool_that_is_no_table_holds_no_settings(tmp_path: Path):
    pyproject(tmp_path, "tool = 3\n")
    assert read_pyproject(tmp_path) == {}


@given(
    st.dictionaries(
        st.sampled_from([setting.variable for setting in SETTINGS if setting.variable]),
        st.text(max_size=20),
    )
)
def test_any_environment_resolves_or_is_refused(environ: dict[str, str]):
    try:
        settings = resolve(Path("/nowhere"), environ=environ)
    except SettingsError:
        return
    assert settings.gate_policy().allowed_hosts == settings.allowed_hosts


# --- what the gates are handed


@pytest.mark.parametrize(
    ("environ", "loopback_only"),
    [
        ({}, False),
        ({"LITRO_LOOPBACK": "1"}, True),
        ({"LITRO_LOOPBACK": "1", "LITRO_TRUSTED_PROXIES": "127.0.0.1"}, False),
        ({"LITRO_DEV": "1"}, True),
        ({"LITRO_DEV": "1", "LITRO_TRUSTED_PROXIES": "127.0.0.1"}, True),
    ],
)
def test_only_loopback_names_are_answered_in_development_and_on_a_loopback_server_without_a_proxy(
    tmp_path: Path, environ: dict[str, str], loopback_only: bool
):
    assert resolve(tmp_path, environ=environ).gate_policy().loopback_only is loopback_only


# --- whom MCP serves


@pytest.mark.parametrize(
    ("environ", "served"),
    [
        ({}, False),
        ({"LITRO_DEV": "1"}, False),
        ({"LITRO_LOOPBACK": "1"}, False),
        ({"LITRO_DEV": "1", "LITRO_LOOPBACK": "1"}, True),
        ({"LITRO_DEV": "1", "LITRO_LOOPBACK": "1", "LITRO_MCP": "0"}, False),
        ({"LITRO_DEV": "1", "LITRO_LOOPBACK": "1", "LITRO_MCP_LOCAL": "0"}, False),
        ({"LITRO_MCP_TOKEN": "s3cret"}, True),
        ({"LITRO_MCP_TOKEN": "s3cret", "LITRO_MCP": "0"}, False),
        ({"LITRO_MCP_LOCAL": "1"}, True),
        ({"LITRO_MCP_LOCAL": "0"}, False),
        ({"LITRO_MCP": "1", "LITRO_MCP_TOKEN": "s3cret"}, True),
    ],
)
def test_mcp_is_served_where_it_was_asked_for_and_under_litro_dev_on_loopback(
    tmp_path: Path, environ: dict[str, str], served: bool
):
    settings = resolve(tmp_path, environ=environ)
    assert settings.serves_mcp is served
    assert (settings.mcp_policy() is not None) is served


@pytest.mark.parametrize(
    "environ",
    [
        {"LITRO_MCP": "1"},
        {"LITRO_MCP": "1", "LITRO_LOOPBACK": "1"},
        {"LITRO_MCP": "1", "LITRO_DEV": "1"},
        {"LITRO_MCP": "1", "LITRO_MCP_LOCAL": "0"},
        {"LITRO_MCP": "1", "LITRO_MCP_TOKEN": "  "},
    ],
)
def test_mcp_that_was_asked_for_without_a_token_or_a_marker_is_refused(
    tmp_path: Path, environ: dict[str, str]
):
    with pytest.raises(SettingsError, match=r"LITRO_MCP_TOKEN .* LITRO_MCP_LOCAL=1"):
        resolve(tmp_path, environ=environ).mcp_policy()


def test_a_local_mcp_answers_loopback_names_wherever_the_app_is_served(tmp_path: Path):
    local = resolve(tmp_path, environ={"LITRO_MCP_LOCAL": "1"})
    policy = local.mcp_policy()
    assert policy is not None
    assert (local.gate_policy().loopback_only, policy.gates.loopback_only) == (False, True)


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "bell\7", 5])
def test_a_token_that_no_header_can_carry_is_refused_without_being_shown(
    tmp_path: Path, token: Any
):
    message = refusal(tmp_path, flags={"mcp_token": token})
    assert message.startswith("--mcp-token: ")
    assert str(token) not in message


@pytest.mark.parametrize(
    "given", ["mysql://app:hunter2@db/app", "redis://:hun@ter2@db/1?password=x"]
)
def test_a_password_in_an_address_that_is_refused_is_not_shown(tmp_path: Path, given: str):
    with pytest.raises(SettingsError, match="://…@db/") as refused:
        resolve(tmp_path, environ={"LITRO_SESSIONS": given})
    assert "ter2" not in str(refused.value)
    assert "=x" not in str(refused.value)


def test_the_token_is_in_no_repr(tmp_path: Path):
    settings = resolve(tmp_path, environ={"LITRO_MCP_TOKEN": "s3cret"})
    assert "s3cret" not in repr((settings, settings.mcp_policy()))


# --- .env


@pytest.fixture
def environment():
    """The process's environment, put back afterwards."""
    before = dict(os.environ)
    yield os.environ
    os.environ.clear()
    os.environ.update(before)


def test_dotenv_fills_the_environment_and_never_overrides_it(tmp_path: Path, environment: Any):
    (tmp_path / ".env").write_text("LITRO_MAX_TURNS=5\nLITRO_GRACE=9\nLITRO_TEST_KEY='a b'\n")
    environment.pop("LITRO_MAX_TURNS", None)
    environment["LITRO_GRACE"] = "1"
    load_dotenv(tmp_path)
    settings = resolve(tmp_path)
    assert (settings.max_turns, settings.grace, environment["LITRO_TEST_KEY"]) == (5, 1.0, "a b")


def test_a_project_without_dotenv_is_left_alone(tmp_path: Path, environment: Any):
    before = dict(environment)
    load_dotenv(tmp_path)
    assert dict(environment) == before


def test_a_dotenv_that_is_not_utf8_is_told(tmp_path: Path, environment: Any):
    (tmp_path / ".env").write_bytes(b"A=\xff\n")
    with pytest.raises(SettingsError, match="not UTF-8"):
        load_dotenv(tmp_path)
