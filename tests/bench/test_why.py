"""Commits with their repositories at hand, which `aicx why` is asked for."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from aicx.bench.dataset import COUNTED
from aicx.bench.datasets import commits, why
from aicx.bench.measure import Answering, MeasureTask, measure, run_here
from aicx.bench.rankers import Choices, RankerFolders, open_ranker
from aicx.errors import UsageError
from aicx.why.ranking import Weights
from tests.bench.invented import write_lines
from tests.corpus.builders import OTHER, SESSION, Home, when
from tests.why.builders import DAY, Story

pytestmark = pytest.mark.slow


def quiet(line: str) -> None:
    pass


def row(**fields: object) -> dict[str, object]:
    found: dict[str, object] = {"qid": "c1", "query": "Rework", "relevant_sessions": [SESSION]}
    return {**found, "query_verbatim_in_session": False, "informative": True, **fields}


@pytest.fixture
def story(tmp_path: Path) -> tuple[Story, Path, Path]:
    """A session and the commit it made, another one, and the file of commits and the table that name the first."""
    story = Story(Home(tmp_path))
    log = story.edited(story.log().prompt("Stop the gauge from losing readings", 0), "gauge.py", 60)
    story.keep(log, story.log(OTHER).prompt("Make the lamp blink slower", 3 * DAY))
    commit = story.repository.commit("gauge.py", "y\n", "Rework", when(300))
    file = write_lines(tmp_path / "commits.jsonl", [row(), row(qid="c2", query="Elsewhere")])
    repositories = story.repository.folder.parent
    (repositories / "commits.tsv").write_text(f"c1\torbit\t{commit}\n")
    return story, file, repositories


def test_commit_with_its_repository_at_hand_is_asked_for_by_hash(
    story: tuple[Story, Path, Path], tmp_path: Path
) -> None:
    told, file, repositories = story
    found = why.load(file, told.user.root, tmp_path / "cache", quiet, repositories)
    assert [query.id for query in found.queries] == ["c1"]
    assert found.notes == ["1 commits left out: they are in none of the repositories"]
    place = RankerFolders(tmp_path / "indexes", tmp_path / "models", found.home)
    ranker = open_ranker("why", found.corpora["all"], place)
    # No word of the subject is in the session: git's date and file are.
    assert Answering(found, {"all": ranker}).answers(found.queries[0])[0] == SESSION


def test_subject_that_stands_in_a_log_counts_where_git_is_asked(
    story: tuple[Story, Path, Path], tmp_path: Path
) -> None:
    told, _, repositories = story
    rows = [row(query_verbatim_in_session=True), row(informative=False)]
    file = write_lines(tmp_path / "more.jsonl", rows)
    found = why.load(file, told.user.root, tmp_path / "cache", quiet, repositories)
    assert [query.part for query in found.queries] == [COUNTED, "subject says too little"]


def test_signal_that_is_switched_off_counts_for_nothing(story: tuple[Story, Path, Path], tmp_path: Path) -> None:
    told, file, repositories = story
    found = why.load(file, told.user.root, tmp_path / "cache", quiet, repositories)
    place = RankerFolders(tmp_path / "indexes", tmp_path / "models", found.home)
    nothing = Weights(**dict.fromkeys((field.name for field in fields(Weights)), 0.0))
    ranker = open_ranker("why", found.corpora["all"], place, Choices(why=nothing))
    assert {hit.score for hit in ranker.rank(found.queries[0], 10)} == {0.0}


def test_cold_start_of_why_and_of_a_signal_of_it_is_measured(story: tuple[Story, Path, Path], tmp_path: Path) -> None:
    told, file, repositories = story
    found = why.load(file, told.user.root, tmp_path / "cache", quiet, repositories)
    for variants in ((), ("why", "why without files")):
        task = MeasureTask("why", found, tmp_path / "indexes", tmp_path / "models", 1, variants=variants)
        measured = run_here(task)
        assert [one.failure for one in measured] == [None] * max(1, len(variants))
        assert all(len(one.cold) == 1 for one in measured)


def test_why_is_not_compared_on_questions_without_a_commit(story: tuple[Story, Path, Path], tmp_path: Path) -> None:
    told, file, _ = story
    found = commits.load(file, told.user.root, tmp_path / "cache", quiet)
    (measured,) = measure(MeasureTask("why", found, tmp_path / "indexes", tmp_path / "models", 0))
    assert measured.failure == (
        "it failed on 2 of the first 2 questions; the last of them, c2: "
        "the question is not about a commit in a repository at hand"
    )


def test_table_of_another_form_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "commits.tsv").write_text("c1 orbit\n")
    with pytest.raises(UsageError, match="three fields"):
        commits.read_places(tmp_path)
