"""Readings by eye score what is stored now, and count as unread what changed since."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.readings import origin_lines, stored_home, title_hash, title_lines


def test_a_title_that_changed_is_unread() -> None:
    sessions = {("claude", name): {"title": f"Seal cell {name}", "automated_why": None} for name in ("a", "b", "c")}
    read = [
        {"agent": "claude", "session_id": "a", "title": title_hash("Seal cell a"), "label": "says"},
        {"agent": "claude", "session_id": "b", "title": title_hash("/clear"), "label": "says nothing"},
        {"agent": "claude", "session_id": "gone", "title": title_hash("x"), "label": "says"},
    ]
    says, changed, shared = title_lines(read, sessions)
    assert says.startswith("titles that say something: 1.000 (1 of 1")
    assert changed == "titles that changed since they were read: 1; never read: 1"
    assert "(0 of 3" in shared


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
