"""Commits that tools printed tell the session that made one, where no git is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.search import Searcher, SearchQuery
from retrieval.params import DEFAULT_PARAMS
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home, when
from tests.engine.search_helpers import ignore

SUBJECT = "stop trimming long transcripts"


def first(home: Home, question: str = SUBJECT, *, sightings: bool = True) -> str:
    """The session that comes first."""
    rules = replace(DEFAULT_PARAMS, sightings=sightings)
    with Searcher(home.settings) as searcher:
        hits = searcher.search(SearchQuery(question, when(200_000), group="session", rules=rules)).hits
    return str(hits[0].sidecar.fields["session_id"])


def kept(folder: Path, command: str, printed: str) -> Home:
    """A session whose tool printed the subject, and a later one that speaks of nothing else."""
    home = Home(folder)
    log = ClaudeLog(SESSION).prompt("The page shows half of long transcripts", 0)
    home.claude(log.call("Bash", 10, command=command).result(printed, 11).answer("Done.", 12))
    talk = ClaudeLog(OTHER).prompt("Did we stop trimming long transcripts?", 90_000)
    home.claude(talk.answer("Yes.", 90_010))
    home.claude(ClaudeLog(THIRD).prompt("A long list of other things", 180_000))
    home.store()
    refresh_lexical(home.settings, ignore)
    return home


def test_the_session_that_made_the_commit_comes_first(tmp_path: Path) -> None:
    home = kept(tmp_path, f'git commit -m "{SUBJECT}"', f"[main 1a2b3c4] {SUBJECT}\n 1 file changed")
    assert first(home, sightings=False) == OTHER
    assert first(home) == SESSION


@pytest.mark.parametrize("question", ["why did we stop trimming long transcripts", "trimming"])
def test_a_question_or_a_word_is_no_subject(tmp_path: Path, question: str) -> None:
    home = kept(tmp_path, f'git commit -m "{SUBJECT}"', f"[main 1a2b3c4] {SUBJECT}\n 1 file changed")
    assert first(home, question) == first(home, question, sightings=False)


def test_a_session_that_only_lists_the_commit_is_not_raised(tmp_path: Path) -> None:
    home = kept(tmp_path, "git log --oneline", f"1a2b3c4 {SUBJECT}\n2b3c4d5 Add a page")
    assert first(home) == OTHER
