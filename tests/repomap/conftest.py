from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.repomap.builders import Repo


@pytest.fixture
def new_repo(tmp_path: Path, home: Path) -> Callable[[Mapping[str, str]], Repo]:
    return lambda files: Repo.new(tmp_path / "orchard", home / ".aicx", files)


@pytest.fixture
def no_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the optional part is not installed."""
    monkeypatch.setitem(sys.modules, "tree_sitter", None)
