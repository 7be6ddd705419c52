"""A disk that is full, read-only or not a folder at all: one clear line, the right exit code, and no harm done."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.sampling import sample
from tests.survival.conftest import Undisturbed
from tests.survival.runs import HERE, Run, Runner

CANNOT_WRITE = 6


@contextmanager
def _small_disk(folder: Path, options: str) -> Iterator[Path]:
    """A file system of its own in memory."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if os.geteuid() or not sys.platform.startswith("linux") or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True)


# What the system or the database says of a disk, or of a limit, that is used up.
FULL = "No space left on device|database or disk is full|disk I/O error|unable to open database file"


def _check_refusal(run: Run, place: Path, why: str) -> None:
    """One line of error names a file of ``place`` and one of the reasons in ``why``, separated by ``|``."""
    assert run.code == CANNOT_WRITE, run.err
    [error] = [line for line in run.err.splitlines() if line.startswith("error:")]
    file = rf"{re.escape(str(place))}\S*"
    assert re.fullmatch(rf"error: (cannot write {file}|{file} cannot be opened for writing): ({why})", error), error
    assert "Traceback" not in run.err


@pytest.mark.parametrize("share", sample([0.02, 0.15, 0.3, 0.45, 0.6, 0.75, 0.9], 2, ends=False))
def test_a_disk_that_is_full_stops_the_store_and_space_heals_it(
    share: float, runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    files = [path.stat().st_blocks * 512 for path in undisturbed.corpus.rglob("*") if path.is_file()]
    with _small_disk(tmp_path / "disk", f"size={int(sum(files) * share)}") as disk:
        home = undisturbed.home(disk / "corpus")
        _check_refusal(runner.run(home, "store", batch=8), home.corpus, FULL)
        assert home.flaws() == []
        _check_refusal(runner.run(home, "store"), home.corpus, FULL)
        assert home.flaws() == []
        assert not home.staging.exists() or (home.staging / "journal").exists()  # else it only takes up space
        _remount(disk, "size=64m")
        HERE.store(home)
        assert home.tree() == undisturbed.tree
        assert HERE.answers(home) == undisturbed.answers


def test_a_disk_that_is_full_when_only_the_index_is_left_is_named_as_such(
    runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    with _small_disk(tmp_path / "disk", "size=64m") as disk:
        home = undisturbed.home(disk / "corpus")
        HERE.store(home)
        shutil.rmtree(home.corpus / "index")
        space = os.statvfs(disk)
        _remount(disk, f"size={(space.f_blocks - space.f_bfree) * space.f_frsize + 48 * 1024}")
        refused = runner.run(home, "store")
        assert refused.code == CANNOT_WRITE, refused.err
        assert "error: the lexical index could not be written: " in refused.err
        assert "No space left on device" in refused.err
        _remount(disk, "size=64m")
        HERE.store(home)
        assert home.tree() == undisturbed.tree


@pytest.mark.parametrize("inodes", sample([4, 8, 20, 40, 80], 2, ends=False))
def test_a_disk_without_room_for_more_files_stops_the_store_and_room_heals_it(
    inodes: int, runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    with _small_disk(tmp_path / "disk", f"size=64m,nr_inodes={inodes}") as disk:
        home = undisturbed.home(disk / "corpus")
        _check_refusal(runner.run(home, "store", batch=8), home.corpus, FULL)
        assert home.flaws() == []
        _remount(disk, "nr_inodes=10000")
        HERE.store(home)
        assert home.tree() == undisturbed.tree


@pytest.mark.parametrize("largest", sample([1000, 3000, 6000, 30_000, 100_000], 2, ends=False))
def test_a_limit_on_the_size_of_files_stops_the_store_and_lifting_it_heals_it(
    largest: int, runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """Needs no rights, unlike the full disk; a quota looks much the same."""
    home = undisturbed.home(tmp_path / "corpus")
    _check_refusal(runner.run(home, "store", batch=8, largest_file=largest), home.corpus, FULL)
    assert home.flaws() == []
    HERE.store(home)
    assert home.tree() == undisturbed.tree
    assert HERE.answers(home) == undisturbed.answers


def test_a_read_only_home_is_refused_for_writing_and_answers_questions(
    runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    with _small_disk(tmp_path / "disk", "size=64m") as disk:
        home = undisturbed.home(disk / "corpus")
        HERE.store(home)
        _remount(disk, "ro")
        _check_refusal(runner.run(home, "store"), home.corpus, "Read-only file system")
        assert HERE.answers(home) == undisturbed.answers


def test_a_read_only_home_is_searched_by_its_index(undisturbed: Undisturbed, tmp_path: Path) -> None:
    with _small_disk(tmp_path / "disk", "size=64m") as disk:
        home = undisturbed.home(disk / "corpus")
        HERE.store(home)
        _remount(disk, "ro")
        answered = HERE.run(home, "search", "deploy", "--mode", "lexical", "--json")
        assert answered.code == 0, answered.err
        assert '"fallback_reason":null' in answered.out


def test_a_home_that_cannot_be_made_is_refused(runner: Runner, undisturbed: Undisturbed, tmp_path: Path) -> None:
    with _small_disk(tmp_path / "disk", "size=64m,ro") as disk:
        _check_refusal(runner.run(undisturbed.home(disk / "deep" / "corpus"), "store"), disk, "Read-only file system")


def test_a_home_that_is_a_file_is_refused(undisturbed: Undisturbed, tmp_path: Path) -> None:
    home = undisturbed.home(tmp_path / "corpus")
    home.corpus.write_text("a file")
    for command in ("store", "steer"):
        run = HERE.run(home, command)
        assert (run.code, run.err.splitlines()[0]) == (2, f"error: {home.corpus} is not a folder")
    assert home.corpus.read_text() == "a file"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("locks", "File exists"),
        ("store", "Not a directory"),
        ("catalog.sqlite", "unable to open database file"),
        ("index.json", "Is a directory"),
    ],
)
def test_something_else_in_the_place_of_ours_is_refused_and_kept(
    name: str, why: str, runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """A file where a folder belongs, or a folder where a file does."""
    home = undisturbed.home(tmp_path / "corpus")
    place = home.corpus / name
    place.parent.mkdir(parents=True)
    wants_file = "." in name
    if wants_file:
        (place / "mine").mkdir(parents=True)
    else:
        place.write_text("mine")
    _check_refusal(runner.run(home, "store"), home.corpus, why)
    assert (place / "mine").is_dir() if wants_file else place.read_text() == "mine"
    if wants_file:
        (place / "mine").rmdir()
        place.rmdir()
    else:
        place.unlink()
    HERE.store(home)
    assert home.tree() == undisturbed.tree


def test_a_corpus_is_for_its_owner_alone(undisturbed: Undisturbed, tmp_path: Path) -> None:
    home = undisturbed.home(tmp_path / "new" / "corpus")
    HERE.store(home)
    assert home.corpus.stat().st_mode & 0o077 == 0
