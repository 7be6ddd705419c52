"""Damage of what was recorded is found, and nothing else is taken for it."""

from __future__ import annotations

import os
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from aicx.errors import CorpusDamaged, NotFound
from aicx.storage.derived import changing, find_damage, is_untouched, record, record_of, renew, sound_files, withdraw


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "index"
    made.mkdir()
    (made / "a").write_bytes(b"first " * 100)
    (made / "b").write_bytes(b"second " * 100)
    record(made)
    return made


def flip(path: Path) -> None:
    """One bit, with size and modification time as before."""
    before = path.stat()
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 4
    path.write_bytes(body)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_what_is_as_it_was_written_has_no_damage(folder: Path) -> None:
    assert find_damage(folder) is None
    assert find_damage(folder, full=True) is None


def test_a_flipped_bit_is_found_where_size_and_modification_time_are_kept(folder: Path) -> None:
    flip(folder / "b")
    assert find_damage(folder) == "b is not as it was written"
    assert sound_files(folder) == {"a"}


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "a").unlink()
    assert find_damage(folder) == "a is missing"


def test_what_is_gone_as_a_whole_is_not_damaged(folder: Path) -> None:
    shutil.rmtree(folder)
    assert find_damage(folder) is None


def test_a_copy_with_other_times_is_not_damaged_and_takes_them_as_its_own(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy, copy_function=shutil.copyfile)
    shutil.copyfile(record_of(folder), record_of(copy))
    assert find_damage(copy) is None
    assert not is_untouched(copy)
    renew(copy)
    assert is_untouched(copy)


def test_a_damaged_copy_does_not_take_its_times_as_its_own(folder: Path) -> None:
    flip(folder / "a")
    renew(folder)
    assert find_damage(folder) is not None


@pytest.mark.parametrize("line", [0, 1])
def test_a_record_with_one_damaged_line_still_serves(folder: Path, line: int) -> None:
    lines = record_of(folder).read_bytes().splitlines()
    lines[line] = lines[line].replace(b"sha256", b"sha512")
    record_of(folder).write_bytes(b"\n".join(lines))
    assert find_damage(folder) is None
    flip(folder / "a")
    assert find_damage(folder) is not None


def test_a_record_that_cannot_be_read_proves_nothing(folder: Path) -> None:
    record_of(folder).write_bytes(b"{}\n{}\n")
    assert find_damage(folder) == "its checksums cannot be read"


def test_nothing_is_recorded_while_it_is_changed(folder: Path) -> None:
    with changing(folder):
        (folder / "a").write_bytes(b"other")
        assert find_damage(folder) is None
        assert not record_of(folder).exists()
    assert is_untouched(folder)


def test_a_change_that_met_damage_leaves_no_record_and_another_failure_does(folder: Path) -> None:
    with pytest.raises(NotFound), changing(folder):
        raise NotFound("a question that was wrong")
    assert is_untouched(folder)
    with pytest.raises(CorpusDamaged), changing(folder):
        raise CorpusDamaged("junk")
    assert not record_of(folder).exists()


def test_unchanged_files_are_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    known = withdraw(folder)
    (folder / "b").write_bytes(b"longer " * 200)
    monkeypatch.setattr(
        "aicx.storage.derived.file_digest", lambda stream, _: read.append(Path(stream.name).name) or sha256()
    )
    record(folder, known)
    assert read == ["b"]


def test_what_was_copied_is_read_once_by_a_process(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    shutil.copy(record_of(folder), record_of(copy))
    read: list[str] = []
    opened = Path.open
    monkeypatch.setattr(Path, "open", lambda self, *how, **more: read.append(self.name) or opened(self, *how, **more))
    assert find_damage(copy) is None
    assert sorted(set(read)) == ["a", "b", record_of(copy).name]
    read.clear()
    assert find_damage(copy) is None
    assert set(read) == {record_of(copy).name}


def test_what_was_copied_and_read_is_read_again_once_it_changes(folder: Path) -> None:
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    shutil.copy(record_of(folder), record_of(copy))
    assert find_damage(copy) is None
    whole = (copy / "b").read_bytes()
    (copy / "b").write_bytes(whole[:-1] + b"!")
    assert find_damage(copy) == "b is not as it was written"
