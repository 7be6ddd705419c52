"""Making a map and keeping it current."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from aicx.errors import MissingExtra, StoreLocked, StoreUnwritable
from aicx.repomap.kinds import HUGE_BYTES
from aicx.repomap.postings import PostingTable
from aicx.repomap.refresh import refresh_map
from aicx.repomap.store import MapStore
from aicx.storage.lock import hold_lock
from aicx.types import Unread
from tests.repomap.builders import Repo, git

pytestmark = [pytest.mark.needs("code"), pytest.mark.slow]

FILES = {
    "press.py": "def press_apples(): ...\n",
    "till.py": "import press\n\ndef sell_cider(): ...\n",
    "broken.py": "def half_way(:\n",
    "README.md": "# Cider for everybody\n",
    "Makefile": "bottle:\n\techo\n",
    "data.json": "{}\n",
}


@pytest.fixture
def repo(new_repo) -> Repo:
    return new_repo(FILES)


@pytest.fixture
def settled(repo: Repo) -> None:
    """Files of these tests are written in no time; here they count as old enough at once."""
    repo.options["settled_after_ns"] = -(10**18)


def rows(repo: Repo, sql: str) -> list[tuple[object, ...]]:
    [path] = repo.maps()
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.execute(sql))


def content(repo: Repo) -> list[list[tuple[object, ...]]]:
    """Everything a map holds but its numbers and times."""
    paths = dict(rows(repo, "SELECT id, path FROM files"))
    return [
        rows(repo, "SELECT path, digest, language, skipped, problem, symbols FROM files ORDER BY path"),
        rows(repo, "SELECT path, o.symbols, targets, terms FROM files JOIN outlines o ON o.file=id ORDER BY path"),
        sorted((term, paths.get(file), value) for term, file, value in _postings(repo)),
    ]


def _postings(repo: Repo) -> Iterator[tuple[str, int, int]]:
    [path] = repo.maps()
    with closing(sqlite3.connect(path)) as connection:
        table = PostingTable(connection)
        for (term,) in connection.execute("SELECT term FROM postings"):
            found = table.read(term)
            assert found, term
            yield from ((term, file, value) for file, value in found.items())


def as_if_new(repo: Repo, folder: Path) -> list[list[tuple[object, ...]]]:
    """What a map of the repository holds that is made at once, in another home."""
    other = Repo(repo.root, folder)
    other.refresh()
    return content(other)


# The first map -------------------------------------------------------------------------------------------------------


def test_the_first_refresh_reads_everything(repo: Repo) -> None:
    done = repo.refresh()
    assert (done.mode, done.status, done.files_discovered, done.files_indexed) == ("full", "ok", 6, 6)
    assert (done.parsed, done.symbols_indexed, done.with_syntax_errors) == (5, 5, 1)


def test_untracked_files_count_and_ignored_ones_do_not(repo: Repo) -> None:
    repo.commit()
    repo.write({".gitignore": "secret/\n", "secret/key.py": "def hidden_key(): ...\n", "new.py": "def fresh(): ...\n"})
    repo.refresh()
    assert repo.paths("hidden key") == []
    assert repo.paths("fresh") == ["new.py"]


def test_nothing_is_written_to_the_repository(repo: Repo) -> None:
    repo.commit()
    before = {path: path.stat().st_mtime_ns for path in repo.root.rglob("*")}
    repo.refresh()
    repo.map.query("press")
    repo.map.status()
    assert {path: path.stat().st_mtime_ns for path in repo.root.rglob("*")} == before


def test_the_map_is_for_its_owner_only(repo: Repo) -> None:
    repo.refresh()
    [path] = repo.maps()
    assert path.parent.stat().st_mode & 0o77 == 0
    assert repo.layout.home.stat().st_mode & 0o77 == 0


def test_without_the_provider_refreshing_is_refused_by_name(repo: Repo, no_provider: None) -> None:
    with pytest.raises(MissingExtra, match=r"\[code\]"):
        repo.refresh()


def test_a_secret_in_a_heading_or_comment_is_not_stored(repo: Repo) -> None:
    token = "ghp_" + "k3R9" * 9
    repo.write(
        {
            "NOTES.md": f"# Push with {token}\n",
            "push.py": f'"""Pushes with {token} to the store."""\n\ndef push(): ...\n',
            "push.js": f"import x from 'https://ada:{token}@example.org/x.js';\n",
        }
    )
    repo.refresh()
    [path] = repo.maps()
    assert token.encode() not in path.read_bytes()
    assert token.lower().encode() not in path.read_bytes()
    assert "NOTES.md" in repo.paths("push with")


# What is left out ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("logo.png", "x", "binary"),
        ("blob.py", "x = 1\0\n", "binary"),
        ("app.min.js", "var a;", "minified"),
        ("app.js", "var a=1;" * 2000, "minified"),
        ("package-lock.json", "{}", "generated"),
        ("node_modules/x/index.js", "function x() {}", "generated"),
        ("api_pb2.py", "x = 1", "generated"),
        ("api.go", "// Code generated by protoc. DO NOT EDIT.\npackage api\n", "generated"),
        ("api.py", "# This file is @generated\n", "generated"),
        ("data.py", "x = 1\n" * (HUGE_BYTES // 6 + 1), "huge"),
    ],
)
def test_a_file_that_is_not_worth_reading_is_counted_by_reason(repo: Repo, path: str, text: str, reason: str) -> None:
    repo.write({path: text})
    done = repo.refresh()
    assert done.skipped == {reason: 1}
    assert done.files_discovered == len(FILES) + 1
    assert repo.map.status().skipped == {reason: 1}


def test_a_huge_file_is_found_by_its_name(repo: Repo) -> None:
    repo.write({"harvest.py": "x = 1\n" * (HUGE_BYTES // 6 + 1)})
    repo.refresh()
    assert repo.paths("harvest") == ["harvest.py"]


def test_a_generator_that_holds_the_words_is_no_generated_file(repo: Repo) -> None:
    repo.write({"gen.py": 'def gen_header():\n    return "# DO NOT EDIT"\n'})
    assert repo.refresh().skipped == {}


def test_a_script_without_ending_is_known_by_its_first_line(repo: Repo) -> None:
    repo.write({"bin/prune": "#!/usr/bin/env python3\ndef prune_ladders(): ...\n", "bin/notes": "no script\n"})
    repo.refresh()
    assert repo.map.query("prune ladders")[0].symbol == "prune_ladders"
    assert repo.paths("notes") == ["bin/notes"]


def test_a_header_with_classes_is_read_as_cpp(repo: Repo) -> None:
    repo.write({"a.h": "namespace orchard {\nclass Cellar {\n  void dig();\n};\n}\n", "b.h": "int dig_deep(void);\n"})
    repo.refresh()
    assert repo.map.status().languages == {"python": 3, "c": 1, "cpp": 1, "make": 1, "markdown": 1}


def test_a_file_that_cannot_be_read_costs_itself_and_is_told(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    repo.write({"odd.py": "x = 1\n"})
    (repo.root / "odd.py").chmod(0)
    if os.access(repo.root / "odd.py", os.R_OK):
        pytest.skip("this user may read everything")
    done = repo.refresh()
    assert (done.status, done.problems) == ("partial", [Unread("odd.py", "Permission denied")])


# Keeping it current --------------------------------------------------------------------------------------------------


def test_a_second_refresh_reads_nothing(repo: Repo, settled: None) -> None:
    repo.refresh()
    done = repo.refresh()
    assert (done.mode, done.parsed, done.removed) == ("quick", 0, 0)


def test_only_what_changed_is_parsed(repo: Repo, settled: None) -> None:
    repo.refresh()
    repo.write({"press.py": "def squash_pears(): ...\n"})
    assert repo.refresh().parsed == 1
    assert repo.paths("squash pears") == ["press.py"]
    assert repo.map.query("apples") == []


def test_a_file_that_is_gone_leaves_the_map(repo: Repo, settled: None) -> None:
    repo.refresh()
    (repo.root / "press.py").unlink()
    assert repo.refresh().removed == 1
    assert "press.py" not in [path for path, *_ in rows(repo, "SELECT path FROM files")]


def test_a_file_that_is_renamed_is_found_under_its_new_name(repo: Repo, settled: None) -> None:
    repo.refresh()
    (repo.root / "press.py").rename(repo.root / "squeeze.py")
    repo.refresh()
    assert repo.paths("apples") == ["squeeze.py"]


def test_a_touched_file_with_the_same_text_is_not_parsed(repo: Repo, settled: None) -> None:
    repo.refresh()
    os.utime(repo.root / "press.py", (1, 1))
    assert repo.refresh().parsed == 0


def test_a_change_that_hides_behind_the_same_size_and_time_is_seen(repo: Repo) -> None:
    """As when a file is written twice within one step of the clock."""
    repo.refresh()
    before = (repo.root / "press.py").stat()
    repo.write({"press.py": "def press_pears_(): ...\n"})
    os.utime(repo.root / "press.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    repo.refresh()
    assert repo.paths("pears") == ["press.py"]


def test_a_name_only_file_that_changes_does_not_grow_the_map(repo: Repo, settled: None) -> None:
    repo.refresh()
    before = content(repo)
    repo.write({"data.json": '{"more": 1}\n'})
    repo.refresh()
    assert content(repo) == before


def test_many_changes_end_where_a_new_map_would(repo: Repo, settled: None, tmp_path: Path) -> None:
    repo.refresh()
    repo.write(
        {
            "press.py": "class Press:\n    def turn(self): ...\n",
            "deep/new.ts": "export class New {}\n",
            "bin/x": "#!/bin/sh\n",
        }
    )
    (repo.root / "README.md").unlink()
    repo.refresh()
    repo.write({"README.md": "# Again\n", "broken.py": "def whole(): ...\n"})
    (repo.root / "deep/new.ts").rename(repo.root / "deep/old.ts")
    repo.refresh()
    assert content(repo) == as_if_new(repo, tmp_path / "other")


def test_an_error_that_is_mended_is_forgotten(repo: Repo, settled: None) -> None:
    assert repo.refresh().with_syntax_errors == 1
    repo.write({"broken.py": "def whole(): ...\n"})
    assert repo.refresh().with_syntax_errors == 0


def test_rebuilding_starts_over(repo: Repo, settled: None) -> None:
    repo.refresh()
    done = repo.refresh(rebuild=True)
    assert (done.mode, done.parsed) == ("full", 5)
    assert len(repo.maps()) == 1


def test_another_version_of_the_grammars_starts_over(
    repo: Repo, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.refresh()
    monkeypatch.setattr("aicx.repomap.grammar.made_with", lambda: "another")
    assert repo.map.status().last_refresh_status == "needs_full_refresh"
    assert repo.paths("press apples")[0] == "press.py"
    assert repo.refresh().parsed == 5


# Damage and doubt ----------------------------------------------------------------------------------------------------


@pytest.fixture(params=["cut", "garbled", "empty", "no database"])
def damaged(request: pytest.FixtureRequest, repo: Repo) -> Repo:
    repo.refresh()
    [path] = repo.maps()
    data = path.read_bytes()
    damage = {
        "cut": data[: len(data) // 2],
        "garbled": data[:4096] + b"\xaa" * (len(data) - 4096),
        "empty": b"",
        "no database": b"hello\n" * 1000,
    }
    path.write_bytes(damage[request.param])
    return repo


def test_a_damaged_map_is_not_trusted_and_the_answer_says_so(damaged: Repo) -> None:
    answer = damaged.map.answer("press")
    assert answer.basis == "names"
    assert "aicx map refresh" in answer.notes[0]
    assert answer.items[0].path == "press.py"


def test_a_damaged_map_is_made_anew(damaged: Repo, tmp_path: Path) -> None:
    damaged.refresh()
    assert content(damaged) == as_if_new(damaged, tmp_path / "other")


def test_a_home_that_cannot_be_written_is_told(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnwritable):
        refresh_map(Repo(repo.root, tmp_path / "file").layout, repo.root)


@pytest.mark.parametrize("step", ["commit", "finish"])
def test_a_build_that_fails_leaves_the_map_as_it_was_and_nothing_beside_it(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(store: MapStore) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    repo.refresh()
    before = repo.maps()
    monkeypatch.setattr(MapStore, step, fail)
    with pytest.raises(StoreUnwritable, match="disk is full"):
        repo.refresh(rebuild=True)
    assert {path.suffix for path in before[0].parent.iterdir()} == {".sqlite", ".lock", ".json"}
    assert repo.maps() == before


def test_a_refresh_that_lasts_too_long_is_not_waited_for(repo: Repo) -> None:
    repo.refresh()
    [lock] = repo.layout.repomap.rglob("*.lock")
    said: list[str] = []
    with hold_lock(lock, 1, said.append), pytest.raises(StoreLocked):
        refresh_map(repo.layout, repo.root, wait_seconds=0.2, notify=said.append)
    assert len(said) == 1


def test_leftovers_of_earlier_refreshes_are_cleared(repo: Repo) -> None:
    repo.refresh()
    [path] = repo.maps()
    stem = path.name.partition(".v1.")[0]
    (path.parent / f"{stem}.part").write_text("half a map")
    (path.parent / f"{stem}.v0.0001.sqlite").write_text("of an older version")
    repo.refresh()
    assert {item.suffix for item in path.parent.iterdir()} <= {".sqlite", ".lock", ".json"}
    assert repo.maps() == [path]


# Worktrees -----------------------------------------------------------------------------------------------------------


def test_a_worktree_begins_with_the_map_of_another(repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    repo.refresh()
    git(repo.root, "worktree", "add", "-q", str(tmp_path / "beside"))
    other = Repo(tmp_path / "beside", repo.layout.home)
    other.write({"press.py": "def squash_pears(): ...\n"})
    done = other.refresh()
    assert (done.from_worktree, done.mode, done.parsed) == (True, "full", 1)
    assert other.paths("pears") == ["press.py"]
    assert repo.paths("apples") == ["press.py"]
    assert len({path.parent for path in repo.maps()}) == 1


def test_two_clones_do_not_share(repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    repo.refresh()
    git(tmp_path, "clone", "-q", str(repo.root), str(tmp_path / "clone"))
    assert not Repo(tmp_path / "clone", repo.layout.home).refresh().from_worktree
