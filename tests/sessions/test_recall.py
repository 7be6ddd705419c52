"""F12 and F13: sessions, windows and chunks that answer a question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.corpus.builders import OTHER, SESSION
from tests.sessions.compacted import REF, Compacted, story

QUESTION = "header of the export of tables"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Compacted:
    found = Compacted(tmp_path, monkeypatch, capsys)
    found.user.claude(found.log(OTHER).prompt("Which fonts does the export of tables use?", 500).answer("Serif.", 501))
    third = "cccccccc-0000-4000-8000-000000000003"
    found.user.claude(found.log(third).prompt("Sort the menu of the header by name", 600).answer("It is sorted.", 601))
    found.store(story(found.log()))
    return found


def _recall(place: Compacted, granularity: str, *words: str) -> list[dict[str, Any]]:
    found = place("sessions", "recall", QUESTION, "--granularity", granularity, *words)
    assert (found["status"], found["granularity"]) == ("ok", granularity)
    matches: list[dict[str, Any]] = found["matches"]
    return matches


class TestNesting:
    """F12."""

    def test_a_session_names_its_windows_and_a_window_its_chunks(self, place: Compacted) -> None:
        best = _recall(place, "session")[0]
        assert best["ref"] == best["session"] == REF
        windows = {one["window"]["ref"]: one["chunks"] for one in best["windows"]}
        assert windows
        assert all(ref.startswith(f"{REF}#w") for ref in windows)
        for one in best["windows"]:
            assert set(one["chunks"]) <= set(one["window"]["chunks"])

    def test_the_same_question_gives_refs_that_are_in_one_another(self, place: Compacted) -> None:
        sessions, windows, chunks = (_recall(place, name, "--limit", "20") for name in ("session", "window", "chunk"))
        assert {one["session"] for one in windows} == {one["session"] for one in chunks}
        assert {one["session"] for one in windows} <= {one["ref"] for one in sessions}
        inside = {ref for one in windows for ref in one["windows"][0]["window"]["chunks"]}
        for one in chunks:
            assert one["ref"] in inside
            assert one["windows"][0]["chunks"] == [one["ref"]]
        assert len({one["ref"] for one in windows}) == len(windows)

    def test_a_window_of_the_answer_can_be_summed_up_and_a_chunk_shown(self, place: Compacted) -> None:
        window, chunk = _recall(place, "window")[0]["ref"], _recall(place, "chunk")[0]["ref"]
        assert place("sessions", "summarize", window)["window"]["ref"] == window
        assert place.run("show", chunk)[0] == 0
        assert place("show", window)["window"]["ref"] == window

    def test_two_granularities_at_once_are_a_usage_error(self, place: Compacted) -> None:
        code, out, err = place.run("sessions", "recall", QUESTION, "-g", "window", "-g", "chunk")
        assert (code, out) == (2, "")
        assert "exclude each other" in err
        assert place.run("sessions", "recall", QUESTION, "-g", "turn")[0] == 2

    def test_the_limit_counts_what_was_asked_for(self, place: Compacted) -> None:
        for name in ("session", "window", "chunk"):
            assert len(_recall(place, name, "--limit", "1")) == 1


class TestOffline:
    """F13."""

    @pytest.mark.parametrize("granularity", ["session", "window", "chunk"])
    def test_scores_differ_between_hits_and_fall(self, place: Compacted, granularity: str) -> None:
        scores = [one["score"] for one in _recall(place, granularity)]
        assert len(set(scores)) > 1
        assert scores == sorted(scores, reverse=True)
        assert set(scores) != {1.0}

    def test_how_it_was_found_is_said(self, place: Compacted) -> None:
        assert place.run("store")[0] == 0
        found = place("sessions", "recall", QUESTION)
        assert found["method"]["rankers"] == ["lexical"]
        assert found["method"]["fallback_reason"] is None

    def test_without_an_index_the_corpus_is_read_and_that_is_said(self, place: Compacted) -> None:
        found = place("sessions", "recall", QUESTION, "-g", "window")
        assert found["matches"]
        assert found["method"]["rankers"] == ["scan"]
        assert found["method"]["fallback_reason"]

    def test_a_question_that_nothing_answers_has_no_matches(self, place: Compacted) -> None:
        found = place("sessions", "recall", "xyzzyplugh")
        assert (found["status"], found["matches"], found["missing_words"]) == ("no_matches", [], ["xyzzyplugh"])

    def test_filters_limit_what_is_searched(self, place: Compacted) -> None:
        found = place("sessions", "recall", QUESTION, "-g", "window", "--session", OTHER)
        assert {one["session"] for one in found["matches"]} == {f"session:claude:{OTHER}"}
        assert not place("sessions", "recall", QUESTION, "--agent", "codex")["matches"]


def test_windows_are_listed_with_their_references(place: Compacted) -> None:
    found = place("sessions", "windows", SESSION[:8])
    assert [one["ref"] for one in found["windows"]] == [f"{REF}#w0", f"{REF}#w1", f"{REF}#w2"]
    assert [one["trigger"] for one in found["windows"]] == ["start", "compact", "compact"]
    code, out, _ = place.run("sessions", "windows", SESSION)
    assert code == 0
    assert out.count("#w") == 3
