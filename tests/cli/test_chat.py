"""`litro chat` in a real (pseudo) terminal: what is typed, what is shown, and what Ctrl-C does."""

from pathlib import Path

import orjson
from projects import Litro, Write
from pseudo import CTRL_C, CTRL_D, terminal

SLOW = """
from litro import Agent
from litro.providers import pause, scripted

def script(request, turn):
    if request.messages[-1].text == "slow":
        return ["Wait", pause(60), "never"]
    return ["Quick."]

agent = Agent(scripted(script))
"""
HOSTILE = r"""
from litro import Agent
from litro.providers import scripted

agent = Agent(scripted(lambda request, turn: ["safe\x1b]0;owned\x07\x1b[2J\x9b31m text"]))
"""


def statuses(project: Path, session: str = "s1") -> list[str]:
    log = (project / f".litro/sessions/demo/{session}.jsonl").read_bytes()
    events = [orjson.loads(line) for line in log.splitlines() if line.startswith(b'{"seq":')]
    return [event["payload"]["status"] for event in events if event["kind"] == "turn-end"]


def test_answers_calls_and_cards_are_shown_as_they_come_and_the_session_is_named_at_the_end(
    project: Path,
):
    with terminal("chat", "demo", cwd=project) as chat:
        chat.expect("A new session of demo").expect("> ").type("weather?\n")
        chat.expect("Looking. \r\n").expect("get-weather(city=Lisbon)")
        chat.expect("temp_c  21\r\n").expect("It is 21 °C.\r\n").expect("> ")
        chat.type("\n").expect("> ").type(CTRL_D)
        chat.expect("To go on: litro chat demo --session chat-")
        assert chat.ended() == 0


def test_a_session_that_goes_on_shows_how_it_ended(litro: Litro, project: Path):
    litro("run", "demo", "first?", "--session", "s1", cwd=project)
    with terminal("chat", "demo", "--session", "s1", cwd=project) as chat:
        chat.expect("> first?\r\n").expect("temp_c  21").expect("It is 21 °C.\r\n").expect("> ")
        chat.type("second?\n").expect("It is 21 °C.\r\n").expect("> ").type(CTRL_D)
        assert chat.ended() == 0
    assert statuses(project) == ["completed", "completed"]


def test_ctrl_c_cancels_the_running_turn_and_the_conversation_goes_on(project: Path, write: Write):
    write({"agents/demo/agent.py": SLOW})
    with terminal("chat", "demo", "--session", "s1", cwd=project) as chat:
        chat.expect("> ").type("slow\n").expect("Wait").type(CTRL_C)
        chat.expect("Cancelling.").expect("(cancelled)").expect("> ")
        chat.type("quick\n").expect("Quick.\r\n").expect("> ").type(CTRL_D)
        assert chat.ended() == 0
    assert statuses(project) == ["cancelled", "completed"]


def test_a_second_ctrl_c_leaves(project: Path, write: Write):
    write({"agents/demo/agent.py": SLOW})
    with terminal("chat", "demo", cwd=project) as chat:
        chat.expect("> ").interrupt().expect("Ctrl-C again, or Ctrl-D, leaves.").expect("> ")
        chat.interrupt()
        assert chat.ended() == 130
        assert "Traceback" not in chat.screen


def test_a_second_ctrl_c_leaves_while_a_turn_runs_and_the_turn_is_recorded_as_cancelled(
    project: Path, write: Write
):
    write({"agents/demo/agent.py": SLOW})
    with terminal("chat", "demo", "--session", "s1", cwd=project) as chat:
        chat.expect("> ").type("slow\n").expect("Wait").type(CTRL_C).expect("Cancelling.")
        chat.interrupt()
        assert chat.ended() == 130
    assert statuses(project) == ["cancelled"]


def test_an_agent_that_is_broken_is_told_once_and_not_spoken_to(project: Path, write: Write):
    write({"agents/demo/agent.py": "1 / 0\n"})
    with terminal("chat", "demo", cwd=project) as chat:
        chat.expect("agent.py:1: ZeroDivisionError").expect("'demo' cannot be spoken to")
        assert chat.ended() == 1
    assert chat.screen.count("error: agents/demo/agent.py:1: ZeroDivisionError") == 1


def test_escape_sequences_of_a_model_do_not_reach_the_terminal(project: Path, write: Write):
    write({"agents/demo/agent.py": HOSTILE})
    with terminal("chat", "demo", cwd=project) as chat:
        chat.expect("> ").type("hi\n").expect("safe").expect(" text\r\n").expect("> ").type(CTRL_D)
        chat.ended()
    assert "\x1b]0;" not in chat.screen
    assert "\x1b[2J" not in chat.screen
    assert "\x9b" not in chat.screen


def test_a_turn_that_fails_is_told_in_words_and_the_conversation_goes_on(
    project: Path, write: Write
):
    agent = "from litro import Agent\nfrom litro.providers import openai_compatible\n"
    agent += "agent = Agent(openai_compatible('m', base_url='http://127.0.0.1:9/v1'))\n"
    write({"agents/demo/agent.py": agent})
    with terminal("chat", "demo", cwd=project) as chat:
        chat.expect("> ").type("hi\n")
        chat.expect("! unreachable: The model's server cannot be reached.").expect("(failed)")
        chat.expect("> ").type(CTRL_D)
        assert chat.ended() == 0


def test_lines_from_a_pipe_are_a_conversation_without_a_prompt(litro: Litro, project: Path):
    done = litro("chat", "demo", cwd=project, answer="weather?\n\nagain?\n")
    assert done.returncode == 0
    assert done.stdout.count("It is 21 °C.\n") == 2
    assert "> " not in done.stdout


def test_a_message_to_a_session_that_is_busy_elsewhere_waits_and_can_be_withdrawn(
    project: Path, write: Write
):
    write({"agents/demo/agent.py": SLOW})
    here = ("chat", "demo", "--session", "s1")
    with terminal(*here, cwd=project) as one, terminal(*here, cwd=project) as other:
        one.expect("> ").type("slow\n").expect("Wait")
        other.expect("> ").type("first\n").expect("waits until it has ended").type(CTRL_C)
        other.expect("(withdrawn)").expect("> ").type("second\n").expect("waits until")
        one.type(CTRL_C).expect("(cancelled)").expect("> ")
        other.expect("Quick.").expect("> ").type(CTRL_D)
        assert other.ended() == 0
        one.type(CTRL_D)
        assert one.ended() == 0
    assert statuses(project) == ["cancelled", "completed"]
