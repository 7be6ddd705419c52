"""The trial: with the scripted model it runs to its end, and its tests tell a right answer from a guess."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import trial
from benchmarks.trial import scripted
from benchmarks.trial_tasks import TASKS, Task


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
@pytest.mark.slow
def test_the_check_of_a_task_takes_what_was_settled_and_nothing_else(task: Task, tmp_path: Path) -> None:
    for text, passes in ((task.before, False), (task.guess, False), (task.right, True)):
        (tmp_path / task.file).write_text(text)
        check = f"import sys; sys.path.insert(0, '.')\n{task.check}"
        done = subprocess.run([sys.executable, "-B", "-c", check], cwd=tmp_path, capture_output=True)
        assert (done.returncode == 0) == passes


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_task_says_nothing_of_its_answer(task: Task) -> None:
    assert task.telling in task.history[1]
    assert task.telling not in task.asked + task.before


@pytest.mark.process
def test_with_the_scripted_model_a_task_runs_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "TASKS", TASKS[4:5])
    with scripted() as url:
        without, with_aicx = trial.tries(trial.Model(url, "scripted"))
    assert (without.passed, without.asked) == (False, 0)
    assert (with_aicx.passed, with_aicx.asked) == (True, 1)
