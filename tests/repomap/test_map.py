"""What the rest of aicx asks of a map."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from aicx.installation import install_command
from aicx.repomap.store import MapLocation
from aicx.storage.lock import hold_lock
from tests.parts import require
from tests.repomap.builders import Repo

pytestmark = pytest.mark.slow

FILES = {
    "press.py": "def press_apples(): ...\n",
    "broken.py": "def half_way(:\n",
    "README.md": "# How apples are bought\n",
    "Makefile": "bottle:\n\techo\n",
    "icon.png": "x",
}


@pytest.fixture
def repo(new_repo) -> Repo:
    return new_repo(FILES)


@pytest.fixture
def mapped(repo: Repo) -> Repo:
    require("code")
    repo.refresh()
    return repo


# Asking without a map, or without the provider --------------------------------------------------------------------


def test_without_a_map_names_answer_and_say_so(repo: Repo) -> None:
    answer = repo.map.answer("press")
    assert [entry.path for entry in answer.items] == ["press.py"]
    assert answer.basis == "names"
    assert answer.notes == ["there is no map yet: only names and headings were searched (next: aicx map refresh)"]


def test_without_a_map_headings_and_targets_answer(repo: Repo) -> None:
    [heading] = repo.map.query("where apples are bought")
    assert (heading.path, heading.line, heading.kind) == ("README.md", 1, "heading")
    [target] = repo.map.query("bottle")
    assert (target.path, target.line, target.kind) == ("Makefile", 1, "target")


def test_without_a_map_symbols_are_not_known(repo: Repo) -> None:
    assert all(entry.path != "press.py" for entry in repo.map.query("apples"))


def test_without_the_provider_a_stored_map_answers(mapped: Repo, no_provider: None) -> None:
    answer = mapped.map.answer("press apples")
    assert answer.basis == "index"
    assert (answer.items[0].symbol, answer.notes) == ("press_apples", [])


def test_without_the_provider_and_a_map_names_answer(repo: Repo, no_provider: None) -> None:
    assert repo.map.answer("press").basis == "names"


def test_asking_loads_no_parser(mapped: Repo) -> None:
    code = (
        "import sys; from pathlib import Path; from aicx.paths import Layout; from aicx.repomap import open_map;"
        f"found = open_map(Layout(Path({str(mapped.layout.home)!r})), Path({str(mapped.root)!r}));"
        "assert found.query('press apples')[0].path == 'press.py'; assert found.related(['press.py']) == [];"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(done.stdout.split())
    assert "aicx.repomap.ranking" in loaded
    assert not loaded & {
        "tree_sitter",
        "tree_sitter_language_pack",
        "orjson",
        "tantivy",
        "numpy",
        "aicx.redaction",
        "typer",
    }
    assert not [name for name in loaded if name.startswith(("aicx.corpus", "aicx.engine"))]


def test_importing_the_map_loads_nothing_that_costs(repo: Repo) -> None:
    code = "import aicx.repomap, sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert not set(done.stdout.split()) & {"tree_sitter", "Stemmer", "subprocess", "aicx.redaction", "multiprocessing"}


def test_a_question_finds_the_map_that_took_the_place_of_the_one_it_was_about_to_open(
    mapped: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = MapLocation.maps

    def rebuilt_meanwhile(place: MapLocation) -> list[Path]:
        found = maps(place)
        if found == before:
            mapped.refresh(rebuild=True)
        return found

    before = mapped.maps()
    monkeypatch.setattr(MapLocation, "maps", rebuilt_meanwhile)
    assert mapped.map.answer("press").basis == "index"


# Answers -------------------------------------------------------------------------------------------------------------


def test_an_answer_has_its_line_and_reasons(mapped: Repo) -> None:
    found = mapped.map.query("press apples")[0]
    assert (found.path, found.line, found.symbol, found.kind) == ("press.py", 1, "press_apples", "function")
    assert found.reasons == ("function has press apples", "path has press")


def test_the_limit_holds(mapped: Repo) -> None:
    assert len(mapped.map.query("apples", 1)) == 1


def test_a_file_that_is_gone_gives_its_place_to_the_next(mapped: Repo) -> None:
    (mapped.root / "press.py").unlink()
    answer = mapped.map.answer("apples", 1)
    assert [entry.path for entry in answer.items] == ["README.md"]
    assert "left out 1" in answer.notes[0]


def test_the_same_question_has_the_same_answer(mapped: Repo) -> None:
    assert mapped.map.query("apples press way") == mapped.map.query("apples press way")


def test_an_object_that_is_kept_sees_later_refreshes(mapped: Repo) -> None:
    kept = mapped.map
    mapped.write({"later.py": "def prune_ladders(): ...\n"})
    mapped.refresh(rebuild=True)
    assert kept.query("prune ladders")[0].path == "later.py"


# Status --------------------------------------------------------------------------------------------------------------


def test_status_before_the_first_refresh(repo: Repo) -> None:
    status = repo.map.status()
    assert (status.index_available, status.query_available, status.last_refresh_status) == (False, True, "never")
    assert (status.files_indexed, status.symbols_indexed, status.files_discovered) == (0, 0, len(FILES))


def test_status_after_a_refresh(mapped: Repo) -> None:
    status = mapped.map.status()
    assert status.provider_available
    assert status.index_available
    assert status.query_available
    assert status.refresh_available
    assert (status.last_refresh_status, status.files_indexed, status.symbols_indexed) == ("ok", 4, 4)
    assert status.languages == {"python": 2, "make": 1, "markdown": 1}
    assert (status.skipped, status.with_syntax_errors, status.problems) == ({"binary": 1}, 1, [])
    assert status.changes is not None
    assert status.changes.total == 0


def test_status_counts_what_changed_since(mapped: Repo) -> None:
    mapped.write({"press.py": "def press_pears(): ...\n", "new.py": "", "new.bin": "", "README.md": FILES["README.md"]})
    (mapped.root / "Makefile").unlink()
    changes = mapped.map.status().changes
    assert changes is not None
    assert (changes.added, changes.changed, changes.removed) == (2, 1, 1)


def test_status_can_leave_the_count_out(mapped: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aicx.repomap.map.list_files", lambda _: pytest.fail("files were listed"))
    status = mapped.map.status(count_changes=False)
    assert status.changes is None
    assert status.files_indexed == 4


def test_status_without_the_provider(mapped: Repo, no_provider: None) -> None:
    status = mapped.map.status()
    assert (status.provider_available, status.refresh_available) == (False, False)
    assert (status.index_available, status.query_available) == (True, True)
    assert install_command("code") in status.warnings[0]


def test_a_language_pack_that_would_download_is_no_provider(mapped: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pathlib.Path.is_dir", lambda _: False)
    from aicx.repomap.grammar import provider_problem

    assert "no grammars of its own" in (provider_problem() or "")


def test_status_tells_of_a_refresh_that_is_on(mapped: Repo) -> None:
    [lock] = mapped.layout.repomap.rglob("*.lock")
    with hold_lock(lock, 1, print):
        assert mapped.map.status().last_refresh_status == "running"
    assert mapped.map.status().last_refresh_status == "ok"


def test_status_tells_of_a_refresh_that_failed(mapped: Repo) -> None:
    [lock] = mapped.layout.repomap.rglob("*.lock")
    with pytest.raises(KeyboardInterrupt), hold_lock(lock, 1, print):
        raise KeyboardInterrupt
    assert mapped.map.status().last_refresh_status == "interrupted"
    mapped.refresh()
    assert mapped.map.status().last_refresh_status == "ok"
