"""Edits that a process cannot take up while it runs: it begins anew, and nobody is refused meanwhile."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable

import httpx2
from developing import LITRO, Process, Project, events

import descriptors

Start = Callable[..., Process]


def test_a_changed_module_restarts_and_a_stream_resumes_without_a_gap(
    start: Start, with_app: Project
):
    dev = start(with_app, mount="/ai", LITRO_GRACE="0.2")
    assert dev.get("/answer").json() == 1
    with dev.post("s1", "wait-1") as turn, dev.page() as page:
        heard = turn.until("tool-start")
        with_app.edit("answers.py", "1", "2")
        dev.says(r"answers\.py changed: restarting")
        heard += turn.rest()
        assert page.until("bye")
    (following,) = [line for line in heard if "bye" in line]
    start_again = int(following.partition('"next":')[2].rstrip("}"))
    # Nothing waits for the restart: whoever asks now is answered by the next process.
    rest = dev.get(f"/ai/__litro/agent/demo/s1?from={start_again}").text.splitlines()
    seqs = [event["seq"] for event in [*events(heard), *events(rest)]]
    assert seqs == list(range(1, len(seqs) + 1))
    assert events(rest)[-1]["kind"] == "turn-end"
    assert dev.get("/answer").json() == 2


def test_no_request_is_refused_while_the_process_restarts(start: Start, with_app: Project):
    dev = start(with_app)
    over = threading.Event()
    answers: list[object] = [dev.get("/answer").json()]

    def ask() -> None:
        while not over.is_set():
            try:
                answers.append(dev.get("/answer").json())
            except httpx2.TransportError as error:
                answers.append(error)

    asking = [threading.Thread(target=ask) for _ in range(4)]
    for thread in asking:
        thread.start()
    for number in (2, 3):
        with_app.write("answers.py", f"ANSWER = {number}\n")
        dev.says(r"restarted shop")
    over.set()
    for thread in asking:
        thread.join()
    assert set(answers) == {1, 2, 3}


def test_an_app_that_cannot_be_imported_is_told_and_waited_for(start: Start, with_app: Project):
    dev = start(with_app)
    with dev.page() as page:
        with_app.write("answers.py", "ANSWER = 1\nimport nothing_of_this_name\n")
        dev.says(r"error: answers\.py:2: ModuleNotFoundError")
        dev.says(r"Traceback")
        dev.says(r"Waiting for a change\.\n")
        page.rest()
    response = dev.get("/answer")
    assert response.status_code == 500
    assert "answers.py:2: ModuleNotFoundError" in response.text
    with dev.page() as page:
        (problem,) = page.problems()
        assert "Traceback" in problem["detail"]
        with_app.write("answers.py", "ANSWER = 2\n")
        page.until("bye")
    assert dev.get("/answer").json() == 2


def test_an_app_that_is_broken_from_the_start_is_waited_for(start: Start, with_app: Project):
    with_app.write("app.py", "app = (\n")
    dev = start(with_app)
    assert "app.py:1: SyntaxError" in dev.get("/").text
    with_app.write(
        "app.py",
        "from starlette.applications import Starlette\napp = Starlette()\n",
    )
    dev.says("restarted shop")
    assert dev.get("/").status_code == 404


def test_a_project_that_cannot_start_is_waited_for_whatever_file_is_the_remedy(
    start: Start, project: Project
):
    project.write("agents/_config.py", "config = 1/0\n")
    dev = start(project)
    assert "agents/_config.py:1: ZeroDivisionError" in dev.get("/").text
    project.write("agents/_config.py", "from litro import Config\nconfig = Config()\n")
    dev.says(r"restarted shop")
    assert dev.answer("s1") == {"tool": 1, "word": "one"}


def test_what_env_says_counts_again_after_a_restart(start: Start, with_app: Project):
    with_app.write("answers.py", "import os\nANSWER = os.environ['ANSWER']\n")
    with_app.write(".env", "ANSWER=first\n")
    dev = start(with_app)
    assert dev.get("/answer").json() == "first"
    with_app.write(".env", "ANSWER=second\n")
    dev.says(r"\.env changed: restarting")
    dev.says(r"restarted shop")
    assert dev.get("/answer").json() == "second"


def test_an_edit_that_keeps_the_file_s_size_and_time_counts_too(start: Start, with_app: Project):
    dev = start(with_app)
    answers = with_app.folder / "answers.py"
    times = answers.stat()
    assert dev.get("/answer").json() == 1
    with_app.write("answers.py", "ANSWER = 2\n")
    os.utime(answers, ns=(times.st_atime_ns, times.st_mtime_ns))
    dev.says(r"restarted shop")
    assert dev.get("/answer").json() == 2


def test_what_tools_and_editors_leave_restarts_nothing(start: Start, with_app: Project):
    (with_app.folder / ".venv/lib").mkdir(parents=True)
    (with_app.folder / "node_modules").mkdir()
    dev = start(with_app)
    for name in (".venv/lib/a.py", "node_modules/b.py", ".git/c.py", "__pycache__/d.py", "e.py~"):
        with_app.write(name, "x = 1\n")
    with_app.write(".#answers.py", "x = 1\n")
    with_app.write("answers.py", "ANSWER = 2\n")
    # The first change that is told of is the one that counts, and its process stays.
    assert dev.says(r"(\S+) changed: restarting")[1] == "answers.py"
    dev.says(r"restarted shop")
    assert dev.get("/answer").json() == 2
    assert dev.output.count("restarting") == 1


def test_ctrl_c_ends_it_with_130(start: Start, with_app: Project):
    dev = start(with_app, mount="/ai", LITRO_GRACE="0")
    with dev.post("s1", "wait-1") as turn:
        turn.until("tool-start")
        assert dev.end(signal.SIGINT) == 130
        assert "bye" in turn.rest()[-1]
    assert "Traceback" not in dev.output


def test_a_port_that_is_taken_is_said_and_the_next_free_one_is_used(start: Start, project: Project):
    with socket.create_server(("127.0.0.1", 0)) as other:
        taken = other.getsockname()[1]
        dev = start(project, command=(*LITRO, "dev", "--port", str(taken)))
        assert f"Port {taken} is taken" in dev.output
        assert dev.url != f"http://127.0.0.1:{taken}"
        assert dev.answer("s1") == {"tool": 1, "word": "one"}


def test_serve_serves_the_author_s_own_app_and_watches_nothing(start: Start, with_app: Project):
    serve = start(with_app, command=("-m", "litro", "serve", "--port", "0"), mount="/ai")
    assert serve.answer("s1") == {"tool": 1, "word": "one"}
    assert serve.get("/answer").json() == 1
    with_app.write("agents/demo/tools/version.py", "1/0")
    assert serve.answer("s2") == {"tool": 1, "word": "one"}
    assert serve.get("/ai/__litro/dev").status_code == 404
    if sys.platform == "linux":
        assert not [link for link in descriptors.links(serve.process.pid) if "inotify" in link]


def test_serve_tells_what_is_wrong_with_the_author_s_app_and_ends(with_app: Project):
    with_app.write("answers.py", "import nothing_of_this_name\n")
    command = [sys.executable, "-m", "litro", "serve", "--port", "0"]
    done = subprocess.run(
        command, cwd=with_app.folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "answers.py:1: ModuleNotFoundError" in done.stderr
    assert "Traceback" not in done.stderr


def test_in_production_watchfiles_is_not_even_imported(project: Project):
    # Not under uvicorn, which imports it for itself.
    code = (
        "import asyncio, sys\n"
        "from litro import create_app\n"
        "asyncio.run(create_app('.').start())\n"
        "assert 'watchfiles' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=project.folder, check=True, timeout=60)


def test_an_app_that_knows_no_lifespan_is_served(start: Start, with_app: Project):
    with_app.write(
        "app.py",
        "from starlette.responses import PlainTextResponse\n"
        "async def app(scope, receive, send):\n"
        "    assert scope['type'] == 'http'\n"
        "    await PlainTextResponse('plain')(scope, receive, send)\n",
    )
    dev = start(with_app)
    assert dev.get("/").text == "plain"
    assert "error" not in dev.output
    assert dev.end() == -signal.SIGTERM


def test_an_app_whose_start_fails_is_told_and_waited_for(start: Start, with_app: Project):
    with_app.edit("agents/demo/agent.py", "agent =", "other =")
    with_app.write("agents/_config.py", "config = 1/0\n")
    dev = start(with_app)
    response = dev.get("/answer")
    assert response.status_code == 500
    assert "agents/_config.py:1: ZeroDivisionError" in response.text
    with_app.write("agents/_config.py", "from litro import Config\nconfig = Config()\n")
    dev.says("restarted shop")
    assert dev.get("/answer").json() == 1
