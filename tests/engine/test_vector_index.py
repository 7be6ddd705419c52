"""The vector index: what is embedded, what is recorded of it, and getting out of whatever state it is in."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from aicx.engine.embedder_choice import Choice, parse_choice
from aicx.engine.index_manifest import read_manifest, write_manifest
from aicx.engine.vector_index import build_vectors, drop_vectors
from aicx.engine.vector_state import vector_state
from aicx.errors import CorpusDamaged, NotFound, UsageError
from aicx.filters import Filters
from aicx.storage.derived import changing, find_damage, record, withdraw
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home
from tests.engine.search_helpers import ask, copied, embed, found, ignore, keep

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # lancedb's own


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Home:
    user = Home(tmp_path_factory.mktemp("stored"))
    user.claude(ClaudeLog(SESSION).prompt("reconnection backoff " * 20, 0))
    bread = ClaudeLog(OTHER).prompt("Bread and flour in the oven", 60)
    user.claude(bread.call("Bash", 61, command="oven --on").result("quicksilver " * 200, 62))
    keep(user)
    return user


@pytest.fixture(scope="module")
def embedded(stored: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    user = copied(stored, tmp_path_factory.mktemp("embedded"))
    keep(user)
    embed(user)
    return user


@pytest.fixture
def user(embedded: Home, tmp_path: Path) -> Home:
    return copied(embedded, tmp_path)


def made(user: Home) -> dict[str, Any]:
    return read_manifest(user.settings.layout)["vectors"]


def table(user: Home) -> Path:
    return user.corpus / "index" / "vectors.lance"


# What is embedded -----------------------------------------------------------------------------------------------------


def test_a_second_run_embeds_nothing(user):
    done = embed(user)
    assert (done.added, done.changed, done.removed, done.unchanged, done.passages) == (0, 0, 0, 2, 0)


def test_a_run_with_nothing_to_do_does_without_lancedb(user, monkeypatch):
    keep(user)
    embed(user)
    monkeypatch.setitem(sys.modules, "lancedb", None)
    assert embed(user).unchanged == 2


def test_only_what_is_new_is_embedded(user):
    keep(user)
    embed(user)
    user.claude(ClaudeLog(THIRD).prompt("The pump hums", 120))
    keep(user)
    done = embed(user)
    assert (done.added, done.changed, done.unchanged, done.passages) == (1, 0, 2, 1)


def test_what_changed_is_embedded_again(user):
    keep(user)
    embed(user)
    user.claude(ClaudeLog(SESSION).prompt("reconnection backoff " * 20, 0).answer("thermodynamics " * 20, 5))
    keep(user)
    done = embed(user)
    assert (done.added, done.changed, done.unchanged) == (0, 1, 1)
    assert found(user, "thermodinamics", mode="dense") == [f"claude:{SESSION}:001"]


def test_what_is_hidden_leaves(user):
    (user.corpus / ".aicxignore").write_text(f"*{SESSION}*\n")
    keep(user)
    assert embed(user).removed == 1


def test_what_tools_printed_is_not_embedded(user):
    report = ask(user, "quicksilver quicksilver", mode="dense")
    assert report.oracle_status["nearest"] < 0.5


def test_a_chunk_that_cannot_be_read_costs_itself(stored, tmp_path):
    user = copied(stored, tmp_path)
    (path,) = user.corpus.rglob(f"*{SESSION}*.meta.json")
    path.write_text("{")
    assert embed(user).added == 1


def test_nothing_stored_is_an_error_with_a_next_step(tmp_path):
    with pytest.raises(NotFound) as raised:
        embed(Home(tmp_path))
    assert raised.value.hint == "aicx store"


# What is recorded -----------------------------------------------------------------------------------------------------


def test_the_record_says_what_the_index_was_made_from_and_with(user):
    fields = made(user)
    assert (fields["embedder"], fields["model"], fields["quantized"]) == ("test", None, False)
    assert fields["uri"] is None  # the home's own place has no name
    assert -1 < fields["near"] < 1


def test_the_state_says_what_the_index_holds(user):
    state = vector_state(user.settings)
    assert (state.choice, state.table.rows, state.behind) == (Choice("test"), 4, 0)
    assert state.table.versions.keys() == {f"claude:{SESSION}:001", f"claude:{OTHER}:001"}


def test_the_state_says_what_the_index_lacks(user):
    keep(user)
    embed(user)
    user.claude(ClaudeLog(THIRD).prompt("The pump hums", 120))
    keep(user)
    assert vector_state(user.settings).behind == 1
    assert ask(user, "pump").oracle_status["freshness"]["dense"] == {"behind": 1}


def test_words_answer_alone_where_the_index_holds_too_few_of_the_chunks_in_question(user):
    keep(user)
    embed(user)
    user.claude(ClaudeLog(THIRD).prompt("The pump hums", 120))
    keep(user)
    status = ask(user, "pump").oracle_status
    assert status["rankers"] == ["lexical"]
    reason = "answered without meaning: the vector index holds 2 of 3 chunks (next: aicx index)"
    assert status["fallback_reason"] == reason
    held = ask(user, "flour", filters=Filters(session=(OTHER,))).oracle_status
    assert held["rankers"] == ["dense", "lexical"]


@pytest.mark.needs("semantic")
def test_a_run_that_ends_early_leaves_a_record_and_the_next_goes_on(stored, tmp_path):
    user = copied(stored, tmp_path)
    from indexer.vectors import Upkeep

    upkeep = Upkeep(documents_at_once=1, commit_passages=1)

    def killed(progress):
        if progress.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_vectors(user.settings, Choice("test"), rebuild=False, on_progress=killed, notify=ignore, upkeep=upkeep)
    assert (made(user)["sequence"], len(vector_state(user.settings).table.versions)) == (0, 1)
    report = ask(user, "reconnection", mode="hybrid")
    assert report.oracle_status["rankers"] == ["dense", "lexical"]
    assert report.oracle_status["freshness"]["dense"] == {"behind": 2}
    done = embed(user)
    assert (done.added, done.unchanged) == (1, 1)
    assert vector_state(user.settings).behind == 0


def test_the_old_index_answers_until_the_new_one_is_whole(user):
    def killed(progress):
        if progress.done:
            assert ask(user, "flour", mode="dense").hits
            raise KeyboardInterrupt

    before = made(user)
    with pytest.raises(KeyboardInterrupt):
        build_vectors(user.settings, Choice("test", "other"), rebuild=True, on_progress=killed, notify=ignore)
    assert made(user) == before
    assert ask(user, "flour").oracle_status["rankers"] == ["dense", "lexical"]


@pytest.mark.needs("semantic")
def test_a_killed_rebuild_goes_on_and_takes_the_place_of_the_old_one(user):
    from indexer.vectors import Upkeep

    def killed(progress):
        if progress.done == 1:
            raise KeyboardInterrupt

    again = Choice("test", "other")
    upkeep = Upkeep(documents_at_once=1, commit_passages=1)
    with pytest.raises(KeyboardInterrupt):
        build_vectors(user.settings, again, rebuild=True, on_progress=killed, notify=ignore, upkeep=upkeep)
    done = build_vectors(user.settings, again, rebuild=True, on_progress=ignore, notify=ignore)
    assert (done.added, done.unchanged) == (1, 1)
    assert (made(user)["model"], vector_state(user.settings).behind) == ("other", 0)
    assert not table(user).exists()  # what answered before is gone
    assert ask(user, "flour").oracle_status["rankers"] == ["dense", "lexical"]


def former(user: Home) -> None:
    """Makes it an index of the release before windows: long passages with weights, and nothing said of its table."""
    import lancedb
    import pyarrow as pa

    database = lancedb.connect(str(user.corpus / "index"))
    rows = database.open_table("vectors").to_arrow().drop_columns(["draw"])
    rows = rows.append_column("weight", pa.array([1.0] * len(rows), pa.float32()))
    model = rows.schema.metadata[b"aicx.model"] + b"/64"
    named = {**rows.schema.metadata, b"aicx.schema": b"aicx.vectors/1", b"aicx.chunker": b"1/0.5", b"aicx.model": model}
    with changing(table(user)):
        database.create_table("vectors", rows.replace_schema_metadata(named), mode="overwrite")
    kept = {name: value for name, value in made(user).items() if name != "table"}
    write_manifest(user.settings.layout, "vectors", kept | {"make": "of a former release"})


def test_an_index_of_a_former_release_answers_and_is_made_again_by_one_run(user):
    former(user)
    assert ask(user, "flour").oracle_status["rankers"] == ["dense", "lexical"]
    said: list[str] = []

    def during(progress):
        assert ask(user, "flour").oracle_status["rankers"] == ["dense", "lexical"]

    done = build_vectors(user.settings, Choice("test"), rebuild=False, on_progress=during, notify=said.append)
    assert (done.added, made(user)["table"]) == (2, "vectors-b")
    assert any("former release" in line for line in said)
    assert not table(user).exists()
    assert embed(user).unchanged == 2
    assert ask(user, "flour").oracle_status["reranked"] == 0  # one session is nothing to compare


def test_forgetting_takes_out_of_a_half_made_index_too(user):
    from aicx.engine.holders.vectors import _erase
    from indexer.vector_table import Location, table_status

    def killed(progress):
        if progress.done:
            raise KeyboardInterrupt

    from indexer.vectors import Upkeep

    upkeep = Upkeep(documents_at_once=1, commit_passages=1)
    with pytest.raises(KeyboardInterrupt):
        build_vectors(
            user.settings, Choice("test", "other"), rebuild=True, on_progress=killed, notify=ignore, upkeep=upkeep
        )
    _erase(str(user.corpus / "index"), lambda held: list(held))
    for name in ("vectors", "vectors-b"):
        found = table_status(Location(str(user.corpus / "index"), name))
        assert found is not None
        assert found.rows == 0


# Another catalogue ----------------------------------------------------------------------------------------------------


def without_catalogue(user: Home) -> None:
    for path in user.corpus.glob("catalog.sqlite*"):
        path.unlink()


def standing(user: Home) -> tuple[object, ...]:
    asked = ask(user, "flour").oracle_status
    return vector_state(user.settings).behind, asked["freshness"]["dense"]["behind"], asked["stale_or_unknown"]


@pytest.mark.parametrize("mapped", [True, False])
def test_a_catalogue_made_anew_leaves_the_index_up_to_date(user, mapped):
    if not mapped:
        with changing(table(user)):
            remove(table(user) / "mapped")
    without_catalogue(user)
    keep(user)
    assert standing(user) == (0, 0, False)


def test_after_a_catalogue_was_made_anew_what_the_index_lacks_is_counted(user):
    keep(user)
    user.claude(ClaudeLog(THIRD).prompt("The pump hums", 120))
    keep(user)
    without_catalogue(user)
    keep(user)
    assert standing(user) == (1, 1, True)
    assert embed(user).added == 1
    assert standing(user) == (0, 0, False)


def test_after_a_catalogue_was_made_anew_what_is_gone_is_counted(user):
    (user.corpus / ".aicxignore").write_text(f"*{SESSION}*\n")
    without_catalogue(user)
    keep(user)
    assert standing(user) == (1, 1, True)


# Another model --------------------------------------------------------------------------------------------------------


def other_make(user: Home) -> None:
    """Makes it an index of another window, which is another make."""
    import lancedb

    found = lancedb.connect(str(user.corpus / "index")).open_table("vectors")
    rows = found.to_arrow()
    metadata = dict(rows.schema.metadata) | {b"aicx.model": b"another/32"}
    with changing(table(user)):
        lancedb.connect(str(user.corpus / "index")).create_table(
            "vectors", rows.replace_schema_metadata(metadata), mode="overwrite"
        )


def test_an_index_of_another_model_is_refused(user):
    other_make(user)
    with pytest.raises(UsageError, match="was made with") as raised:
        embed(user)
    assert "--rebuild" in raised.value.hint


def test_an_index_of_another_model_is_not_asked_and_words_answer(user):
    other_make(user)
    report = ask(user, "flour")
    assert (len(report.hits), report.oracle_status["rankers"]) == (1, ["lexical"])
    assert "--rebuild" in report.oracle_status["fallback_reason"]


def test_a_rebuild_takes_its_place(user):
    other_make(user)
    assert embed(user, rebuild=True).added == 2
    assert ask(user, "flour").oracle_status["fallback_reason"] is None


@pytest.mark.parametrize(("kind", "model"), [("word2vec", None), ("sentence-transformers", None), ("", None)])
def test_a_choice_that_cannot_be_is_an_error_with_a_next_step(kind, model):
    with pytest.raises(UsageError) as raised:
        parse_choice(kind, model, quantized=False)
    assert raised.value.hint


# Getting out of any state ---------------------------------------------------------------------------------------------


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def passages(user: Home) -> list[dict[str, Any]]:
    import lancedb

    found = lancedb.connect(str(user.corpus / "index")).open_table("vectors").to_arrow().to_pylist()
    return sorted(found, key=lambda row: (row["id"], row["ordinal"]))


def cut_files(folder: Path) -> None:
    for path in folder.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:30])


def damage(user: Home, how: str) -> None:
    if how == "all gone":
        remove(table(user))
    elif how.endswith("gone"):
        remove(table(user) / how.removesuffix(" gone"))
    else:
        folder, _, what = how.partition(" ")
        for path in (table(user) / folder).iterdir():
            path.write_bytes(b"junk" * 50 if what == "junk" else path.read_bytes()[:30])


DAMAGE = ["all gone", "_versions gone", "data gone", "_versions junk", "data junk", "_versions cut", "data cut"]


@pytest.mark.parametrize("how", DAMAGE)
def test_dropping_and_making_it_again_always_helps(user, how):
    damage(user, how)
    drop_vectors(user.settings, ignore)
    assert "vectors" not in read_manifest(user.settings.layout)
    assert embed(user).added == 2
    assert ask(user, "flour").oracle_status["rankers"] == ["dense", "lexical"]


@pytest.mark.parametrize("how", DAMAGE)
def test_a_rebuild_always_helps(user, how):
    damage(user, how)
    assert embed(user, rebuild=True).added == 2
    assert ask(user, "flour").oracle_status["rankers"] == ["dense", "lexical"]


@pytest.mark.parametrize("how", [how for how in DAMAGE if how != "all gone"])
def test_damage_is_an_error_with_a_next_step_and_indexing_mends_it(user, how):
    damage(user, how)
    with pytest.raises(CorpusDamaged) as raised:
        vector_state(user.settings)
    assert raised.value.hint == "aicx doctor --fix"
    assert ask(user, "flour").oracle_status["rankers"] == ["lexical"]
    assert embed(user).added == 0
    assert ask(user, "flour").oracle_status["rankers"] == ["dense", "lexical"]


@pytest.mark.parametrize("how", ["mapped gone", "mapped cut"])
def test_a_damaged_copy_is_made_again_from_its_table(user, how):
    remove(table(user) / "mapped") if how.endswith("gone") else cut_files(table(user) / "mapped")
    before = passages(user)
    assert embed(user).added == 0
    assert passages(user) == before
    assert find_damage(table(user), full=True) is None


def test_a_table_from_its_copy_holds_what_it_held(user):
    before = passages(user)
    damage(user, "data junk")
    assert embed(user).added == 0
    after = passages(user)
    assert [{**row, "vector": None} for row in after] == [{**row, "vector": None} for row in before]
    for one, other in zip(after, before, strict=True):
        assert one["vector"] == pytest.approx(other["vector"], abs=1e-3)


def test_what_is_in_neither_is_embedded_again(user):
    remove(table(user) / "mapped")
    damage(user, "data junk")
    assert embed(user).added == 2


def test_only_what_a_damaged_file_held_is_embedded_again(user):
    for number in range(3):
        user.claude(ClaudeLog(f"{number:08x}-7777-4000-8000-000000000001").prompt(f"The pump {number} hums", 120))
        keep(user)
        embed(user)
    remove(table(user) / "mapped")  # which has all of it
    first = min((table(user) / "data").iterdir(), key=lambda path: path.stat().st_mtime_ns)
    body = bytearray(first.read_bytes())
    body[len(body) // 2] ^= 1
    first.write_bytes(body)
    before = found(user, "hums", mode="scan")
    done = embed(user)
    assert 2 <= done.added < 5
    assert done.added + done.unchanged == 5
    assert set(found(user, "hums", mode="hybrid")) >= set(before)


def test_what_keeps_size_and_times_is_found_in_full(user, monkeypatch):
    monkeypatch.setattr("aicx.storage.derived._stamp", lambda path: [Path(path).stat().st_size, 0, 0])
    withdraw(table(user))
    record(table(user))
    (file,) = (table(user) / "data").iterdir()
    body = bytearray(file.read_bytes())
    body[len(body) // 2] ^= 1
    file.write_bytes(body)
    assert find_damage(table(user)) is None
    assert file.name in find_damage(table(user), full=True)


def test_a_table_that_is_gone_is_made_again(user):
    damage(user, "all gone")
    with pytest.raises(NotFound):
        vector_state(user.settings)
    assert embed(user).added == 2


@pytest.mark.parametrize("vectors", [7, [], {}, {"uri": "x"}, {"embedder": "test"}])
def test_a_record_that_says_nothing_is_no_record(user, vectors):
    write_manifest(user.settings.layout, "vectors", vectors)
    with pytest.raises(NotFound):
        vector_state(user.settings)
    assert ask(user, "flour").hits
    assert embed(user).unchanged == 2


def test_a_model_that_is_gone_is_named_and_words_answer(user):
    write_manifest(user.settings.layout, "vectors", made(user) | {"embedder": "static"})
    report = ask(user, "flour")
    assert (len(report.hits), report.oracle_status["rankers"]) == (1, ["lexical"])
    assert "model minilm" in report.oracle_status["fallback_reason"]
    assert "aicx index" in report.oracle_status["fallback_reason"]


@pytest.mark.needs("semantic")
def test_dropping_what_is_not_there_says_so(stored):
    with pytest.raises(NotFound) as raised:
        drop_vectors(stored.settings, ignore)
    assert raised.value.hint == "aicx index"


def test_dropping_leaves_the_search_by_words(user):
    drop_vectors(user.settings, ignore)
    assert not table(user).exists()
    assert ask(user, "flour").oracle_status["rankers"] == ["lexical"]
