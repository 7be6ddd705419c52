"""The numbers of the house may fall, and rise only with a row of the page that allows it."""

from __future__ import annotations

import json
from pathlib import Path

from docs.ratchet import KEPT, PAGE, ROOT, allowed, numbers, risen

ROW = "| lines | 1,000 | 1,200 | a reader of another log format |\n"


def test_classes_and_names_are_counted(tmp_path: Path) -> None:
    for package, text in {
        "aicx": "@dataclass(frozen=True)\nclass Place: ...\nclass Row(NamedTuple):\n    a: int\n",
        "indexer": "@dataclasses.dataclass\nclass Place: ...\nclass Plain: ...\n",
        "retrieval": "",
    }.items():
        (tmp_path / package).mkdir()
        (tmp_path / package / "a.py").write_text(text)
    assert numbers(tmp_path) == {"lines": 7, "files": 3, "value classes": 3, "class names twice": 1}


def test_a_number_that_fell_is_no_problem() -> None:
    assert list(risen({"lines": 1000}, {"lines": 990})) == []


def test_a_number_that_rose_is_named() -> None:
    assert list(risen({"lines": 1000}, {"lines": 1001})) == ["lines: 1,001, and 1,000 is written down"]


def test_a_row_allows_a_rise_once() -> None:
    assert allowed(ROW, "lines", 1000) == 1200
    assert list(risen({"lines": 1000}, {"lines": 1201}, ROW)) != []
    assert allowed(ROW, "lines", 1200) == 1200
    assert allowed(ROW, "files", 1000) == 1000


def test_a_row_without_a_reason_allows_nothing() -> None:
    assert allowed("| lines | 1,000 | 1,200 | |\n", "lines", 1000) == 1000


def test_the_file_names_the_page() -> None:
    assert ROOT / json.loads(KEPT.read_text("utf-8"))["page"] == PAGE
