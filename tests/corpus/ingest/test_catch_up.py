"""Sidecars of an earlier version learn who spoke and what it is about, where no log can say it again."""

from __future__ import annotations

import shutil
from hashlib import sha256
from pathlib import Path

import orjson
import pytest

from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.files import encode_sidecar
from aicx.corpus.ingest import publishing
from tests.corpus.builders import SESSION, ClaudeLog, Home

TASK = '{"task_id":"b1","tool_use_id":"toolu_9","description":"Seal the cell","task_type":"local_bash"}'
NEW = ("topic", "topic_from", "work", "work_from", "prompt_key", "automated_why")


@pytest.fixture
def home(home: Path, tmp_path: Path) -> Home:
    return Home(tmp_path)


def make_old(home: Home, title: str) -> dict[Path, bytes]:
    """Makes the sidecars those of an earlier version and the logs vanish; returns the Markdown of each chunk."""
    shutil.rmtree(home.root / ".claude")
    for path in home.corpus.glob("catalog.sqlite*"):
        path.unlink()
    for sidecar in home.corpus.rglob("*.meta.json"):
        fields = orjson.loads(sidecar.read_bytes())
        messages = [
            message | {"origin": "typed"} if message["role"] == "user" else message for message in fields["messages"]
        ]
        old = {name: value for name, value in fields.items() if name not in NEW}
        sidecar.write_bytes(encode_sidecar(old | {"messages": messages, "title": title}))
    return {path: path.read_bytes() for path in home.corpus.rglob("*.md")}


def title_of(home: Home) -> str | None:
    with open_catalog(home.settings.layout) as opened:
        return opened.catalog.session_title("claude", SESSION)


def stored(home: Home) -> None:
    queued = {"type": "queue-operation", "operation": "enqueue", "content": TASK, "sessionId": SESSION}
    log = ClaudeLog().prompt("Implement the following plan:\n\n# Plan: Seal the queen's cell\n\nWith wax.", 0)
    log.answer("I'll begin.", 1)
    log.records.append({**queued, "timestamp": "2026-03-01T10:00:02.000Z"})
    home.claude(log.answer("The cell is sealed with wax.", 3))
    home.store()


def test_a_sidecar_catches_up_and_the_text_stays(home):
    stored(home)
    before = home.sidecars()
    texts = make_old(home, "Implement the following plan:")
    home.store()
    assert {path: path.read_bytes() for path in home.corpus.rglob("*.md")} == texts
    assert home.sidecars() == before
    assert title_of(home) == "Seal the queen's cell"
    origins = [message["origin"] for message in before[0]["messages"] if message["role"] == "user"]
    assert origins == ["typed", "injected"]


def test_catching_up_once_is_enough(home):
    stored(home)
    make_old(home, "Implement the following plan:")
    home.store()
    sidecars = {path: path.stat().st_mtime_ns for path in home.corpus.rglob("*.meta.json")}
    home.store()
    assert {path: path.stat().st_mtime_ns for path in home.corpus.rglob("*.meta.json")} == sidecars


def test_a_title_that_was_given_stays(home):
    stored(home)
    make_old(home, "Wax for the queen")
    home.store()
    assert title_of(home) == "Wax for the queen"


def test_a_chunk_that_was_altered_is_left_as_it_is(home):
    stored(home)
    make_old(home, "Implement the following plan:")
    (chunk,) = home.corpus.rglob("*.md")
    chunk.write_bytes(chunk.read_bytes() + b"more")
    sidecar = chunk.with_name(chunk.stem + ".meta.json")
    digest = sha256(sidecar.read_bytes()).digest()
    home.store()
    assert sha256(sidecar.read_bytes()).digest() == digest


def store_by_older_rules(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stores a log as a reader did that took everybody for a program."""
    home.claude(ClaudeLog().prompt("Seal the queen cells", 0).answer("The cells are sealed.", 1))
    with monkeypatch.context() as before:
        before.setattr("aicx.corpus.catalog.watermarks.READ_BY", "1")
        before.setattr("aicx.sources.claude.turns.is_by_program", lambda record: True)
        home.store()


def automated(home: Home) -> list[str | None]:
    with open_catalog(home.settings.layout) as opened:
        return [row["automated_why"] for row in opened.catalog.rows("SELECT automated_why FROM sessions")]


def test_who_ran_a_stored_session_is_told_by_the_rules_of_today_after_the_next_store(home, monkeypatch):
    store_by_older_rules(home, monkeypatch)
    assert automated(home) != [None]
    home.store()
    assert automated(home) == [None]


def test_unchanged_logs_are_read_once_more_and_then_no_more(home, monkeypatch):
    store_by_older_rules(home, monkeypatch)
    assert [home.store().logs_read for _ in range(2)] == [1, 0]


def test_a_run_for_some_sessions_does_not_stand_for_the_rest(home, monkeypatch):
    store_by_older_rules(home, monkeypatch)
    home.store(agents=("codex",))
    assert home.store().logs_read == 1


@pytest.mark.parametrize("is_whole", [True, False])
def test_names_by_former_rules_are_made_anew_once_without_the_log_where_it_is_told_whole(home, monkeypatch, is_whole):
    home.claude(
        ClaudeLog().prompt("Seal the queen's cell" + ("" if is_whole else " with wax\n\n" * 9000), 0).answer("Done.", 3)
    )
    home.store()
    before = home.sidecars()
    for sidecar in home.corpus.rglob("*.meta.json"):
        fields = orjson.loads(sidecar.read_bytes()) | {"topic": "Queen", "title": "Queen"}
        sidecar.write_bytes(encode_sidecar(fields))
    for path in home.corpus.glob("catalog.sqlite*"):
        path.unlink()
    shutil.move(home.root / ".claude", home.root / "gone")
    home.store()
    assert title_of(home) == "Queen"
    monkeypatch.setattr(publishing, "RULES", "later")
    home.store()
    assert title_of(home) == ("Seal the queen's cell" if is_whole else "Queen")
    assert (home.sidecars() == before) is is_whole
    sidecars = {path: path.stat().st_mtime_ns for path in home.corpus.rglob("*.meta.json")}
    home.store()
    assert {path: path.stat().st_mtime_ns for path in home.corpus.rglob("*.meta.json")} == sidecars
