"""A small part of the benchmark of damaged files: nothing changes an answer unnamed, and one command mends it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.sampling import number_of_run

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).parents[2]


@pytest.mark.needs("semantic", "code")
def test_damaged_files_are_without_effect_or_named_and_mended() -> None:
    # In a process of its own: it forks, which a process in which lance runs already must not.
    sizes = ("--count", "4", "--questions", "6", "--seed", str(number_of_run(1000)))
    command = [sys.executable, "-m", "benchmarks.damage", *sizes]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=400)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 corruptions, 0 bad, 0 exits 70" in done.stdout
