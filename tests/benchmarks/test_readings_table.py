"""The table of readings counts labels by kind and part, and the page has what it says."""

from __future__ import annotations

import json
from itertools import chain

import pytest

from benchmarks.readings_table import KINDS, LABELS, SPEAKS, TABLES, causes, main, read, table


def row(label: str, part: str = "before", cause: str = "") -> dict[str, str]:
    return {"id": "1", "part": part, "label": label} | ({"cause": cause} if cause else {})


def test_shares_are_of_the_rows_that_say_anything() -> None:
    rows = [row("useful"), row("wrong", cause="merged"), row("silent"), row("silent")]
    [line] = [line for line in table({"next": rows}, ("before", "fresh")) if line.startswith("| `next`")]
    cells = [cell.strip() for cell in line.split("|")]
    assert [cell.split(" ")[0] for cell in cells[2:6]] == ["50%", "0%", "50%", "2,"]
    assert cells[5] == "2, 2"
    assert cells[6:10] == ["", "", "", ""]


def test_rows_that_are_all_silent_have_no_shares() -> None:
    lines = table({"next": [row("silent"), row("silent")]}, ("before", "fresh"))
    [line] = [line for line in lines if line.startswith("| `next`")]
    assert [cell.strip() for cell in line.split("|")][2:6] == ["", "", "", "0, 2"]


def test_a_fresh_row_counts_in_the_second_columns() -> None:
    lines = table({"why": [row("useful", "fresh")]}, ("before", "fresh"))
    [line] = [line for line in lines if line.startswith("| `why`")]
    assert [cell.strip() for cell in line.split("|")][9] == "1"


def test_a_row_that_says_the_same_still_counts_in_both_parts() -> None:
    kept = {**row("wrong", "fresh", cause="cut"), "also": "present"}
    lines = table({"why": [kept, row("useful", "fresh")]}, ("fresh", "present"))
    [line] = [line for line in lines if line.startswith("| `why`")]
    cells = [cell.strip() for cell in line.split("|")]
    assert (cells[5], cells[9]) == ("2", "1")
    assert list(causes({"why": [kept]}, "present"))[2:] == ["| `why` | cut 1 |  |"]


def test_causes_are_listed_with_the_most_frequent_first() -> None:
    rows = [row("wrong", cause="cut"), row("wrong", cause="merged"), row("wrong", cause="merged"), row("useful")]
    assert list(causes({"briefs": rows}, "before"))[2:] == ["| briefs | merged 2, cut 1 |  |"]


def test_the_labels_hold_ids_and_single_words_and_no_text() -> None:
    for path in LABELS.glob("*.jsonl"):
        assert path.stem in KINDS
        for line in path.read_text("utf-8").splitlines():
            found = json.loads(line)
            assert set(found) <= {"id", "part", "also", "label", "cause"}
            assert {found["part"], found.get("also", "before")} <= set(chain.from_iterable(TABLES.values()))
            assert found["label"] in {*SPEAKS, "silent"}
            assert " " not in found.get("cause", "")


def test_a_row_has_one_label() -> None:
    for kind, rows in read().items():
        ids = [found["id"] for found in rows]
        assert len(set(ids)) == len(ids), kind


def test_the_page_is_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["readings_table", "--check"])
    assert main() == 0
