"""Recall by meaning, with evidence, and with a lane that does not answer."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import pytest

from aicx.engine.embedder_choice import Choice
from aicx.engine.index_manifest import read_manifest, write_manifest
from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.vector_index import build_vectors
from aicx.memory.recall.meaning import embed_statements
from tests.corpus.builders import SESSION, ClaudeLog
from tests.kept import Kept
from tests.memory.builders import Place
from tests.parts import require

pytestmark = pytest.mark.slow


def _ignore(_: object) -> None:
    pass


@pytest.fixture
def stored(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    """The place with a session about exports, and vectors by the embedder for tests."""
    require("semantic")
    kept.again(lambda: fill(Place(kept.folder, monkeypatch, capsys)))
    return Place(kept.folder, monkeypatch, capsys)


def fill(place: Place) -> None:
    log = ClaudeLog(SESSION, str(place.repo)).prompt("Sign the exports with the zebra key", 0)
    log.answer("The exports are signed with the zebra key now.", 1)
    folder = place.folder / "user" / ".claude" / "projects" / "widgets"
    folder.mkdir(parents=True)
    (folder / f"{SESSION}.jsonl").write_bytes(log.body())
    assert place.run("store")[0] == 0
    refresh_lexical(place.settings, _ignore)
    build_vectors(place.settings, Choice("test"), rebuild=False, on_progress=_ignore, notify=_ignore)


def _lanes(answer: dict[str, Any]) -> list[str]:
    return [one["lane"] for one in answer["degraded"]]


def test_a_statement_is_found_by_meaning(stored: Place) -> None:
    ref = stored.accepted("The login token expires after an hour")
    stored.accepted("Widgets are painted blue")
    answer = stored("recall", "the logintoken expires after an hours")
    assert answer["method"]["lanes"] == ["lexical", "dense"]
    assert answer["entries"][0]["ref"] == ref
    assert answer["entries"][0]["score"]["dense"] > 0


def test_without_an_index_by_meaning_no_lane_is_missing(place: Place) -> None:
    place.accepted("Exports are signed")
    answer = place("recall", "exports")
    assert answer["method"]["lanes"] == ["lexical"]
    assert answer["degraded"] == []
    assert answer["entries"][0]["score"]["dense"] is None


def test_an_embedder_that_cannot_be_opened_is_named_and_words_answer(stored: Place) -> None:
    ref = stored.accepted("Exports are signed")
    made = read_manifest(stored.settings.layout)["vectors"]
    write_manifest(stored.settings.layout, "vectors", {**made, "embedder": "sentence-transformers", "model": "gone"})
    answer = stored("recall", "exports signed")
    assert answer["baseline"] == [ref]
    assert (_lanes(answer), answer["method"]["lanes"]) == (["dense"], ["lexical"])
    assert answer["degraded"][0]["note"]


def test_vectors_of_another_model_are_not_compared(stored: Place) -> None:
    from aicx.memory.recall.table import Table

    ref = stored.accepted("Exports are signed")
    stored("recall", "exports")
    table = Table(stored.settings.layout.memory_recall)
    table.put_vectors("another/384", {1: b"\0" * 4 * 384})
    table.close()
    answer = stored("recall", "exports signed")
    assert answer["baseline"] == [ref]
    assert answer["method"]["lanes"] == ["lexical", "dense"]


@pytest.mark.parametrize("vector", ["'text'", "substr(vector, 1, 9)", "7"])
def test_damaged_vectors_are_named_and_made_anew(stored: Place, vector: str) -> None:
    ref = stored.accepted("Exports are signed")
    stored("recall", "exports")
    with sqlite3.connect(stored.settings.layout.memory_recall) as db:
        db.execute(f"UPDATE vectors SET vector={vector}")
    db.close()
    answer = stored("recall", "exports signed")
    assert (answer["baseline"], answer["method"]["lanes"]) == ([ref], ["lexical", "dense"])
    assert "made anew" in answer["degraded"][0]["note"]
    assert stored("recall", "exports signed")["degraded"] == []


def test_many_new_statements_wait_for_the_index_and_that_is_named(stored: Place) -> None:
    for number in range(40):
        stored.put(f"Widget number {number} is signed")
    answer = stored("recall", "widgets signed")
    assert _lanes(answer) == ["dense"]
    assert "aicx index" in answer["degraded"][0]["note"]
    assert embed_statements(stored.settings) == 40
    assert stored("recall", "widgets signed")["degraded"] == []


def test_passages_are_evidence_of_tier_eight_and_never_agreed(stored: Place) -> None:
    ref = stored.accepted("Exports are signed with the lion key")
    answer = stored("recall", "exports signed zebra key", "--with-evidence")
    found = {entry["ref"]: entry for entry in answer["entries"]}
    chunk = f"chunk:claude:{SESSION}:001"
    assert (found[chunk]["tier"], found[chunk]["usage"], found[chunk]["baseline"]) == (8, "evidence", False)
    assert found[chunk]["evidence"] == [f"session:claude:{SESSION}"]
    assert answer["baseline"] == [ref]
    assert "evidence" in answer["method"]["lanes"]
    assert chunk not in {entry["ref"] for entry in stored("recall", "exports signed zebra key")["entries"]}


def test_a_passage_that_the_policy_excludes_is_listed_without_its_text(stored: Place) -> None:
    stored.write(".aicx/memory-policy.toml", 'exclude_patterns = ["zebra"]\n')
    code, out, _ = stored.run("memory", "recall", "exports signed key", "--with-evidence", "--json")
    assert code == 0
    assert "zebra" not in out
    (left_out,) = json.loads(out)["excluded"]
    assert (left_out["ref"], left_out["reasons"]) == (f"chunk:claude:{SESSION}:001", ["policy_pattern"])


def test_without_a_corpus_the_memory_answers_and_the_evidence_is_named_as_missing(place: Place) -> None:
    ref = place.accepted("Exports are signed")
    answer = place("recall", "exports signed", "--with-evidence")
    assert answer["baseline"] == [ref]
    assert _lanes(answer) == ["evidence"]


def test_a_retriever_of_passages_that_does_not_answer_is_named(stored: Place) -> None:
    stored.accepted("Exports are signed with the lion key")
    stored.settings.layout.catalog.write_bytes(b"damaged" * 1000)
    answer = stored("recall", "exports signed zebra key", "--with-evidence")
    assert _lanes(answer) == ["evidence"]
    assert "catalog" in answer["degraded"][0]["note"]
    assert 8 in {entry["tier"] for entry in answer["entries"]}
