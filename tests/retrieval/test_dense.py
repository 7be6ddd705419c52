"""The dense retriever: what it ranks first, what filters let through, and what it says when it cannot answer."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any

import pytest

from aicx.errors import AicxError, CorpusDamaged, NotFound, UsageError
from aicx.types import Candidate, Document, Part
from indexer.passages import Windows
from indexer.vector_table import Columns, EmbeddingModel, Location
from indexer.vectors import Upkeep, VectorIndexWriter
from retrieval.dense import DenseSearcher, Unusable
from retrieval.embedders import Embedder, EmbedderSettings, open_embedder
from retrieval.questions import AnyOf, Between, Condition, NoneOf, OneOf
from tests.parts import require

pytestmark = pytest.mark.filterwarnings("ignore")  # lancedb's own

SYNONYMS = (("car", "automobile", "vehicle"), ("fix", "repair", "mend"), ("crash", "failure"))
COLUMNS = Columns(("project", "branch"), ("started_at",), ("project",))
NASTY = [
    "it's",
    "' OR 1=1 --",
    "'; DROP TABLE vectors; --",
    'say "hi"',
    "back\\slash\\' end",
    "100%_like",
    "`tick`",
    "数据 🎉 é",
    "line\nbreak\ttab",
    "x" * 10_240,
    "",
]


def document(name: str, *texts: str | Part, **columns: str | int | None) -> Document:
    parts = tuple(text if isinstance(text, Part) else Part(text) for text in texts)
    return Document(name, json.dumps([name, *map(str, parts)]), "", parts, columns)


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    require("semantic")
    return open_embedder("test", EmbedderSettings(tmp_path_factory.mktemp("m"), max_tokens=32, synonyms=SYNONYMS))


def write(folder: Path, embedder: Embedder, documents: Sequence[Document], **upkeep: Any) -> str:
    model = EmbeddingModel(
        embedder.name,
        embedder.fingerprint,
        embedder.dimensions,
        Windows(16, 4),
        embedder.embed,
        embedder.token_ends,
    )
    by_id = {document.id: document for document in documents}
    VectorIndexWriter(Location(str(folder)), COLUMNS, model, Upkeep(**upkeep)).sync(
        {document.id: document.version for document in documents}, lambda ids: [by_id[name] for name in ids]
    )
    return str(folder)


CORPUS = [
    document("cars", "how to mend a vehicle", project="a/cars", started_at=10),
    document("bread", "baking bread with flour and water", project="a/food", started_at=20),
    document("git", "rebase the branch onto main", project="b/git", branch="main", started_at=30),
    document("crash", "a failure in the parser of dates", project="b/git", branch="it's", started_at=40),
]


@pytest.fixture(scope="module")
def uri(embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(tmp_path_factory.mktemp("db"), embedder, CORPUS)


@pytest.fixture(scope="module")
def table_alone(uri: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same without its mapped copy, as in an object store."""
    folder = tmp_path_factory.mktemp("table")
    shutil.copytree(uri, folder, dirs_exist_ok=True)
    shutil.rmtree(folder / "vectors.lance" / "mapped")
    return str(folder)


@pytest.fixture(params=["mapped", "table"])
def searcher(request: pytest.FixtureRequest, uri: str, table_alone: str, embedder: Embedder) -> DenseSearcher:
    return DenseSearcher(uri if request.param == "mapped" else table_alone, "vectors", embedder)


def ids(candidates: Sequence[Candidate]) -> list[str]:
    return [candidate.id for candidate in candidates]


# Ranking ------------------------------------------------------------------------------------------------------------


def test_related_words_find_a_document_that_has_none_of_them(searcher: DenseSearcher) -> None:
    assert ids(searcher.search("repair automobile", [], 4))[0] == "cars"


def test_scores_fall(searcher: DenseSearcher) -> None:
    scores = [candidate.score for candidate in searcher.search("crash of the parser", [], 4)]
    assert scores == sorted(scores, reverse=True)


def test_the_score_is_the_cosine(searcher: DenseSearcher, embedder: Embedder) -> None:
    question, passage = embedder.embed(["mend a vehicle", "how to mend a vehicle"])
    assert searcher.search("mend a vehicle", [], 1)[0].score == pytest.approx(float(question @ passage), abs=2e-3)


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_than_the_limit(searcher: DenseSearcher, limit: int) -> None:
    assert len(searcher.search("bread", [], limit)) == limit


def test_a_document_comes_once_however_many_of_its_passages_are_near(embedder: Embedder, tmp_path: Path) -> None:
    write(tmp_path, embedder, [document("long", "mend the car. " * 2000), document("other", "baking bread")])
    found = DenseSearcher(str(tmp_path), "vectors", embedder).search("mend the car", [], 10)
    assert ids(found) == ["long", "other"]


def test_a_sentence_at_the_end_of_a_long_document_is_found_by_meaning(embedder: Embedder, tmp_path: Path) -> None:
    filler = "flour and water make bread in an oven at noon. " * 250
    long = document("long", filler + "Then we had to mend the vehicle.")
    write(tmp_path, embedder, [long, document("short", filler)])
    found = DenseSearcher(str(tmp_path), "vectors", embedder).search("repair automobile", [], 1)
    assert ids(found) == ["long"]
    assert found[0].passage > 50


def former_table(folder: Path, embedder: Embedder, passages: Sequence[tuple[str, str, float]]) -> None:
    """A table as releases before this one wrote it: long passages, each with a weight."""
    import lancedb
    import pyarrow as pa

    vectors = embedder.embed([text for _, text, _ in passages])
    fields = [("id", pa.string()), ("ordinal", pa.int32()), ("weight", pa.float32()), ("part", pa.int32())]
    fields += [("start", pa.int32()), ("stop", pa.int32()), ("vector", pa.list_(pa.float32(), embedder.dimensions))]
    made_with = {"aicx.schema": "aicx.vectors/1", "aicx.model": f"{embedder.fingerprint}/32"}
    rows = [
        {
            "id": name,
            "ordinal": 0,
            "weight": weight,
            "part": 0,
            "start": 0,
            "stop": len(text),
            "vector": vector.tolist(),
        }
        for (name, text, weight), vector in zip(passages, vectors, strict=True)
    ]
    table = pa.Table.from_pylist(rows, schema=pa.schema(fields, metadata=made_with))
    lancedb.connect(str(folder)).create_table("vectors", table)


def test_a_table_of_a_former_release_is_asked_by_its_weights(embedder: Embedder, tmp_path: Path) -> None:
    same = "mend the vehicle"
    former_table(tmp_path, embedder, [("printed", same, 0.3), ("said", "the vehicle, mend it soon", 1.0)])
    searcher = DenseSearcher(str(tmp_path), "vectors", embedder)
    found = searcher.search(same, [], 2)
    assert ids(found) == ["said", "printed"]
    assert found[1].score == pytest.approx(0.3, abs=1e-2)
    (again,) = searcher.scores(embedder.embed([same])[0], ["printed"])
    assert (again.id, again.score) == ("printed", pytest.approx(found[1].score, abs=1e-6))
    assert searcher.spread(embedder.embed([same])[0], []) is None


# Scores of all ------------------------------------------------------------------------------------------------------


def test_named_documents_have_the_scores_that_a_search_gives_them(searcher: DenseSearcher, embedder: Embedder) -> None:
    found = searcher.search("mend a vehicle", [], 4)
    again = searcher.scores(embedder.embed(["mend a vehicle"])[0], [one.id for one in found] + ["of no table"])
    assert ids(again) == ids(found)
    assert [one.score for one in again] == pytest.approx([one.score for one in found], abs=2e-3)


def test_the_spread_is_that_of_all_documents_under_the_conditions(searcher: DenseSearcher, embedder: Embedder) -> None:
    vector = embedder.embed(["mend a vehicle"])[0]
    for where in ([], [OneOf("project", ("b/git",))]):
        scores = [one.score for one in searcher.search_near(vector, where, 4)]
        spread = searcher.spread(vector, where)
        assert spread is not None
        assert spread.zero == pytest.approx(fmean(scores), abs=2e-3)
        assert spread.unit == pytest.approx(pstdev(scores), abs=2e-3)


def test_a_single_document_has_no_spread(searcher: DenseSearcher, embedder: Embedder) -> None:
    assert searcher.spread(embedder.embed(["mend"])[0], [OneOf("project", ("a/cars",))]) is None


def test_beyond_a_sample_the_spread_is_about_the_same_and_always_the_same(embedder: Embedder, tmp_path: Path) -> None:
    write(tmp_path, embedder, [document(f"d{number}", f"mend car {number} {number % 7}") for number in range(400)])
    vector = embedder.embed(["mend the car 3"])[0]
    all_of_them = DenseSearcher(str(tmp_path), "vectors", embedder).spread(vector, [])
    sampled = [
        DenseSearcher(str(tmp_path), "vectors", embedder, exact=200, sample=100).spread(vector, []) for _ in range(2)
    ]
    assert sampled[0] == sampled[1] != all_of_them
    assert sampled[0] is not None
    assert all_of_them is not None
    assert abs(sampled[0].zero - all_of_them.zero) < all_of_them.unit / 3
    assert sampled[0].unit == pytest.approx(all_of_them.unit, rel=0.3)


@pytest.mark.parametrize("text", ["", "   \n"])
def test_a_question_of_nothing_finds_nothing(searcher: DenseSearcher, text: str) -> None:
    assert searcher.search(text, [], 3) == []


@pytest.mark.parametrize(
    "text", ["🎉", "the of and", "'\"`", "mend a vehicle " * 7000], ids=["emoji", "stop", "quotes", "100 KB"]
)
@pytest.mark.slow
def test_odd_questions_are_answered(searcher: DenseSearcher, text: str) -> None:
    assert len(searcher.search(text, [], 4)) == 4


def test_places_say_where_a_passage_lies(embedder: Embedder, tmp_path: Path) -> None:
    text = "flour and water. " * 30 + "mend the vehicle"
    write(tmp_path, embedder, [document("it's", text)])
    searcher = DenseSearcher(str(tmp_path), "vectors", embedder)
    found = searcher.search("mend vehicle", [], 1)
    place = searcher.places(found)[found[0].id, found[0].passage]
    assert "mend the vehicle" in text[place.start : place.stop]


# Filters ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (OneOf("project", ("b/git",)), "crash git"),
        (OneOf("project", ("a/food", "a/cars")), "bread cars"),
        (OneOf("project", ()), ""),
        (OneOf("branch", ("it's",)), "crash"),
        (OneOf("started_at", (30,)), "git"),
        (OneOf("id", ("cars",)), "cars"),
        (NoneOf("project", ("b/git",)), "bread cars"),
        (NoneOf("branch", ("main",)), "bread cars crash"),
        (NoneOf("branch", ()), "bread cars crash git"),
        (Between("started_at", 20, 30), "bread git"),
        (Between("started_at", high=10), "cars"),
        (Between("started_at"), "bread cars crash git"),
        (AnyOf((OneOf("project", ("a/food",)), Between("started_at", low=40))), "bread crash"),
        (AnyOf(()), ""),
    ],
    ids=str,
)
def test_condition_lets_through(searcher: DenseSearcher, condition: Condition, expected: str) -> None:
    assert " ".join(sorted(ids(searcher.search("vehicle", [condition], 10)))) == expected


def test_conditions_all_hold(searcher: DenseSearcher) -> None:
    where = [OneOf("project", ("b/git",)), Between("started_at", low=35)]
    assert ids(searcher.search("vehicle", where, 10)) == ["crash"]


def test_filters_come_before_ranking(embedder: Embedder, tmp_path: Path) -> None:
    near = [document(f"near{number}", "mend the vehicle", project="near") for number in range(500)]
    write(tmp_path, embedder, [*near, document("far", "baking bread", project="far")])
    searcher = DenseSearcher(str(tmp_path), "vectors", embedder)
    assert ids(searcher.search("mend the vehicle", [OneOf("project", ("far",))], 5)) == ["far"]


def test_filters_come_before_ranking_with_an_index_too(embedder: Embedder, tmp_path: Path) -> None:
    words = ["bread", "flour", "git", "branch", "parser", "dates", "oven", "noon"]
    many = [document(f"d{n}", f"{words[n % 8]} {words[n // 8 % 8]} {n}", project="near") for n in range(4000)]
    rare = [document(f"rare{n}", f"{words[n]} mend {n}", project="far") for n in range(8)]
    write(tmp_path, embedder, [*many, *rare], index_rows=1000, mapped_rows=0)
    found = DenseSearcher(str(tmp_path), "vectors", embedder).search("car", [OneOf("project", ("far",))], 20)
    assert sorted(ids(found)) == sorted(item.id for item in rare)


@pytest.mark.parametrize("value", NASTY, ids=range(len(NASTY)))
def test_a_value_matches_itself_and_nothing_else(embedder: Embedder, tmp_path: Path, value: str) -> None:
    documents = [document("it", "car", branch=value), document("else", "car", branch="main"), document("none", "car")]
    searcher = DenseSearcher(write(tmp_path, embedder, documents), "vectors", embedder)
    assert ids(searcher.search("car", [OneOf("branch", (value,))], 5)) == ["it"]


def test_an_unknown_column_is_an_error_and_not_an_empty_answer(searcher: DenseSearcher) -> None:
    with pytest.raises(UsageError, match="lane"):
        searcher.search("car", [OneOf("lane", ("x",))], 5)


# Trouble ------------------------------------------------------------------------------------------------------------


def test_a_missing_table_says_what_to_run(embedder: Embedder, tmp_path: Path) -> None:
    with pytest.raises(NotFound) as raised:
        DenseSearcher(str(tmp_path), "vectors", embedder)
    assert "aicx index" in str(raised.value.hint)


@pytest.mark.slow
def test_a_table_without_rows_is_not_an_empty_answer(embedder: Embedder, tmp_path: Path) -> None:
    write(tmp_path, embedder, [])
    with pytest.raises(Unusable, match="no passages"):
        DenseSearcher(str(tmp_path), "vectors", embedder)


def test_a_table_of_another_model_is_refused(uri: str, tmp_path: Path) -> None:
    other = open_embedder("test", EmbedderSettings(tmp_path, max_tokens=32))
    with pytest.raises(Unusable, match="another model"):
        DenseSearcher(uri, "vectors", other)


def test_a_table_of_another_make_is_refused(embedder: Embedder, tmp_path: Path) -> None:
    import lancedb

    lancedb.connect(str(tmp_path)).create_table("vectors", [{"id": "a", "text": "car"}])
    with pytest.raises(Unusable, match="another version"):
        DenseSearcher(str(tmp_path), "vectors", embedder)


@pytest.mark.parametrize("part", ["_versions", "data"])
@pytest.mark.parametrize("how", ["junk", "truncated", "gone"])
def test_a_damaged_table_is_an_error_with_a_next_step(
    table_alone: str, embedder: Embedder, tmp_path: Path, part: str, how: str
) -> None:
    shutil.copytree(table_alone, tmp_path / "db")
    for path in (tmp_path / "db" / "vectors.lance" / part).iterdir():
        if how == "gone":
            path.unlink()
        else:
            path.write_bytes(b"junk" * 100 if how == "junk" else path.read_bytes()[:40])
    with pytest.raises(AicxError) as raised:
        DenseSearcher(str(tmp_path / "db"), "vectors", embedder).search("car", [], 3)
    assert isinstance(raised.value, CorpusDamaged | NotFound)
    assert "aicx index" in str(raised.value.hint)


def test_a_database_in_memory_is_refused(embedder: Embedder) -> None:
    with pytest.raises(UsageError):
        DenseSearcher("memory://", "vectors", embedder)


def test_an_open_searcher_sees_what_is_written_meanwhile(embedder: Embedder, tmp_path: Path) -> None:
    write(tmp_path, embedder, [document("old", "baking bread")], grace=timedelta(0))
    searcher = DenseSearcher(str(tmp_path), "vectors", embedder)
    assert ids(searcher.search("mend a car", [], 1)) == ["old"]
    write(tmp_path, embedder, [document("new", "mend a car")], grace=timedelta(0))
    assert ids(searcher.search("mend a car", [], 1)) == ["new"]


def test_questions_load_neither_torch_nor_a_library_of_tables(uri: str) -> None:
    code = """
import sys, pathlib
import tests.embedder
from retrieval.dense import DenseSearcher
from retrieval.embedders import EmbedderSettings, open_embedder
synonyms = (("car", "automobile", "vehicle"), ("fix", "repair", "mend"), ("crash", "failure"))
embedder = open_embedder("test", EmbedderSettings(pathlib.Path("."), max_tokens=32, synonyms=synonyms))
assert DenseSearcher(sys.argv[1], "vectors", embedder).search("car", [], 1)
print(*sorted({"torch", "lancedb", "pyarrow", "sentence_transformers", "transformers"} & set(sys.modules)))
"""
    done = subprocess.run(
        [sys.executable, "-c", code, uri], capture_output=True, text=True, timeout=60, cwd=Path(__file__).parents[2]
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr
