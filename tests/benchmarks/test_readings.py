"""Readings by eye score who is stored as having spoken."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.readings import origin_lines, stored_home


def test_typed_has_precision_and_recall() -> None:
    read = [{"key": key, "label": label} for key, label in (("1", "typed"), ("2", "typed"), ("3", "injected"))]
    lines = list(origin_lines(read, {"1": "typed", "2": "pasted", "3": "typed"}))
    assert lines[0].startswith("precision of typed: 0.500 (1 of 2")
    assert lines[1].startswith("recall of typed: 0.500 (1 of 2")


def test_a_folder_without_logs_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["readings", str(tmp_path)])
    with pytest.raises(SystemExit), stored_home(None):
        pass
    assert "has no logs of agents" in capsys.readouterr().err
