"""Metadata answers: the same with and without a catalogue, and never with what is to be hidden."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aicx.corpus.catalog.filters import parse_date_range
from aicx.corpus.catalog.overview import list_chunk_paths, list_projects, state_of
from aicx.corpus.catalog.query import MetadataAnswer, steer
from aicx.errors import NotFound, UsageError
from aicx.filters import Filters
from tests.corpus.builders import OTHER, SESSION, T0, THIRD, ClaudeLog, CodexLog, Home, snapshot
from tests.kept import Kept

NEXT_DAY = 14 * 3600

EVERYTHING = Filters()
FILTERS = [
    Filters(),
    Filters(project="orbit"),
    Filters(project="apiar"),
    Filters(project="notes"),
    Filters(project="zzz"),
    Filters(agent="codex"),
    Filters(kind="other"),
    Filters(session=SESSION[:6]),
    Filters(run_id="r-1"),
    Filters(prompt_id="p-1"),
    Filters(date=parse_date_range("2026-03-02", T0)),
    Filters(branch="feature/*"),
    Filters(file="lexer"),
    Filters(file="*.py"),
]


@pytest.fixture
def home(home: Path, kept: Kept) -> Home:
    """Three sessions of two agents in four folders on two days."""
    home = Home(kept.folder)

    def fill() -> None:
        orbit, apiary = (
            home.repository("orbit", "git@x.org:ada/orbit.git"),
            home.repository("apiary", "git@x.org:ada/apiary.git"),
        )
        log = ClaudeLog(SESSION, orbit).prompt("---\nrun_id: r-1\nprompt_id: p-1\n---\nFix the lexer", 0)
        log.call("Edit", 1, file_path=f"{orbit}/src/lexer.py").result("done", 2)
        log.cwd, log.branch = apiary, "feature/bees"
        home.claude(log.prompt("Now the bees", NEXT_DAY))
        home.claude(ClaudeLog(OTHER, "/srv/notes").call("Bash", 5, command="ls").result("a", 6))
        home.codex(CodexLog(THIRD, orbit).prompt("Write the docs", 50))
        home.store()

    kept.again(fill)
    return home


def ask(home: Home, filters: Filters = EVERYTHING, limit: int = 100) -> MetadataAnswer:
    return steer(home.settings.layout, filters, limit)


def hide(home: Home, *lines: str) -> None:
    (home.corpus / ".aicxignore").write_text("\n".join(lines) + "\n")


def drop_catalog(home: Home) -> None:
    for path in home.corpus.glob("catalog.sqlite*"):
        path.unlink()


class TestAnswers:
    def test_the_newest_comes_first(self, home):
        started = [item["started_at"] for item in ask(home).items]
        assert len(started) == 4
        assert started == sorted(started, reverse=True)

    def test_the_limit_leaves_the_count_as_it_is(self, home):
        found = ask(home, limit=1)
        assert (len(found.items), found.matched) == (1, 4)

    def test_an_item_is_its_sidecar_and_its_path(self, home):
        item = ask(home, Filters(run_id="r-1", project="orbit")).items[0]
        path, fields = next(pair for pair in home.chunks().items() if pair[1]["id"] == item["id"])
        assert item["path"] == str(home.corpus / path)
        assert set(fields) - set(item) == {"messages", "folders", "topic", "topic_from", "work", "work_from"}
        of_the_session = {"chunk_title", "automated", "automated_why", "runs", "run_ids"}
        assert set(item) - set(fields) - {"prompt_key"} == {"path", "agent_model"} | of_the_session
        assert all(item[name] == fields[name] for name in (set(item) & set(fields)) - {"title", "prompt_key"})
        assert item["chunk_title"] == fields["title"]

    def test_the_model_goes_by_both_its_names(self, home):
        item = next(item for item in ask(home).items if "model" in item)
        assert item["agent_model"] == item["model"]

    def test_the_status_of_an_answer_from_the_catalogue(self, home):
        assert ask(home, Filters(agent="codex")).oracle_status == {
            "source_layer": "layer_1_canonical_corpus",
            "backend": "steer_metadata",
            "index_kind": "metadata_steer",
            "fallback_reason": None,
            "store_root": str(home.corpus),
            "indexed_count": 4,
            "scanned_count": 0,
            "candidate_count": 1,
            "source_paths_verified": True,
            "stale_or_unknown": False,
        }

    def test_nothing_stored_is_an_error_with_the_next_step(self, tmp_path):
        (tmp_path / "x").mkdir()
        with pytest.raises(NotFound) as error:
            ask(Home(tmp_path / "x"))
        assert error.value.hint == "aicx store"

    def test_a_question_writes_nothing(self, home):
        before = snapshot(home.corpus)
        ask(home)
        assert snapshot(home.corpus) == before

    def test_a_home_given_as_a_relative_path_is_understood(self, home, monkeypatch):
        monkeypatch.chdir(home.corpus.parent)
        home.environ["AICX_HOME"] = "corpus"
        assert ask(home).matched == 4


class TestWithoutCatalogue:
    @pytest.mark.parametrize("filters", FILTERS, ids=repr)
    def test_the_answer_is_the_same(self, home, filters):
        with_it = ask(home, filters)
        drop_catalog(home)
        without = ask(home, filters)
        assert (without.items, without.matched, without.notes) == (with_it.items, with_it.matched, with_it.notes)

    def test_there_are_questions_of_every_kind_here(self, home):
        counts = [ask(home, filters).matched for filters in FILTERS]
        assert counts == [4, 2, 1, 1, 0, 1, 1, 2, 2, 2, 1, 1, 1, 1]

    def test_the_answer_says_so(self, home):
        drop_catalog(home)
        status = ask(home).oracle_status
        assert status["fallback_reason"].startswith("the catalogue is missing")
        assert (status["backend"], status["index_kind"]) == ("canonical_corpus", "none")
        assert (status["indexed_count"], status["scanned_count"]) == (0, 4)

    def test_the_answer_does_not_bring_it_back(self, home):
        drop_catalog(home)
        ask(home)
        assert not (home.corpus / "catalog.sqlite").exists()

    def test_a_damaged_catalogue_is_as_good_as_none(self, home):
        before = ask(home).items
        drop_catalog(home)
        (home.corpus / "catalog.sqlite").write_bytes(b"no database at all" * 100)
        assert ask(home).items == before

    def test_a_damaged_sidecar_costs_its_chunk_and_is_named(self, home):
        path = next(iter(home.chunks()))
        (home.corpus / path.replace(".md", ".meta.json")).write_bytes(b'{"schema":')
        drop_catalog(home)
        found = ask(home)
        assert found.matched == 3
        assert any(path.removesuffix(".md") in note for note in found.notes)

    def test_the_logs_are_not_needed(self, home):
        before = ask(home).items
        drop_catalog(home)
        for path in home.root.rglob("*.jsonl"):
            path.unlink()
        assert ask(home).items == before
        home.store()
        assert ask(home).items == before


class TestMissingFiles:
    def test_a_chunk_that_is_gone_is_named_and_the_rest_is_shown(self, home):
        path = next(iter(home.chunks()))
        (home.corpus / path).unlink()
        found = ask(home)
        assert len(found.items) == 3
        assert any(path in note for note in found.notes)
        assert found.oracle_status["source_paths_verified"] is False
        assert found.oracle_status["stale_or_unknown"] is True

    def test_a_link_that_leads_out_of_the_store_is_not_followed(self, home, tmp_path):
        path = next(iter(home.chunks())).replace(".md", ".meta.json")
        outside = tmp_path / "outside.json"
        outside.write_bytes((home.corpus / path).read_bytes())
        (home.corpus / path).unlink()
        os.symlink(outside, home.corpus / path)
        found = ask(home)
        assert len(found.items) == 3
        assert any("symbolic link" in note for note in found.notes)


def seen(home: Home) -> set[str]:
    """The projects in every kind of answer, which must agree."""
    layout = home.settings.layout
    from_steer = {item["project"] for item in ask(home).items}
    from_refs = {item.project for item in list_projects(layout, Filters())[0]}
    from_paths = {
        fields["project"] for path, fields in home.chunks().items() if path in list_chunk_paths(layout, Filters())
    }
    assert from_steer == from_refs == from_paths
    return from_steer


ORBIT, APIARY, NONE = "ada/orbit", "ada/apiary", "non-repository-contexts"


class TestIgnoreFile:
    """Each pattern takes effect at once, at the next store, and without a catalogue alike."""

    @pytest.mark.parametrize("when", ["at once", "after a store", "without a catalogue"])
    @pytest.mark.parametrize(
        ("lines", "left"),
        [
            (["store/ada/orbit/"], {APIARY, NONE}),
            (["# a comment", "", "/store/ada/*"], {NONE}),
            (["store/ada/*", "!store/ada/orbit"], {ORBIT, NONE}),
            (["codex/", "claude/"], set()),
            (["*.md", "!**/2026_0302/**/*.md"], {APIARY}),
            (["conversations"], {NONE}),
            (["nothing-like-it"], {ORBIT, APIARY, NONE}),
        ],
    )
    def test_ignored_paths_are_hidden(self, home, when, lines, left):
        hide(home, *lines)
        if when == "after a store":
            home.store()
        elif when == "without a catalogue":
            drop_catalog(home)
        assert seen(home) == left

    def test_hidden_chunks_come_back_when_the_line_goes(self, home):
        hide(home, "store/")
        home.store()
        (home.corpus / ".aicxignore").unlink()
        assert seen(home) == {ORBIT, APIARY, NONE}
        home.store()
        assert seen(home) == {ORBIT, APIARY, NONE}

    def test_hidden_chunks_are_still_stored(self, home):
        before = home.files()
        hide(home, "store/")
        home.store()
        assert home.files() == before

    def test_a_hidden_chunk_that_grows_stays_hidden(self, home):
        hide(home, "codex/")
        home.store()
        home.codex(CodexLog(THIRD, str(home.work / "orbit")).prompt("Write the docs", 50).answer("All written.", 60))
        home.store()
        assert ask(home, Filters(agent="codex")).matched == 0

    def test_the_state_counts_what_is_hidden(self, home):
        hide(home, "codex/")
        assert state_of(home.settings.layout).ignored_chunks == 1
        home.store()
        assert state_of(home.settings.layout).ignored_chunks == 1

    @pytest.mark.parametrize("line", ["!", "[z-a]", "a\\"])
    @pytest.mark.parametrize("stored", [True, False])
    def test_a_bad_pattern_is_an_error_with_its_line(self, home, line, stored):
        hide(home, "# first", "fine/", line)
        if not stored:
            drop_catalog(home)
        with pytest.raises(UsageError, match=r"\.aicxignore, line 3"):
            ask(home)

    def test_a_hidden_project_is_not_named_in_a_note(self, home):
        hide(home, "store/ada/orbit/")
        assert all("orbit" not in note for note in ask(home, Filters(project="zzz")).notes)
