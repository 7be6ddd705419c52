"""Forgetting reaches the vector index: in the corpus, outside it, just being written, and when it is killed."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from aicx.cli import run
from aicx.config import load_settings
from aicx.engine.embedder_choice import Choice
from aicx.engine.index_manifest import read_manifest
from aicx.engine.search import SearchQuery, search
from aicx.engine.vector_index import build_vectors
from aicx.engine.vector_state import vector_state
from aicx.storage.derived import changing
from aicx.storage.lock import writer_lock
from aicx.types import Document, Part
from indexer.passages import Windows
from indexer.vector_table import Columns, EmbeddingModel, Location, erase_documents, table_status
from indexer.vectors import Upkeep, VectorIndexWriter
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home, snapshot, when
from tests.engine.search_helpers import ignore
from tests.kept import Kept
from tests.sampling import sample

pytestmark = [
    pytest.mark.needs("semantic"),
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore"),  # lancedb's own
]


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Two stored sessions."""
    user = at_home(Home(tmp_path), monkeypatch)
    store_two(user)
    return user


def at_home(user: Home, monkeypatch: pytest.MonkeyPatch) -> Home:
    user.used(monkeypatch)
    return user


def store_two(user: Home) -> None:
    user.claude(ClaudeLog(SESSION, "/srv/notes").prompt("The heron nests by the weir", 0))
    user.claude(ClaudeLog(OTHER, "/srv/notes").prompt("Paint the shed green", 60))
    assert run(["store"]) == 0


@pytest.fixture
def outside(user: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """They are indexed by meaning at an address outside the corpus."""
    address = tmp_path / "shared"
    layout = load_settings().layout
    layout.config_file.write_text(f'index_uri = "{address}"\nlock_wait_seconds = 0.1\n')
    embed()
    capsys.readouterr()
    return address


def embed() -> None:
    build_vectors(load_settings(), Choice("test"), rebuild=False, on_progress=ignore, notify=ignore)


def near(text: str) -> list[str]:
    report = search(load_settings(), SearchQuery(text, when(3600), mode="dense"))
    return [hit.sidecar.session_id for hit in report.hits]


def test_a_forgotten_session_leaves_an_index_at_another_address(outside: Path) -> None:
    assert near("heron weir") == [SESSION]
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert SESSION not in near("heron weir")
    assert list(vector_state(load_settings()).table.versions) == [f"claude:{OTHER}:001"]


def test_nothing_is_forgotten_while_the_other_address_cannot_be_read(
    outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in outside.rglob("*.manifest"):
        path.write_bytes(b"damaged")
    assert run(["forget", "--session", SESSION, "--yes"]) != 0
    capsys.readouterr()
    assert run(["steer", "--session", SESSION, "--json"]) == 0
    assert SESSION in capsys.readouterr().out


def test_what_was_indexed_while_the_user_was_asked_leaves_too(
    user: Home, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def confirm(*words: object, **options: object) -> bool:
        user.claude(ClaudeLog(THIRD, "/srv/notes").prompt("The heron is back", 120))
        assert run(["store"]) == 0
        embed()
        return True

    monkeypatch.setattr("typer.confirm", confirm)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert run(["forget", "--project", "/srv/notes"]) == 0
    assert dict(vector_state(load_settings()).table.versions) == {}


def test_nothing_leaves_the_other_address_while_somebody_writes_there(
    outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with writer_lock(load_settings().layout.locks, 1, ignore, name="vectors"):
        assert run(["forget", "--session", SESSION, "--yes"]) == 5
    assert "run the command again" in capsys.readouterr().err
    assert near("heron weir") == [SESSION]


def test_an_index_at_another_address_is_still_known_after_a_forget_that_failed(
    outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("aicx.storage.journal.Writer.publish", lambda writer: 1 / 0)
        assert run(["forget", "--session", SESSION, "--yes"]) == 70
    assert near("heron weir")[0] == SESSION  # nothing was published, so nothing is forgotten
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert held() == [f"claude:{OTHER}:001"]


def test_a_session_forgotten_while_it_is_indexed_is_in_no_index_afterwards(user: Home) -> None:
    forgetting = Thread(target=run, args=(["forget", "--session", SESSION, "--yes"],))

    def meanwhile(progress: object) -> None:
        if not forgetting.ident:
            forgetting.start()
            forgetting.join(0.5)

    build_vectors(load_settings(), Choice("test"), rebuild=False, on_progress=meanwhile, notify=ignore)
    forgetting.join()
    assert held() == [f"claude:{OTHER}:001"]
    assert left(user) == set()


# In the home itself ---------------------------------------------------------------------------------------------------


@pytest.fixture
def own(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Home:
    """Three stored sessions, indexed by meaning in the corpus."""
    user = at_home(Home(kept.folder), monkeypatch)

    def fill() -> None:
        store_two(user)
        user.claude(ClaudeLog(THIRD, "/srv/notes").prompt("Bread and flour in the oven", 120))
        assert run(["store"]) == 0
        embed()

    kept.again(fill)
    capsys.readouterr()
    return user


def test_the_rest_is_still_found_by_meaning_and_nothing_is_behind(own: Home) -> None:
    near_before = read_manifest(load_settings().layout)["vectors"]["near"]
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert near("bread flour")[0] == THIRD
    assert SESSION not in near("heron weir")
    state = vector_state(load_settings())
    assert (sorted(state.table.versions), state.behind) == ([f"claude:{OTHER}:001", f"claude:{THIRD}:001"], 0)
    assert read_manifest(load_settings().layout)["vectors"]["near"] == near_before


def test_no_byte_of_a_forgotten_session_is_left_in_the_table(own: Home) -> None:
    assert {"index", "catalog.sqlite"} <= {name.partition("/")[0] for name in left(own)}
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert left(own) == set()


def test_no_byte_of_a_document_is_left_in_a_table_with_indexes(tmp_path: Path) -> None:
    rows = 300
    columns = Columns(("project",), (), ("project",))
    model = EmbeddingModel(
        "m", "m/1", 8, Windows(64, 8), lambda texts: vectors(len(texts)), lambda texts: [[len(text)] for text in texts]
    )
    index = VectorIndexWriter(Location(str(tmp_path)), columns, model, Upkeep(index_rows=100, mapped_rows=0))
    documents = {
        f"doc-{n:03d}-id": Document(f"doc-{n:03d}-id", "1", "", (Part(f"word{n}", 1.0),), {"project": "p"})
        for n in range(rows)
    }
    index.sync(dict.fromkeys(documents, "1"), lambda ids: [documents[one] for one in ids])
    before = table_status(Location(str(tmp_path)))
    assert before is not None
    assert before.indexes
    assert holding(tmp_path, "doc-007-id")
    erase_documents(Location(str(tmp_path)), lambda held: ["doc-007-id"])
    after = table_status(Location(str(tmp_path)))
    assert after is not None
    assert (len(after.versions), after.indexes) == (rows - 1, before.indexes)
    assert holding(tmp_path, "doc-007-id") == set()


def test_no_byte_of_a_document_is_left_in_a_mapped_copy(tmp_path: Path) -> None:
    model = EmbeddingModel(
        "m", "m/1", 8, Windows(64, 8), lambda texts: vectors(len(texts)), lambda texts: [[len(text)] for text in texts]
    )
    documents = {
        f"doc-{n:03d}-id": Document(f"doc-{n:03d}-id", "1", "", (Part(f"word{n}", 1.0),), {"project": "p"})
        for n in range(9)
    }
    VectorIndexWriter(Location(str(tmp_path)), Columns(("project",), ()), model).sync(
        dict.fromkeys(documents, "1"), lambda ids: [documents[one] for one in ids]
    )
    killed = tmp_path / "vectors.lance" / "mapped" / "9.new"  # of a run that was killed while it made a copy
    shutil.copytree(next((tmp_path / "vectors.lance" / "mapped").iterdir()), killed)
    assert len([path for path in holding(tmp_path, "doc-007-id") if "mapped" in path]) == 2
    erase_documents(Location(str(tmp_path)), lambda held: ["doc-007-id"])
    assert holding(tmp_path, "doc-007-id") == set()
    assert [path for path in holding(tmp_path, "doc-008-id") if "mapped" in path]
    assert not killed.exists()


def test_a_text_that_is_blanked_leaves_too_and_only_its_chunk_is_behind(own: Home) -> None:
    assert run(["forget", "--pattern", "heron", "--yes"]) == 0
    state = vector_state(load_settings())
    assert (sorted(state.table.versions), state.behind) == ([f"claude:{OTHER}:001", f"claude:{THIRD}:001"], 1)
    assert near("bread flour")[0] == THIRD
    embed()
    assert vector_state(load_settings()).behind == 0


def test_what_was_behind_before_is_all_that_is_behind_afterwards(own: Home) -> None:
    fourth = "7" + THIRD[1:]
    own.claude(ClaudeLog(fourth, "/srv/notes").prompt("The pump hums", 180))
    assert run(["store"]) == 0
    assert vector_state(load_settings()).behind == 1
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert vector_state(load_settings()).behind == 1


def test_what_the_index_never_held_is_forgotten_without_lancedb(own: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    before = held()
    fourth = "7" + THIRD[1:]
    own.claude(ClaudeLog(fourth, "/srv/notes").prompt("The pump hums", 180))
    assert run(["store"]) == 0
    monkeypatch.setitem(sys.modules, "lancedb", None)
    assert run(["forget", "--session", fourth, "--yes"]) == 0
    assert held() == before
    assert run(["doctor"]) == 0


def test_what_an_earlier_run_took_out_of_the_table_leaves_its_files_too(own: Home) -> None:
    ignored = own.corpus / ".aicxignore"
    ignored.write_text(f"*{SESSION}*\n")
    assert run(["store"]) == 0
    embed()
    ignored.unlink()
    assert run(["store"]) == 0
    assert f"claude:{SESSION}:001" not in held()
    assert any("vectors.lance" in path for path in left(own))
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert left(own) == set()


def test_an_index_that_proves_unreadable_on_the_way_goes_whole(own: Home, capsys: pytest.CaptureFixture[str]) -> None:
    table = own.corpus / "index" / "vectors.lance"
    with changing(table):  # so that its checksums agree with it
        for path in (table / "_versions").iterdir():
            path.write_bytes(b"junk")
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert "deleted whole" in capsys.readouterr().err
    assert not table.exists()
    assert left(own) == set()


def test_an_index_that_cannot_be_opened_goes_whole_and_that_is_said(
    own: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in (own.corpus / "index" / "vectors.lance" / "_versions").iterdir():
        path.write_bytes(b"junk")
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert "deleted whole" in capsys.readouterr().err
    assert not (own.corpus / "index" / "vectors.lance").exists()
    assert "vectors" not in read_manifest(load_settings().layout)


# Killed ---------------------------------------------------------------------------------------------------------------

FINISH = (["forget", "--session", SESSION, "--yes", "--json"], ["store"], ["doctor", "--fix"], ["index"])
MOMENTS = (
    "aicx.engine.holders.derived._delete_indexes",
    "aicx.corpus.forget.run.Writer",
    "aicx.storage.journal.Writer.publish",
    "aicx.storage.journal._play",
    "aicx.corpus.catalog.Catalog.commit",
    "aicx.storage.journal.Writer.finish",
    "aicx.corpus.forget.run.scrub",
    "indexer.vector_table.erase_documents",
    "indexer.vector_table.delete_documents",
    "aicx.engine.holders.derived.tidy",
    "aicx.engine.holders.derived.refresh_lexical",
    "aicx.commands.forget.end_forgetting",
)


@pytest.mark.parametrize(("how", "moment"), [(how, at) for how in FINISH for at in sample(MOMENTS, 2, how, ends=False)])
def test_a_forget_that_is_killed_is_finished(
    how: list[str], moment: str, own: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def killed(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(moment, killed)
        assert run(["forget", "--session", SESSION, "--yes"]) == 130
    capsys.readouterr()
    if how == ["index"]:
        monkeypatch.setattr("aicx.commands.index.made_with", lambda settings: Choice("test"))
    assert run(how) == 0
    told = capsys.readouterr().out
    if how[0] == "forget":
        counts = json.loads(told)
        assert (counts["chunks_removed"], [one["session_id"] for one in counts["sessions"]]) == (1, [SESSION])
    assert left(own) == set()
    assert not load_settings().layout.forgetting.exists()
    state = vector_state(load_settings())
    assert (sorted(state.table.versions), state.behind) == ([f"claude:{OTHER}:001", f"claude:{THIRD}:001"], 0)
    assert near("bread flour")[0] == THIRD
    assert run(["doctor"]) == 0
    assert json.loads((own.corpus / "index.json").read_bytes())["totals"]["chunks"] == 2


def test_forgetting_again_changes_nothing_and_is_no_failure(own: Home, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    before = snapshot(own.corpus)
    capsys.readouterr()
    assert run(["forget", "--session", SESSION, "--yes", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["chunks_removed"], found["notes"]) == (0, ["it was forgotten before, and nothing of it is stored"])
    assert snapshot(own.corpus) == before


def test_an_interrupted_forget_is_critical_for_doctor(
    own: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("aicx.commands.forget.finish_forgetting", lambda *_: None)
        patched.setattr("aicx.commands.forget.end_forgetting", lambda *_: None)
        assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert SESSION in own.settings.layout.forgetting.read_text()
    capsys.readouterr()
    assert run(["doctor"]) == 1
    assert "`forget` was interrupted" in capsys.readouterr().out


def test_a_killed_forget_that_cannot_be_finished_yet_does_not_keep_logs_from_being_stored(
    user: Home, outside: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def killed(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("indexer.vector_table.erase_documents", killed)
        assert run(["forget", "--session", SESSION, "--yes"]) == 130
    saved = {path: path.read_bytes() for path in outside.rglob("*.manifest")}
    for path in saved:
        path.write_bytes(b"damaged")
    user.claude(ClaudeLog(THIRD, "/srv/notes").prompt("Bread and flour in the oven", 120))
    assert run(["store"]) == 0
    assert "an interrupted `aicx forget` is not finished yet" in capsys.readouterr().err
    assert run(["doctor", "--fix"]) == 1
    assert "not fixed: an interrupted aicx forget" in capsys.readouterr().err
    for path, body in saved.items():
        path.write_bytes(body)
    assert run(["store"]) == 0
    assert held() == [f"claude:{OTHER}:001"]
    assert run(["doctor"]) == 0


def held() -> list[str]:
    return sorted(vector_state(load_settings()).table.versions)


def left(user: Home) -> set[str]:
    """The files that have something of the session in them, but for its id among the tombstones and its log's name."""
    named = holding(user.corpus, SESSION) - {"forgotten.jsonl", "catalog.sqlite"}
    return named | holding(user.corpus, "heron nests")


def holding(folder: Path, text: str) -> set[str]:
    """The files that have a text in their bytes."""
    return {name for name, body in snapshot(folder).items() if text.encode() in body}


def vectors(count: int) -> Any:
    import numpy

    return numpy.random.default_rng(1).random((count, 8), dtype="float32")
