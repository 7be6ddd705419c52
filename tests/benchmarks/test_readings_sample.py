"""A sample of rows to read is the same wherever it is drawn, and what is kept for a fresh reading is apart."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.cli import run
from benchmarks.readings_sample import PARTS, PROJECTS, Release, drawn, hashed, part_of, place_of, row_of, rows_of_home

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


@pytest.fixture
def release(tmp_path: Path) -> Release:
    """A release whose sessions are two of a person and one of a program, in this order."""
    sessions = [
        {"agent": "claude", "session_id": name, "started_at": f"2026-01-0{day}", "title": name, "automated": automated}
        | {"runs": 1, "lane": "primary", "project": "lunar/beacon", "branch": "main"}
        for day, (name, automated) in enumerate((("first", False), ("check", True), ("second", False)), start=1)
    ]
    program = tmp_path / "aicx"
    program.write_text(
        "#!/bin/sh\n"
        f"case $1 in sessions) echo '{json.dumps({'items': sessions[::-1]})}' ;;\n"
        "  failures) echo '{\"items\": []}'; exit 3 ;; memory) echo '{\"candidates\": []}' ;; *) exit 1 ;; esac\n"
    )
    program.chmod(0o755)
    return Release(str(program), tmp_path, tmp_path / "corpus")


def test_every_session_has_a_title_to_read(release: Release) -> None:
    assert [row["of"] for kind, row in rows_of_home(release, "home") if kind == "titles"] == [
        "claude:first",
        "claude:check",
        "claude:second",
    ]


def test_a_start_is_replayed_where_a_person_began_after_another_session(release: Release) -> None:
    assert [row["of"] for kind, row in rows_of_home(release, "home") if kind == "moments"] == ["claude:second"]


def test_a_command_that_fails_ends_the_sample(release: Release) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        release.run("state")


def test_the_projects_of_a_home_are_asked_by_a_command_that_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("HOME", "AICX_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    assert run([*PROJECTS, "--json"]) == 3  # 2 were a command that there is not
    assert "nothing is stored" in capsys.readouterr().out
