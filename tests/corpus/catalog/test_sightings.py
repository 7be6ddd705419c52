"""Commits and requests that tools printed: found by hash and subject, filled in, and gone with what showed them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.catalog.sightings import CommitSighting, SightedSubjects, nearest_sighting, sightings
from aicx.corpus.forget.holding import ForgetRequest
from aicx.corpus.forget.run import forget
from aicx.engine.holders import load_holders
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, Home, when
from tests.engine.search_helpers import ignore

MADE = "[main 1a2b3c4] Nested brackets are read\n 1 file changed"
LISTED = "1a2b3c4d5 (HEAD -> main) Nested brackets are read (#7)\n9f8e7d6 Quoted commas stay\n"


@pytest.fixture
def user(tmp_path: Path) -> Home:
    """Two sessions: one lists two commits, the other had made the first of them."""
    user = Home(tmp_path)
    log = ClaudeLog(OTHER).prompt("What is new?", 100)
    log.call("Bash", 101, "b1", command="git log --oneline").result(LISTED, 102, "b1")
    user.claude(log)
    log = ClaudeLog(SESSION).prompt("Commit it", 0).call("Bash", 1, "a1", command="git commit -am x")
    user.claude(
        log.result(MADE, 2, "a1").call("Read", 3, "a2", file_path="/x/notes").result("deadbe1 not one", 4, "a2")
    )
    user.store()
    return user


@pytest.fixture
def catalog(user: Home) -> Iterator[Catalog]:
    with open_catalog(user.settings.layout) as opened:
        yield opened.catalog


def count(user: Home) -> int:
    with open_catalog(user.settings.layout) as opened:
        return int(opened.catalog.rows("SELECT count(*) AS n FROM sightings")[0]["n"])


@pytest.mark.parametrize("asked", ["1a2b3c4", "1A2B3C4D", "1a2b3c4d5" + "0" * 31, "nested  brackets are READ (#9)"])
def test_commit_is_found_by_any_abbreviation_and_by_its_subject(catalog: Catalog, asked: str) -> None:
    chunk = f"claude:{SESSION}:001"
    expected = CommitSighting("1a2b3c4d5", "Nested brackets are read", when(2), SESSION, chunk)
    assert sightings(catalog, asked) == [expected]


def test_commit_that_was_only_listed_is_bounded_by_the_first_list(catalog: Catalog) -> None:
    [found] = sightings(catalog, "Quoted commas stay")
    assert (found.first_seen, found.made_in) == (when(102), None)


@pytest.mark.parametrize("asked", ["1a2b3c5", "deadbe1", "not one", "", "#7", "%", "1a2b3c4d6"])
def test_a_commit_that_no_tool_printed_is_not_found(catalog: Catalog, asked: str) -> None:
    assert sightings(catalog, asked) == []


@pytest.mark.parametrize(
    ("question", "hash"),
    [
        ("are nested brackets read", "1a2b3c4d5"),
        ("the quoted commas stay", "9f8e7d6"),
        ("nested commas are read", None),
        ("brackets", None),
        ("' OR 1=1 -- ; DROP TABLE sightings", None),
    ],
)
def test_question_that_is_nearly_a_subject_finds_its_commit(catalog: Catalog, question: str, hash: str | None) -> None:
    found = nearest_sighting(catalog, question)
    assert (found and found.hash) == hash
    assert nearest_sighting(catalog, question, SightedSubjects(catalog)) == found


def test_catalogue_of_the_version_before_is_filled_without_its_logs(user: Home) -> None:
    layout = user.settings.layout
    before = count(user)
    connection = sqlite3.connect(layout.catalog)
    connection.executescript("DROP TABLE sightings; PRAGMA user_version=4;")
    connection.close()
    for log in (user.root / ".claude").rglob("*.jsonl"):
        log.unlink()
    report = user.store()
    assert (report.logs_read, count(user), before) == (0, before, 3)


def test_forgetting_a_session_forgets_what_it_showed(user: Home) -> None:
    forget(user.settings, ForgetRequest(session=SESSION), ignore, load_holders())
    with open_catalog(user.settings.layout) as opened:
        [found] = sightings(opened.catalog, "1a2b3c4")
    assert (found.made_in, found.first_seen) == (None, when(102))


def test_forgetting_a_text_takes_it_out_of_the_sightings(user: Home) -> None:
    forget(user.settings, ForgetRequest(pattern="Quoted commas"), ignore, load_holders())
    with open_catalog(user.settings.layout) as opened:
        assert sightings(opened.catalog, "9f8e7d6") == []


def test_hidden_chunks_are_not_found(user: Home) -> None:
    (user.corpus / ".aicxignore").write_text(f"*{SESSION[:8]}*\n", "utf-8")
    with open_catalog(user.settings.layout) as opened:
        [found] = sightings(opened.catalog, "1a2b3c4")
    assert found.made_in is None


def test_rebuilt_catalogue_has_the_same_sightings(user: Home) -> None:
    def rows() -> list[tuple[object, ...]]:
        with open_catalog(user.settings.layout) as opened:
            return sorted(map(tuple, opened.catalog.rows("SELECT hash, subject, made, at, plain FROM sightings")))

    before = rows()
    user.settings.layout.catalog.unlink()
    user.store()
    assert (rows(), len(before)) == (before, 3)


def test_altered_chunk_shows_nothing(user: Home) -> None:
    for path in user.corpus.rglob("*.md"):
        path.chmod(0o600)
        path.write_bytes(path.read_bytes().replace(b"Nested", b"Forged"))
    user.settings.layout.catalog.unlink()
    user.store()
    with open_catalog(user.settings.layout) as opened:
        assert sightings(opened.catalog, "1a2b3c4") == []
