"""What stands between in the field must not hold events back: nginx as it comes, and a compressing middleware."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from serving import Server, make_project, wait_for
from speakers import Speaker
from wiretap import Connection, frames

from litro.wire import events_of

CONF = """
daemon off;
pid nginx.pid;
error_log error.log;
{user}
events {{}}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
    {more}
    server {{
        listen 127.0.0.1:{port};
        location / {{ proxy_pass http://127.0.0.1:{target}; }}
    }}
}}
"""
COMPRESSING = "gzip on; gzip_types *; gzip_proxied any; gzip_min_length 1;"


@contextmanager
def nginx(folder: Path, target: int, more: str) -> Iterator[int]:
    """nginx before the port `target`; answers its own."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if program is None:
        pytest.skip("nginx is missing. Install it: apt-get install -y nginx-light")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    user = "user root;" if os.getuid() == 0 else ""
    conf = CONF.format(port=port, target=target, more=more, user=user)
    (folder / "nginx.conf").write_text(conf)
    process = subprocess.Popen([program, "-p", folder, "-c", "nginx.conf", "-e", "stderr"])
    try:
        wait_for(lambda: process.poll() is not None or answers(port), "nginx does not listen")
        assert process.poll() is None, "nginx has ended"
        yield port
    finally:
        process.terminate()
        process.wait()


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture(scope="module")
def gzipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    project = make_project(tmp_path_factory.mktemp("gzipped") / "app")
    apps = str(Path(__file__).parent / "apps")
    server = Server(project, "gzipped", options=["--app-dir", apps])
    yield server
    server.stop()


@pytest.fixture(scope="module", params=["nginx", "nginx that compresses", "gzip middleware"])
def way(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Server, int, str]]:
    """A server, the port that leads to it, and its mount."""
    if request.param == "gzip middleware":
        server: Server = request.getfixturevalue("gzipped")
        yield server, server.port, "/ai"
        return
    server = request.getfixturevalue("server")
    more = COMPRESSING if "compresses" in request.param else ""
    with nginx(tmp_path_factory.mktemp("nginx"), server.port, more) as port:
        yield server, port, ""


async def test_events_arrive_one_by_one_while_the_turn_runs(
    way: tuple[Server, int, str], speaker: Speaker, session, gate
):
    """The gate is opened by whoever has heard the text, so a text that is held back never comes."""
    server, port, mount = way
    heard = []
    text = f"say ört; wait {gate}; say two"
    async for event in speaker.events(f"http://127.0.0.1:{port}{mount}", session, text):
        heard.append(event)
        if event.kind == "text-delta" and event.payload == {"text": "ört"}:
            assert b"turn-end" not in b"".join(server.log(session))
            server.let(gate)
    assert heard == list(events_of(b"".join(server.log(session))))
    assert heard[-1].kind == "turn-end"


@pytest.mark.parametrize("accept", ["application/x-ndjson", "text/event-stream"])
def test_neither_format_is_held_back_from_a_client_that_takes_gzip(
    way: tuple[Server, int, str], session, gate, accept
):
    server, port, mount = way
    connection = Connection(port)
    body = b'{"text":"say one; wait %b; say two"}' % gate.encode()
    path = f"{mount}/__litro/agent/open/{session}"
    how = {"accept": accept, "accept_encoding": "gzip, deflate, br", "connection": "close"}
    response = connection.ask("POST", path, body, **how)
    response.until("text-delta")
    assert b"turn-end" not in b"".join(server.log(session))
    server.let(gate)
    rest = response.all()
    connection.close()
    assert rest.count(b'"kind":"turn-end"') == 1
    if accept == "text/event-stream":
        assert [frame.get("event") for frame in frames(rest)][-2:] == [None, "done"]
