"""Fixtures of the tests of the review lane."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.review.builders import Review


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Review:
    return Review(tmp_path, monkeypatch, capsys)
