"""The page behind nginx as it comes: `proxy_pass` and the Host that the browser asked for, nothing else."""

import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_page import Chat
from playwright.sync_api import BrowserContext, expect
from serving_page import Server

CONFIG = """
daemon off; pid {folder}/pid; error_log stderr;
events {{}}
http {{
  access_log off; client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/1; uwsgi_temp_path {folder}/2; scgi_temp_path {folder}/3;
  server {{
    listen 127.0.0.1:{port};
    location / {{ proxy_pass {url}; proxy_set_header Host $http_host; }}
  }}
}}
"""


@pytest.fixture
def proxy(server: Server, tmp_path: Path) -> Iterator[str]:
    nginx = shutil.which(
        "nginx", path="/usr/sbin:/usr/local/sbin:/opt/homebrew/bin"
    ) or shutil.which("nginx")
    if nginx is None:
        pytest.skip("nginx is required: apt-get install -y nginx-light")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = tmp_path / "nginx.conf"
    config.write_text(CONFIG.format(folder=tmp_path, port=port, url=server.url))
    process = subprocess.Popen(
        [nginx, "-p", tmp_path, "-e", "stderr", "-c", config], stderr=subprocess.PIPE
    )
    while process.poll() is None:
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                break
    yield f"http://127.0.0.1:{port}/"
    process.terminate()
    said = process.communicate(timeout=10)[1].decode()
    assert "[error]" not in said
    assert "[emerg]" not in said, said


def test_events_arrive_through_nginx_as_they_happen(
    context: BrowserContext, server: Server, proxy: str, session: str
):
    chat = Chat(context.new_page(), proxy, session)
    chat.ask(f"gate {session}")
    expect(chat.log).to_contain_text("The sec")
    chat.page.reload()
    expect(chat.log).to_contain_text("The sec")
    (server.gates / session).touch()
    chat.ends()
    chat.shows("The first half.", "The second half.")
