"""The engine's processes: what one component does costs one request."""

import asyncio
import os
import signal
from pathlib import Path

import anyio
import pytest

from litro.errors import EngineMissing, RenderFailed
from litro.ui.engine import Node, Pool, run_once
from litro.ui.engine.limits import Limits, resident_megabytes
from ui.engines import (
    behaves,
    card,
    children_of,
    component,
    element,
    load,
    node,
    pool_of,
    text,
)


async def test_a_component_renders(tmp_path: Path) -> None:
    async with pool_of(tmp_path) as pool:
        answer = await pool.request(card("Vienna & <Graz>"))
        assert answer["ok"]
        assert "<!--lit-part-->Vienna &amp; &lt;Graz&gt;<!--/lit-part-->" in answer["html"]


async def test_nothing_runs_before_the_first_request(tmp_path: Path) -> None:
    before = children_of(os.getpid())
    async with pool_of(tmp_path) as pool:
        assert children_of(os.getpid()) == before
        await pool.ready()
        assert len(children_of(os.getpid()) - before) == 1
    assert children_of(os.getpid()) == before


async def test_what_the_newest_process_loaded_is_known(tmp_path: Path) -> None:
    async with pool_of(tmp_path) as pool:
        loaded = await pool.ready()
        assert loaded["tags"] == {"demo-card": "card"}
        assert loaded["failed"] == []


async def test_a_megabyte_goes_there_and_back(tmp_path: Path) -> None:
    words = "ä€😀x" * 150_000
    async with pool_of(tmp_path) as pool:
        answer = await pool.request(text(words))
        assert answer["html"].count(words) == 1
        assert (await pool.request(text("small")))["html"].count("small") == 1


async def test_html_that_is_too_long_is_told_as_such_and_the_process_goes_on(
    tmp_path: Path,
) -> None:
    async with pool_of(tmp_path) as pool:
        answer = await pool.request(text("x" * 2_000_001))
        assert answer["name"] == "TooLarge"
        assert (await pool.request(text("small")))["ok"]


async def test_what_a_component_prints_is_no_part_of_an_answer(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    prints = """
      console.log("by console"); console.error("by error"); console.table([1]);
      process.stdout.write("by stdout"); process._rawDebug("raw");
      return html`<i>printed</i>`;
    """
    async with pool_of(tmp_path, behaves(prints)) as pool:
        for _ in range(3):
            answer = await pool.request(element("demo-bad"))
            assert "<i>printed</i>" in answer["html"]
    assert "by console" in capfd.readouterr().err


async def test_what_a_component_writes_to_the_pipe_itself_is_an_error(tmp_path: Path) -> None:
    writes = """process.getBuiltinModule("fs").writeSync(1, "hello"); return html``;"""
    async with pool_of(tmp_path, behaves(writes)) as pool:
        with pytest.raises(RenderFailed, match="are the most"):
            await pool.request(element("demo-bad"))
        assert (await pool.request(card("Graz")))["ok"]


async def test_a_component_that_throws_is_told_with_its_stack(tmp_path: Path) -> None:
    async with pool_of(tmp_path, behaves("throw new TypeError('no rain today')")) as pool:
        answer = await pool.request(element("demo-bad"))
        assert (answer["ok"], answer["name"]) == (False, "TypeError")
        assert answer["message"] == "no rain today"
        assert "card.mjs" in answer["stack"]
        assert (await pool.request(card("Graz")))["ok"]


@pytest.mark.parametrize(
    "thrown",
    ["'a string'", "null", "Symbol('x')", "{ get stack() { throw 1 } }", "Object.create(null)"],
)
async def test_a_component_that_throws_anything_at_all_is_an_answer(
    tmp_path: Path, thrown: str
) -> None:
    async with pool_of(tmp_path, behaves(f"throw {thrown}")) as pool:
        assert (await pool.request(element("demo-bad")))["ok"] is False
        assert (await pool.request(card("Graz")))["ok"]


HARM = {
    "for ever": ("for (;;) {}", "longer than 1 s"),
    "by a regular expression": ("return html`${/^(a+)+$/.test('a'.repeat(64) + 'b')}`", "longer"),
    "heap": ("const all = []; for (;;) all.push({ n: all.length });", "of memory|of heap|longer"),
    "buffers": (
        "const all = []; for (;;) all.push(new Uint8Array(8_000_000).fill(1));",
        "more than 640 MB|longer",
    ),
    "an array": ("new Array(2 ** 32 - 1).fill(0)", "of memory|of heap|longer"),
    "a string": ("let s = 'x'; const a = []; for (;;) { s += s; a.push(s + 1) }", "."),
    "exit": ("process.exit(3)", "with status 3"),
    "abort": ("process.abort()", "by signal 6"),
    "kill": ("process.kill(process.pid, 'SIGKILL')", "was killed"),
}


@pytest.mark.parametrize(("code", "told"), HARM.values(), ids=HARM)
async def test_a_component_that_does_harm_costs_one_request_within_3_seconds(
    tmp_path: Path, code: str, told: str
) -> None:
    async with pool_of(tmp_path, behaves(code), size=2) as pool:
        await pool.ready()

        async def goes_on() -> None:
            for n in range(20):
                assert str(n) in (await pool.request(card(f"city {n}"), timeout=5))["html"]

        async with asyncio.timeout(20), asyncio.TaskGroup() as group:
            group.create_task(goes_on())
            if "string" in code or "s += s" in code:
                answer = await _outcome(pool)
                assert "RangeError" in answer or "memory" in answer or "longer" in answer
            else:
                with pytest.raises(RenderFailed, match=told):
                    await pool.request(element("demo-bad"), timeout=1)
        assert (await pool.request(card("Graz")))["ok"]


async def _outcome(pool: Pool) -> str:
    try:
        answer = await pool.request(element("demo-bad"), timeout=1)
    except RenderFailed as error:
        return str(error)
    return str(answer["name"])


async def test_buffers_are_stopped_near_the_limit(tmp_path: Path) -> None:
    code = """
      const all = []; for (;;) { all.push(new Uint8Array(1_000_000).fill(1));
      if (all.length > 3000) return html`too late`; }
    """
    async with pool_of(tmp_path, behaves(code), limits=Limits(resident=300)) as pool:
        with pytest.raises(RenderFailed, match="memory"):
            await pool.request(element("demo-bad"), timeout=10)


async def test_a_process_that_died_while_idle_is_replaced(tmp_path: Path) -> None:
    before = children_of(os.getpid())
    async with pool_of(tmp_path) as pool:
        await pool.ready()
        (pid,) = children_of(os.getpid()) - before
        os.kill(pid, signal.SIGKILL)
        with anyio.fail_after(10):
            while pid in children_of(os.getpid()):
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        assert (await pool.request(card("Graz")))["ok"]


async def test_a_request_that_is_cancelled_answers_nobody_else(tmp_path: Path) -> None:
    async with pool_of(
        tmp_path, behaves("const t = Date.now(); while (Date.now() - t < 300);")
    ) as pool:
        await pool.ready()
        slow = asyncio.create_task(pool.request(element("demo-bad")))
        await asyncio.sleep(0.05)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        assert "Graz" in (await pool.request(card("Graz")))["html"]


async def test_a_start_that_nobody_waits_for_any_more_is_used_by_the_next(tmp_path: Path) -> None:
    before = children_of(os.getpid())
    async with pool_of(tmp_path) as pool:
        first = asyncio.create_task(pool.request(card("Graz")))
        while not children_of(os.getpid()) - before:
            await asyncio.sleep(0.001)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert "Linz" in (await pool.request(card("Linz")))["html"]
    assert children_of(os.getpid()) == before


async def test_a_process_is_replaced_after_so_many_renders(tmp_path: Path) -> None:
    counts = """globalThis.n = (globalThis.n ?? 0) + 1; return html`<i>${globalThis.n}</i>`;"""
    async with pool_of(tmp_path, behaves(counts), limits=Limits(renders=3)) as pool:
        answers = [(await pool.request(element("demo-bad")))["html"] for _ in range(7)]
        numbers = [next(n for n in "0123456789" if f"-->{n}<!--" in a) for a in answers]
        assert numbers == ["1", "2", "3", "1", "2", "3", "1"]


async def test_closing_fails_what_is_under_way_and_leaves_no_process(tmp_path: Path) -> None:
    before = children_of(os.getpid())
    async with pool_of(tmp_path, behaves("for (;;) {}"), size=2) as pool:
        await pool.ready()
        asked = [asyncio.create_task(pool.request(element("demo-bad"))) for _ in range(4)]
        while len(children_of(os.getpid()) - before) < 2:
            await asyncio.sleep(0.001)
        await pool.close()
        assert children_of(os.getpid()) == before
        outcomes = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [RenderFailed] * 4


async def test_more_requests_than_processes_wait_for_their_turn(tmp_path: Path) -> None:
    async with pool_of(tmp_path, size=2) as pool:
        answers = await asyncio.gather(*(pool.request(card(f"city {n}")) for n in range(200)))
        assert all(f"city {n}<" in answer["html"] for n, answer in enumerate(answers))


async def test_a_request_waits_only_so_long_for_a_process(tmp_path: Path) -> None:
    async with pool_of(tmp_path, behaves("for (;;) {}"), limits=Limits(wait=0.1)) as pool:
        await pool.ready()
        hog = asyncio.create_task(pool.request(element("demo-bad"), timeout=1))
        await asyncio.sleep(0)
        with pytest.raises(RenderFailed, match="no process became free"):
            await pool.request(card("Graz"))
        with pytest.raises(RenderFailed):
            await hog


def test_each_event_loop_has_its_pool(tmp_path: Path) -> None:
    async def once() -> str:
        async with pool_of(tmp_path) as pool:
            return str((await pool.request(card("Graz")))["html"])

    assert asyncio.run(once()) == asyncio.run(once())


async def test_ten_thousand_renders_leave_memory_flat(tmp_path: Path) -> None:
    before = children_of(os.getpid())
    async with pool_of(tmp_path, limits=Limits(renders=100_000)) as pool:
        for n in range(4_000):
            await pool.request(card(f"city {n}"))
        (pid,) = children_of(os.getpid()) - before
        held = resident_megabytes(pid)
        for n in range(6_000):
            await pool.request(card(f"city {n}"))
        now = resident_megabytes(pid)
        assert held is not None
        assert now is not None
        assert now - held < 30


async def test_templates_that_are_all_different_leave_memory_flat(tmp_path: Path) -> None:
    before = children_of(os.getpid())
    async with pool_of(tmp_path) as pool:
        for n in range(6_000):
            template = {"s": [f"<p>{n} {'x' * 1000}", "</p>"], "v": ["y"]}
            await pool.request({"op": "render", "adapter": "lit", "template": template})
        (pid,) = children_of(os.getpid()) - before
        held = resident_megabytes(pid)
        assert held is not None
        assert held < 300


DENIED = {
    "a file": """require("fs").readFileSync("/etc/passwd", "utf8")""",
    "a folder": """require("fs").readdirSync("/etc")""",
    "writing": """require("fs").writeFileSync("FOLDER/written", "x")""",
    "a process": """require("child_process").execSync("echo hi")""",
    "an addon": """process.dlopen({ exports: {} }, "/x.node")""",
}


@pytest.mark.parametrize("code", DENIED.values(), ids=DENIED)
async def test_a_component_is_denied(tmp_path: Path, code: str) -> None:
    code = code.replace("FOLDER", str(tmp_path)).replace("require", "process.getBuiltinModule")
    async with pool_of(tmp_path, behaves(f"{code}; return html`done`;")) as pool:
        answer = await pool.request(element("demo-bad"))
        assert answer["ok"] is False, answer
        assert "restricted" in answer["message"] or "disabled" in answer["message"]
    assert not (tmp_path / "written").exists()


async def test_a_component_may_read_its_own_folder_alone(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "data.txt").write_text("mine")
    (tmp_path / "own2").mkdir()
    (tmp_path / "own2" / "data.txt").write_text("theirs")
    reads = "process.getBuiltinModule('fs').readFileSync"
    code = f"""return html`<i>${{{reads}("{folder}/data.txt", "utf8")}}</i>`"""
    async with pool_of(folder, behaves(code)) as pool:
        assert "mine" in (await pool.request(element("demo-bad")))["html"]
    code = f"""return html`<i>${{{reads}("{tmp_path}/own2/data.txt", "utf8")}}</i>`"""
    async with pool_of(folder, behaves(code)) as pool:
        assert "restricted" in (await pool.request(element("demo-bad")))["message"]


async def test_a_component_sees_no_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("NODE_OPTIONS", "--no-such-option")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    code = (
        "return html`<i>${JSON.stringify(Object.keys(process.env))} ${new Date(0).getHours()}</i>`"
    )
    async with pool_of(tmp_path, behaves(code)) as pool:
        html = (await pool.request(element("demo-bad")))["html"]
        assert "KEY" not in html
        assert "-->9<!--" in html


async def test_an_operation_that_does_not_exist_is_an_answer(tmp_path: Path) -> None:
    async with pool_of(tmp_path) as pool:
        answer = await pool.request({"op": "constructor"})
        assert answer["ok"] is False
        assert "no operation" in answer["message"]


async def test_one_request_in_a_process_of_its_own_leaves_none(tmp_path: Path) -> None:
    before = children_of(os.getpid())
    answer = await run_once(node(), load(component(tmp_path, "")), timeout=15)
    assert answer["ok"]
    assert children_of(os.getpid()) == before


async def test_a_node_that_does_not_exist_is_told(tmp_path: Path) -> None:
    def none() -> object:
        raise EngineMissing("there is none")

    pool = Pool(none, size=1)  # type: ignore[arg-type]
    with pytest.raises(EngineMissing):
        await pool.request(card("Graz"))
    await pool.close()


async def test_a_system_that_cannot_start_it_is_told(tmp_path: Path) -> None:
    nowhere = Node(path=tmp_path / "none", version=(24, 0), source="LITRO_NODE")
    pool = Pool(lambda: nowhere, size=1)
    with pytest.raises(RenderFailed, match="no process could be started"):
        await pool.request(card("Graz"))
    await pool.close()


async def test_a_pool_that_is_closed_answers_nothing(tmp_path: Path) -> None:
    async with pool_of(tmp_path) as pool:
        await pool.request(card("Graz"))
        await pool.close()
        with pytest.raises(RenderFailed, match="is closed"):
            await pool.request(card("Graz"))
        with pytest.raises(RenderFailed, match="is closed"):
            await pool.ready()


async def test_a_retired_pool_answers_whoever_still_asks_and_keeps_no_process(
    tmp_path: Path,
) -> None:
    before = children_of(os.getpid())
    async with pool_of(tmp_path) as pool:
        await pool.request(card("Graz"))
        pool.retire()
        assert "Linz" in (await pool.request(card("Linz")))["html"]
        with anyio.fail_after(10):
            while children_of(os.getpid()) != before:
                await asyncio.sleep(0.01)


async def test_a_setup_that_fails_is_told(tmp_path: Path) -> None:
    pool = Pool(node, size=1, setup={"op": "nothing"}, reads=[tmp_path])
    with pytest.raises(RenderFailed, match="no operation"):
        await pool.ready()
    await pool.close()


async def test_half_a_character_in_what_a_component_renders_or_throws_is_replaced(
    tmp_path: Path,
) -> None:
    async with pool_of(tmp_path, behaves("return '\\ud83d'")) as pool:
        assert "\ufffd" in (await pool.request(element("demo-bad")))["html"]
    async with pool_of(tmp_path, behaves("throw new Error('\\ud83d')")) as pool:
        assert (await pool.request(element("demo-bad")))["message"] == "\ufffd"
