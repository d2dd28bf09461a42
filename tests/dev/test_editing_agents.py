"""Edits below agents/ while `litro dev` serves them: real files, a real process."""

import os
import shutil
from collections.abc import Callable

from developing import AGENT, TOOL, Process, Project, result

Start = Callable[..., Process]
TOOL_PY = "agents/demo/tools/version.py"


def test_a_running_turn_ends_with_the_old_code_and_the_next_one_has_the_new(
    start: Start, project: Project
):
    dev = start(project)
    with dev.post("s1", "wait-1") as turn:
        project.reached("wait-1")
        project.edit(TOOL_PY, '"tool": 1', '"tool": 2')
        dev.says(r"reloaded demo\n")
        assert dev.answer("s2") == {"tool": 2, "word": "one"}
        (project.gates / "wait-1").touch()
        assert result(turn.rest()) == {"tool": 1, "word": "one"}
    assert dev.answer("s1") == {"tool": 2, "word": "one"}


def test_a_syntax_error_keeps_the_last_good_generation_and_shows_where_it_is(
    start: Start, project: Project
):
    dev = start(project)
    with dev.page() as page:
        assert page.problems() == []
        project.edit(TOOL_PY, "@tool\n", "@tool(\n")
        dev.says(r"error: agents/demo/tools/version\.py:9: SyntaxError")
        dev.says(r">    9  @tool\(")
        (problem,) = page.problems()
        assert problem["place"] == f"{TOOL_PY}:9"
        assert ">    9  @tool(" in problem["detail"]
        assert dev.answer("s1") == {"tool": 1, "word": "one"}

        project.write(TOOL_PY, TOOL.replace('"tool": 1', '"tool": 3'))
        dev.says(r"reloaded demo\n")
        assert page.problems() == []
        assert dev.answer("s1") == {"tool": 3, "word": "one"}


def test_what_a_file_raises_is_shown_with_its_traceback(start: Start, project: Project):
    dev = start(project)
    with dev.page() as page:
        assert page.problems() == []
        project.write("agents/_shared/words.py", "word = {}['nothing']\n")
        dev.says(r"KeyError")
        dev.says(r"agents/_shared/words.py\", line 1, in <module>")
        assert "Traceback" in page.problems()[0]["detail"]
    assert dev.answer("s1") == {"tool": 1, "word": "one"}


def test_an_agent_that_comes_is_served_and_one_that_goes_is_not(start: Start, project: Project):
    dev = start(project)
    assert dev.refusal("other")[0] == 404
    project.write("agents/other/tools/version.py", TOOL)
    project.write("agents/other/agent.py", AGENT)
    dev.says(r"reloaded other\n")
    assert dev.answer("s1", agent="other") == {"tool": 1, "word": "one"}

    shutil.rmtree(project.folder / "agents/other")
    dev.says(r"reloaded other\n")
    assert dev.refusal("other")[0] == 404
    assert dev.answer("s1") == {"tool": 1, "word": "one"}


def test_a_helper_in_shared_is_loaded_anew_too(start: Start, project: Project):
    dev = start(project)
    words = project.folder / "agents/_shared/words.py"
    times = words.stat()
    project.edit("agents/_shared/words.py", "one", "two")
    # Python's cache of bytecode would not see this one.
    os.utime(words, ns=(times.st_atime_ns, times.st_mtime_ns))
    dev.says(r"reloaded every agent\n")
    assert dev.answer("s1") == {"tool": 1, "word": "two"}


def test_an_agent_that_was_never_good_answers_with_its_problems(start: Start, project: Project):
    project.write("agents/broken/agent.py", "agent = (\n")
    dev = start(project)
    status, told = dev.refusal("broken")
    assert (status, told["type"]) == (500, "broken-agent")
    assert "agents/broken/agent.py:1: SyntaxError" in told["message"]
    assert "error: agents/broken/agent.py:1" in dev.output
    project.write("agents/broken/agent.py", AGENT.replace("call(", "str and call("))
    dev.says(r"reloaded broken\n")


def test_a_config_that_breaks_leaves_the_old_one_and_one_that_is_right_again_restarts(
    start: Start, project: Project
):
    config = "from litro import Config\nconfig = Config(max_turns=5)\n"
    project.write("agents/_config.py", config)
    dev = start(project)
    project.write("agents/_config.py", "config = 1/0\n")
    dev.says(r"error: agents/_config\.py:1: ZeroDivisionError")
    assert dev.answer("s1") == {"tool": 1, "word": "one"}
    project.write("agents/_config.py", config.replace("5", "6"))
    dev.says(r"agents/_config\.py changed: restarting")
    dev.says(r"restarted shop")
    assert dev.answer("s1") == {"tool": 1, "word": "one"}


def test_a_project_mounted_under_any_server_reloads_by_itself_in_development(
    start: Start, with_app: Project
):
    command = ("-m", "uvicorn", "app:app", "--port", "0")
    dev = start(with_app, command=command, mount="/ai", LITRO_DEV="1")
    assert dev.answer("s1") == {"tool": 1, "word": "one"}
    with_app.edit(TOOL_PY, '"tool": 1', '"tool": 2')
    dev.says(r"reloaded demo\n")
    assert dev.answer("s1") == {"tool": 2, "word": "one"}


def test_a_mounted_project_whose_lifespan_nobody_runs_reloads_and_ends_quietly(
    start: Start, with_app: Project
):
    with_app.edit("app.py", "lifespan=litro.lifespan", "")
    command = ("-m", "uvicorn", "app:app", "--port", "0")
    dev = start(with_app, command=command, mount="/ai", LITRO_DEV="1")
    assert dev.answer("s1") == {"tool": 1, "word": "one"}
    with_app.edit(TOOL_PY, '"tool": 1', '"tool": 2')
    dev.says(r"reloaded demo\n")
    dev.end()


def test_a_project_behind_a_link_is_watched_where_the_link_leads(start: Start, project: Project):
    link = project.folder.with_name("link")
    link.symlink_to(project.folder)
    dev = start(project, "--project", str(link))
    project.edit(TOOL_PY, '"tool": 1', '"tool": 2')
    dev.says(r"reloaded demo\n")
    assert dev.output.count("reloaded") == 1
    assert dev.answer("s1") == {"tool": 2, "word": "one"}
