"""The example is what `litro new` writes, so that it cannot grow apart from it."""

from pathlib import Path

from click.testing import CliRunner

from litro.cli.main import main

EXAMPLE = Path(__file__).parents[1] / "examples" / "weather"
UNTRACKED = {".litro", "__pycache__", ".env", ".pytest_cache"}


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not UNTRACKED & set(path.relative_to(folder).parts)
    }


def test_the_example_is_what_litro_new_writes(tmp_path: Path):
    made = tmp_path / "weather"
    done = CliRunner().invoke(main, ["new", str(made)])
    assert done.exit_code == 0, done.output
    assert tree(made) == tree(EXAMPLE)
