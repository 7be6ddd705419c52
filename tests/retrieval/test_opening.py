"""The BM25 index is read where nothing can be written, and nothing is left behind."""

import os
import tempfile
from pathlib import Path

import pytest

from aicx.errors import CorpusDamaged
from retrieval.lexical import open_index
from tests.retrieval.test_lexical import ask, document, write


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where temporary folders are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def index(tmp_path, temporary):
    """An index that cannot be locked, whoever asks."""
    folder = tmp_path / "index"
    folder.mkdir()
    write(folder, document("it", said="The login test is flaky", tool="torn {"), document("noise", said="a quiet day"))
    lock(folder)
    return folder


def lock(folder: Path) -> None:
    (folder / ".tantivy-meta.lock").unlink()
    (folder / ".tantivy-meta.lock").mkdir()


def test_an_index_that_cannot_be_locked_is_searched(index):
    assert ask(index, '"login test" flaky') == ["it"]


def test_opening_it_leaves_nothing_in_the_temporary_folder(index, temporary):
    open_index(index)
    assert list(temporary.iterdir()) == []


def test_what_tantivy_leaves_while_the_links_are_removed_goes_too(index, temporary, monkeypatch):
    rmdir = os.rmdir
    made = []

    def remove_too_late(path, **options):
        if not made:
            made.append(next(temporary.iterdir()) / ".tantivy-meta.lock")
            made[0].touch()
        rmdir(path, **options)

    monkeypatch.setattr(os, "rmdir", remove_too_late)
    assert ask(index, "flaky") == ["it"]
    assert list(temporary.iterdir()) == []


def test_an_index_that_can_be_locked_needs_no_temporary_folder(index, monkeypatch):
    (index / ".tantivy-meta.lock").rmdir()
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    assert ask(index, "flaky") == ["it"]


def test_without_a_temporary_folder_that_is_the_reason_given(index, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere")
    with pytest.raises(CorpusDamaged, match="neither it nor a temporary folder can be written") as raised:
        ask(index, "flaky")
    assert "TMPDIR" in raised.value.hint


def test_damage_is_still_damage(index):
    for path in index.glob("*.term"):
        path.unlink()
    with pytest.raises(CorpusDamaged, match="cannot be read"):
        ask(index, "flaky")


def test_a_commit_while_the_links_are_made_is_no_damage(index, monkeypatch):
    listed = []

    def list_and_commit(folder):
        names = os_listdir(folder)
        if folder == index and not listed:
            listed.append(names)
            (index / ".tantivy-meta.lock").rmdir()
            write(index, document("late", said="A late commit"), fresh=True)
            lock(index)
        return names

    os_listdir = os.listdir
    monkeypatch.setattr(os, "listdir", list_and_commit)
    assert ask(index, "commit") == ["late"]


@pytest.mark.skipif(os.geteuid() == 0, reason="this user may write everywhere")
def test_an_index_in_somebody_elses_folder_is_searched(index):
    (index / ".tantivy-meta.lock").rmdir()
    index.chmod(0o555)
    try:
        assert ask(index, "flaky") == ["it"]
    finally:
        index.chmod(0o755)
