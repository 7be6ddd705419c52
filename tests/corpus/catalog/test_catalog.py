"""The catalogue: what it knows of chunks, messages and logs, and that it is never taken for more than it is."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.corpus.catalog import COMPLETE, SCHEMA_VERSION, Catalog
from aicx.corpus.catalog.chunks import (
    duplicates_of,
    is_last,
    messages_with_keys,
    messages_with_texts,
    prompts_of,
    put_duplicate,
    remove_chunk,
    session_of_most,
    stored_chunks,
)
from aicx.corpus.catalog.fields import message_key, milliseconds, own_messages
from aicx.corpus.catalog.overview import forget_watermarks
from aicx.corpus.catalog.query import steer
from aicx.corpus.catalog.watermarks import fingerprints, record_source, session_paths
from aicx.errors import CorpusDamaged
from aicx.filters import Filters
from aicx.sources.items import BadRecord, LogFile, LogIdentity
from aicx.storage.derived import find_damage
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, CodexLog, Home, catalog_of, fields_of

KEYS = st.binary(min_size=8, max_size=8).map(bytes.hex)


def message(key: str, text_key: str = "0" * 16, role: str = "user", **fields: object) -> dict[str, object]:
    return {"key": key, "text_key": text_key, "at": "2026-03-01T10:00:00.000Z", "role": role, "span": [0, 1], **fields}


class TestMessages:
    @given(st.lists(KEYS, unique=True, max_size=20))
    @settings(max_examples=30, deadline=None)
    def test_keys_come_back_as_they_were(self, keys):
        catalog = catalog_of(fields_of(1, messages=[message(key) for key in keys]))
        assert list(stored_chunks(catalog, "claude", SESSION, "")[0].keys) == keys
        assert {found.key for found in messages_with_keys(catalog, keys)} == set(keys)

    def test_more_keys_than_one_query_takes_are_found(self):
        keys = [message_key("claude", str(number)) for number in range(1201)]
        catalog = catalog_of(fields_of(1, messages=[message(key) for key in keys]))
        assert len(list(messages_with_keys(catalog, keys))) == 1201

    def test_a_repeated_message_is_not_a_second_one(self):
        one = message("1" * 16)
        catalog = catalog_of(fields_of(1, messages=[one]), fields_of(2, messages=[{**one, "repeated": True}]))
        assert [chunk.keys for chunk in stored_chunks(catalog, "claude", SESSION, "")] == [("1" * 16,), ()]

    def test_a_message_cut_into_parts_is_one(self):
        parts = [message("1" * 16, part=[number, 3]) for number in (1, 2, 3)]
        assert own_messages({"messages": parts}) == parts[:1]

    def test_only_what_people_and_agents_said_is_found_by_its_text(self):
        chunk = fields_of(1, messages=[message("1" * 16, "a" * 16), message("2" * 16, "a" * 16, "tool")])
        assert [found.key for found in messages_with_texts(catalog_of(chunk), ["a" * 16])] == ["1" * 16]

    def test_the_prompts_of_a_session_are_those_of_its_own_log(self):
        own = fields_of(1, messages=[message("1" * 16), message("2" * 16, role="assistant")])
        history = {
            **fields_of(1, messages=[message("3" * 16)], stream="history"),
            "id": f"claude:{SESSION}~history:001",
        }
        assert [found.key for found in prompts_of(catalog_of(own, history), "claude", SESSION)] == ["1" * 16]

    def test_an_instant_is_kept_to_the_millisecond(self):
        assert milliseconds("2026-03-01T10:00:00.123Z") - milliseconds("2026-03-01T10:00:00Z") == 123


class TestChunks:
    def test_a_chunk_recorded_again_takes_the_place_of_the_first(self):
        catalog = catalog_of(fields_of(1, files=["a"], messages=[message("1" * 16)]), fields_of(1, files=["b"]))
        assert [chunk.keys for chunk in stored_chunks(catalog, "claude", SESSION, "")] == [()]
        assert [row["path"] for row in catalog.rows("SELECT path FROM files")] == ["b"]

    def test_a_chunk_that_is_removed_leaves_nothing(self):
        catalog = catalog_of(fields_of(1, files=["a"], messages=[message("1" * 16)]))
        remove_chunk(catalog, f"claude:{SESSION}:001")
        for table in ("chunks", "files", "messages"):
            assert catalog.rows(f"SELECT * FROM {table}") == []

    def test_chunks_come_in_the_order_of_their_numbers(self):
        catalog = catalog_of(*(fields_of(number) for number in (1000, 2, 10)))
        assert [chunk.number for chunk in stored_chunks(catalog, "claude", SESSION, "")] == [2, 10, 1000]

    @pytest.mark.parametrize(("number", "last"), [(2, False), (1000, False), (1001, True)])
    def test_the_last_chunk_is_known(self, number, last):
        catalog = catalog_of(*(fields_of(at) for at in (2, 1000, 1001)))
        assert is_last(catalog, f"claude:{SESSION}:{number:03d}") is last

    def test_a_history_has_no_last_chunk(self):
        chunk_id = f"claude:{SESSION}~history:001"
        assert not is_last(catalog_of({**fields_of(1, stream="history"), "id": chunk_id}), chunk_id)

    def test_the_session_of_most_chunks_is_the_first_by_name_where_several_tie(self):
        catalog = catalog_of(fields_of(1), fields_of(1, session_id=OTHER))
        ids = [f"claude:{SESSION}:001", f"claude:{OTHER}:001"]
        assert session_of_most(catalog, ids) == SESSION
        assert session_of_most(catalog, [*ids, ids[1]]) == OTHER
        assert session_of_most(catalog, ["unknown"]) is None

    def test_a_chunk_that_is_put_again_says_again_what_its_folders_are_taken_for(self):
        def folder(project):
            return {"/srv": {"project": project, "repo_source": "git-remote"}}

        catalog = catalog_of(fields_of(1, folders=folder("a/a")), fields_of(1, folders=folder("b/b")))
        assert [tuple(row) for row in catalog.rows("SELECT cwd, project FROM folders")] == [("/srv", "b/b")]

    def test_evidence_comes_with_a_chunk_and_goes_with_it(self):
        seen = {"folder": "/srv", "kind": "push", "said": "a/a"}
        fields = fields_of(1, places=[seen], commits={"/srv": ["0123456789abcde"]})
        catalog = catalog_of(fields)
        assert [tuple(row)[1:] for row in catalog.rows("SELECT * FROM evidence")] == [("/srv", "push", "a/a")]
        assert [tuple(row)[1:] for row in catalog.rows("SELECT * FROM commits")] == [("/srv", "0123456789abcde")]
        remove_chunk(catalog, fields["id"])
        assert not catalog.rows("SELECT * FROM evidence") + catalog.rows("SELECT * FROM commits")

    @pytest.mark.parametrize(("source", "kind"), [("git-remote", "git"), ("log-remote", "recorded"), ("learned", None)])
    def test_only_a_decision_that_rests_on_git_or_the_log_is_evidence_itself(self, source, kind):
        decided = {"/srv": {"project": "a/a", "repo_source": source}, "/tmp": None}
        found = catalog_of(fields_of(1, folders=decided)).rows("SELECT folder, kind, said FROM evidence")
        assert [tuple(row) for row in found] == ([("/srv", kind, "a/a")] if kind else [])


class TestDuplicates:
    def reference(self, path: str, start: int = 0) -> dict[str, object]:
        return {"key": "1" * 16, "path": path, "span": [start, start + 1]}

    def test_a_copy_is_news_once(self):
        catalog = Catalog.in_memory()
        assert [put_duplicate(catalog, self.reference("/a")) for _ in range(2)] == [True, False]

    def test_copies_come_in_one_order_however_they_were_met(self):
        one, other = Catalog.in_memory(), Catalog.in_memory()
        references = [self.reference("/b"), self.reference("/a", 9), self.reference("/a", 5)]
        for catalog, order in ((one, references), (other, references[::-1])):
            for reference in order:
                put_duplicate(catalog, reference)
        assert (
            duplicates_of(one, ["1" * 16])
            == duplicates_of(other, ["1" * 16])
            == {"1" * 16: [self.reference("/a", 5), self.reference("/a", 9), self.reference("/b")]}
        )


class TestWatermarks:
    LOG = LogFile("claude", "claude-jsonl", Path("/logs/a"), 5, "5:1:1")

    def test_a_log_that_was_read_is_known_by_its_fingerprint(self):
        catalog = Catalog.in_memory()
        record_source(catalog, self.LOG, LogIdentity(SESSION, None), [])
        assert fingerprints(catalog) == {"/logs/a": "5:1:1"}
        assert session_paths(catalog, "claude", [SESSION]) == {SESSION: ["/logs/a"]}

    @pytest.mark.parametrize(("agents", "left"), [((), 0), (("codex",), 1), (("claude", "codex"), 0)])
    def test_forgetting_them_makes_the_next_run_read_again(self, tmp_path, agents, left):
        home = Home(tmp_path)
        home.claude(ClaudeLog().prompt("One", 0))
        home.codex(CodexLog().prompt("Two", 0))
        home.store()
        assert forget_watermarks(home.settings.layout, agents) == 2 - left
        before = home.files()
        assert home.store().logs_read == 2 - left
        assert home.files() == before

    def test_forgetting_them_does_not_hide_what_is_stored(self, tmp_path):
        home = Home(tmp_path)
        home.claude(ClaudeLog().prompt("One", 0))
        home.store()
        (home.corpus / "catalog.sqlite").unlink()
        forget_watermarks(home.settings.layout, ())
        assert steer(home.settings.layout, Filters(), 10).matched == 1

    def test_unread_parts_are_remembered_with_the_log(self, tmp_path):
        home = Home(tmp_path)
        home.claude(ClaudeLog().prompt("One", 0))
        (problem,) = home.store().problems
        assert isinstance(problem, BadRecord)
        with sqlite3.connect(home.corpus / "catalog.sqlite") as connection:
            (problems,) = connection.execute("SELECT problems FROM sources").fetchone()
        connection.close()
        assert problems == f'["line 1: {problem.reason}"]'


class TestFiles:
    def test_a_catalogue_that_was_never_finished_is_not_read(self, tmp_path):
        path = tmp_path / "catalog.sqlite"
        catalog = Catalog.open_for_writing(path)
        assert Catalog.open_for_reading(path) is None
        catalog.set_meta(COMPLETE, "yes")
        catalog.close()
        reader = Catalog.open_for_reading(path)
        assert reader is not None
        reader.close()

    def test_a_missing_catalogue_is_none_and_is_not_made(self, tmp_path):
        assert Catalog.open_for_reading(tmp_path / "catalog.sqlite") is None
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("body", [b"not a database" * 99, b"SQLite format 3\0" + b"\xff" * 4096])
    def test_a_damaged_one_is_an_error_for_the_writer_and_none_for_the_reader(self, tmp_path, body):
        path = tmp_path / "catalog.sqlite"
        path.write_bytes(body)
        assert Catalog.open_for_reading(path) is None
        with pytest.raises(CorpusDamaged):
            Catalog.open_for_writing(path)

    def test_one_of_another_version_is_not_touched(self, tmp_path):
        path = tmp_path / "catalog.sqlite"
        with sqlite3.connect(path) as connection:
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION + 1}")
            connection.execute("CREATE TABLE theirs (x)")
        connection.close()
        assert Catalog.open_for_reading(path) is None
        with pytest.raises(CorpusDamaged, match="another version"):
            Catalog.open_for_writing(path)

    def test_a_reader_cannot_write(self, tmp_path):
        home = Home(tmp_path)
        home.claude(ClaudeLog().prompt("One", 0))
        home.store()
        reader = Catalog.open_for_reading(home.settings.layout.catalog)
        assert reader is not None
        with pytest.raises(sqlite3.OperationalError):
            reader.set_meta("x", "y")
        reader.close()

    def test_another_program_finds_nothing_to_move_into_the_file(self, tmp_path):
        path = tmp_path / "catalog.sqlite"
        for name in (COMPLETE, "more"):
            catalog = Catalog.open_for_writing(path)
            catalog.begin()
            catalog.set_meta(name, "yes")
            catalog.commit()
            if name == COMPLETE:
                catalog.close()
                reader = Catalog.open_for_reading(path)  # such as a dashboard
        catalog.close()
        reader.close()
        with closing(sqlite3.connect(path)) as other:
            assert other.execute("SELECT count(*) FROM meta").fetchone() > (1,)
        assert find_damage(path) is None

    def test_a_reader_does_not_wait_for_a_writer(self, tmp_path):
        home = Home(tmp_path)
        home.claude(ClaudeLog().prompt("One", 0))
        home.store()
        writer = Catalog.open_for_writing(home.settings.layout.catalog)
        writer.begin()
        remove_chunk(writer, f"claude:{SESSION}:001")
        assert steer(home.settings.layout, Filters(), 10).matched == 1
        writer.rollback()
        writer.close()

    def test_nobody_else_can_read_what_is_stored(self, tmp_path):
        home = Home(tmp_path)
        home.claude(ClaudeLog().prompt("One", 0))
        home.store()
        assert stat.S_IMODE(home.corpus.stat().st_mode) == 0o700
        for path in home.files():
            assert stat.S_IMODE((home.corpus / path).stat().st_mode) == 0o600
