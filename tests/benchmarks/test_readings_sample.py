"""A sample of rows to read is the same wherever it is drawn, and what is kept for a fresh reading is apart."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.readings_sample import PARTS, drawn, hashed, part_of, place_of, row_of

NAMES = st.lists(st.text(min_size=1), unique=True, max_size=60)


@given(NAMES)
def test_no_session_is_in_both_parts(names: list[str]) -> None:
    rows = [row_of("title", "home", name, name) for name in names]
    before, fresh = ({row["of"] for row in drawn(rows, part, len(rows))} for part in PARTS)
    assert not before & fresh
    assert before | fresh == set(names)


@given(NAMES, st.randoms())
def test_the_order_of_the_rows_does_not_matter(names: list[str], random: Random) -> None:
    rows = [row_of("title", "home", name, name) for name in names]
    shuffled = sorted(rows, key=lambda row: random.random())
    assert drawn(rows, "before", 10) == drawn(shuffled, "before", 10)


@given(NAMES)
def test_a_larger_sample_begins_with_the_smaller_one(names: list[str]) -> None:
    rows = [row_of("title", f"home {len(name) % 2}", name, name) for name in names]
    assert drawn(rows, "fresh", 20)[:5] == drawn(rows, "fresh", 5)


def test_the_homes_take_turns() -> None:
    names = [name for name in map(str, range(60)) if part_of(name) == "before"][:12]
    rows = [row_of("title", "small" if number < 3 else "large", name, name) for number, name in enumerate(names)]
    assert [row["home"] for row in drawn(rows, "before", 6)] == ["large", "small"] * 3


def test_about_a_third_is_kept() -> None:
    kept = sum(part_of(str(number)) == "fresh" for number in range(3000))
    assert 900 < kept < 1100


def test_a_row_that_says_something_else_is_another_row() -> None:
    assert row_of("title", "home", "a", "Seal cell 3")["id"] != row_of("title", "home", "a", "Seal cell 4")["id"]


def test_words_are_not_run_together_in_a_hash() -> None:
    assert hashed("ab", "c") != hashed("a", "bc")


def test_a_project_without_a_repository_gets_an_empty_one_with_its_remote(tmp_path: Path) -> None:
    place = place_of("lunar/beacon", tmp_path / "none", tmp_path / "place")
    command = ["git", "-C", str(place), "remote", "get-url", "origin"]
    assert (
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().endswith("lunar/beacon.git")
    )
