"""When what happened: the moments of a session, and a repository's sessions, merges, releases and latest commits."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.errors import NotFound
from aicx.servers.dashboard import requests as asked
from aicx.servers.dashboard.memory import read_page
from aicx.servers.dashboard.timeline import repository_timeline, session_timeline
from aicx.servers.dashboard.work import read_work
from tests.corpus.builders import SESSION, THIRD, ClaudeLog, Home, when
from tests.evidence.stories import Repository

pytestmark = pytest.mark.needs("web", "git")

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """``ada/orbit`` with a merge, a tag and two sessions on two branches; one begins with `/clear`."""
    user = Home(tmp_path_factory.mktemp("timeline"))
    repository = Repository(user.work / "orbit")
    repository.git("remote", "add", "origin", "git@x.org:ada/orbit.git")
    repository.commit("src/lexer.py", "x = 1\n", "Lex", when(0))
    repository.git("checkout", "-q", "-b", "fix/lexer")
    repository.commit("src/lexer.py", "x = 2\n", f"Use {TOKEN}", when(60))
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge the lexer", "fix/lexer")
    repository.git("tag", "v1.0")
    folder = str(repository.folder)
    log = ClaudeLog(SESSION, folder, "fix/lexer").prompt("/clear", 0).prompt("The lexer drops a token, why?", 5)
    log.call("Edit", 10, "call_1", file_path=f"{folder}/src/lexer.py", old_string="a", new_string="b")
    log.result("The file was updated", 11, "call_1")
    log.call("Bash", 12, "call_2", command="pytest -q").result("1 failed", 13, "call_2", failed=True)
    log.call("Bash", 20, "call_3", command="git commit -m Lexer").result("[fix/lexer 1a2b3c4] Lexer", 21, "call_3")
    user.claude(log.answer("It is mended.", 30))
    user.claude(ClaudeLog(THIRD, folder, "main").prompt("Count the tokens", 7200).answer("There are nine.", 7205))
    user.store()
    return user


def test_a_session_has_its_prompts_edits_failures_and_commits_in_order(home: Home) -> None:
    found = session_timeline(home.settings, "claude", SESSION)
    assert [(mark.kind, mark.label) for mark in found.marks] == [
        ("asked", "The lexer drops a token, why?"),
        ("edited", "src/lexer.py"),
        ("failed", "Bash: pytest -q"),
        ("committed", "Lexer"),
    ]
    assert all(mark.ref == f"chunk:claude:{SESSION}:001" for mark in found.marks)
    assert found.began <= found.marks[0].at <= found.marks[-1].at <= found.ended


def test_a_session_that_is_not_stored_has_none(home: Home) -> None:
    with pytest.raises(NotFound):
        session_timeline(home.settings, "claude", "ffffffff")


def test_a_repository_has_its_sessions_by_branch_and_its_merges_and_releases(home: Home) -> None:
    found = repository_timeline(home.settings, "ada/orbit")
    assert [(span.session, span.branch) for span in found.spans] == [
        (f"session:claude:{THIRD}", "main"),
        (f"session:claude:{SESSION}", "fix/lexer"),
    ]
    assert {(mark.kind, mark.label) for mark in found.marks} == {("merge", "Merge the lexer"), ("release", "v1.0")}
    assert found.commits[0].label == "Merge the lexer"
    assert found.at_hand


def test_a_secret_in_a_subject_is_not_shown(home: Home) -> None:
    found = repository_timeline(home.settings, "ada/orbit")
    assert len(found.commits) == 3
    assert TOKEN not in str(found)


def test_every_page_is_of_the_repository_that_the_server_was_started_in(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home.work / "orbit" / "src")
    assert repository_timeline(home.settings, None).repository == "ada/orbit"
    now = when(9000)
    assert read_work(home.settings, asked.WorkRequest(), now).repository == "ada/orbit"
    assert read_page(home.settings, asked.MemoryRequest(), now).repository is None  # it has no records


def test_outside_a_repository_there_is_nothing_to_tell(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = repository_timeline(home.settings, None)
    assert (found.repository is None or not found.spans, found.commits) == (True, [])


def test_a_repository_that_is_gone_keeps_its_sessions(home: Home) -> None:
    found = repository_timeline(home.settings, "ada/elsewhere")
    assert (found.at_hand, found.spans) == (False, [])
    assert "not at hand" in found.notes[-1]
