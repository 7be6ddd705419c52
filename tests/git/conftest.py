"""A repository with one commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evidence.stories import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path / "orbit")
    found.commit()
    return found
