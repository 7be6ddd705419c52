"""Tests that are spread over processes: each module in one of them, and the end says what all of them did."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.spread import is_of_part

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("parts", [1, 2, 3])
def test_a_module_is_of_one_part(parts: int) -> None:
    for module in map(str, ROOT.glob("tests/**/test_*.py")):
        assert sum(is_of_part(module, f"{part}/{parts}") for part in range(1, parts + 1)) == 1


@pytest.mark.process
def test_the_end_adds_up_what_all_parts_did_and_the_code_is_of_the_one_that_failed(tmp_path: Path) -> None:
    skipped = "__import__('pytest').skip('no moon')"
    for number, body in enumerate(["assert True", "assert False", skipped, skipped]):
        (tmp_path / f"test_{number}.py").write_text(f"def test_it():\n    {body}\n")
    (tmp_path / "pytest.ini").touch()
    run = subprocess.run(
        [sys.executable, "-m", "tests.spread", "2", "-q", "-p", "tests.conftest", "-p", "no:cacheprovider", tmp_path],
        cwd=ROOT, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert run.returncode == 1
    reason, outcomes = run.stdout.splitlines()[-2:]
    assert reason == "skipped 2: no moon"
    assert outcomes.startswith("1 failed, 1 passed, 2 skipped in ")
