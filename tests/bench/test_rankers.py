"""What every ranker promises, whatever its method."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.bench.dataset import Query, text_document
from aicx.bench.rankers import METHODS, Ranker, RankerFolders, method_of, open_ranker
from aicx.errors import UsageError
from tests.bench.invented import DOCUMENTS, QUERIES, models, small
from tests.parts import require

IN_WORDS = ("grep", "rank-bm25", "bm25-analysed", "fts5", "lexical", "aicx")
BY_MEANING = ("dense:static", "weighted:static", "rrf:static", "aicx:static")


@pytest.fixture
def place(tmp_path: Path) -> RankerFolders:
    return RankerFolders(tmp_path / "indexes", models(tmp_path / "models"))


@pytest.fixture(scope="module", params=[*IN_WORDS, *BY_MEANING])
def ranker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Ranker:
    if request.param in BY_MEANING:
        require("semantic")
    folder = tmp_path_factory.mktemp("ranker")
    place = RankerFolders(folder / "indexes", models(folder / "models"))
    return open_ranker(request.param, small().corpora["all"], place)


def test_every_method_is_tried_here() -> None:
    # Peers are no part of ours; test_peers.py, test_why.py and test_memory.py say what is asked of these.
    assert {name.partition(":")[0] for name in (*IN_WORDS, *BY_MEANING)} == set(METHODS) - {"peer", "why", "memory"}


def test_answers_are_documents_best_first_and_each_once(ranker: Ranker) -> None:
    found = ranker.rank(QUERIES[0], 10)
    assert found[0].id == "login"
    assert len({hit.id for hit in found}) == len(found)
    assert {hit.id for hit in found} <= set(DOCUMENTS)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_limit_is_kept(ranker: Ranker) -> None:
    assert len(ranker.rank(Query("q", "the login parser board"), 1)) == 1


def test_same_question_gets_the_same_answers(ranker: Ranker) -> None:
    assert ranker.rank(QUERIES[2], 10) == ranker.rank(QUERIES[2], 10)


@pytest.mark.parametrize("text", ["", "!?", '"unbalanced', "a" * 5000, "OR AND NOT", "('" * 50])
def test_no_question_is_an_error(ranker: Ranker, text: str) -> None:
    assert len(ranker.rank(Query("q", text), 10)) <= 10


@pytest.mark.parametrize("name", IN_WORDS)
def test_rankers_by_words_have_no_answer_where_no_word_matches(name: str, place: RankerFolders) -> None:
    assert open_ranker(name, small().corpora["all"], place).rank(QUERIES[3], 10) == []


@pytest.mark.needs("semantic")
@pytest.mark.parametrize("name", ["fts5", "lexical", "dense:static", "weighted:static"])
def test_an_index_on_disk_answers_without_its_documents(name: str, place: RankerFolders) -> None:
    method = method_of(name)
    method.build(name, small().corpora["all"], place)
    assert method.open_ranker(name, (), place).rank(QUERIES[0], 10)[0].id == "login"


@pytest.mark.needs("semantic")
def test_vectors_are_not_made_twice(place: RankerFolders) -> None:
    method = method_of("dense:static")
    first = method.build("dense:static", small().corpora["all"], place)
    # Unchanged documents are not embedded, and the time it took is still the first one's.
    assert method.build("dense:static", small().corpora["all"], place) == pytest.approx(first)


def test_grep_puts_the_newest_first_among_equals(place: RankerFolders) -> None:
    documents = [
        text_document(name, "the tide", columns={"completed_at": second})
        for name, second in (("old", 1), ("new", 3), ("between", 2))
    ]
    found = open_ranker("grep", documents, place).rank(Query("q", "tide"), 10)
    assert [hit.id for hit in found] == ["new", "between", "old"]


def test_unknown_ranker_is_a_usage_error_that_names_the_known() -> None:
    with pytest.raises(UsageError) as error:
        method_of("tfidf")
    assert "fts5" in str(error.value.hint)
