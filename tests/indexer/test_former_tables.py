"""Tables of the release before, which wrote them through `pylance`: asked, gone on with, pruned and forgotten from.

`fixtures/former_tables.zip` was written by that release's own code: twelve invented documents in one run; in another
``d3`` had changed, ``d7`` was gone and ``heron`` was new. ``mapped`` has a mapped copy, ``indexed`` indexes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from aicx.types import Document
from indexer.vector_table import Location, erase_documents, held_versions, table_status
from retrieval.dense import DenseSearcher
from retrieval.questions import OneOf
from tests.indexer.test_vectors import MODEL, Corpus, document, index, passages, table_of
from tests.parts import require

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # lancedb's own

HELD = {f"d{number}": "1" for number in range(12) if number != 7} | {"d3": "2", "heron": "1"}


@pytest.fixture(params=["mapped", "indexed"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    require("semantic")
    with ZipFile(Path(__file__).parents[1] / "fixtures" / "former_tables.zip") as tables:
        tables.extractall(tmp_path)
    return Location(str(tmp_path), request.param)


def upkeep(location: Location) -> dict[str, Any]:
    return {"index_rows": 40, "mapped_rows": 0} if location.table == "indexed" else {}


def as_written() -> Corpus:
    """The documents that the table was left with."""
    named = {"agent": "x", "project": "p"}
    documents = [document(f"d{number}", 60, **named, started_at=number) for number in range(12)]
    changed = document("d3", 80, version="2", **named, started_at=3)
    new = document("heron", 40, agent="y", project="p", started_at=99)
    return Corpus(*(each for each in documents if each.id not in ("d3", "d7")), changed, new)


def ask(location: Location, about: Document, *conditions: OneOf) -> list[str]:
    text = about.parts[0].text
    return [found.id for found in DenseSearcher(location.uri, location.table, MODEL).search(text, conditions, 20)]


def test_its_status_is_told(location: Location) -> None:
    status = table_status(location)
    assert status is not None
    assert (status.versions, status.model, status.dimensions) == (HELD, "tiny", 4)
    assert bool(status.indexes) == (location.table == "indexed")


def test_it_answers_with_its_filters(location: Location) -> None:
    asked = as_written().documents["heron"]
    assert sorted(ask(location, asked)) == sorted(HELD)
    assert ask(location, asked, OneOf("agent", ("y",))) == ["heron"]


def test_nothing_of_it_is_embedded_again(location: Location) -> None:
    corpus = as_written()
    done = index(location, **upkeep(location)).sync(corpus.versions(), corpus.fetch)
    assert (done.added, done.changed, done.removed, done.unchanged, corpus.asked) == (0, 0, 0, len(HELD), [])


def test_it_is_gone_on_with(location: Location) -> None:
    corpus = as_written()
    corpus.documents["d3"] = document("d3", 120, version="3", agent="x")
    corpus.documents["f0"] = document("f0", 60, agent="z")
    del corpus.documents["d1"]
    done = index(location, **upkeep(location)).sync(corpus.versions(), corpus.fetch)
    assert (done.added, done.changed, done.removed) == (1, 1, 1)
    assert held_versions(table_of(location), location) == corpus.versions()
    assert all(ordinals == list(range(len(ordinals))) for ordinals in passages(location).values())
    assert ask(location, corpus.documents["f0"], OneOf("agent", ("z",))) == ["f0"]


def test_its_old_versions_are_pruned(location: Location) -> None:
    corpus = as_written()
    folder = Path(location.uri, f"{location.table}.lance")
    former = {path.name for path in (folder / "_versions").iterdir() if path.suffix == ".manifest"}
    for run in range(30):
        corpus.documents["d2"] = document("d2", version=str(run + 2), agent="x")
        index(location, **upkeep(location)).sync(corpus.versions(), corpus.fetch)
    assert not former & {path.name for path in (folder / "_versions").iterdir()}
    assert held_versions(table_of(location), location) == corpus.versions()


def test_no_byte_of_what_is_forgotten_is_left(location: Location) -> None:
    folder = Path(location.uri, f"{location.table}.lance")
    assert any(b"heron" in path.read_bytes() for path in folder.rglob("*") if path.is_file())
    erase_documents(location, lambda held: [name for name in held if name == "heron"])
    assert held_versions(table_of(location), location) == {name: HELD[name] for name in HELD if name != "heron"}
    assert [path.name for path in folder.rglob("*") if path.is_file() and b"heron" in path.read_bytes()] == []
