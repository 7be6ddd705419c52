"""A corpus that changes while it is asked, and indexes that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.engine.index_manifest import manifest_damage, read_manifest, write_manifest
from aicx.engine.search import Searcher
from aicx.engine.vector_index import drop_vectors
from aicx.errors import AicxError, CorpusDamaged, NotFound
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home
from tests.engine.search_helpers import MODES, ask, copied, embed, found, ids, ignore, keep

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # lancedb's own


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Home:
    user = Home(tmp_path_factory.mktemp("stored"))
    user.claude(ClaudeLog(SESSION).prompt("The gasket leaks", 0))
    user.claude(ClaudeLog(OTHER).prompt("The valve is stuck, and so is the gasket of the other pump", 60))
    keep(user)
    return user


@pytest.fixture(scope="module")
def embedded(stored: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    user = copied(stored, tmp_path_factory.mktemp("embedded"))
    embed(user)
    return user


@pytest.fixture
def user(stored: Home, tmp_path: Path) -> Home:
    """Two sessions that name a gasket, indexed by their words."""
    return copied(stored, tmp_path)


@pytest.fixture
def with_vectors(embedded: Home, tmp_path: Path) -> Home:
    """The same, indexed by their meaning as well."""
    return copied(embedded, tmp_path)


QUESTIONS = ["gasket", "valve", "stuck pump", "gaskett", "why does it leak", "march 2026", "hippopotamus"]


@pytest.mark.parametrize("mode", MODES)
def test_a_kept_searcher_gives_what_fresh_ones_give(embedded, mode):
    with Searcher(embedded.settings) as searcher:
        for question in [*QUESTIONS, *QUESTIONS]:
            kept, fresh = ask(searcher, question, mode=mode), ask(embedded, question, mode=mode)
            assert [(hit.sidecar.id, hit.score) for hit in kept.hits] == [(h.sidecar.id, h.score) for h in fresh.hits]
            assert kept.oracle_status == fresh.oracle_status


def test_a_reference_gets_longer_once_another_session_begins_alike(user):
    alike = SESSION[:-1] + ("0" if SESSION[-1] != "0" else "1")
    with Searcher(user.settings) as searcher:
        assert ask(searcher, "leaks").hits[0].ref == f"{SESSION[:8]}:001"
        user.claude(ClaudeLog(alike).prompt("The lamp is dark", 120))
        keep(user)
        assert ask(searcher, "leaks").hits[0].ref == f"claude:{SESSION}:001"


def test_a_kept_searcher_sees_what_is_stored_meanwhile(user):
    with Searcher(user.settings) as searcher:
        assert len(found(searcher, "gasket")) == 2
        user.claude(ClaudeLog(THIRD).prompt("A third gasket", 120))
        keep(user)
        assert len(found(searcher, "gasket")) == 3


def test_a_kept_searcher_says_what_its_index_lacks(user):
    keep(user)  # the copied logs have other paths, which is a change as well
    with Searcher(user.settings) as searcher:
        found(searcher, "gasket")
        user.claude(ClaudeLog(THIRD).prompt("A third gasket", 120))
        user.store()
        report = ask(searcher, "gasket")
        assert report.oracle_status["freshness"]["lexical"] == {"behind": 1}
        assert report.oracle_status["stale_or_unknown"]


def test_a_kept_searcher_notices_an_index_being_made_rebuilt_and_dropped(user):
    with Searcher(user.settings) as searcher:
        assert ask(searcher, "gasket").oracle_status["rankers"] == ["lexical"]
        embed(user)
        assert ask(searcher, "gasket").oracle_status["rankers"] == ["dense", "lexical"]
        embed(user, rebuild=True)
        report = ask(searcher, "gasket")
        assert (report.oracle_status["rankers"], report.oracle_status["fallback_reason"]) == (
            ["dense", "lexical"],
            None,
        )
        drop_vectors(user.settings, ignore)
        assert ask(searcher, "gasket").oracle_status["rankers"] == ["lexical"]
        embed(user)
        report = ask(searcher, "gasket")
        assert (report.oracle_status["rankers"], report.oracle_status["fallback_reason"]) == (
            ["dense", "lexical"],
            None,
        )


def test_a_kept_searcher_sees_what_is_indexed_meanwhile(with_vectors):
    user = with_vectors
    with Searcher(user.settings) as searcher:
        assert found(searcher, "thermodinamic equilibrum", mode="dense") == []
        user.claude(ClaudeLog(THIRD).prompt("thermodynamics equilibrium " * 20, 120))
        keep(user)
        embed(user)
        assert found(searcher, "thermodinamic equilibrum", mode="dense") == [f"claude:{THIRD}:001"]


def test_a_kept_searcher_heeds_the_ignore_file(user):
    with Searcher(user.settings) as searcher:
        assert len(found(searcher, "gasket")) == 2
        (user.corpus / ".aicxignore").write_text(f"*{SESSION}*\n")
        assert found(searcher, "gasket") == [f"claude:{OTHER}:001"]


def test_a_chunk_whose_file_is_gone_is_named_and_not_returned(user):
    (gone,) = user.corpus.rglob(f"*{SESSION}*.md")
    gone.unlink()
    report = ask(user, "gasket")
    assert ids(report) == [f"claude:{OTHER}:001"]
    assert any(SESSION in note for note in report.notes)
    assert report.oracle_status["source_paths_verified"] is False


def test_an_answer_without_the_catalogue_says_so(user):
    for path in user.corpus.glob("catalog.sqlite*"):
        path.unlink()
    report = ask(user, "gasket")
    assert len(report.hits) == 2
    assert "catalogue is missing" in report.oracle_status["fallback_reason"]
    assert report.oracle_status["stale_or_unknown"]


def test_a_date_alone_without_the_catalogue_says_so_too(user):
    for path in user.corpus.glob("catalog.sqlite*"):
        path.unlink()
    report = ask(user, "march 2026")
    assert len(report.hits) == 2
    assert "catalogue is missing" in report.oracle_status["fallback_reason"]


# Indexes that cannot be read ------------------------------------------------------------------------------------------


def break_lexical(user: Home, how: str) -> None:
    folder = user.corpus / "index" / "lexical"
    if how == "gone":
        for path in folder.iterdir():
            path.unlink()
    elif how == "other version":
        layout = user.settings.layout
        write_manifest(layout, "lexical", read_manifest(layout)["lexical"] | {"version": "0"})
    elif how == "manifests gone":
        for path in (user.corpus / "index").glob("manifest*.json"):
            path.unlink()
    elif how == "manifest is junk":
        (user.corpus / "index" / "manifest.json").write_text('{"lexical": [], "vectors": 7}')
    else:
        (path,) = folder.glob("*.term")
        path.write_bytes(b"junk")


@pytest.mark.parametrize("name", ["manifest.json", "manifest.copy.json"])
def test_a_damaged_manifest_has_a_copy_and_is_written_again(user, name):
    path = user.corpus / "index" / name
    path.write_bytes(path.read_bytes().replace(b'"sequence": ', b'"sequence": 9'))
    assert name in manifest_damage(user.settings.layout)
    status = ask(user, "gasket").oracle_status
    assert (status["rankers"], status["freshness"]["lexical"]) == (["lexical"], {"behind": 0})
    keep(user)
    assert manifest_damage(user.settings.layout) is None


HOW = ["gone", "junk", "other version", "manifests gone", "manifest is junk"]


@pytest.mark.parametrize("how", HOW)
def test_without_the_lexical_index_every_chunk_is_read_and_it_is_said(user, how):
    break_lexical(user, how)
    report = ask(user, "gasket")
    assert len(report.hits) == 2
    assert report.oracle_status["rankers"] == ["scan"]
    assert "lexical index" in report.oracle_status["fallback_reason"]
    assert "aicx store" in report.oracle_status["fallback_reason"]


@pytest.mark.parametrize("how", HOW)
def test_the_lexical_ranker_by_name_fails_without_its_index(user, how):
    break_lexical(user, how)
    with pytest.raises((NotFound, CorpusDamaged)) as raised:
        ask(user, "gasket", mode="lexical")
    assert raised.value.hint == "aicx store"


@pytest.mark.parametrize("how", HOW)
def test_the_next_store_mends_the_lexical_index(user, how):
    break_lexical(user, how)
    keep(user)
    status = ask(user, "gasket").oracle_status
    assert (status["rankers"], status["fallback_reason"]) == (["lexical"], None)


def test_an_index_that_is_being_made_anew_does_not_count_as_empty(user, monkeypatch):
    """A kill in the middle leaves none, rather than a part of one that passes for all of it."""

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    break_lexical(user, "junk")
    monkeypatch.setattr("indexer.lexical.LexicalWriter.update", killed)
    with pytest.raises(KeyboardInterrupt):
        keep(user)
    monkeypatch.undo()
    report = ask(user, "gasket")
    assert (len(report.hits), report.oracle_status["rankers"]) == (2, ["scan"])
    keep(user)
    assert len(ask(user, "gasket", mode="lexical").hits) == 2


def break_vectors(user: Home, how: str) -> None:
    table = user.corpus / "index" / "vectors.lance"
    folder, _, what = how.partition(" ")
    for path in (table / folder).iterdir():
        if what == "gone":
            path.unlink()
        else:
            path.write_bytes(b"junk" * 50 if what == "junk" else path.read_bytes()[:30])


BROKEN = [f"{folder} {what}" for folder in ("_versions", "data") for what in ("gone", "junk", "cut")]


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_vector_index_is_named_and_words_answer(with_vectors, how):
    break_vectors(with_vectors, how)
    report = ask(with_vectors, "gasket")
    assert len(report.hits) == 2
    assert report.oracle_status["rankers"] == ["lexical"]
    assert "answered without meaning" in report.oracle_status["fallback_reason"]
    assert "aicx doctor --fix" in report.oracle_status["fallback_reason"]


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_vector_index_asked_by_name_is_an_error_with_a_next_step(with_vectors, how):
    break_vectors(with_vectors, how)
    with pytest.raises(AicxError) as raised:
        ask(with_vectors, "gasket", mode="hybrid")
    assert raised.value.hint == "aicx doctor --fix"
