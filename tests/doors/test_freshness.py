"""The one sentence on a stale index, and every door that says it."""

from __future__ import annotations

import pytest

from aicx.cli import run
from aicx.engine.index_manifest import index_state, read_manifest, stale_indexes, write_manifest
from aicx.engine.search import SearchQuery, search
from aicx.engine.search_answer import search_answer
from aicx.fields import to_fields
from aicx.resume import ResumeQuery
from aicx.resume.run import resume
from aicx.servers.mcp.texts import search_text
from tests.corpus.builders import Home
from tests.engine.search_helpers import NOW

UNKNOWN = "the lexical index may not be up to date: it was made for another catalogue; next: aicx store"


def test_an_index_that_is_behind_is_named_with_the_command_that_helps() -> None:
    assert stale_indexes({"lexical": {"behind": 0}, "dense": {"behind": 1}, "scan": {"behind": 0}}) == [
        "the dense index is 1 chunk behind; next: aicx index"
    ]


def test_an_index_of_which_nothing_is_known_is_not_passed_over() -> None:
    assert stale_indexes({"lexical": {"behind": None}}) == [UNKNOWN]


@pytest.mark.parametrize(
    ("exists", "behind", "words"),
    [
        (False, None, "none"),
        (True, None, "made for another catalogue"),
        (True, 2, "2 chunks behind"),
        (True, 0, "up to date"),
    ],
)
def test_the_state_of_an_index_in_words(exists: bool, behind: int | None, words: str) -> None:
    assert index_state(exists=exists, behind=behind) == words


@pytest.fixture
def unknown(user: Home) -> Home:
    """A corpus whose index was made for another catalogue."""
    made = read_manifest(user.settings.layout)["lexical"]
    write_manifest(user.settings.layout, "lexical", made | {"catalog": "another"})
    return user


def test_every_door_says_that_an_index_may_not_be_up_to_date(
    unknown: Home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("AICX_HOME", str(unknown.corpus))
    assert run(["search", "lexer"]) == 0
    assert UNKNOWN in capsys.readouterr().err
    fields = to_fields(search_answer(search(unknown.settings, SearchQuery("lexer", NOW))))
    assert f"Warning: {UNKNOWN}." in search_text(fields, {})
    report = resume(unknown.settings, ResumeQuery(now=NOW, task="lexer", project="ada/orbit"))
    assert UNKNOWN in [*report.warnings, *report.unavailable]
