"""The benchmark of parsed outputs."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.toolchains import predictions


def test_a_prediction_has_what_the_scorer_compares(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("a.py:1: error: Missing return statement  [return]\n", "utf-8")
    case = {"id": "one", "command": "mypy a.py", "exit_code": 1, "output_file": "one.txt"}
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(case) + "\n", "utf-8")
    (row,) = predictions(tmp_path, cases)
    (error,) = row.pop("errors")
    assert row == {"id": "one", "family": "python_types", "failed": True}
    assert error.pop("fingerprint")
    assert error == {
        "file": "a.py",
        "line": 1,
        "code": "return",
        "message": "Missing return statement",
        "severity": "error",
    }
