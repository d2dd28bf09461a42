"""What pages are told while somebody develops, and that nobody else is told anything."""

from collections.abc import Callable

from developing import Process, Project

Start = Callable[..., Process]


def test_a_page_that_loads_the_client_loads_what_shows_problems(start: Start, project: Project):
    dev = start(project)
    client = dev.get("/__litro/client.js")
    assert client.text.endswith('\nimport "./dev.js";\n')
    module = dev.get("/__litro/dev.js")
    assert module.headers["content-type"] == "text/javascript; charset=utf-8"
    # What a file holds is text, whatever it looks like.
    assert "innerHTML" not in module.text


def test_in_production_there_is_none_of_it(start: Start, project: Project):
    serve = start(project, command=("-m", "litro", "serve", "--port", "0"))
    assert "dev.js" not in serve.get("/__litro/client.js").text
    assert serve.get("/__litro/dev.js").status_code == 404
    assert serve.get("/__litro/dev").status_code == 404


def test_other_sites_and_other_names_of_the_machine_are_told_nothing(
    start: Start, project: Project
):
    project.write("agents/secret/agent.py", "1/0")
    dev = start(project)
    assert dev.get("/__litro/dev", host="rebound.example").status_code == 421
    assert dev.get("/__litro/dev", origin="https://other.example").status_code == 403


def test_where_the_app_is_broken_other_names_are_told_nothing_either(
    start: Start, with_app: Project
):
    with_app.write("app.py", "secret = 1/0\n")
    dev = start(with_app)
    assert "secret" in dev.get("/").text
    for path in ("/", "/ai/__litro/dev", "/__litro/dev/more"):
        refused = dev.get(path, host="rebound.example")
        assert refused.status_code == 421
        assert "secret" not in refused.text


def test_a_guard_that_is_edited_counts_from_the_next_request_on(start: Start, project: Project):
    project.write("agents/_shared/guard.py", "def guard(request):\n    return 'ada'\n")
    project.write(
        "agents/_config.py",
        "from litro import Config\nfrom ._shared.guard import guard\nconfig = Config(access=guard)\n",
    )
    dev = start(project)
    assert dev.answer("s1") == {"tool": 1, "word": "one"}
    project.edit("agents/_shared/guard.py", "'ada'", "'bob'")
    dev.says(r"reloaded every agent\n")
    # The session is Ada's.
    assert dev.get("/__litro/agent/demo/s1").status_code == 404
    assert dev.answer("s2") == {"tool": 1, "word": "one"}
