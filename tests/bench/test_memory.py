"""The records of a memory as a set: what is invented and asked, and what recall answers with a rule on and off."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from aicx.bench.datasets.memory import document_of, load, records_of
from aicx.bench.mining.records import ELSEWHERE, NOW, TOPIC_WORDS, BenchRecord, Fate, invent, mine, paraphrase, told
from aicx.bench.rankers import QuestionFailed, RankerFolders
from aicx.bench.rankers.memory import build, open_ranker
from aicx.bench.variants import variant
from tests.bench.invented import small


def record(name: str, value: str, fate: Fate = "accepted", *, days: int = 10, **fields: object) -> BenchRecord:
    statement = f"The export service reads its retry limit from {value}"
    about = "The export service reads its retry limit from"
    found = BenchRecord(name, "fact", "exports", statement, about, NOW - timedelta(days=days), fate)
    return BenchRecord(**{**{key: getattr(found, key) for key in found.__slots__}, **fields})


RECORDS = [
    record("r", "the vault", right=True),
    record("r-old", "the old mainframe", "replaced", days=300),
    record("x-no", "a feature toggle", "rejected"),
    record("y-away", "the customer contract", "archived"),
    record("z-over", "the pilot tenant", "expired", days=300),
    record("w-there", "the regional office", repository=ELSEWHERE),
    record("v-line", "the monthly audit", "guidance"),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> RankerFolders:
    folder = tmp_path_factory.mktemp("memory")
    place = RankerFolders(folder / "indexes", folder / "models")
    build("memory", [document_of(one) for one in RECORDS], place)
    return place


def answers(place: RankerFolders, change: str = "") -> list[str]:
    _, choices = variant(f"memory {change}".strip())
    ranker = open_ranker("memory", (), place, choices)
    (query,) = [one for one in mine(RECORDS, Random(0)) if one.part == TOPIC_WORDS]
    try:
        return [one.id for one in ranker.rank(query, 10)]
    finally:
        ranker.recaller.close()


def test_only_facts_that_hold_are_answered(place: RankerFolders) -> None:
    assert answers(place) == ["r", "v-line"]


def test_a_rule_that_is_off_lets_in_what_it_is_there_for(place: RankerFolders) -> None:
    put_away = {"r-old", "x-no", "y-away", "z-over"}
    assert put_away <= set(answers(place, "without eligibility"))
    assert "w-there" in answers(place, "records of all repositories")


def test_documents_of_another_set_are_no_records(tmp_path: Path) -> None:
    with pytest.raises(QuestionFailed, match="not records"):
        build("memory", small().corpora["all"], RankerFolders(tmp_path, tmp_path))


def test_a_record_is_the_same_after_it_was_a_document() -> None:
    assert records_of([document_of(one) for one in RECORDS]) == RECORDS


def test_the_same_seed_invents_the_same_and_every_subject_has_one_record_that_holds() -> None:
    records = invent(80)
    assert records == invent(80)
    assert records != invent(80, seed=1)
    assert sum(one.right for one in records) == 80
    assert {one.fate for one in records} == {
        *("accepted", "candidate", "replaced", "rejected", "archived", "expired", "guidance")
    }
    assert len({one.id for one in records}) == len({one.statement for one in records}) == len(records)


def test_questions_tell_no_value_that_sets_a_record_apart() -> None:
    set_ = load(0)
    held = {document.id: document for document in set_.corpora["all"]}
    for query in set_.queries[:100]:
        if query.part == TOPIC_WORDS:
            (right,) = query.relevant
            assert {*query.text.split()} <= {*told(str(held[right].columns["about"]))}


def test_a_question_in_other_words_shares_few_with_its_answer() -> None:
    about = "Never change the log level of the mail sender without asking"
    assert paraphrase(about) == "nowise modification journal level email dispatcher without consulting"
    assert paraphrase("Frobnicate the quux") == ""
