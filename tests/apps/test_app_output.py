"""Packed apps on disk: which files there are, whose they are, and that a reader has one whole build whatever happens."""

import subprocess
import sys
from itertools import groupby
from pathlib import Path

import orjson
import pytest

from litro.errors import LitroError
from litro.mcp.apps.output import Packed, read, write

PROGRAM = Path(__file__).with_name("output_program.py")


def build(text: str, *names: str) -> tuple[Packed, ...]:
    return tuple(
        Packed(name=name, uri=f"ui://demo/{name}", html=f"{text} {name}", descriptor={"name": name})
        for name in names
    )


def files_in(out: Path) -> list[str]:
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*"))


def refusal(out: Path, packed: tuple[Packed, ...]) -> str:
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    with pytest.raises(LitroError) as refused:
        write(out, packed)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    return str(refused.value)


def test_what_was_written_is_read(tmp_path: Path):
    packed = build("größer", "a", "sub/b")
    write(tmp_path / "dist" / "apps", packed)
    assert read(tmp_path / "dist" / "apps") == packed


def test_the_files_mirror_the_sources_and_the_manifest_lists_them_in_order(tmp_path: Path):
    write(tmp_path, build("new", "sub/b", "a"))
    assert files_in(tmp_path) == [
        "a.html",
        "a.json",
        "manifest.json",
        "sub",
        "sub/b.html",
        "sub/b.json",
    ]
    assert (tmp_path / "sub/b.html").read_text() == "new sub/b"
    assert (tmp_path / "a.json").read_text() == '{\n  "name": "a"\n}\n'
    first, second = orjson.loads((tmp_path / "manifest.json").read_bytes())
    assert first.pop("sha256").keys() == {"html", "descriptor"}
    assert first == {"name": "a", "uri": "ui://demo/a", "html": "a.html", "descriptor": "a.json"}
    assert second["html"] == "sub/b.html"


@pytest.mark.parametrize("has_folder", [True, False])
def test_where_nothing_was_built_there_is_nothing(tmp_path: Path, has_folder: bool):
    assert read(tmp_path if has_folder else tmp_path / "missing") == ()


def test_documents_of_apps_that_are_gone_are_removed_and_nothing_else(tmp_path: Path):
    write(tmp_path, build("old", "a", "sub/b", "other/c"))
    for name in ("notes.txt", "other/mine.html", "b.html"):
        (tmp_path / name).write_text("mine")
    write(tmp_path, build("new", "a"))
    assert files_in(tmp_path) == [
        "a.html",
        "a.json",
        "b.html",
        "manifest.json",
        "notes.txt",
        "other",
        "other/mine.html",
    ]
    assert read(tmp_path) == build("new", "a")


@pytest.mark.parametrize("name", ["a.html", "sub/b.json", "sub"])
def test_a_file_that_no_build_has_written_is_not_replaced(tmp_path: Path, name: str):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("mine")
    assert refusal(tmp_path, build("new", "a", "sub/b")).startswith(
        f"{path}: no build has written it"
    )


def test_another_programs_manifest_is_not_replaced(tmp_path: Path):
    (tmp_path / "manifest.json").write_text('{"name": "my site"}')
    assert "is not the list of a build" in refusal(tmp_path, build("new", "a"))


@pytest.mark.parametrize("below", ["", "apps"])
def test_a_folder_that_is_a_file_is_told(tmp_path: Path, below: str):
    (tmp_path / "taken").write_text("mine")
    with pytest.raises(LitroError, match=r"taken.*: it is a file, so a folder is required"):
        write(tmp_path / "taken" / below, build("new", "a"))
    assert (tmp_path / "taken").read_text() == "mine"


@pytest.mark.parametrize(
    "content",
    [
        *("[", "7", '[{"name": "a"}]', '{"name": "my site"}'),
        '[{"name": "../a", "uri": "", "html": "../a.html", "descriptor": "../a.json", "sha256": {"html": "", "descriptor": ""}}]',
    ],
)
def test_a_manifest_that_is_damaged_says_to_build_again(tmp_path: Path, content: str):
    write(tmp_path, build("old", "a"))
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(LitroError, match="Build it again: litro mcp-app build"):
        read(tmp_path)


@pytest.mark.parametrize("content", ["[", "[7]"])
def test_building_again_puts_a_damaged_manifest_right(tmp_path: Path, content: str):
    write(tmp_path, build("old", "a"))
    (tmp_path / "manifest.json").write_text(content)
    write(tmp_path, build("new", "a"))
    assert read(tmp_path) == build("new", "a")


@pytest.mark.parametrize("name", ["a.html", "a.json"])
def test_a_document_that_was_changed_or_removed_says_to_build_again(tmp_path: Path, name: str):
    write(tmp_path, build("old", "a"))
    (tmp_path / name).write_text("{}")
    with pytest.raises(LitroError, match="is not what was built"):
        read(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(LitroError, match="is missing"):
        read(tmp_path)
    write(tmp_path, build("new", "a"))
    assert read(tmp_path) == build("new", "a")


def test_a_staged_build_that_somebody_has_changed_does_not_stop_the_next_one(tmp_path: Path):
    (tmp_path / ".litro-next").mkdir()
    (tmp_path / ".litro-next" / "manifest.json").write_text("[")
    write(tmp_path, build("new", "a"))
    assert files_in(tmp_path) == ["a.html", "a.json", "manifest.json"]


def test_a_writer_that_is_killed_at_any_step_leaves_the_old_build_or_the_new_one(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, PROGRAM, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    seen = done.stdout.split()
    assert [which for which, _ in groupby(seen)] == ["old", "new"]
    assert min(seen.count("old"), seen.count("new")) > 10


WRITER = """
import sys
from pathlib import Path
from litro.mcp.apps.output import Packed, read, write
out, text = Path(sys.argv[1]), sys.argv[2]
names = sys.argv[3:]
packed = tuple(Packed(name=n, uri=f"ui://demo/{n}", html=text + n, descriptor={}) for n in names)
for _ in range(8):
    write(out, packed)
    found = read(out)
    assert len({app.html[0] for app in found}) == 1, found
    assert [app.name for app in found] in (["both", "one"], ["both", "two"]), found
"""


def test_two_writers_do_not_mix_and_readers_see_one_of_them(tmp_path: Path):
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, tmp_path, text, "both", own], stderr=subprocess.PIPE
        )
        for text, own in (("1", "one"), ("2", "two"))
    ]
    for writer in writers:
        _, told = writer.communicate()
        assert writer.returncode == 0, told.decode()
    own = read(tmp_path)[1].name
    assert files_in(tmp_path) == [
        "both.html",
        "both.json",
        "manifest.json",
        f"{own}.html",
        f"{own}.json",
    ]
