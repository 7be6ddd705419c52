"""No option that writes a file writes into the corpus, whatever way leads there."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.config import load_settings
from aicx.errors import UnsafePath
from aicx.storage import check_outside
from tests.corpus.builders import SESSION, ClaudeLog, snapshot
from tests.kept import Kept


@pytest.fixture
def corpus(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    home = kept.home(monkeypatch)
    log = home / ".claude" / "projects" / "-work" / f"{SESSION}.jsonl"

    def fill() -> None:
        log.parent.mkdir(parents=True)
        log.write_bytes(ClaudeLog().prompt("Why is the lamp dark?", 0).answer("The wick is wet.", 5).body())
        assert run(["store"]) == 0
        (home / "note.txt").write_text(NOTE)
        assert run(["cas", "put", str(home / "note.txt")]) == 0

    kept.again(fill)
    capsys.readouterr()
    (home / "reports").mkdir()
    monkeypatch.chdir(home / "reports")
    return home / ".aicx"


NOTE = "A note.\n"
COMMANDS: dict[str, list[str]] = {
    "store": ["store", "-o"],
    "claude": ["claude", "-o"],
    "resume": ["resume", "--project", "orbit", "--force", "--manifest"],
    "dashboard": ["dashboard", "--force", "-o"],
    "reports": ["reports", ".", "--force", "-o"],
    "bundle": ["reports", ".", "--force", "--bundle"],
    "extract": ["extract", "--session", SESSION, "--force", "-o"],
    "bench": ["bench", "run", "-o"],
    "demo": ["demo", "--keep"],
    "cas": ["cas", "get", f"sha256:{sha256(NOTE.encode()).hexdigest()}", "-o"],
}


def direct(corpus: Path) -> str:
    return str(corpus / "store" / "new.md")


def with_dots(corpus: Path) -> str:
    return f"../{corpus.name}/../reports/../{corpus.name}/index.json"


def through_a_link(corpus: Path) -> str:
    link = corpus.parent / "innocent"
    link.symlink_to(corpus / "store", target_is_directory=True)
    return str(link / "new.md")


def a_link_itself(corpus: Path) -> str:
    link = corpus.parent / "page.html"
    link.symlink_to(corpus / "catalog.sqlite")
    return str(link)


WAYS: list[Callable[[Path], str]] = [direct, with_dots, through_a_link, a_link_itself]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_target_in_the_corpus_is_refused(
    corpus: Path, command: str, way: Callable[[Path], str], capsys: pytest.CaptureFixture[str]
) -> None:
    target = way(corpus)
    before = snapshot(corpus)
    assert run([*COMMANDS[command], target]) == 2
    assert "in the corpus" in capsys.readouterr().err
    assert snapshot(corpus) == before


def test_every_option_that_names_a_file_to_write_is_tried() -> None:
    """A new one has to be listed above: their help says that something is written or kept there."""
    commands = Path(__file__).parents[2] / "aicx" / "commands"
    checked = {path for path in commands.rglob("*.py") if "check_outside(" in path.read_text("utf-8")}
    offered = {
        path
        for path in commands.rglob("*.py")
        if any(option in path.read_text("utf-8") for option in ('"--output"', '"--manifest"', '"--bundle"', '"--keep"'))
    }
    names = ("store", "resume", "dashboard", "reports", "extract", "bench_results", "demo", "cas")
    assert checked == offered == {commands / f"{name}.py" for name in names}


def test_a_target_elsewhere_is_written(corpus: Path) -> None:
    assert run([*COMMANDS["extract"], "../talk.md"]) == 0
    assert (corpus.parent / "talk.md").is_file()


def test_results_of_the_benchmark_have_their_place_in_the_home(corpus: Path) -> None:
    settings = load_settings()
    check_outside(corpus / "bench" / "mine", settings.corpus_folders, corpus / "bench")
    with pytest.raises(UnsafePath):
        check_outside(corpus / "bench" / ".." / "store", settings.corpus_folders, corpus / "bench")


def test_a_page_beside_a_result_in_the_store_is_refused(corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "report", str(corpus / "store" / "result.json")]) == 2
    assert "in the corpus" in capsys.readouterr().err


def test_a_vector_index_elsewhere_is_part_of_the_corpus(corpus: Path, tmp_path: Path) -> None:
    (corpus / "config.toml").write_text(f'index_uri = "{tmp_path / "vectors"}"\n')
    with pytest.raises(UnsafePath):
        check_outside(tmp_path / "vectors" / "page.html", load_settings().corpus_folders)


def test_a_home_that_does_not_exist_yet_is_protected(home: Path) -> None:
    with pytest.raises(UnsafePath):
        check_outside(home / ".aicx" / "store" / "new.md", load_settings().corpus_folders)
