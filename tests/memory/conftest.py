"""Fixtures of the tests of the memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.memory.builders import Place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(tmp_path, monkeypatch, capsys)
