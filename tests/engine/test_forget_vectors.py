"""Forgetting reaches a vector index that lies outside the corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.cli import run
from aicx.config import load_settings
from aicx.engine.search import SearchQuery, search
from aicx.engine.semantic import Choice, build_vectors, vector_state
from tests.corpus.building import OTHER, SESSION, ClaudeLog, Home, when

pytest.importorskip("lancedb")
pytestmark = pytest.mark.filterwarnings("ignore")  # lancedb's own


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """Two stored sessions, indexed by meaning at an address outside the corpus."""
    user = Home(tmp_path)
    for name, value in user.environ.items():
        monkeypatch.setenv(name, value)
    user.claude(ClaudeLog(SESSION, "/srv/notes").prompt("The heron nests by the weir", 0))
    user.claude(ClaudeLog(OTHER, "/srv/notes").prompt("Paint the shed green", 60))
    assert run(["store"]) == 0
    address = tmp_path / "shared"
    layout = load_settings().layout
    layout.config_file.write_text(f'index_uri = "{address}"\n')
    build_vectors(load_settings(), Choice("test"), rebuild=False, tell=lambda _: None, say=lambda _: None)
    capsys.readouterr()
    return address


def near(text: str) -> list[str]:
    report = search(load_settings(), SearchQuery(text, when(3600), mode="dense"))
    return [hit.sidecar.session_id for hit in report.hits]


def test_a_forgotten_session_leaves_an_index_at_another_address(outside: Path) -> None:
    assert near("heron weir") == [SESSION]
    assert run(["forget", "--session", SESSION, "--yes"]) == 0
    assert SESSION not in near("heron weir")
    assert list(vector_state(load_settings()).table.versions) == [f"claude:{OTHER}:001"]


def test_nothing_is_forgotten_while_the_other_address_cannot_be_read(
    outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in outside.rglob("*.manifest"):
        path.write_bytes(b"damaged")
    assert run(["forget", "--session", SESSION, "--yes"]) != 0
    capsys.readouterr()
    assert run(["steer", "--session", SESSION, "--json"]) == 0
    assert SESSION in capsys.readouterr().out
