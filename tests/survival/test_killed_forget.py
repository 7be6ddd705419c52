"""A `forget` that is killed at any step, from the first on: the same call again leaves no word, and no pattern."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.attack.histories import STATED, World, play
from tests.sampling import sample
from tests.survival.runs import HERE, Home, Runner

pytestmark = [pytest.mark.slow, pytest.mark.process]

CHAIN = ("store", "task start", "task update", "continuity save", "prepare it", "finalize it", "pack task", "memory")
KILLS = 3  # of each call, spread over its steps


@pytest.fixture
def begun(tmp_path: Path) -> World:
    """A world in which a session was carried on by everything, and a killed `cas put` left its text."""
    world = World(tmp_path / "w", "narwhal")
    world.begin()
    play(world, CHAIN)
    staged = world.home / "locks/cas-staging/0011223344556677.aicx-part"
    staged.parent.mkdir(parents=True, exist_ok=True)
    staged.write_text("narwhal")
    return world


@pytest.mark.parametrize("how", ["session", "pattern"])
def test_a_kill_at_any_step_leaves_nothing_after_the_next_call(how: str, begun: World, runner: Runner) -> None:
    said = {"session": begun.session, "pattern": "(?i)narwhal"}[how]
    call = ("forget", f"--{how}", said, "--yes", "--json")
    home, kept = Home(begun.folder / "user", begun.home), begun.folder.with_name("kept")
    shutil.copytree(begun.folder, kept)

    def again() -> None:
        shutil.rmtree(begun.folder)
        shutil.copytree(kept, begun.folder)

    steps = runner.steps(home, *call)
    assert begun.holding() == []
    # Where one of the two files of a record of the memory is gone.
    halved = [
        number + 1 for number, step in enumerate(steps, 1) if f"{begun.home.name}/memory/" in step and ".md" in step
    ]
    for step in sorted({*sample(range(1, len(steps) + 1), KILLS, how), *sample(halved, 1, how, ends=False)}):
        again()
        assert runner.run(home, *call, fatal_step=step).killed, steps[step - 1]
        ended = HERE.run(home, *call)
        assert ended.code == 0, (steps[step - 1], ended.out, ended.err)
        assert begun.holding() == [], steps[step - 1]
        assert begun.holding(STATED), steps[step - 1]
        assert not list(begun.home.rglob("*.aicx-part")), steps[step - 1]


def test_a_pattern_that_a_kill_left_half_written_goes_with_the_next_store(begun: World) -> None:
    home = Home(begun.folder / "user", begun.home)
    part = begun.home / "locks/.forgetting.json.4000000.aicx-part"
    part.write_text("tama[r]ind and more")
    assert HERE.run(home, "store").code == 0
    assert begun.holding("tama[r]ind") == []
