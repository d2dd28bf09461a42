"""The README's path, word for word: install, a new project, its page, its tests. On an empty machine but for Python."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

ROOT = Path(__file__).parents[1]
PATIENCE = 120


@pytest.fixture(scope="module")
def litro(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `litro` of a virtual environment that holds nothing but what installing Litro brings."""
    venv = tmp_path_factory.mktemp("empty") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "install", "-q"]
    subprocess.run([*pip, "--disable-pip-version-check", str(ROOT)], check=True, timeout=PATIENCE)
    return venv / "bin" / "litro"


@pytest.fixture(scope="module")
def shop(litro: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `litro new shop` writes."""
    folder = tmp_path_factory.mktemp("first-hour")
    subprocess.run([litro, "new", "shop"], cwd=folder, check=True, timeout=PATIENCE)
    return folder / "shop"


@pytest.mark.timeout(PATIENCE)
@pytest.mark.parametrize("command", ["dev", "serve"])
def test_a_new_project_answers_with_a_page_and_an_agent(litro: Path, shop: Path, command: str):
    environ = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    serving = subprocess.Popen(
        [litro, command, "--port", "0"], cwd=shop, env=environ, stderr=subprocess.PIPE, text=True
    )
    with serving:
        assert serving.stderr is not None
        told: list[str] = []
        while not told or "http://" not in told[-1]:
            told.append(serving.stderr.readline())
        url = next(word for word in told[-1].split() if "http://" in word)
        page = httpx2.get(url)
        assert page.status_code == 200
        assert '<litro-chat agent="demo"' in page.text
        assert urlsplit(url).hostname == "127.0.0.1"
        assert "litro-chat" in httpx2.get(f"{url}/__litro/chat.js").text
        session = f"{url}/__litro/agent/demo/{command}"
        said = httpx2.post(
            session,
            json={"text": "What is the weather in Lisbon?"},
            headers={"x-litro-agent": "1"},
        )
        assert '"kind":"ui"' in said.text
        assert said.text.endswith('{"done":true}\n')
        # A visitor's chats are nobody else's.
        assert httpx2.get(session, cookies=said.cookies).text == said.text
        assert httpx2.get(session).status_code == 404
        # Against DNS rebinding, in the user's own app as well.
        rebound = httpx2.get(session, headers={"host": "evil.example"})
        assert rebound.status_code == 421
        serving.send_signal(signal.SIGINT)
        rest = serving.stderr.read()
    assert serving.returncode in {0, 130}
    assert "Traceback" not in rest
    assert "no guard" not in "".join(told)


def test_a_new_project_has_no_problems_and_its_own_tests_pass(litro: Path, shop: Path):
    checked = subprocess.run([litro, "check"], cwd=shop, capture_output=True, text=True, check=True)
    assert "no problems" in checked.stdout
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    tested = subprocess.run(command, cwd=shop, capture_output=True, text=True, check=False)
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "passed" in tested.stdout
