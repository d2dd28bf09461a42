import asyncio
import os
import sys
import traceback

import pytest

from litro.definitions import TurnContext
from litro.discovery.load import load
from litro.discovery.scan import scan


@pytest.fixture
def loaded(write):
    """Write a project and load it; it is unloaded afterwards."""
    generations = []

    def loaded(files, only=None):
        generations.append(load(scan(write(files)), only))
        return generations[-1]

    yield loaded
    for generation in generations:
        generation.unload()


def told(loaded, project):
    return [
        (str(problem.path.relative_to(project)), problem.line, problem.text)
        for problem in loaded.problems
    ]


def test_an_agent_is_loaded_with_its_instructions_and_tools(loaded):
    result = loaded(
        {
            "agents/demo/agent.py": "AGENT",
            "agents/demo/instructions.md": "Be kind. ✓",
            "agents/demo/tools/zip.py": "TOOL",
            "agents/demo/tools/get-weather.py": "TOOL",
            "agents/demo/tools/import.py": "TOOL",
        }
    )

    demo = result.agents["demo"]
    assert result.problems == ()
    assert demo.instructions == "Be kind. ✓"
    assert list(demo.tools) == ["get-weather", "import", "zip"]
    assert demo.tools["get-weather"].schema.description == "Do it."
    assert result.config is None


def test_relative_imports_read_as_the_folders_do(loaded):
    result = loaded(
        {
            "agents/_shared/__init__.py": "",
            "agents/_shared/units.py": "C = 'celsius'",
            "agents/my-agent/agent.py": """
                from litro import Agent
                from .lib import NAME
                from .._shared.units import C
                agent = Agent('openai:m', NAME + C)
                """,
            "agents/my-agent/lib.py": "NAME = 'lib '",
            "agents/my-agent/tools/_helper.py": "HELP = 1",
            "agents/my-agent/tools/get-weather.py": """
                from litro import tool
                from . import _helper
                from .other import twice
                from ..lib import NAME
                from ..._shared.units import C
                @tool
                def get_weather():
                    'Weather.'
                    from .._late import LATE
                    return twice(_helper.HELP), NAME, C, LATE
                """,
            "agents/my-agent/tools/other.py": """
                from litro import tool
                def twice(x): return 2 * x
                @tool
                def other():
                    'Other.'
                """,
            "agents/my-agent/_late.py": "LATE = 'late'",
        }
    )

    agent = result.agents["my-agent"]
    assert agent.instructions == "lib celsius"
    assert agent.tools["get-weather"]() == (2, "lib ", "celsius", "late")


def test_packages_may_have_an_init(loaded):
    result = loaded(
        {
            "agents/__init__.py": "A = 1",
            "agents/demo/__init__.py": "from .. import A\nB = A + 1",
            "agents/demo/agent.py": "from . import B\nfrom litro import Agent\nagent = Agent('openai:m', str(B))",
        }
    )

    assert result.agents["demo"].instructions == "2"


def test_two_agents_may_have_modules_of_one_name(loaded):
    tool = "from litro import tool\nfrom ..lib import X\n@tool\ndef f():\n    'Do.'\n    return X\n"
    result = loaded(
        {
            "agents/a/agent.py": "AGENT",
            "agents/a/lib.py": "X = 'a'",
            "agents/a/tools/f.py": tool,
            "agents/b/agent.py": "AGENT",
            "agents/b/lib.py": "X = 'b'",
            "agents/b/tools/f.py": tool,
        }
    )

    assert [result.agents[name].tools["f"]() for name in "ab"] == ["a", "b"]


def test_two_generations_live_side_by_side(loaded):
    tool = "from litro import tool\nfrom .._lib import X\n@tool\ndef f():\n    'Do.'\n    return X, {}\n"
    files = {"agents/demo/agent.py": "AGENT", "agents/demo/_lib.py": "X = 'old'"}
    old = loaded({**files, "agents/demo/tools/f.py": tool.format(1)})
    new = loaded({"agents/demo/_lib.py": "X = 'newer'", "agents/demo/tools/f.py": tool.format(2)})

    old_tool, new_tool = (generation.agents["demo"].tools["f"] for generation in (old, new))
    assert old_tool() == ("old", 1)
    assert new_tool() == ("newer", 2)
    old.unload()
    assert new_tool() == ("newer", 2)


def test_an_edit_that_keeps_size_and_second_is_seen(loaded, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    path = tmp_path / "agents/demo/agent.py"
    agent = "from litro import Agent\nagent = Agent('openai:m', '{}')\n"
    path.parent.mkdir(parents=True)
    for text in ("old", "new"):
        path.write_text(agent.format(text))
        os.utime(path, (1, 1))
        assert loaded({}).agents["demo"].instructions == text


def test_a_generation_leaves_nothing_behind(write):
    project = write({"agents/demo/agent.py": "AGENT", "agents/demo/tools/a-b.py": "TOOL"})
    load(scan(project)).unload()  # imports pydantic and what else is not ours to remove
    modules, path, finders = set(sys.modules), list(sys.path), list(sys.meta_path)

    result = load(scan(project))

    added = set(sys.modules) - modules
    assert {name.partition(".")[2] for name in added} == {
        "",
        "agents",
        "agents.demo",
        "agents.demo.agent",
        "agents.demo.tools",
        "agents.demo.tools.a-b",
    }
    assert (sys.path, sys.meta_path) == (path, finders)
    result.unload()
    assert set(sys.modules) == modules


def test_only_the_chosen_agents_are_imported(loaded):
    result = loaded(
        {
            "agents/demo/agent.py": "AGENT",
            "agents/broken/agent.py": "1/0",
            "agents/worse/tools/a.py": "TOOL",
        },
        only=["demo"],
    )

    assert list(result.agents) == ["demo"]
    assert result.problems == ()


def test_a_chosen_agent_that_does_not_exist_is_a_problem_that_lists_the_agents(loaded):
    result = loaded({"agents/a/agent.py": "AGENT", "agents/b/agent.py": "AGENT"}, only=["nope"])

    assert result.agents == {}
    (problem,) = result.problems
    assert problem.text == "there is no agent 'nope'. The agents are: a, b."


def test_a_broken_agent_takes_no_other_down_and_all_its_problems_are_told(loaded, tmp_path):
    result = loaded(
        {
            "agents/a/agent.py": "AGENT",
            "agents/c/agent.py": "AGENT",
            "agents/b/agent.py": "\nimport os\nos.environ['NO_SUCH_KEY']\n",
            "agents/b/tools/a.v2.py": "TOOL",
            "agents/b/tools/bad.py": "from litro import tool\n\n@tool\ndef f(x):\n    'Do.'\n",
            "agents/b/tools/syntax.py": "x = 1\ndef f(:\n",
            "agents/b/tools/needs.py": "import no_such_module",
            "agents/b/tools/uses.py": "from ._help import run\nrun()",
            "agents/b/tools/_help.py": "def run():\n    raise ValueError('boom')\n",
            "agents/b/tools/exits.py": "raise SystemExit(3)",
            "agents/b/tools/gone.py": "from ..gone import x",
        }
    )

    assert list(result.agents) == ["a", "c"]
    assert told(result, tmp_path / "agents/b") == [
        (
            "tools/a.v2.py",
            None,
            (
                "the file's stem is 'a.v2', but a tool's name has 1 to 64 letters, digits, _ and -. "
                "Rename the file, or put _ before its name if it is no tool."
            ),
        ),
        ("agent.py", 3, "KeyError: 'NO_SUCH_KEY'. Correct this line, or what it is given."),
        (
            "tools/bad.py",
            3,
            (
                "f(): 'x' has no annotation, so the model cannot know what to give. "
                "Annotate it, for example `x: str`, or `ToolContext` for the call's context."
            ),
        ),
        (
            "tools/exits.py",
            1,
            "SystemExit: 3. Importing a file may not end the process: do it in a function.",
        ),
        (
            "tools/gone.py",
            1,
            "ModuleNotFoundError: No module named 'agents.b.gone'. Correct the name, or install what provides it beside Litro (`litro doctor` names that Python).",
        ),
        (
            "tools/needs.py",
            1,
            "ModuleNotFoundError: No module named 'no_such_module'. Correct the name, or install what provides it beside Litro (`litro doctor` names that Python).",
        ),
        (
            "tools/syntax.py",
            2,
            "SyntaxError: invalid syntax. Correct the syntax there, or just above.",
        ),
        ("tools/_help.py", 2, "ValueError: boom. Correct this line, or what it is given."),
    ]


def test_an_agent_with_a_tool_that_cannot_be_named_is_not_served_without_it(loaded):
    result = loaded({"agents/demo/agent.py": "AGENT", "agents/demo/tools/a.v2.py": "TOOL"})

    assert result.agents == {}
    assert len(result.problems) == 1


def test_a_helper_that_fails_for_several_files_is_one_problem(loaded):
    uses = "from . import _help\n"
    result = loaded(
        {
            "agents/demo/agent.py": "AGENT",
            "agents/demo/tools/a.py": uses,
            "agents/demo/tools/b.py": uses,
            "agents/demo/tools/_help.py": "1 / 0",
        }
    )

    assert [(problem.path.name, problem.line) for problem in result.problems] == [("_help.py", 1)]


def test_an_interrupt_stops_loading_and_leaves_nothing_behind(write):
    project = write({"agents/demo/agent.py": "raise KeyboardInterrupt"})
    modules = set(sys.modules)

    with pytest.raises(KeyboardInterrupt):
        load(scan(project))

    assert set(sys.modules) == modules


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "",
            "it holds no `agent`, which is the Agent that is looked for. Write `agent = Agent(…)`.",
        ),
        (
            "from litro import Agent\nbot = Agent('openai:m')",
            "it holds no `agent`, but the Agent 'bot'. Rename it: the name has to be `agent`.",
        ),
        (
            "from litro import Agent as agent",
            "`agent` is the class Agent, so an instance of Agent is required. Write `agent = Agent(…)`.",
        ),
        (
            "agent = 'demo'",
            "`agent` is of type str, so an instance of Agent is required. Write `agent = Agent(…)`.",
        ),
    ],
)
def test_agent_py_without_an_agent_says_what_was_found(loaded, source, text):
    result = loaded({"agents/demo/agent.py": source})

    assert [problem.text for problem in result.problems] == [text]
    assert result.agents == {}


@pytest.mark.parametrize(
    ("source", "line", "text"),
    [
        ("", None, "it holds no tool. Put @tool on the function"),
        ("def f(): ...", None, "it holds no tool, only `f`. Put @tool"),
        (
            "from ._more import f",
            None,
            "it holds no tool of its own: `f` was made in agents.demo.tools._more.",
        ),
        (
            "from litro import tool\n@tool\ndef f():\n    'F.'\n@tool\ndef g():\n    'G.'\n",
            5,
            "it holds the tools `f` (line 2) and `g` (line 5), but a file is one tool",
        ),
    ],
)
def test_a_tool_file_holds_exactly_one_tool_of_its_own(loaded, source, line, text):
    result = loaded(
        {
            "agents/demo/agent.py": "AGENT",
            "agents/demo/tools/_more.py": "TOOL",
            "agents/demo/tools/x.py": source,
        }
    )

    (problem,) = result.problems
    assert problem.line == line
    assert problem.text.startswith(text)


def test_imported_tools_and_second_names_do_not_count(loaded):
    result = loaded(
        {
            "agents/demo/agent.py": "AGENT",
            "agents/demo/tools/a.py": "TOOL",
            "agents/demo/tools/b.py": "from .a import f as first\nfrom litro import tool\n@tool\ndef g():\n    'G.'\nalias = g\n",
        }
    )

    assert result.problems == ()
    assert result.agents["demo"].tools["b"].__name__ == "g"


@pytest.mark.parametrize(
    ("argument", "text"),
    [
        ("'./more/x.md'", "file"),
        ("Path('more/x.md')", "file"),
        ("'../shared.md'", "shared"),
        ("'Say ./more/x.md'", "Say ./more/x.md"),
        ("None", "default"),
    ],
)
def test_instructions_are_a_file_beside_agent_py_or_the_text(loaded, argument, text):
    result = loaded(
        {
            "agents/demo/agent.py": f"from pathlib import Path\nfrom litro import Agent\nagent = Agent('openai:m', {argument})",
            "agents/demo/instructions.md": b"\xef\xbb\xbfdefault",
            "agents/demo/more/x.md": "file",
            "agents/shared.md": "shared",
        }
    )

    assert result.agents["demo"].instructions == text


def test_no_instructions_at_all_are_an_empty_text(loaded):
    assert loaded({"agents/demo/agent.py": "AGENT"}).agents["demo"].instructions == ""


def test_instructions_may_be_computed(loaded):
    result = loaded(
        {
            "agents/demo/agent.py": "from litro import Agent\nasync def say(turn): return turn.session\nagent = Agent('openai:m', say)"
        }
    )

    instructions = result.agents["demo"].instructions
    turn = TurnContext(agent="demo", session="s1", principal=None, state=None)
    assert asyncio.run(instructions(turn)) == "s1"


def test_a_named_instructions_file_that_is_missing_is_a_problem(loaded, tmp_path):
    result = loaded(
        {
            "agents/demo/agent.py": "from litro import Agent\nagent = Agent('openai:m', './x.md')",
            "agents/demo/instructions.md": "never this",
        }
    )

    ((path, _, text),) = told(result, tmp_path)
    assert path == "agents/demo/agent.py"
    assert text.startswith(
        f"instructions is './x.md', but there is no {tmp_path}/agents/demo/x.md."
    )


def test_instructions_that_are_not_utf8_or_no_file_are_a_problem(loaded, tmp_path):
    result = loaded(
        {
            "agents/a/agent.py": "AGENT",
            "agents/a/instructions.md": b"fine\nnot \xff fine",
            "agents/b/agent.py": "AGENT",
            "agents/b/instructions.md/x": "",
        }
    )

    first, second = told(result, tmp_path)
    assert first[:2] == ("agents/a/instructions.md", 2)
    assert first[2].startswith("the text is not UTF-8")
    assert second[0] == "agents/b/instructions.md"
    assert "cannot be read (Is a directory)" in second[2]


def test_the_config_is_loaded_or_a_problem(loaded, tmp_path):
    agents = {"agents/demo/agent.py": "AGENT"}
    good = loaded(
        {**agents, "agents/_config.py": "from litro import Config\nconfig = Config(grace=1)"}
    )
    bad = loaded({"agents/_config.py": "settings = {}"})

    assert good.config.grace == 1
    assert bad.config is None
    assert told(bad, tmp_path)[0][0] == "agents/_config.py"
    assert list(bad.agents) == ["demo"]


def test_tracebacks_of_tools_show_the_files_lines(loaded, tmp_path):
    result = loaded(
        {
            "agents/demo/agent.py": "AGENT",
            "agents/demo/tools/div-ide.py": "from litro import tool\n@tool\ndef f():\n    'F.'\n    return 1 / 0  # here\n",
        }
    )

    with pytest.raises(ZeroDivisionError) as caught:
        result.agents["demo"].tools["div-ide"]()

    last = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert last.filename == str(tmp_path / "agents/demo/tools/div-ide.py")
    assert (last.lineno, last.line) == (5, "return 1 / 0  # here")


def test_types_of_the_file_and_string_annotations_are_resolved_there(loaded):
    result = loaded(
        {
            "agents/demo/agent.py": "AGENT",
            "agents/demo/tools/x-y.py": """
                from __future__ import annotations
                from dataclasses import dataclass
                from litro import tool
                @tool
                def f(place: Place, later: Later | None = None) -> Place:
                    'F.'
                    return place
                @dataclass
                class Place:
                    name: str
                    near: list[Place]
                class Later: ...
                """,
        }
    )

    (problem,) = result.problems
    assert "'later' is annotated" in problem.text
    assert problem.line == 5


def test_a_project_s_own_environment_is_not_its_files(loaded, tmp_path):
    result = loaded(
        {
            ".venv/lib/site-packages/dep.py": "def fail():\n    raise OSError('no')\n",
            "agents/demo/agent.py": f"""
                import runpy
                dep = runpy.run_path({str(tmp_path / ".venv/lib/site-packages/dep.py")!r})
                dep['fail']()
                """,
        }
    )

    assert told(result, tmp_path) == [
        ("agents/demo/agent.py", 4, "OSError: no. Correct this line, or what it is given.")
    ]
