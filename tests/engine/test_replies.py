"""An answer that only asks is quoted with what the agent said in the end, wherever in the session that is."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from aicx.corpus.catalog.fields import ENDS, SPEAKS
from aicx.corpus.catalog.filters import parse_filters
from aicx.storage.derived import record_of
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, Home
from tests.engine.search_helpers import NOW, ask, copied, keep

WORK = "Let me look into the next drawer. " * 300
QUESTION = "why does the compressor rattle"


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A long session whose first prompt is answered some chunks later, and a short one that never is."""
    user = Home(tmp_path_factory.mktemp("workshop"))
    log = ClaudeLog(SESSION).prompt("Why does the compressor rattle?", 0)
    for turn in range(1, 4):
        log.answer(f"{WORK} That was row {turn}.", turn * 10)
    log.answer("It rattles because a bolt is loose.", 50).prompt("And the fan?", 60).answer("The fan is fine.", 70)
    user.claude(log)
    user.claude(ClaudeLog(OTHER).prompt("Why does the elevator squeak?", 0).answer("Let me look at it.", 1))
    keep(user)
    return user


def test_a_question_is_answered_by_the_last_word_before_the_next_prompt(workshop: Home) -> None:
    hit = ask(workshop, f'"{QUESTION}"').hits[0]
    assert hit.sidecar.id == f"claude:{SESSION}:001"
    assert hit.reply is not None
    assert [line.text for line in hit.reply.lines] == ["It rattles because a bolt is loose."]
    assert hit.reply.chunk != hit.sidecar.id
    assert hit.reply.ref == hit.reply.chunk.removeprefix("claude:").replace(SESSION, SESSION[:8])


def test_the_reply_is_read_under_the_same_filters(workshop: Home) -> None:
    within = parse_filters(NOW, until="2026-03-01T10:00:05")
    hit = ask(workshop, QUESTION, filters=within).hits[0]
    assert hit.reply is None


def test_an_announcement_is_no_reply(workshop: Home) -> None:
    hit = ask(workshop, "why does the elevator squeak").hits[0]
    assert (hit.reply, [line.text for line in hit.lines]) == (None, ["Why does the elevator squeak?"])


def test_a_reply_that_was_altered_on_disk_is_left_out(workshop: Home, tmp_path: Path) -> None:
    own = copied(workshop, tmp_path)
    found = ask(own, f'"{QUESTION}"').hits[0].reply
    assert found is not None
    [path] = [path for path, fields in own.chunks().items() if fields["id"] == found.chunk]
    (own.corpus / path).write_text("It rattles because somebody wrote this here later.")
    assert ask(own, f'"{QUESTION}"').hits[0].reply is None


def test_a_catalogue_of_a_former_release_knows_the_same_reply_and_learns_how_chunks_go_on(
    workshop: Home, tmp_path: Path
) -> None:
    own = copied(workshop, tmp_path)
    path = own.settings.layout.catalog
    record_of(path).unlink()
    turns = "SELECT turn FROM chunks ORDER BY id"
    with closing(sqlite3.connect(path)) as connection:
        known = connection.execute(turns).fetchall()
        connection.executescript("ALTER TABLE chunks DROP COLUMN turn")
    found = ask(own, f'"{QUESTION}"').hits[0].reply
    assert found is not None
    assert [line.text for line in found.lines] == ["It rattles because a bolt is loose."]
    own.store()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(turns).fetchall() == known
    assert {turn for (turn,) in known} >= {SPEAKS, SPEAKS | ENDS}


def test_folded_answers_are_one_a_session(workshop: Home) -> None:
    hits = ask(workshop, "compressor drawer squeak", fold=True, limit=5).hits
    assert len({hit.sidecar.session_id for hit in hits}) == len(hits) == 2
    [long] = [hit for hit in hits if hit.sidecar.session_id == SESSION]
    assert long.more
    assert long.ref not in long.more
