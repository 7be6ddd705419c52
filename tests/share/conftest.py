"""A home with two sessions of its own for each test, and the share in a folder that it is part of."""

from __future__ import annotations

import pytest

from tests.engine.search_helpers import copied
from tests.share.teams import PUMP, VALVE, home, join


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    return home(
        tmp_path_factory.mktemp("stored"),
        (VALVE, "Why does the valve leak?", "The gasket of the valve was worn, so I replaced it."),
        (PUMP, "Why does the pump hum?", "A bearing of the pump is loose. " * 40),
    )


@pytest.fixture
def ada(stored, tmp_path, monkeypatch):
    return copied(stored, tmp_path).used(monkeypatch)


@pytest.fixture
def membership(ada, tmp_path):
    return join(ada, tmp_path / "share", "ada")
