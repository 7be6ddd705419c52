"""F22: one object for what is put twice, verified at every reading; pinned ones survive `gc`, which looks first."""

from __future__ import annotations

import io
import os
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.cas import writing
from aicx.cas.entry import clean_body
from aicx.cas.reading import read
from aicx.cas.writing import Origin, collect, put, staged
from aicx.config import load_settings
from aicx.errors import CorpusDamaged, StoreLocked, StoreUnwritable, UsageError
from tests.cas.builders import NOW, TOKEN, Shelf


def digest_of(text: str) -> str:
    return f"sha256:{sha256(text.encode()).hexdigest()}"


class TestPut:
    def test_a_text_put_twice_is_one_object_with_both_tags(self, shelf: Shelf) -> None:
        first = shelf.stored("hello", tags=("a", "b"))
        again = shelf.stored("hello", NOW + timedelta(days=1), tags=("b", "c"))
        assert (first.new, again.new) == (True, False)
        (entry,) = shelf("list")["objects"]
        assert entry["digest"] == digest_of("hello")
        assert entry["tags"] == ["a", "b", "c"]
        assert (entry["created_at"], entry["put_at"]) == ("2026-03-01T10:00:00.000Z", "2026-03-02T10:00:00.000Z")
        objects = [path for path in (shelf.home / "cas" / "sha256").rglob("*") if path.is_file()]
        assert len(objects) == 2  # the object and its sidecar

    def test_a_file_taken_for_a_leftover_before_it_was_locked_is_made_again(
        self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lock, collections = writing.lock, []

        def lock_late(descriptor: int, *, shared: bool = False, wait: bool = False) -> None:
            if wait and not collections:
                collections.append(staged(shelf.settings.layout, delete=True))
            lock(descriptor, shared=shared, wait=wait)

        monkeypatch.setattr(writing, "lock", lock_late)
        assert shelf.stored("hello").new
        assert len(collections[0]) == 1

    def test_text_is_redacted_before_it_is_stored(self, shelf: Shelf) -> None:
        done = shelf.stored(f"the token is {TOKEN}\n")
        assert done.redactions == 1
        assert read(shelf.settings.layout, done.object.name) == b"the token is [REDACTED:github-token]\n"
        assert not any(TOKEN.encode() in body for body in shelf.bodies())

    @pytest.mark.parametrize("body", [b"\xff\xfe\x00", b"text with \0 in it", b"half of \xe2\x82"])
    def test_bytes_that_are_no_text_are_refused_unless_called_binary(self, shelf: Shelf, body: bytes) -> None:
        with pytest.raises(UsageError, match="not text"):
            shelf.stored(body)
        done = shelf.stored(body, kind="binary")
        assert read(shelf.settings.layout, done.object.name) == body

    @pytest.mark.parametrize("tag", ["two words", "", "../x y", "x" * 65, "päck", f"a:{TOKEN}"])
    def test_a_tag_is_one_plain_word_and_no_secret(self, shelf: Shelf, tag: str) -> None:
        with pytest.raises(UsageError, match="cannot be a tag"):
            shelf.stored("hello", tags=(tag,))
        assert not (shelf.home / "cas").exists()

    def test_a_sidecar_has_no_word_of_the_text(self, shelf: Shelf) -> None:
        done = shelf.stored("gasket pump lexer", tags=("release",))
        sidecar = shelf.path(done.object.digest).with_name(f"{done.object.name}.json").read_text()
        assert not any(word in sidecar for word in ("gasket", "pump", "lexer"))

    def test_objects_are_for_their_owner_alone(self, shelf: Shelf) -> None:
        path = shelf.path(shelf.stored("hello").object.digest)
        assert path.stat().st_mode & 0o777 == 0o600
        assert path.with_name(f"{path.name}.json").stat().st_mode & 0o777 == 0o600

    def test_a_file_and_standard_input_give_the_same_object(
        self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = shelf.write("notes.md", "hello\n")
        assert shelf("put", str(path))["new"] is True
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"hello\n")))
        assert shelf("put", "-")["new"] is False

    def test_a_binary_is_streamed_and_not_held_in_memory(self, shelf: Shelf) -> None:
        class Endless(io.RawIOBase):
            left, largest = 64 * 1024 * 1024, 0

            def read(self, size: int = -1) -> bytes:
                self.largest = max(self.largest, size)
                part = b"\0" * min(size, self.left)
                self.left -= len(part)
                return part

        stream = Endless()
        done = put(shelf.settings, stream, Origin("binary"), NOW)  # type: ignore[arg-type]
        assert done.object.size == 64 * 1024 * 1024
        assert stream.largest <= 1024 * 1024

    def test_a_full_disk_leaves_nothing_behind(self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(StoreUnwritable):
            shelf.stored("hello")
        monkeypatch.undo()
        assert not [path for path in shelf.home.rglob("*") if path.is_file() and b"hello" in path.read_bytes()]


class TestGet:
    def test_the_bytes_are_those_that_were_put(self, shelf: Shelf, tmp_path: Path) -> None:
        digest = shelf.stored("hello\n").object.digest
        assert shelf("get", digest)["text"] == "hello\n"
        assert shelf("get", digest[:16])["text"] == "hello\n"
        target = tmp_path / "out.txt"
        assert shelf("get", digest, "--output", str(target))["written"] == str(target)
        assert target.read_bytes() == b"hello\n"
        assert "exists" in shelf.failed("get", digest, "--output", str(target))["error"]

    @pytest.mark.parametrize("at", [0, 3, -1])
    def test_a_flipped_byte_is_never_read(self, shelf: Shelf, tmp_path: Path, at: int) -> None:
        digest = shelf.stored("hello\n").object.digest
        path = shelf.path(digest)
        body = bytearray(path.read_bytes())
        body[at] ^= 1
        path.write_bytes(body)
        with pytest.raises(CorpusDamaged):
            read(shelf.settings.layout, path.name)
        found = shelf.failed("get", digest, "--output", str(tmp_path / "out"))
        assert (found["code"], found["kind"]) == (7, "CorpusDamaged")
        assert not (tmp_path / "out").exists()
        assert shelf.check()["severity"] == "critical"

    @pytest.mark.parametrize("change", [b"", b"hello\n more", None])
    def test_a_cut_grown_or_linked_object_is_never_read(
        self, shelf: Shelf, tmp_path: Path, change: bytes | None
    ) -> None:
        digest = shelf.stored("hello\n").object.digest
        path = shelf.path(digest)
        if change is None:
            path.unlink()
            (tmp_path / "elsewhere").write_text("hello\n")
            path.symlink_to(tmp_path / "elsewhere")
        else:
            path.write_bytes(change)
        assert shelf.failed("get", digest)["kind"] == "CorpusDamaged"

    def test_putting_a_damaged_object_again_mends_it_and_keeps_its_pin(self, shelf: Shelf) -> None:
        digest = shelf.stored("hello\n").object.digest
        shelf("pin", digest)
        shelf.path(digest).write_bytes(b"jello\n")
        assert shelf.stored("hello\n").new is True
        assert shelf("get", digest)["text"] == "hello\n"
        assert shelf("list")["objects"][0]["pinned"] is True

    def test_a_terminal_gets_no_binary_and_nothing_to_obey(self, shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
        text = shelf.stored("red \x1b[31m title \x1b]0;x\x07 end").object.digest
        binary = shelf.stored(b"\0\1", kind="binary").object.digest
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        code, out, _ = shelf.run("cas", "get", text)
        assert (code, out) == (0, "red  title  end\n")
        code, _, err = shelf.run("cas", "get", binary)
        assert (code, "--output FILE" in err) == (2, True)

    @pytest.mark.parametrize("digest", ["sha256:zz", "abc", "../../etc/passwd", "sha256:" + "a" * 65, ""])
    def test_a_wrong_digest_is_refused(self, shelf: Shelf, digest: str) -> None:
        assert shelf.failed("get", "--", digest)["code"] == 2

    def test_an_unknown_digest_is_not_found(self, shelf: Shelf) -> None:
        assert shelf.failed("get", "sha256:" + "a" * 64)["code"] == 3


class TestCollecting:
    def test_nothing_is_deleted_by_looking(self, shelf: Shelf) -> None:
        old, new = shelf.stored("old", NOW - timedelta(days=400)), shelf.stored("new", NOW)
        before = {path: path.read_bytes() for path in shelf.home.rglob("*") if path.is_file()}
        found = collect(shelf.settings, NOW)
        assert ([one.name for one in found.objects], found.younger) == ([old.object.name], 1)
        assert shelf.digests() == {old.object.digest, new.object.digest}
        assert {path: path.read_bytes() for path in shelf.home.rglob("*") if path.is_file()} == before

    def test_pinned_objects_survive_and_the_rest_goes(self, shelf: Shelf) -> None:
        pinned, old = shelf.stored("pinned", NOW - timedelta(days=400)), shelf.stored("old", NOW - timedelta(days=300))
        shelf("pin", pinned.object.digest)
        found = shelf("gc", "--apply", "--older-than", "30")
        assert [one["digest"] for one in found["objects"]] == [old.object.digest]
        assert (found["pinned"], found["bytes"]) == (1, 3)
        assert shelf.digests() == {pinned.object.digest}
        assert not shelf.path(old.object.digest).parent.exists()
        shelf("unpin", pinned.object.digest)
        assert len(shelf("gc", "--apply", "--older-than", "0")["objects"]) == 1

    def test_an_object_put_again_counts_from_then(self, shelf: Shelf) -> None:
        shelf.stored("hello", NOW - timedelta(days=400))
        shelf.stored("hello", NOW - timedelta(days=2))
        assert collect(shelf.settings, NOW).objects == []

    def test_no_more_go_than_was_said_and_the_oldest_first(self, shelf: Shelf) -> None:
        stored = [shelf.stored(f"n{day}", NOW - timedelta(days=40 + day)) for day in range(5)]
        found = collect(shelf.settings, NOW, most=2, apply=True)
        assert [one.name for one in found.objects] == [stored[4].object.name, stored[3].object.name]
        assert len(shelf.digests()) == 3

    def test_an_object_without_its_sidecar_stays_because_it_may_be_pinned(self, shelf: Shelf) -> None:
        done = shelf.stored("hello", NOW - timedelta(days=400))
        shelf("pin", done.object.digest)
        shelf.path(done.object.digest).with_name(f"{done.object.name}.json").write_text("{")
        found = shelf("gc", "--apply", "--older-than", "0")
        assert (found["objects"], found["unknown"]) == ([], [done.object.digest])
        assert shelf.check()["severity"] == "warning"
        assert shelf("get", done.object.digest)["object"] is None
        shelf("pin", done.object.digest)
        assert shelf.check()["severity"] == "green"


def test_only_those_with_the_tag_and_kind_are_listed(shelf: Shelf) -> None:
    shelf.stored("one", tags=("a",))
    two = shelf.stored("two", tags=("a", "b"))
    shelf.stored(b"\0", kind="binary")
    assert [one["digest"] for one in shelf("list", "--tag", "a", "--tag", "b")["objects"]] == [two.object.digest]
    assert shelf("list", "--kind", "binary")["total"] == 1
    assert shelf.failed("list", "--kind", "pump")["code"] == 2


def test_nothing_is_put_while_something_is_being_forgotten(shelf: Shelf) -> None:
    path = shelf.settings.layout.forgetting
    path.parent.mkdir(parents=True)
    path.write_bytes(b"{}")
    with pytest.raises(StoreLocked, match="forgotten at this moment"):
        shelf.stored("hello")
    path.unlink()
    assert shelf.stored("hello").new


@given(st.binary(max_size=200))
def test_a_text_is_redacted_to_itself_the_second_time(body: bytes) -> None:
    try:
        once = clean_body(body, "text").body
    except UsageError:
        return
    assert clean_body(once, "text").body == once


@given(
    st.recursive(
        st.text() | st.integers(-9, 9) | st.none(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)
    )
)
def test_a_pack_stays_json_when_it_is_redacted(value: object) -> None:
    import orjson

    try:
        body = orjson.dumps({"v": value, "secret": TOKEN}, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # a lone surrogate
        return
    if b"\0" in body:
        return
    found = orjson.loads(clean_body(body, "task_pack").body)
    assert found["secret"] == "[REDACTED:github-token]"


def test_settings_of_a_home_without_objects_list_nothing(shelf: Shelf) -> None:
    assert shelf("list") == {"schema": "aicx.object-list/1", "objects": [], "total": 0, "damaged": []}
    assert not (load_settings().layout.cas).exists()
