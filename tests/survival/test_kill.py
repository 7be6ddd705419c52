"""A kill at any moment costs nothing: the next run ends where an undisturbed one would have."""

from __future__ import annotations

import json
import os
import random
import shutil
from pathlib import Path

import pytest

from tests.sampling import number_of_run, sample
from tests.survival.conftest import Undisturbed
from tests.survival.logs import invent, last_moment, write_home
from tests.survival.runs import CUTS, HERE, Home, Runner, until

BATCH = 6


@pytest.mark.parametrize(("seed", "batch"), sample([(1, BATCH), (2, 3), (3, None)], 2, ends=False))
def test_kills_at_random_moments_cost_nothing(
    seed: int, batch: int | None, runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    chance = random.Random(seed + number_of_run(1000))
    home = undisturbed.home(tmp_path / "corpus")
    whole = runner.run(undisturbed.home(tmp_path / "measured"), "store", batch=batch).seconds
    kills = 0
    while kills < 6:
        untouched = not home.corpus.exists()
        run = runner.run(home, "store", batch=batch, kill_after=chance.uniform(0, whole))
        assert home.flaws() == []
        if run.killed:
            kills += 1
            continue
        assert run.code == 0, run.err
        assert home.tree() == undisturbed.tree
        if untouched:  # the machine was busier when it was measured
            whole = min(whole, run.seconds)
        shutil.rmtree(home.corpus)
    HERE.store(home)
    assert home.tree() == undisturbed.tree
    assert HERE.answers(home) == undisturbed.answers


@pytest.fixture(scope="module")
def steps(runner: Runner, undisturbed: Undisturbed, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What an undisturbed run does to the disk."""
    return runner.steps(undisturbed.home(tmp_path_factory.mktemp("steps") / "corpus"), batch=BATCH)


def test_a_kill_at_any_step_leaves_the_old_state_or_the_new_one(
    runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    killed = 0
    cuts = runner.cuts(undisturbed.home(tmp_path / "whole"), tmp_path / "cuts", "store", batch=BATCH, every=18)
    for step, home in cuts:
        killed += 1
        assert home.flaws() == [], step
        HERE.store(home)
        assert home.tree() == undisturbed.tree, step
        assert HERE.answers(home) == undisturbed.answers, step
    assert killed >= CUTS


def test_a_kill_leaves_what_was_there_when_its_step_was_reached(
    runner: Runner, undisturbed: Undisturbed, steps: list[str], tmp_path: Path
) -> None:
    """So a run that is stopped and copied at each of its steps shows what kills would leave."""
    step = int(len(steps) * (2 + number_of_run(7)) / 10)
    killed = undisturbed.home(tmp_path / "killed")
    assert runner.run(killed, "store", batch=BATCH, fatal_step=step).killed
    whole = undisturbed.home(tmp_path / "whole")
    cuts = runner.cuts(whole, tmp_path / "cuts", "store", batch=BATCH, begin=step, every=len(steps))
    cut = next(home for name, home in cuts if name.startswith(f"{step}: "))
    assert cut.tree() == killed.tree()
    assert staged(cut) == staged(killed)


def staged(home: Home) -> list[str]:
    """The numbers of the staged files, and the journal; each run has a name of its own before the number."""
    return sorted(path.name.rpartition("-")[2] for path in home.staging.rglob("*"))


def test_a_kill_between_the_two_publications_of_a_batch_mixes_nothing_up(
    steps: list[str], runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """The second one rewrites sidecars of chunks that turned out to have copies elsewhere."""
    second = _second_publications(steps)
    assert second
    for step in second[:3]:
        home = undisturbed.home(tmp_path / str(step))
        assert runner.run(home, "store", batch=BATCH, fatal_step=step).killed
        HERE.store(home)
        assert home.flaws() == []
        assert home.tree() == undisturbed.tree


def test_in_the_middle_of_a_publication_no_chunk_is_without_its_sidecar(
    runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    renames = _places(runner.steps(undisturbed.home(tmp_path / "measured")), "os.rename", "/staging/")
    for step in sample(renames, 8):
        home = undisturbed.home(tmp_path / str(step))
        assert runner.run(home, "store", fatal_step=step).killed
        assert home.flaws() == []


@pytest.mark.parametrize("which", [0, 1])
def test_what_is_published_is_known_even_if_the_logs_vanish_before_the_next_run(
    which: int, steps: list[str], runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """Killed in the first or in the second publication of a batch, before the catalogue has recorded either."""
    home = undisturbed.home(tmp_path / "corpus")
    second = _second_publications(steps)[0]
    commits = [number for number, step in enumerate(steps, 1) if step == "before commit"]
    step = second if which == 0 else next(commit for commit in commits if commit > second)
    assert runner.run(home, "store", batch=BATCH, fatal_step=step).killed
    HERE.store(Home(tmp_path / "nobody", home.corpus))
    known = {item["path"] for item in HERE.answers(home)}
    assert known == {str(chunk.relative_to(home.corpus)) for chunk in home.chunks()}


def test_kills_while_the_logs_grow_cost_nothing(runner: Runner, tmp_path: Path) -> None:
    chance = random.Random(7)
    logs = invent(seed=7, sessions=10)
    home = Home(tmp_path / "user", tmp_path / "corpus")
    for share in sorted(chance.uniform(0.05, 1) for _ in range(10)):
        write_home(home.user, logs, until=last_moment(logs) * share, torn=chance.randrange(200))
        runner.run(home, "store", batch=BATCH, kill_after=chance.uniform(0, 0.15))
        assert home.flaws() == []
    write_home(home.user, logs)
    HERE.store(home)
    once = Home(home.user, tmp_path / "once")
    HERE.store(once)
    assert home.tree() == once.tree()
    assert HERE.answers(home) == HERE.answers(once)


@pytest.mark.parametrize("seed", range(4))
def test_a_journal_whose_renames_were_done_in_part_is_played_to_its_end(
    seed: int, steps: list[str], runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    """After a power cut any of the renames may have reached the disk, in any order."""
    home = undisturbed.home(tmp_path / "corpus")
    journals = _places(steps, "os.rename", "/journal.part")
    step = journals[seed % len(journals)] + 1  # the journal is there, nothing is renamed yet
    assert runner.run(home, "store", batch=BATCH, fatal_step=step).killed
    chance = random.Random(seed)
    for staged, relative in json.loads((home.staging / "journal").read_bytes())["moves"]:
        if chance.random() < 0.5 and (home.staging / staged).exists():
            (home.corpus / relative).parent.mkdir(parents=True, exist_ok=True)
            (home.staging / staged).rename(home.corpus / relative)
    HERE.store(home)
    assert home.flaws() == []
    assert home.tree() == undisturbed.tree
    assert HERE.answers(home) == undisturbed.answers


def test_a_journal_that_a_power_cut_brings_back_does_no_harm(
    steps: list[str], runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    home = undisturbed.home(tmp_path / "corpus")
    first, second = _places(steps, "os.remove", "/journal")[:2]
    assert runner.run(home, "store", batch=BATCH, fatal_step=first).killed
    journal = (home.staging / "journal").read_bytes()
    shutil.rmtree(home.corpus)
    assert runner.run(home, "store", batch=BATCH, fatal_step=second - 1).killed
    (home.staging / "journal").write_bytes(journal)  # of the first batch, while files of the second are staged
    HERE.store(home)
    assert home.flaws() == []
    assert home.tree() == undisturbed.tree


@pytest.mark.parametrize(
    "body", [b"", b'{"moves": [["0', b"\0" * 100, b'{"moves": [["x", "../../etc/passwd"]], "removals": []}']
)
@pytest.mark.slow
def test_a_damaged_journal_is_named_and_left_out(body: bytes, undisturbed: Undisturbed, tmp_path: Path) -> None:
    home = undisturbed.home(tmp_path / "corpus")
    home.staging.mkdir(parents=True)
    (home.staging / "journal").write_bytes(body)
    assert "journal cannot be read" in HERE.store(home).err
    assert home.tree() == undisturbed.tree


def test_a_chunk_deleted_by_hand_before_the_journal_was_forgotten_does_not_stop_the_store(
    steps: list[str], runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    home = undisturbed.home(tmp_path / "corpus")
    step = _places(steps, "os.remove", "/journal")[0]
    assert runner.run(home, "store", batch=BATCH, fatal_step=step).killed
    moves = json.loads((home.staging / "journal").read_bytes())["moves"]
    deleted = next(relative for _, relative in moves if relative.endswith(".md"))
    (home.corpus / deleted).unlink()
    assert f"left out: {deleted}" in HERE.store(home).err


def test_a_kill_leaves_no_file_behind_for_good(
    steps: list[str], runner: Runner, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    home = undisturbed.home(tmp_path / "corpus")
    (step,) = _places(steps, "os.rename", "corpus/.index.json")
    assert runner.run(home, "store", batch=BATCH, fatal_step=step).killed
    assert list(home.corpus.glob(".index.json*"))
    HERE.store(home)
    assert list(home.corpus.glob(".*")) == []
    assert not home.staging.exists()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="finds processes by what /proc says of them")
def test_no_worker_outlives_a_killed_store(runner: Runner, undisturbed: Undisturbed, tmp_path: Path) -> None:
    home = undisturbed.home(tmp_path / "corpus")
    patches = {"aicx.corpus.ingest.reading:_WORTH_WORKERS": 0, "aicx.config:_DEFAULTS": _defaults(workers=2)}
    marked = f"AICX_HOME={home.corpus}".encode()
    steps = runner.steps(undisturbed.home(tmp_path / "measured"), patches=patches)
    first_file = next(number for number, step in enumerate(steps, 1) if step.startswith("open") and "/staging/" in step)
    assert runner.run(home, "store", patches=patches, fatal_step=first_file).killed
    until(lambda: not _processes_with(marked))
    assert runner.run(home, "store", patches=patches).code == 0
    assert home.tree() == undisturbed.tree


def _defaults(**changed: object) -> dict[str, object]:
    from aicx import config

    return {**config._DEFAULTS, **changed}


def _places(steps: list[str], event: str, ending: str) -> list[int]:
    """The numbers, from 1, of the steps of this kind."""
    return [number for number, step in enumerate(steps, 1) if step.startswith(event) and ending in step]


def _second_publications(steps: list[str]) -> list[int]:
    """Where a second journal replaces the first of its batch."""
    found = []
    written = 0
    for number, step in enumerate(steps, 1):
        if step.startswith("os.rename") and "/journal.part" in step:
            written += 1
            if written == 2:
                found.append(number)
        elif step == "after commit":
            written = 0
    return found


def _processes_with(marked: bytes) -> list[int]:
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                if marked in Path(f"/proc/{name}/environ").read_bytes().split(b"\0"):
                    found.append(int(name))
            except OSError:
                continue
    return found
