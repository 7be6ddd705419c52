"""Every form of dataset file, each with something broken in it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aicx.bench.datasets import bundled, cosqa, in_folder, locomo, parse_wanted, trec
from aicx.errors import NotFound, UsageError
from aicx.types import Document
from tests.bench.invented import write_lines

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ada",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": "I painted a lighthouse."},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "Show me!", "blip_caption": "a lighthouse at dusk"},
            ],
            "session_10_date_time": "not a time",
            "session_10": [{"speaker": "Ada", "dia_id": "D10:01", "text": "I sold it."}],
        },
        "qa": [
            {"question": "What did Ada paint?", "evidence": ["D1:1; D1:2"], "category": 1},
            {"question": "When was it sold?", "evidence": ["D10:1"], "category": 2},
            {"question": "Would Ada like a boat?", "evidence": [], "category": 3},
            {"question": "What is lost?", "evidence": ["D7:3"], "category": 4},
            {"question": "Who sank?", "evidence": ["D1:1"], "category": 5},
        ],
    }
]


@pytest.fixture
def dialogue(tmp_path: Path) -> Path:
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(LOCOMO))
    return path


def test_locomo_asks_categories_1_to_4_that_have_evidence(dialogue: Path) -> None:
    assert [query.text for query in locomo.load(dialogue).queries] == ["What did Ada paint?", "When was it sold?"]


def test_locomo_splits_evidence_that_names_two_turns(dialogue: Path) -> None:
    assert locomo.load(dialogue).queries[0].relevant == {"D1:1": 1, "D1:2": 1}


def test_locomo_reads_a_turn_number_with_a_zero_in_front(dialogue: Path) -> None:
    assert locomo.load(dialogue).queries[1].relevant == {"D10:1": 1}


def test_locomo_says_what_it_split_and_left_out(dialogue: Path) -> None:
    split, dropped = locomo.load(dialogue).notes
    assert "D1:1; D1:2" in split
    assert dropped.startswith("3 ")  # a turn that is not there, and two questions without evidence


def test_locomo_calls_the_questions_about_time_temporal(dialogue: Path) -> None:
    assert [query.type for query in locomo.load(dialogue).queries] == ["question", "temporal"]


def test_locomo_keeps_dialogues_apart(tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    path.write_text(json.dumps([LOCOMO[0], {**LOCOMO[0], "sample_id": "conv-2"}]))
    assert set(locomo.load(path).corpora) == {"conv-1", "conv-2"}


def test_locomo_gives_a_turn_the_one_before_as_context_and_not_across_sessions(dialogue: Path) -> None:
    first, second, third = locomo.load(dialogue).corpora["conv-1"]
    assert first.header == "1:56 pm on 8 May, 2023"
    assert second.header.endswith("Ada: I painted a lighthouse.")
    assert "Show me" not in third.header


def test_a_file_of_another_form_is_a_usage_error_that_names_the_field(tmp_path: Path) -> None:
    path = tmp_path / "locomo.json"
    path.write_text('[{"dialogue": 1}]')
    with pytest.raises(UsageError, match="sample_id"):
        locomo.load(path)


def test_a_file_that_is_not_json_is_a_usage_error(tmp_path: Path) -> None:
    path = tmp_path / "locomo.json"
    path.write_text("[{")
    with pytest.raises(UsageError, match="not JSON"):
        locomo.load(path)


def test_cosqa_takes_every_question_whose_function_is_there(tmp_path: Path) -> None:
    (tmp_path / "code_idx_map.txt").write_text(json.dumps({"def a(): pass": 0, "def b(): pass": 1}))
    rows = [{"idx": "t-1", "doc": "make a", "retrieval_idx": 0}, {"idx": "t-2", "doc": "lost", "retrieval_idx": 9}]
    (tmp_path / "cosqa-retrieval-dev-2.json").write_text(json.dumps(rows))
    found = cosqa.load(tmp_path)
    assert [(query.text, query.relevant) for query in found.queries] == [("make a", {"0": 1})]
    assert found.notes[0].startswith("1 questions left out")


def test_cosqa_folder_without_questions_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="cosqa-retrieval"):
        cosqa.load(tmp_path)


def texts(documents: list[Document]) -> dict[str, tuple[str, str]]:
    return {document.id: (document.header, document.parts[0].text) for document in documents}


def test_trec_reads_json_lines(tmp_path: Path) -> None:
    write_lines(
        tmp_path / "documents.jsonl", [{"id": "d1", "title": "Tides", "text": "high"}, {"id": "d2", "text": "x"}]
    )
    write_lines(
        tmp_path / "queries.jsonl", [{"id": "q1", "text": "tide"}, {"id": "q2", "text": "n", "type": "negative"}]
    )
    (tmp_path / "qrels.txt").write_text("q1 0 d1 2\nq1 0 d2 0\nq1 0 gone 1\n")
    found = trec.load(tmp_path)
    assert texts(list(found.corpora["all"])) == {"d1": ("Tides", "high"), "d2": ("", "x")}
    assert [(query.id, query.relevant) for query in found.queries] == [("q1", {"d1": 2}), ("q2", {})]
    assert found.notes == ["1 judged documents are not in the collection"]


def test_trec_reads_the_form_of_beir(tmp_path: Path) -> None:
    write_lines(tmp_path / "corpus.jsonl", [{"_id": "d1", "title": "T", "text": "body"}])
    write_lines(tmp_path / "queries.jsonl", [{"_id": "q1", "text": "body?"}, {"_id": "q2", "text": "unjudged"}])
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    found = trec.load(tmp_path)
    assert [query.relevant for query in found.queries] == [{"d1": 1}]
    assert found.notes[0].startswith("1 questions left out")


def test_trec_reads_marked_up_text(tmp_path: Path) -> None:
    (tmp_path / "docs.xml").write_text(
        "<DOC>\n<DOCNO> d1 </DOCNO>\n<TITLE>Tides &amp; winds</TITLE>\n<TEXT>The <b>sea</b> rises.</TEXT>\n</DOC>\n"
        "<DOC><DOCNO>d2</DOCNO><TEXT></TEXT></DOC>\n<DOC><DOCNO>torn"
    )
    (tmp_path / "topics.xml").write_text(
        "<top>\n<num> Number: 301\n<title> sea level\n\n<desc> Description:\nHow high?\n</top>\n"
        "<top><num>302</num><title>winds</title></top>"
    )
    (tmp_path / "qrels.test").write_text("301 0 d1 1\n302 0 d1 0\n302 0 d2 1\n")
    found = trec.load(tmp_path)
    assert texts(list(found.corpora["all"])) == {"d1": ("Tides & winds", "The sea rises."), "d2": ("", "")}
    assert [(query.id, query.text) for query in found.queries] == [("301", "sea level"), ("302", "winds")]
    assert found.queries[1].relevant == {"d2": 1}


def test_trec_reads_cranfield_whose_judgements_count_the_questions(tmp_path: Path) -> None:
    (tmp_path / "cran.all.1400").write_text(
        ".I 1\n.T\nwing flow .\n.A\nlee\n.W\nflow over\na wing .\n.I 2\n.T\n.W\nheat\n"
    )
    (tmp_path / "cran.qry").write_text(".I 001\n.W\nhow does air flow .\n.I 004\n.W\nwhat of heat .\n")
    (tmp_path / "cranqrel").write_text("1 1 2\n2 2 4\n2 1 -1\n")
    (tmp_path / "cranqrel.readme").write_text("queries and documents are explained here")
    found = trec.load(tmp_path)
    assert texts(list(found.corpora["all"]))["1"] == ("wing flow .", "flow over a wing .")
    assert [(query.text, query.relevant) for query in found.queries] == [
        ("how does air flow .", {"1": 1}),
        ("what of heat .", {"2": 1}),
    ]
    assert "count the questions" in found.notes[0]


def test_trec_question_keeps_its_own_clock(tmp_path: Path) -> None:
    write_lines(tmp_path / "documents.jsonl", [{"id": "d", "text": "x", "at": "2026-01-02T03:04:05Z"}])
    write_lines(tmp_path / "queries.jsonl", [{"id": "q", "text": "x", "now": "2026-02-01T00:00:00+01:00"}])
    (tmp_path / "qrels.txt").write_text("q 0 d 1\n")
    found = trec.load(tmp_path)
    assert found.queries[0].now == datetime(2026, 1, 31, 23, tzinfo=UTC)
    assert found.corpora["all"][0].columns["day"] == 20260102


def test_trec_refuses_a_type_of_question_there_is_not(tmp_path: Path) -> None:
    write_lines(tmp_path / "documents.jsonl", [{"id": "d", "text": "x"}])
    write_lines(tmp_path / "queries.jsonl", [{"id": "q", "text": "x", "type": "riddle"}])
    (tmp_path / "qrels.txt").write_text("q 0 d 1\n")
    with pytest.raises(UsageError, match="riddle"):
        trec.load(tmp_path)


def test_trec_says_which_file_is_missing_and_how_to_name_it(tmp_path: Path) -> None:
    write_lines(tmp_path / "documents.jsonl", [{"id": "d", "text": "x"}])
    write_lines(tmp_path / "queries.jsonl", [{"id": "q", "text": "x"}])
    with pytest.raises(NotFound, match="judgements") as error:
        trec.load(tmp_path)
    assert "qrels.txt" in str(error.value.hint)


def test_bundled_set_has_one_answer_for_each_question_it_answers() -> None:
    found = bundled.load()
    assert (len(found.corpora["all"]), len(found.queries)) == (30, 20)
    assert {len(query.relevant) for query in found.queries if query.type != "negative"} == {1}


def test_bundled_identifiers_occur_in_their_answer_alone() -> None:
    found = bundled.load()
    for query in found.queries:
        if query.type == "identifier":
            holders = {d.id for d in found.corpora["all"] if any(query.text in part.text for part in d.parts)}
            assert holders == set(query.relevant)


def test_bundled_negative_questions_share_no_word_with_any_document() -> None:
    found = bundled.load()
    said = " ".join(f"{d.header} {' '.join(part.text for part in d.parts)}" for d in found.corpora["all"]).lower()
    for query in found.queries:
        if query.type == "negative":
            assert not any(word in said for word in query.text.lower().split())


def test_fingerprint_changes_with_a_word_of_a_document(dialogue: Path) -> None:
    before = locomo.load(dialogue).fingerprint()
    dialogue.write_text(dialogue.read_text().replace("lighthouse.", "windmill."))
    assert locomo.load(dialogue).fingerprint() != before


def test_dataset_is_named_with_its_file() -> None:
    assert parse_wanted("locomo=/data/l.json") == ("locomo", Path("/data/l.json"))
    with pytest.raises(UsageError, match="no dataset 'lokomo'"):
        parse_wanted("lokomo=/data/l.json")
    with pytest.raises(UsageError, match="takes no file"):
        parse_wanted("bundled=/data/l.json")


def test_data_folder_is_searched_for_known_forms_and_judged_collections(tmp_path: Path, dialogue: Path) -> None:
    (tmp_path / "cranfield").mkdir()
    (tmp_path / "cranfield" / "cranqrel").write_text("1 1 1\n")
    (tmp_path / "pictures").mkdir()
    assert in_folder(tmp_path) == [("locomo", dialogue), ("trec", tmp_path / "cranfield")]
