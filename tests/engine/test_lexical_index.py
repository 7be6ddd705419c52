"""The BM25 index is kept in step with the corpus, and made anew where it cannot be gone on with."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from aicx.engine.index_manifest import read_manifest, write_manifest
from aicx.engine.lexical_index import refresh_in_background, refresh_lexical
from aicx.storage import replace_file
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home
from tests.engine.search_helpers import copied, found, ignore, keep


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Home:
    user = Home(tmp_path_factory.mktemp("stored"))
    user.claude(ClaudeLog(SESSION).prompt("The gasket leaks", 0))
    user.claude(ClaudeLog(OTHER).prompt("The valve is stuck", 60))
    keep(user)
    keep(user)
    return user


@pytest.fixture
def user(stored: Home, tmp_path: Path) -> Home:
    return copied(stored, tmp_path)


def refresh(user: Home) -> int:
    return refresh_lexical(user.settings, ignore)


def test_nothing_stored_is_nothing_to_index(tmp_path):
    assert refresh(Home(tmp_path)) == 0


def test_an_index_in_step_is_left_alone(user):
    refresh(user)  # takes the times of the copy as its own
    before = {path: path.stat().st_mtime_ns for path in (user.corpus / "index").rglob("*")}
    assert refresh(user) == 0
    assert {path: path.stat().st_mtime_ns for path in (user.corpus / "index").rglob("*")} == before


def test_only_what_is_new_is_written(user):
    keep(user)
    user.claude(ClaudeLog(THIRD).prompt("The pump hums", 120))
    user.store()
    assert refresh(user) == 1
    assert found(user, "pump", mode="lexical") == [f"claude:{THIRD}:001"]


def test_a_session_that_grew_is_found_by_what_was_said_last(user):
    user.claude(ClaudeLog(SESSION).prompt("The gasket leaks", 0).answer("Use the spare washer.", 5))
    keep(user)
    assert found(user, "washer", mode="lexical") == [f"claude:{SESSION}:001"]


def test_a_chunk_that_left_is_no_longer_found(user):
    from aicx.corpus.forget.holding import ForgetRequest
    from aicx.corpus.forget.run import forget
    from aicx.engine.holders import load_holders

    forget(user.settings, ForgetRequest(session=SESSION), ignore, load_holders())
    assert refresh(user) == 1
    assert found(user, "gasket", mode="lexical") == []


def test_an_index_made_for_another_catalogue_is_made_anew(user):
    for path in user.corpus.glob("catalog.sqlite*"):
        path.unlink()
    keep(user)
    assert read_manifest(user.settings.layout)["lexical"]["catalog"]
    assert found(user, "gasket", mode="lexical") == [f"claude:{SESSION}:001"]


def test_an_index_that_cannot_be_read_is_made_anew_and_says_so(user):
    (path,) = (user.corpus / "index" / "lexical").glob("*.term")
    path.write_bytes(b"junk")
    said: list[str] = []
    assert refresh_lexical(user.settings, said.append) == 2
    assert said[0].endswith("building it anew")


def test_an_index_with_other_fields_is_made_anew(user):
    layout = user.settings.layout
    write_manifest(layout, "lexical", read_manifest(layout)["lexical"] | {"version": "0"})
    assert refresh(user) == 2
    assert refresh(user) == 0


def test_what_the_other_indexes_were_made_from_stays_in_the_manifest(user):
    write_manifest(user.settings.layout, "vectors", {"uri": "s3://a/b"})
    (user.corpus / "index" / "lexical" / "meta.json").unlink()
    assert refresh(user) == 2
    assert read_manifest(user.settings.layout)["vectors"] == {"uri": "s3://a/b"}


def test_two_indexes_recorded_at_once_are_both_in_the_manifest(user: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = user.settings.layout
    other = Thread(target=write_manifest, args=(layout, "vectors", {"uri": "s3://a/b"}))

    def write_slowly(*what: Any) -> None:
        if not other.ident:
            other.start()
            other.join(0.3)
        replace_file(*what)

    monkeypatch.setattr("aicx.engine.index_manifest.replace_file", write_slowly)
    write_manifest(layout, "lexical", {"version": "0"})
    other.join()
    assert read_manifest(layout) == {"lexical": {"version": "0"}, "vectors": {"uri": "s3://a/b"}}


def test_a_chunk_that_cannot_be_read_costs_itself(user):
    (path,) = user.corpus.rglob(f"*{SESSION}*.meta.json")
    path.write_text("{")
    (user.corpus / "index" / "lexical" / "meta.json").unlink()
    assert refresh(user) == 1
    assert found(user, "valve", mode="lexical") == [f"claude:{OTHER}:001"]


def test_in_the_background_another_writer_is_not_waited_for(user):
    from aicx.storage.lock import writer_lock

    (user.corpus / "index" / "lexical" / "meta.json").unlink()
    with writer_lock(user.settings.layout.locks, 1, ignore, name="lexical"):
        refresh_in_background(user.settings)
    assert not (user.corpus / "index" / "lexical" / "meta.json").exists()


def test_progress_is_told_by_documents(user):
    user.claude(ClaudeLog(THIRD).prompt("The pump hums", 120))
    user.store()
    told: list[tuple[int, int, str]] = []
    written = refresh_lexical(user.settings, ignore, lambda done, total, at: told.append((done, total, at)))
    assert written > 0
    assert told == [(0, written, "search index")]
