"""What a new session is told, from real stores and real git repositories."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.engine.lexical_index import refresh_lexical
from aicx.errors import NotFound, UsageError
from aicx.evidence.kept import KeptParts
from aicx.evidence.session_brief import SessionBrief
from aicx.evidence.sessions import SessionRow, automated, list_sessions
from aicx.resume import Limits, ResumeQuery, reader
from aicx.resume.brief.output import json_brief, markdown_brief
from aicx.resume.report import Reason, ResumeReport
from aicx.resume.run import resume
from aicx.work.contract import ProofCommand
from aicx.work.facts_index import refresh_facts
from retrieval.decay import PROFILES
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, CodexLog, Home, snapshot, when
from tests.engine.search_helpers import embed, keep
from tests.evidence.stories import Repository
from tests.kept import Kept
from tests.parts import require

pytestmark = pytest.mark.slow

REMOTE = "git@example.org:ada/orbit.git"
DAY = 86_400.0
# Made up, in the shape of a real one.
TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
Ask = Callable[..., ResumeReport]


@pytest.fixture
def user(kept: Kept) -> Home:
    return Home(kept.empty())


@pytest.fixture
def repository(user: Home, kept: Kept) -> Repository:
    kept.again(lambda: Repository(user.work / "orbit", remote=REMOTE).commit("src/login.py"))
    return Repository(user.work / "orbit")


@pytest.fixture
def ask(user: Home, repository: Repository) -> Ask:
    """Asks ten days after the first session."""

    def asking(task: str = "", **query: Any) -> ResumeReport:
        fields: dict[str, Any] = {"now": when(10 * DAY), "folder": repository.folder, **query}
        return resume(user.settings, ResumeQuery(task=task, **fields))

    return asking


def work_on_login(user: Home, repository: Repository, **log: Any) -> None:
    """A session that edits the login, leaves a failing test, and says what is next."""
    folder = str(log.pop("cwd", repository.folder))
    found = ClaudeLog(SESSION, folder, **log).prompt("Tokens of the login expire too early", 0)
    found.call("Edit", 1, "t1", file_path=f"{folder}/src/login.py", new_string="x", old_string="y").result(
        "updated", 2, "t1"
    )
    found.call("Bash", 3, "t2", command="pytest -q").result("FAILED test_token - AssertionError", 4, "t2", failed=True)
    user.claude(found.answer("The lifetime of the token is fixed. The refresh still needs to be written.", 5))


def session_ids(report: ResumeReport) -> list[str]:
    found = [report.resumed.facts.session_id] if report.resumed else []
    return [*found, *(item.facts.session_id for item in report.others)]


def left_out(report: ResumeReport) -> dict[str, Reason | None]:
    return {item.ref: item.left_out for item in report.considered}


def test_last_session_is_told_with_what_it_left(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    report = ask()
    assert report.resumed is not None
    assert report.resumed.brief is not None
    assert report.resumed.brief.goal is not None
    assert report.resumed.brief.goal.text == "Tokens of the login expire too early"
    assert [line.text for line in report.resumed.brief.failures] == [
        "`pytest -q` failed: FAILED test_token - AssertionError"
    ]
    assert [file.path for file in report.files] == ["src/login.py"]


def test_what_was_read_for_a_brief_is_kept_until_its_chunk_is_another(
    user: Home, repository: Repository, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    work_on_login(user, repository)
    user.store()
    with open_catalog(user.settings.layout) as opened:
        refresh_facts(user.settings.layout, opened.catalog)
    first = ask()
    with monkeypatch.context() as patched:
        patched.setattr(reader, "read_steps", None)
        assert ask() == first
    (chunk,) = (user.corpus / "store").rglob("*.md")
    chunk.write_text(chunk.read_text().replace("expire", "Expire"))
    found = ask()
    assert found.resumed is None
    assert found.altered


@pytest.mark.parametrize("subject", ["Write the refresh", "The refresh still needs to be written", "Count the ports"])
def test_what_is_kept_of_a_session_goes_with_every_time_since(
    user: Home, repository: Repository, ask: Ask, subject: str
) -> None:
    work_on_login(user, repository)
    user.store()
    with open_catalog(user.settings.layout) as opened:
        refresh_facts(user.settings.layout, opened.catalog)
    before = ask()
    repository.commit("src/token.py", subject=subject, at=when(DAY))
    kept = ask()
    with closing(KeptParts(user.settings.layout, "briefs")) as parts:
        parts.drop(parts.stamps())
        parts.file.commit()
    assert ask() == kept
    assert kept.git.head != before.git.head


def test_session_of_any_agent_counts(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.codex(CodexLog(OTHER, str(repository.folder)).prompt("Write the docs", DAY).answer("Written.", DAY + 1))
    user.store()
    assert session_ids(ask()) == [OTHER, SESSION]


def test_task_chooses_the_session_that_had_to_do_with_it(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.codex(CodexLog(OTHER, str(repository.folder)).prompt("Write the docs", DAY).answer("Wrote docs.", DAY + 1))
    user.store()
    report = ask("refresh the token of the login")
    assert session_ids(report)[0] == SESSION
    assert report.recalled[0].chunk == f"claude:{SESSION}:001"
    assert report.search["rankers"] == ["scan"]


def test_ranker_asked_for_by_name_that_cannot_answer_is_an_error(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    with pytest.raises(NotFound):
        ask("refresh the token", mode="lexical")


def test_task_that_nothing_in_the_history_fits_is_told_so(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    report = ask("bake a chocolate cake for the login")
    assert report.recalled == ()
    assert report.resumed is not None
    assert report.resumed.confidence == "low"
    assert any("nothing in the history clearly fits this task" in warning for warning in report.warnings)
    assert left_out(report)[f"chunk:claude:{SESSION}:001"] == Reason.WEAK_MATCH


def test_task_that_the_history_fits_is_not_doubted(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    assert not any("nothing in the history" in warning for warning in ask("tokens of the login").warnings)
    assert not any("nothing in the history" in warning for warning in ask().warnings)


def test_passage_in_which_nobody_said_anything_by_itself_is_left_out(
    user: Home, repository: Repository, ask: Ask
) -> None:
    log = ClaudeLog(SESSION, str(repository.folder), "fix/login-tokens").prompt("make a pr", 0)
    user.claude(log.answer("https://example.org/ada/orbit/pull/12?login=tokens", 1))
    user.store()
    report = ask("login tokens")
    assert report.recalled == ()
    assert left_out(report)[f"chunk:claude:{SESSION}:001"] == Reason.SAYS_NOTHING


def test_session_that_broke_off_is_told_as_such(user: Home, repository: Repository, ask: Ask) -> None:
    user.codex(CodexLog(OTHER, str(repository.folder)).prompt("Write the docs", -DAY).answer("Wrote it.", 1 - DAY))
    log = ClaudeLog(THIRD, str(repository.folder)).prompt("Fix the cache", -2 * DAY).answer("I see it.", 1 - 2 * DAY)
    user.claude(log.prompt("and then the parser", 2 - 2 * DAY))
    work_on_login(user, repository)
    user.store()
    assert {item.facts.session_id: item.ending for item in ask().others} == {OTHER: None, THIRD: "broke off"}


def test_commit_in_another_repository_is_not_told_as_done_here(user: Home, repository: Repository, ask: Ask) -> None:
    other = user.repository("apiary", "git@example.org:bob/apiary.git")
    user.claude(ClaudeLog(THIRD, other).prompt("Count the bees", -DAY).answer("Counted.", 1 - DAY))
    log = ClaudeLog(SESSION, str(repository.folder)).prompt("Fix the login", 0)
    log.call("Bash", 1, "t1", command=f"cd {other} && git commit -m x").result("[main 1a2b3c4] Count", 2, "t1")
    log.call("Bash", 3, "t2", command="git commit -m x").result("[main 2b3c4d5] Fix the login", 4, "t2")
    user.claude(log.answer("Fixed the login.", 5))
    user.store()
    report = ask()
    assert report.resumed is not None
    assert report.resumed.brief is not None
    assert [line.text for line in report.resumed.brief.commits] == ["Fix the login"]


def test_worktree_has_the_history_of_its_repository(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    tree = user.work / "tree"
    repository.git("worktree", "add", "--quiet", "-b", "docs", str(tree))
    report = ask(folder=tree)
    assert (report.project, session_ids(report)) == ("ada/orbit", [SESSION])
    assert report.git.branch == "docs"


@pytest.mark.parametrize("title", ["/mcp", "Do this:"])
def test_session_whose_title_says_nothing_is_told_by_what_was_asked(
    title: str, user: Home, repository: Repository, ask: Ask
) -> None:
    log = ClaudeLog(OTHER, str(repository.folder)).title(title).prompt("/mcp", -DAY)
    user.claude(log.prompt("Write the docs", 1 - DAY).answer("Wrote docs.", 2 - DAY))
    work_on_login(user, repository)
    user.store()
    assert [item.facts.title for item in ask().others] == ["Write the docs"]


def test_other_repository_is_not_mixed_in(user: Home, repository: Repository, ask: Ask) -> None:
    other = user.repository("apiary", "git@example.org:bob/apiary.git")
    user.claude(ClaudeLog(THIRD, other).prompt("Tokens of the login expire too early", 0).answer("Fixed.", 1))
    work_on_login(user, repository)
    user.store()
    report = ask("tokens of the login")
    assert session_ids(report) == [SESSION]
    assert {item.project for item in report.recalled} == {"ada/orbit"}


def test_passage_of_a_related_repository_is_labelled(user: Home, repository: Repository, ask: Ask) -> None:
    fork = user.repository("fork", "git@example.org:bob/orbit.git")
    user.claude(ClaudeLog(THIRD, fork).prompt("Tokens of the login expire too early", 0).answer("Fixed.", 1))
    work_on_login(user, repository)
    user.store()
    refresh_lexical(user.settings, lambda line: None)
    report = ask("tokens of the login expire")
    assert {(item.project, item.relation) for item in report.recalled} == {
        ("ada/orbit", None),
        ("bob/orbit", "same_name"),
    }


def test_session_that_only_meaning_finds_is_gone_on_from(user: Home, repository: Repository, ask: Ask) -> None:
    folder = str(repository.folder)
    user.claude(
        ClaudeLog(SESSION, folder).prompt("Reconnection backoff", 0).answer("Reconnection doubles its backoff.", 1)
    )
    user.codex(CodexLog(OTHER, folder).prompt("Write the docs", DAY).answer("Wrote the docs.", DAY + 1))
    keep(user)
    assert session_ids(ask("rereconnectionary antibackoffing"))[0] == OTHER  # no word is the same; it is the latest
    embed(user)
    found = ask("rereconnectionary antibackoffing")
    assert session_ids(found)[0] == SESSION
    assert {item.ref: item.reasons for item in found.considered}[f"chunk:claude:{SESSION}:001"] == (
        Reason.MATCHES_TASK,
    )


def test_decay_decides_between_an_old_match_and_a_recent_one(user: Home, repository: Repository, ask: Ask) -> None:
    folder = str(repository.folder)
    old = ClaudeLog(SESSION, folder).prompt("The lifetime of the login token", 0)
    user.claude(old.answer("The lifetime of the login token is counted in seconds.", 1))
    far = ClaudeLog(THIRD, folder).prompt("The token of the cache", DAY)
    user.claude(far.answer("It has a key.", DAY + 1))
    for number in range(7, 10):  # that being the latest decides nothing
        filler = ClaudeLog(f"{number}{THIRD[1:]}", folder).prompt("Write the docs", 390 * DAY + number)
        user.claude(filler.answer("Wrote the docs.", 391 * DAY + number))
    recent = ClaudeLog(OTHER, folder).prompt("The lifetime of the login token", 380 * DAY)
    user.claude(recent.answer("It is counted in minutes now, and the page of the settings says so too.", 380 * DAY + 1))
    user.store()
    now, task = when(400 * DAY), "lifetime of the login token"
    assert session_ids(ask(task, now=now, decay=None))[0] == SESSION
    assert session_ids(ask(task, now=now, decay=PROFILES["strong"]))[0] == OTHER


@pytest.mark.parametrize("task", ["make a pr for this", "continue", "run the tests again"])
def test_order_that_leans_on_what_came_before_goes_on_from_the_latest(
    task: str, user: Home, repository: Repository, ask: Ask
) -> None:
    folder = str(repository.folder)
    work_on_login(user, repository)
    user.codex(CodexLog(OTHER, folder).prompt("Make a pr and run the tests", DAY).answer("Opened it.", DAY + 1))
    user.claude(ClaudeLog(THIRD, folder).prompt("Sort the notes", 2 * DAY).answer("Sorted the notes.", 2 * DAY + 1))
    user.store()
    found = ask(task)
    assert session_ids(found)[0] == THIRD
    assert (found.recalled, found.resumed and found.resumed.confidence) == ((), "medium")


def test_pull_request_in_the_log_of_git_is_merged(user: Home, repository: Repository, ask: Ask) -> None:
    folder = str(repository.folder)
    log = ClaudeLog(SESSION, folder).prompt("Fix the login", 0).call("Bash", 1, "t1", command="gh pr create --fill")
    log.result("https://example.org/ada/orbit/pull/12", 2, "t1")
    user.claude(log.answer("Fixed the login. The PR still needs to be merged.", 3))
    user.store()
    assert [line.text for line in brief_in(ask()).ahead] == ["The PR still needs to be merged."]
    repository.commit("b.py", subject="Fix the login (#12)", at=when(DAY))
    assert (brief_in(ask()).ahead, brief_in(ask()).pull_requests[0].text) == (
        (),
        "https://example.org/ada/orbit/pull/12 (merged)",
    )


def test_failure_that_a_later_session_saw_pass_is_not_told(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    task = "tokens of the login expire too early"
    assert len(brief_in(ask(task)).failures) == 1
    log = ClaudeLog(OTHER, str(repository.folder)).prompt("Sort the notes", DAY)
    log.call("Bash", DAY + 1, "t9", command="pytest -q").result("9 passed", DAY + 2, "t9")
    user.claude(log.answer("Sorted the notes.", DAY + 3))
    user.store()
    report = ask(task)
    assert (session_ids(report)[0], brief_in(report).failures) == (SESSION, ())


def test_work_is_proved_with_the_tests_that_most_sessions_ran_where_the_last_ran_none(
    user: Home, repository: Repository, ask: Ask
) -> None:
    folder = str(repository.folder)
    for number, command in enumerate(("just test", "mise run test:unit", "just lint && just test")):
        log = ClaudeLog(f"{number}{SESSION[1:]}", folder).prompt("Mend the parser of dates", number)
        log.call("Bash", number + 1, f"t{number}", command=command).result("9 passed", number + 2, f"t{number}")
        user.claude(log.answer("Fixed the parser.", number + 3))
    user.claude(ClaudeLog(THIRD, folder).prompt("Sort the notes", DAY).answer("Sorted the notes.", DAY + 1))
    user.store()
    with open_catalog(user.settings.layout) as opened:
        refresh_facts(user.settings.layout, opened.catalog)
    repository.commit("go.mod", at=when(-DAY))
    report = ask()
    assert session_ids(report)[0] == THIRD
    assert report.contract is not None
    assert report.contract.test_command == ProofCommand("just test", "previous_successful_command")


def brief_in(report: ResumeReport) -> SessionBrief:
    assert report.resumed is not None
    assert report.resumed.brief is not None
    return report.resumed.brief


def test_sessions_of_several_projects_count(user: Home, repository: Repository, ask: Ask) -> None:
    other = user.repository("apiary", "git@example.org:bob/apiary.git")
    user.claude(ClaudeLog(THIRD, other).prompt("Count the bees of every hive", DAY).answer("Counted.", DAY + 1))
    work_on_login(user, repository)
    user.store()
    assert session_ids(ask(folder=None, project="ada/orbit")) == [SESSION]
    found = ask("count the bees", folder=None, project="ada/orbit", also=("apiary",))
    assert session_ids(found) == [THIRD, SESSION]
    assert [item.project for item in found.recalled] == ["bob/apiary"]


# Automated runs -----------------------------------------------------------------------------------------------------


def automate(monkeypatch: pytest.MonkeyPatch, *ids: str) -> None:
    """From now on the catalogue says of the sessions that a program ran them."""

    def marked(*asked: Any, **more: Any) -> list[SessionRow]:
        found = list_sessions(*asked, **more)
        return [
            replace(item, automated_why="started by claude -p" if item.session_id in ids else None) for item in found
        ]

    monkeypatch.setattr("aicx.resume.session_choice.list_sessions", marked)


def test_automated_run_is_gone_on_from_where_no_newer_session_is_open(
    user: Home, repository: Repository, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    work_on_login(user, repository)
    folder = str(repository.folder)
    log = ClaudeLog(OTHER, folder).prompt("Review the change", DAY)
    log.call("Edit", DAY + 1, "t1", file_path=f"{folder}/src/a.py").result("updated", DAY + 2, "t1")
    user.claude(log.answer("Fixed the review.", DAY + 3))
    user.store()
    automate(monkeypatch, OTHER)
    assert session_ids(ask()) == [OTHER, SESSION]


def test_automated_run_that_changed_nothing_is_not_gone_on_from(
    user: Home, repository: Repository, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    work_on_login(user, repository)
    log = ClaudeLog(OTHER, str(repository.folder)).prompt("Rate the change", DAY).answer("It is neutral.", DAY + 1)
    user.claude(log)
    user.store()
    automate(monkeypatch, OTHER)
    assert session_ids(ask())[0] == SESSION


def test_automated_run_gives_way_to_a_newer_session_that_a_person_left_open(
    user: Home, repository: Repository, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(repository.folder)
    user.claude(ClaudeLog(OTHER, folder).prompt("Review the login tokens", 0).answer("Reviewed the login tokens.", 1))
    typed = ClaudeLog(THIRD, folder).prompt("Sort the notes", DAY)
    user.claude(typed.answer("Sorted the notes. The index still needs to be written.", DAY + 1))
    user.store()
    task = "review the login tokens"
    assert session_ids(ask(task))[0] == OTHER
    automate(monkeypatch, OTHER)
    found = ask(task)
    assert session_ids(found) == [THIRD]
    assert left_out(found)[f"session:claude:{OTHER}"] == Reason.AUTOMATED


def test_automated_runs_are_not_among_the_other_sessions(
    user: Home, repository: Repository, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(repository.folder)
    user.claude(ClaudeLog(OTHER, folder).prompt("Review the change", 0).answer("Fixed the review.", 1))
    user.claude(ClaudeLog(THIRD, folder).prompt("Sort the notes", DAY).answer("Sorted the notes.", DAY + 1))
    user.store()
    automate(monkeypatch, OTHER)
    found = ask()
    assert session_ids(found) == [THIRD]
    assert left_out(found)[f"session:claude:{OTHER}"] == Reason.AUTOMATED


def test_evidence_for_an_automated_run_is_read_where_the_catalogue_has_it() -> None:
    with closing(Catalog.in_memory()) as catalog:
        assert automated(catalog, [SESSION]) == {}
        if not catalog.rows("SELECT 1 FROM pragma_table_info('sessions')"):
            catalog.rows("CREATE TABLE sessions (agent TEXT, session_id TEXT, automated_why TEXT)")
        catalog.rows(
            "INSERT INTO sessions (agent, session_id, automated_why) VALUES ('claude', ?, 'a hook')", [SESSION]
        )
        assert automated(catalog, [SESSION, OTHER]) == {("claude", SESSION): "a hook"}


# Branches -----------------------------------------------------------------------------------------------------------


def test_session_on_an_unmerged_branch_is_listed_and_not_gone_on_from(
    user: Home, repository: Repository, ask: Ask
) -> None:
    repository.git("switch", "--quiet", "--create", "fix/login")
    repository.commit("b.py")
    repository.git("switch", "--quiet", "main")
    work_on_login(user, repository, branch="fix/login")
    user.store()
    report = ask("tokens of the login")
    assert report.resumed is None
    assert [(item.facts.session_id, item.standing) for item in report.others] == [(SESSION, "unmerged")]
    assert Reason.OTHER_BRANCH_UNMERGED in report.others[0].reasons
    assert any("which is not merged here" in warning for warning in report.warnings)


def test_session_on_a_merged_branch_is_gone_on_from(user: Home, repository: Repository, ask: Ask) -> None:
    repository.git("branch", "fix/login")
    work_on_login(user, repository, branch="fix/login")
    user.store()
    report = ask()
    assert report.resumed is not None
    assert (report.resumed.facts.session_id, report.resumed.standing) == (SESSION, "merged")


def test_commits_tell_whether_a_branch_that_is_gone_was_merged(user: Home, repository: Repository, ask: Ask) -> None:
    repository.git("switch", "--quiet", "--create", "fix/login")
    commit = repository.commit("b.py", subject="Fix login")
    repository.git("switch", "--quiet", "main")
    repository.git("tag", "kept", "fix/login")
    repository.git("branch", "--quiet", "-D", "fix/login")
    log = ClaudeLog(SESSION, str(repository.folder), "fix/login").prompt("Fix the login", 0)
    log.call("Bash", 1, command="git commit -am 'Fix login'").result(f"[fix/login {commit[:7]}] Fix login", 2)
    user.claude(log.answer("Committed the fix of the login.", 3))
    user.store()
    assert ask().resumed is None
    repository.git("merge", "--quiet", "--ff-only", "kept")
    report = ask()
    assert report.resumed is not None
    assert report.resumed.standing == "merged"


def test_commits_since_the_last_session_are_told(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    repository.commit("b.py", subject="Later", at=when(DAY))
    report = ask()
    assert ([commit.subject for commit in report.commits], report.commit_count) == (["Later"], 1)


# Places -------------------------------------------------------------------------------------------------------------


def test_empty_corpus_still_tells_what_git_says(repository: Repository, ask: Ask) -> None:
    report = ask("tokens of the login")
    assert (report.git.branch, report.project, report.resumed) == ("main", "ada/orbit", None)
    assert "nothing is stored" in report.warnings[0]


def test_empty_corpus_is_told_in_one_line(user: Home, ask: Ask) -> None:
    text = markdown_brief(user.settings, ask("tokens of the login"), 2000).text.decode()
    assert text == f"nothing is stored in {user.settings.layout.home} yet (next: aicx store)\n"


def test_folder_that_is_no_repository_has_the_sessions_that_worked_there(user: Home, ask: Ask) -> None:
    folder = user.work / "notes"
    folder.mkdir(parents=True)
    user.claude(ClaudeLog(THIRD, str(folder)).prompt("Sort the notes by date", 0).answer("Sorted.", 1))
    user.store()
    report = ask("sort notes", folder=folder)
    assert (report.git.kind, report.project, session_ids(report)) == ("none", None, [THIRD])
    assert len(report.recalled) == 1


def test_bare_repository_has_the_sessions_of_its_working_trees(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    bare = user.work / "bare.git"
    repository.git("clone", "--quiet", "--bare", ".", str(bare))
    repository.folder = bare
    repository.git("config", "remote.origin.url", REMOTE)
    report = ask(folder=bare)
    assert (report.git.kind, session_ids(report)) == ("bare", [SESSION])


def test_detached_head_shallow_clone_and_submodule_give_a_brief(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    repository.commit("b.py")
    shallow, outer = user.work / "shallow", Repository(user.work / "outer")
    repository.git("clone", "--quiet", "--depth=1", repository.folder.as_uri(), str(shallow))
    outer.git("submodule", "--quiet", "add", str(repository.folder), "inner")
    repository.git("checkout", "--quiet", "--detach")
    texts = [
        markdown_brief(user.settings, ask(folder=folder), 2000).text.decode()
        for folder in (repository.folder, shallow, outer.folder / "inner")
    ]
    assert "detached head at" in texts[0]
    assert "a shallow clone" in texts[1]
    assert "a submodule of" in texts[2]


@pytest.mark.slow
def test_ten_thousand_new_files_give_a_brief_within_its_budget(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    for number in range(10_000):
        (repository.folder / f"new{number}.txt").touch()
    brief = markdown_brief(user.settings, ask("tokens of the login"), 1000)
    assert "10,000 files changed or untracked" in brief.text.decode()
    assert brief.tokens <= 1000


def test_folder_that_does_not_exist_is_refused(ask: Ask, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no folder"):
        ask(folder=tmp_path / "gone")


def test_project_can_be_named_without_its_folder(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    report = ask("tokens", folder=None, project="ada/orbit")
    assert session_ids(report) == [SESSION]
    assert [file.path for file in report.files] == ["src/login.py"]


@pytest.mark.parametrize("name", ["orbit", "ada/", "ORBIT", "*/orbit"])
def test_project_can_be_named_in_part(user: Home, repository: Repository, ask: Ask, name: str) -> None:
    work_on_login(user, repository)
    user.store()
    assert session_ids(ask("tokens", folder=None, project=name)) == [SESSION]


def test_project_nobody_knows_is_refused(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    with pytest.raises(NotFound, match="no project or folder matches 'nosuch'"):
        ask("tokens", folder=None, project="nosuch")


# What is seen -------------------------------------------------------------------------------------------------------


def test_only_what_was_there_at_the_time_is_seen(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.codex(CodexLog(OTHER, str(repository.folder)).prompt("Tokens of the login", DAY).answer("Changed.", DAY + 1))
    user.store()
    report = ask("tokens of the login", now=when(DAY / 2))
    assert session_ids(report) == [SESSION]
    assert {item.session_id for item in report.recalled} == {SESSION}


def test_message_after_the_moment_is_not_seen(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    report = ask(now=when(2.5))
    assert report.resumed is not None
    assert report.resumed.brief is not None
    assert (report.resumed.brief.progress, report.resumed.brief.failures) == (None, ())


def test_excluded_session_is_left_out_and_named_in_the_manifest(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    report = ask("tokens of the login", exclude_session=(SESSION,))
    assert (report.resumed, report.others, report.recalled) == (None, (), ())
    assert left_out(report)[f"session:claude:{SESSION}"] == Reason.EXCLUDED_BY_USER


def test_sessions_from_before_the_given_time_are_not_considered(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    assert session_ids(ask("tokens of the login", since=when(DAY))) == []


def test_file_that_is_gone_or_elsewhere_is_nothing_to_look_at(user: Home, repository: Repository, ask: Ask) -> None:
    folder = repository.folder
    log = ClaudeLog(SESSION, str(folder)).prompt("Clean up", 0)
    for number, path in enumerate((f"{folder}/gone.py", "/etc/hosts", f"{folder}/../secret.txt", f"{folder}/link.py")):
        log.call("Edit", 2 * number + 1, f"t{number}", file_path=path).result("updated", 2 * number + 2, f"t{number}")
    user.claude(log.answer("Cleaned up.", 20))
    user.store()
    (user.work / "secret.txt").touch()
    (folder / "link.py").symlink_to(user.work / "secret.txt")
    report = ask()
    assert report.files == ()
    reasons = {ref: reason for ref, reason in left_out(report).items() if ref.startswith("file:")}
    assert reasons == {
        "file:gone.py": Reason.NOT_THERE,
        "file:link.py": Reason.NOT_THERE,
        "file:/etc/hosts": Reason.OUTSIDE_REPOSITORY,
        "file:../secret.txt": Reason.OUTSIDE_REPOSITORY,
    }


def test_everything_considered_is_listed_once(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.codex(CodexLog(OTHER, str(repository.folder)).prompt("Tokens of the login", DAY).answer("Changed.", DAY + 1))
    user.store()
    repository.write("src/login.py", "y\n")
    manifest = markdown_brief(user.settings, ask("tokens of the login in src/login.py"), 2000).manifest()
    refs = [entry["ref"] for entry in manifest["entries"]]
    assert len(refs) == len(set(refs))
    assert {f"session:claude:{SESSION}", f"session:codex:{OTHER}", "file:src/login.py"} <= set(refs)


def test_limits_of_a_full_brief_are_wider() -> None:
    assert Limits.full().files > Limits().files
    assert Limits.full().recalled > Limits().recalled


# Promises -----------------------------------------------------------------------------------------------------------


def test_nothing_is_written_anywhere(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    before = snapshot(repository.folder), snapshot(user.corpus)
    report = ask("tokens of the login")
    json_brief(user.settings, report, 4000, explain=True)
    assert (snapshot(repository.folder), snapshot(user.corpus)) == before


def test_secret_in_the_task_or_in_git_is_not_printed(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    repository.commit("b.py", subject=f"Use {TOKEN}", at=when(DAY))
    repository.write(f"{TOKEN}.txt")
    report = ask(f"use {TOKEN} for the login", agent=TOKEN)
    printed = json_brief(user.settings, report, 20_000, explain=True).text.decode()
    printed += markdown_brief(user.settings, report, 20_000).text.decode()
    assert TOKEN not in printed
    assert "[REDACTED:" in printed


def test_size_that_is_told_is_the_size_that_is_printed_with_the_manifest_too(
    user: Home, repository: Repository, ask: Ask
) -> None:
    work_on_login(user, repository)
    user.store()
    text = json_brief(user.settings, ask("tokens"), 2000, explain=True).text
    assert json.loads(text)["budget"]["estimated_tokens"] == -(-len(text) // 4)


def test_missing_map_is_told(user: Home, repository: Repository, ask: Ask) -> None:
    work_on_login(user, repository)
    user.store()
    report = ask("tokens of the login")
    assert report.map_status["index_available"] is False
    assert any("aicx map refresh" in note for note in report.unavailable)


def map_of(user: Home, repository: Repository) -> None:
    require("code")
    from aicx.repomap.refresh import refresh_map

    refresh_map(user.settings.layout, repository.folder)


def test_map_says_where_to_look(user: Home, repository: Repository, ask: Ask) -> None:
    repository.commit("src/tokens.py", "import os\n\n\ndef renew_token():\n    return os.urandom(8)\n")
    map_of(user, repository)
    report = ask("renew the token")
    assert [(symbol.path, symbol.line, symbol.symbol) for symbol in report.symbols] == [
        ("src/tokens.py", 4, "renew_token")
    ]
    assert "map:src/tokens.py:4" in left_out(report)
    context = json.loads(json_brief(user.settings, report, 2000).text)["structural_context"]
    assert (context["index_available"], context["used"], context["entry_point_count"]) == (True, True, 1)


def test_file_that_is_gone_since_the_map_was_made_is_not_named(user: Home, repository: Repository, ask: Ask) -> None:
    gone = repository.write("src/tokens.py", "def renew_token(): ...\n")
    map_of(user, repository)
    gone.unlink()
    report = ask("renew the token")
    assert report.symbols == ()
    assert any("aicx map refresh" in note for note in report.unavailable)


def test_map_of_another_repository_does_not_count(user: Home, repository: Repository, ask: Ask) -> None:
    other = Repository(user.work / "apiary")
    other.commit("tokens.py", "def renew_token(): ...\n")
    map_of(user, other)
    report = ask("renew the token")
    assert (report.symbols, report.map_status["index_available"]) == ((), False)


def test_map_is_not_asked_without_a_task(user: Home, repository: Repository, ask: Ask) -> None:
    map_of(user, repository)
    report = ask()
    assert report.map_status == {}
    context = json.loads(json_brief(user.settings, report, 2000).text)["structural_context"]
    assert (context["index_available"], context["used"]) == (None, False)


def test_folder_whose_name_holds_a_nul_is_refused(ask: Ask) -> None:
    with pytest.raises(UsageError, match="is no folder"):
        ask(folder=Path("/srv/a\0b"))


def test_folder_that_may_not_be_read_is_refused(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    with pytest.raises(UsageError, match="may not be read"):
        ask()
