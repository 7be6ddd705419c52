"""Fixtures of the tests of sessions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.builders import FamilyHome


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> FamilyHome:
    return FamilyHome(tmp_path, monkeypatch, capsys)
