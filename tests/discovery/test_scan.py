import pytest

from litro.discovery.scan import require_project, scan
from litro.errors import ProjectError


def test_agents_and_tools_are_named_by_their_paths_and_sorted(write):
    project = write(
        {
            "agents/zoe/agent.py": "AGENT",
            "agents/demo/agent.py": "AGENT",
            "agents/demo/instructions.md": "Hi",
            "agents/demo/tools/get-weather.py": "TOOL",
            "agents/demo/tools/add.py": "TOOL",
            "agents/_config.py": "",
        }
    )

    found = scan(project)

    assert [agent.name for agent in found.agents] == ["demo", "zoe"]
    assert [tool.name for tool in found.agents[0].tools] == ["add", "get-weather"]
    assert found.agents[0].instructions == project / "agents/demo/instructions.md"
    assert found.agents[1].instructions is None
    assert found.config == project / "agents/_config.py"
    assert found.problems == ()


def test_scanning_imports_nothing(write):
    project = write({"agents/demo/agent.py": "raise SystemExit", "agents/demo/tools/a.py": "1/0"})

    assert scan(project).agents[0].tools[0].name == "a"


def test_what_is_no_agent_is_passed_over_with_a_reason(write):
    project = write(
        {
            "agents/README.md": "",
            "agents/.DS_Store": "",
            "agents/__init__.py": "",
            "agents/__pycache__/x.pyc": "",
            "agents/_shared/agent.py": "AGENT",
            "agents/notes/ideas.txt": "",
            "agents/bot.py": "AGENT",
        }
    )

    found = scan(project)

    assert found.agents == ()
    assert found.problems == ()
    assert {path.name: why for path, why in found.skipped} == {
        "README.md": "it is a file; an agent is a folder with an agent.py",
        "_shared": "its name starts with _",
        "notes": "it has no agent.py",
        "bot.py": "it is a file; an agent is a folder with an agent.py",
    }


def test_what_is_no_tool_is_passed_over_with_a_reason(write):
    ignored = ["_x.py", "test_x.py", "x_test.py", "conftest.py", "README.md", "x.pyi", "deep/x.py"]
    silent = ["__init__.py", ".x.py", "__pycache__/x.pyc"]
    project = write(
        {"agents/demo/agent.py": "AGENT"}
        | {f"agents/demo/tools/{name}": "" for name in ignored + silent}
    )

    found = scan(project)

    assert found.agents[0].tools == ()
    assert found.problems == ()
    assert {path.name for path, _ in found.skipped} == {*(name.split("/")[0] for name in ignored)}


@pytest.mark.parametrize("name", ["a.v2", "déjà", "a b", "x" * 65])
def test_a_stem_that_no_model_can_call_is_a_problem(write, name):
    project = write({"agents/demo/agent.py": "AGENT", f"agents/demo/tools/{name}.py": "TOOL"})

    found = scan(project)

    assert found.agents[0].tools == ()
    (problem,) = found.problems
    assert problem.path.stem == name
    assert repr(name) in problem.text
    assert "Rename the file" in problem.text


@pytest.mark.parametrize("name", ["-demo", "my agent", "demo.v2", "x" * 65, "demo\n"])
def test_a_folder_name_that_no_agent_can_have_is_a_problem(write, name):
    found = scan(write({f"agents/{name}/agent.py": "AGENT"}))

    assert found.agents == ()
    (problem,) = found.problems
    assert repr(name) in problem.text


def test_two_agents_whose_names_differ_only_by_case_are_a_problem(write):
    project = write({"agents/demo/agent.py": "AGENT", "agents/ok/agent.py": "AGENT"})
    if (project / "agents/DEMO").exists():
        pytest.skip("the file system does not tell them apart")
    write({"agents/Demo/agent.py": "AGENT"})

    found = scan(project)

    assert [agent.name for agent in found.agents] == ["ok"]
    assert {problem.path.name for problem in found.problems} == {"demo", "Demo"}
    assert "'Demo' and 'demo'" in found.problems[0].text


def test_a_folder_with_an_agents_parts_but_no_agent_py_is_a_problem(write):
    found = scan(write({"agents/demo/instructions.md": "Hi", "agents/other/tools/a.py": "TOOL"}))

    assert [problem.path.name for problem in found.problems] == ["demo", "other"]
    assert "holds instructions.md but no agent.py" in found.problems[0].text


def test_links_are_followed(write, tmp_path):
    project = write(
        {"elsewhere/agent.py": "AGENT", "elsewhere/tools/a.py": "TOOL", "agents/x.md": ""}
    )
    (project / "agents/demo").symlink_to(project / "elsewhere", target_is_directory=True)

    (agent,) = scan(project).agents

    assert agent.folder == project / "agents/demo"
    assert agent.tools[0].name == "a"


def test_a_project_is_a_folder_with_agents_in_it(write, tmp_path):
    with pytest.raises(ProjectError, match=r"no folder agents/ here.*Go to the project's folder"):
        require_project(tmp_path)
    with pytest.raises(ProjectError, match="is not a folder"):
        require_project(tmp_path / "nowhere")
    assert scan(tmp_path).agents == ()

    assert require_project(write({"agents/demo/agent.py": "AGENT"})) == tmp_path
