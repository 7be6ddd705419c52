"""`aicx map` through the real command line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.installation import install_command
from aicx.terminal import invisible
from tests.corpus.builders import snapshot
from tests.kept import Kept
from tests.parts import require
from tests.repomap.builders import Repo

pytestmark = pytest.mark.slow

FILES = {
    "press.py": "def press_apples(): ...\n",
    "till.py": "import press\n\n\ndef sell_cider(): ...\n\n\ndef half_way(:\n",
    "README.md": "# How apples are bought\n",
    "icon.png": "x",
}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("NO_COLOR", "1")
    repo = Repo.new(tmp_path / "orchard", Path(os.environ["AICX_HOME"]), FILES)
    monkeypatch.chdir(repo.root)
    return repo


@pytest.fixture
def mapped(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Repo:
    require("code")
    monkeypatch.setenv("NO_COLOR", "1")
    home = kept.home(monkeypatch)

    def fill() -> None:
        monkeypatch.chdir(Repo.new(home / "orchard", home / ".aicx", FILES).root)
        assert run(["map", "refresh"]) == 0

    kept.again(fill)
    monkeypatch.chdir(home / "orchard")
    capsys.readouterr()
    return Repo(home / "orchard", home / ".aicx")


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["map", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code, out, _ = ask(capsys, *arguments, "--json")
    assert code == 0
    [line] = out.splitlines()
    found: dict[str, Any] = json.loads(line)
    assert found["schema"] == "aicx.map/1"
    return found


# refresh -------------------------------------------------------------------------------------------------------------


@pytest.mark.needs("code")
def test_refresh_says_what_it_did(repo, capsys):
    code, out, err = ask(capsys, "refresh")
    assert (code, out) == (0, "")
    assert "Mapped 3 files with 4 symbols" in err
    assert "Left out: 1 binary." in err


@pytest.mark.needs("code")
def test_refresh_as_json_has_these_fields(repo, capsys):
    found = as_json(capsys, "refresh")
    assert list(found) == [
        "schema",
        "root",
        "mode",
        "status",
        "files_discovered",
        "files_indexed",
        "symbols_indexed",
        "parsed",
        "removed",
        "skipped",
        "with_syntax_errors",
        "problems",
        "seconds",
        "from_worktree",
    ]
    assert (found["root"], found["mode"], found["with_syntax_errors"]) == (str(repo.root), "full", 1)


def test_refresh_without_the_provider_names_what_to_install(repo, capsys, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tree_sitter", None)
    code, _, err = ask(capsys, "refresh")
    assert code == 4
    assert install_command("code") in err


def test_rebuild_reads_everything_again(mapped, capsys):
    assert as_json(capsys, "refresh", "--rebuild")["parsed"] == 3


def test_another_repository_can_be_named(mapped, capsys, monkeypatch):
    monkeypatch.chdir(mapped.root.parent)
    assert as_json(capsys, "status", "--repo", "orchard")["files_indexed"] == 3


# query ---------------------------------------------------------------------------------------------------------------


def test_query_prints_places_on_stdout(mapped, capsys):
    code, out, err = ask(capsys, "query", "press apples")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == " 1  press.py:1  function press_apples"
    assert "function has press apples · path has press" in out.splitlines()[1]


def test_query_as_json_has_these_fields(mapped, capsys):
    found = as_json(capsys, "query", "press apples")
    assert list(found) == ["schema", "query", "basis", "items", "notes"]
    assert (found["query"], found["basis"], found["notes"]) == ("press apples", "index", [])
    assert list(found["items"][0]) == ["path", "line", "symbol", "kind", "score", "reasons"]


def test_query_without_a_map_says_what_it_looked_at(repo, capsys):
    code, out, err = ask(capsys, "query", "press")
    assert code == 0
    assert "press.py" in out
    assert "only names and headings were searched" in err


def test_query_that_finds_nothing_says_so(mapped, capsys):
    code, out, err = ask(capsys, "query", "zebra")
    assert (code, out) == (0, "")
    assert "Nothing in this repository matches" in err


def test_query_takes_files_that_matter(mapped, capsys):
    [first, *_] = as_json(capsys, "query", "apples", "--near", "README.md")["items"]
    assert first["path"] == "README.md"


def test_query_keeps_to_its_limit(mapped, capsys):
    assert len(as_json(capsys, "query", "apples", "-n", "1")["items"]) == 1


@pytest.mark.parametrize(
    "arguments", [["query"], ["query", "  "], ["status", "press"], ["refresh", "press"], ["--rebuild"]]
)
def test_a_call_that_makes_no_sense_is_refused(arguments, repo, capsys):
    code, _, err = ask(capsys, *arguments)
    assert code == 2
    assert "next:" in err


# status --------------------------------------------------------------------------------------------------------------


def test_status_as_json_has_these_fields(mapped, capsys):
    found = as_json(capsys, "status")
    assert list(found) == [
        "schema",
        "root",
        "source",
        "provider_available",
        "index_available",
        "query_available",
        "refresh_available",
        "last_refresh_status",
        "last_refresh_at",
        "last_refresh_seconds",
        "files_discovered",
        "files_indexed",
        "symbols_indexed",
        "languages",
        "skipped",
        "with_syntax_errors",
        "problems",
        "changes",
        "warnings",
    ]
    assert found["changes"] == {"added": 0, "changed": 0, "removed": 0}


def test_status_is_readable(mapped, capsys):
    (mapped.root / "press.py").write_text("def press_pears(): ...\n")
    code, out, err = ask(capsys, "status")
    assert code == 0
    assert "files       3 of 4, 2 python, 1 markdown" in out
    assert "since then  0 added, 1 changed, 0 removed" in out
    assert "Next: aicx map refresh" in err


@pytest.mark.needs("code")
def test_status_before_the_first_refresh_offers_one(repo, capsys):
    _, out, err = ask(capsys, "status")
    assert "refreshed   never" in out
    assert "Next: aicx map refresh" in err


@pytest.mark.needs("code")
def test_without_an_action_nothing_is_changed(repo, capsys, home):
    before = snapshot(home)
    code, out, err = ask(capsys)
    assert (code, snapshot(home)) == (0, before)
    assert "refreshed   never" in out
    assert "Next: aicx map refresh" in err


# Names that should not be shown as they are --------------------------------------------------------------------------

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def named(repo, capsys):
    """A repository with a secret in a file's name, and in another a sign that turns the direction of writing."""
    require("code")
    names = (f"cellar_{TOKEN}.py", "cellar_\u202etxt\u200b.py")
    repo.write(dict.fromkeys(names, "def draw_cider(): ...\n"))
    assert run(["map", "refresh"]) == 0
    capsys.readouterr()
    return repo


@pytest.mark.parametrize("arguments", [["query", "draw cider"], ["query", "draw cider", "--json"]])
def test_a_file_with_a_secret_in_its_name_is_in_no_map(named, capsys, arguments):
    _, out, _ = ask(capsys, *arguments)
    assert "till.py" in out
    assert TOKEN not in out


def test_no_name_of_a_file_turns_what_is_shown(named, capsys):
    paths = [item["path"] for item in as_json(capsys, "query", "draw cider")["items"]]
    assert not any(ord(sign) in invisible() for path in paths for sign in path)


# What goes wrong -----------------------------------------------------------------------------------------------------


def test_a_folder_that_does_not_exist_is_not_found(repo, capsys):
    assert ask(capsys, "status", "--repo", "nowhere")[0] == 3


def test_an_error_as_json_is_one_object(repo, capsys):
    code, out, _ = ask(capsys, "status", "--repo", "press.py", "--json")
    assert code == 2
    assert json.loads(out)["kind"] == "UsageError"
