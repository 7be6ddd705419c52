"""Forgetting reaches the vector index: one outside the corpus, and one that is just being written."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest

from aicx.cli import run
from aicx.config import load_settings
from aicx.engine.search import SearchQuery, search
from aicx.engine.vector_index import Choice, build_vectors, vector_state
from aicx.errors import NotFound
from aicx.storage.lock import writer_lock
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home, when
from tests.engine.search_helpers import ignore

pytest.importorskip("lancedb")
pytestmark = pytest.mark.filterwarnings("ignore")  # lancedb's own


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Two stored sessions."""
    user = Home(tmp_path)
    for name, value in user.environ.items():
        monkeypatch.setenv(name, value)
    user.claude(ClaudeLog(SESSION, "/srv/notes").prompt("The heron nests by the weir", 0))
    user.claude(ClaudeLog(OTHER, "/srv/notes").prompt("Paint the shed green", 60))
    assert run(["store"]) == 0
    return user


@pytest.fixture
def outside(user: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """They are indexed by meaning at an address outside the corpus."""
    address = tmp_path / "shared"
    layout = load_settings().layout
    layout.config_file.write_text(f'index_uri = "{address}"\nlock_wait_seconds = 0.1\n')
    embed()
    capsys.readouterr()
    return address


def embed() -> None:
    build_vectors(load_settings(), Choice("test"), rebuild=False, tell=ignore, say=ignore)


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


def test_what_was_indexed_while_the_user_was_asked_leaves_too(
    user: Home, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def confirm(*words: object, **options: object) -> bool:
        user.claude(ClaudeLog(THIRD, "/srv/notes").prompt("The heron is back", 120))
        assert run(["store"]) == 0
        embed()
        return True

    monkeypatch.setattr("typer.confirm", confirm)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert run(["forget", "--project", "/srv/notes"]) == 0
    assert dict(vector_state(load_settings()).table.versions) == {}


def test_nothing_leaves_the_other_address_while_somebody_writes_there(
    outside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with writer_lock(load_settings().layout.locks, 1, ignore, name="vectors"):
        assert run(["forget", "--session", SESSION, "--yes"]) == 5
    assert "run the command again" in capsys.readouterr().err
    assert near("heron weir") == [SESSION]


def test_an_index_at_another_address_is_still_known_after_a_forget_that_failed(
    outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("aicx.storage.journal.Writer.publish", lambda writer: 1 / 0)
        assert run(["forget", "--session", SESSION, "--yes"]) == 70
    assert list(vector_state(load_settings()).table.versions) == [f"claude:{OTHER}:001"]


def test_a_session_forgotten_while_it_is_indexed_is_in_no_index_afterwards(user: Home) -> None:
    forgetting = Thread(target=run, args=(["forget", "--session", SESSION, "--yes"],))

    def meanwhile(progress: object) -> None:
        if not forgetting.ident:
            forgetting.start()
            forgetting.join(0.5)

    build_vectors(load_settings(), Choice("test"), rebuild=False, tell=meanwhile, say=ignore)
    forgetting.join()
    with pytest.raises(NotFound):
        vector_state(load_settings())
    assert not (user.corpus / "index" / "vectors.lance").exists()
    embed()
    assert list(vector_state(load_settings()).table.versions) == [f"claude:{OTHER}:001"]
