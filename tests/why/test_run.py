"""From commits, files and lines of real repositories to the sessions that made them."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from aicx.errors import NotFound, UsageError
from aicx.evidence import Step, read_steps
from aicx.paths import Layout
from aicx.why.answer import answer_why
from aicx.why.candidates import MAX_WEIGHED
from aicx.why.run import WhyQuery
from tests.corpus.builders import OTHER, SESSION, THIRD, Home, snapshot, when
from tests.evidence.stories import Repository
from tests.kept import Kept
from tests.why.builders import DAY, HOUR, Story, ids, kinds

pytestmark = pytest.mark.slow

LONG = "def parse(text):\n    tokens = split_into_tokens(text)\n    return build_tree(tokens)\n"


@pytest.fixture
def story(kept: Kept) -> Story:
    user = Home(kept.folder)
    kept.again(lambda: Story(user))
    return Story(user)


def parse_session(story: Story, session: str = SESSION, begin: float = 0.0) -> None:
    """A session that writes the parser and does not commit it."""
    log = story.log(session).prompt("The parser should read nested brackets", begin)
    story.edited(log, "src/parser.py", begin + 10, LONG)
    story.keep(log.answer("The parser reads nested brackets now.", begin + 30))


def docs_session(story: Story, session: str = OTHER, begin: float = 0.0) -> None:
    log = story.log(session).prompt("Describe the installation", begin)
    story.edited(log, "docs/install.md", begin + 10)
    story.keep(log.answer("The installation is described.", begin + 30))


def test_session_that_changed_the_files_before_the_commit_is_first(story: Story) -> None:
    parse_session(story)
    docs_session(story)
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    report = story.ask(commit)
    assert ids(report)[0] == SESSION
    assert {"files", "lines", "time", "place"} <= kinds(report)
    assert report.sessions[0].confidence == "high"


def test_session_that_committed_is_named_beside_the_one_that_wrote_the_lines(story: Story) -> None:
    parse_session(story)
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    log = story.log(OTHER).prompt("Commit what is there", 50)
    story.ran(log, "git commit -am x", f"[main {commit[:7]}] Nested brackets are read\n 1 file changed", 59)
    story.keep(log)
    report = story.ask(commit[:9])
    assert ids(report) == [SESSION, OTHER]
    assert "made" in kinds(report, 1)
    assert report.sessions[1].confidence == "high"
    [sighting] = report.sightings
    assert (sighting.made_in, sighting.subject) == (OTHER, "Nested brackets are read")


def test_session_that_only_began_after_the_commit_is_not_named(story: Story) -> None:
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    parse_session(story, begin=2 * HOUR)
    assert ids(story.ask(commit)) == []


def test_session_of_another_repository_is_not_named(story: Story, tmp_path: Path) -> None:
    other = story.user.repository("lamp", "git@example.org:ada/lamp.git")
    log = story.log(SESSION, cwd=other).prompt("The parser should read nested brackets", 0)
    story.keep(story.edited(log, "src/parser.py", 10, LONG))
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    assert ids(story.ask(commit)) == []


def test_reason_quotes_request_decision_failure_and_passing_test(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    log.answer("I use a stack instead of recursion, because deep nesting would exhaust the call stack.", 5)
    story.edited(log, "src/parser.py", 10, LONG)
    story.ran(log, "pytest -q tests/test_parser.py", "FAILED test_nested - AssertionError", 20, failed=True)
    story.edited(log, "src/parser.py", 25, LONG)
    story.ran(log, "pytest -q tests/test_parser.py", "3 passed", 30)
    story.keep(log.answer("Nested brackets are read.", 40))
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    found = {line.kind: line for line in story.ask(commit).reason}
    assert found["asked"].text == "The parser should read nested brackets"
    assert "instead of recursion" in found["weighed"].text
    assert found["failed"].text == "`pytest -q tests/test_parser.py` failed: FAILED test_nested - AssertionError"
    assert found["passed"].text == "`pytest -q tests/test_parser.py` passed"
    assert found["reported"].ref == f"chunk:claude:{SESSION}:001"


def test_session_about_something_else_is_not_said_to_fit_the_subject(story: Story) -> None:
    story.keep(story.log().prompt("Which brackets do screws of the lamp need?", 0).answer("Long ones.", 5))
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    [session] = story.ask(commit).sessions
    [evidence] = [one for one in session.evidence if one.kind == "text"]
    assert evidence.text == "one passage has 1 of 3 terms of its subject"


def test_what_was_said_after_the_commit_is_no_reason_for_it(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    story.edited(log, "src/parser.py", 10, LONG)
    log.answer("Nested brackets are read.", 20).prompt("Now colour the output of the lamp", 2 * HOUR)
    story.keep(log.answer("It is coloured.", 2 * HOUR + 5))
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    assert not any("colour" in line.text for line in story.ask(commit).reason)


def test_renamed_file_leads_to_the_session_that_wrote_it_under_its_old_name(story: Story) -> None:
    parse_session(story)
    story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    story.repository.git("mv", "src/parser.py", "src/reader.py")
    story.repository.git("commit", "--quiet", "--message", "Call it reader", at=when(3 * DAY))
    assert SESSION in ids(story.ask("src/reader.py"))


def test_moved_lines_lead_to_the_session_that_wrote_them(story: Story) -> None:
    parse_session(story)
    story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    log = story.log(OTHER).prompt("Say at the top what the parser is for", 2 * DAY)
    story.keep(story.edited(log, "src/parser.py", 2 * DAY + 10, "# A parser of brackets and of what is in them."))
    moved = f"# A parser of brackets and of what is in them.\n\n\n{LONG}"
    story.repository.commit("src/parser.py", moved, "Say what it is", when(2 * DAY + 60))
    assert ids(story.ask("src/parser.py:5-6"))[0] == SESSION
    assert ids(story.ask("src/parser.py:1"))[0] == OTHER


def test_line_of_a_commit_that_two_sessions_wrote_leads_to_its_own(story: Story) -> None:
    second = "def render(tree):\n    lines = lay_out_every_branch(tree)\n    return join_all_lines(lines)\n"
    for session, seconds, text in ((SESSION, 0.0, LONG), (OTHER, 600.0, second)):
        log = story.log(session).prompt(f"Write the function of {session[:4]}", seconds)
        story.keep(story.edited(log, "src/parser.py", seconds + 10, text).answer(f"Written {session}.", seconds + 20))
    commit = story.repository.commit("src/parser.py", LONG + second, "Two functions", when(900))
    assert ids(story.ask("src/parser.py:2"))[0] == SESSION
    assert ids(story.ask("src/parser.py:5"))[0] == OTHER
    assert set(ids(story.ask(commit))) == {SESSION, OTHER}


def test_commit_of_a_file_keeps_the_count_of_all_its_files(story: Story) -> None:
    parse_session(story)
    (story.repository.folder / "manual.md").write_text("Brackets.\n")
    story.repository.git("add", "--all")
    story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    [commit] = answer_why(story.user.settings, WhyQuery("src/parser.py", when(DAY), story.repository.folder)).commits
    assert (commit.files, commit.file_count) == (["manual.md", "src/parser.py"], 2)


def test_rebased_commit_is_found_by_the_hash_it_had_before(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    story.repository.git("switch", "--quiet", "--create", "brackets")
    before = story.repository.commit("src/parser.py", LONG, "Brackets", when(60))
    story.ran(log, "git commit -am Brackets", f"[brackets {before[:7]}] Brackets\n 1 file changed", 59)
    story.keep(log)
    story.repository.git("switch", "--quiet", "main")
    story.repository.commit("other.py", "x\n", "Something else", when(2 * DAY))
    story.repository.git("cherry-pick", before, at=when(3 * DAY))
    story.repository.git("commit", "--amend", "--quiet", "--message", "Read nested brackets", at=when(3 * DAY))
    after = story.repository.git("rev-parse", "HEAD")
    report = story.ask(after)
    assert before in report.wanted[0].hashes
    assert ids(report) == [SESSION]
    assert "made" in kinds(report)


def test_squashed_commit_is_found_by_the_messages_in_its_body(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    story.ran(log, "git commit -am x", "[brackets 1a2b3c4] Read nested brackets at last\n 1 file changed", 59)
    story.keep(log)
    story.repository.write("src/parser.py", LONG)
    story.repository.git("add", "--all")
    body = "* Read nested brackets at last\n\n* fix lint"
    story.repository.git("commit", "--quiet", "-m", "Parser (#12)", "-m", body, at=when(4 * DAY))
    report = story.ask("#12")
    assert ids(report) == [SESSION]
    assert "made" in kinds(report)


def test_merge_stands_for_the_commits_that_it_brought(story: Story) -> None:
    parse_session(story)
    story.repository.git("switch", "--quiet", "--create", "brackets")
    story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    story.repository.git("switch", "--quiet", "main")
    story.repository.git("merge", "--quiet", "--no-ff", "--no-edit", "brackets", at=when(4 * DAY))
    assert ids(story.ask("HEAD")) == [SESSION]


def test_tag_and_range_stand_for_the_commits_between(story: Story) -> None:
    story.repository.git("tag", "v1")
    parse_session(story)
    story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    docs_session(story, begin=DAY)
    story.repository.commit("docs/install.md", LONG, "The installation", when(DAY + 60))
    story.repository.git("tag", "v2")
    for target in ("v2", "v1..v2"):
        assert set(ids(story.ask(target))) == {SESSION, OTHER}


def test_lines_that_are_not_committed_lead_to_the_session_that_wrote_them(story: Story) -> None:
    story.repository.commit("src/parser.py", "def parse(text):\n    pass\n", "A stub", when(-DAY))
    parse_session(story)
    docs_session(story)
    story.repository.write("src/parser.py", LONG)
    report = story.ask("src/parser.py:2-3", now=when(HOUR))
    assert ids(report)[0] == SESSION
    assert report.sessions[0].commit == ""


def test_unknown_commit_is_found_in_what_git_printed(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    story.edited(log, "src/parser.py", 10, LONG)
    story.ran(log, "git commit -am x", "[main 1a2b3c4] Nested brackets are read\n 1 file changed", 59)
    story.keep(log)
    report = story.ask("1a2b3c4")
    assert ids(report) == [SESSION]
    assert "this repository has no commit 1a2b3c4: only the logs are asked" in report.notes


def test_without_a_repository_a_viewed_log_bounds_the_time(story: Story, tmp_path: Path) -> None:
    parse_session(story)
    log = story.log(THIRD).prompt("What is new?", HOUR)
    story.keep(story.ran(log, "git log --oneline", "1a2b3c4 Nested brackets are read\n", HOUR + 5))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    report = story.ask("1a2b3c4d", folder=elsewhere)
    assert [(one.hash, one.subject, one.made_in) for one in report.sightings] == [
        ("1a2b3c4", "Nested brackets are read", None)
    ]
    assert SESSION in ids(report)
    assert "no repository is at hand: only the logs are asked" in report.notes


def test_subject_without_a_repository_is_taken_from_the_log_that_printed_it(story: Story, tmp_path: Path) -> None:
    parse_session(story)
    late = story.log(THIRD).prompt("Nested brackets: are they read well?", 2 * HOUR)
    story.keep(story.edited(late, "src/parser.py", 2 * HOUR + 5, "other"))
    log = story.log(OTHER).prompt("Commit what is there", HOUR)
    story.keep(story.ran(log, "git commit -am x", "[main 1a2b3c4] Nested brackets are read", HOUR + 5))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for asked in ("Nested brackets are read", "nested brackets are read (#7)", "brackets are nested, read"):
        report = story.ask(asked, folder=elsewhere)
        assert report.target.kind == "subject"
        assert ids(report) == [OTHER, SESSION]
        [sighting] = report.sightings
        assert (sighting.hash, sighting.made_in) == ("1a2b3c4", OTHER)
    assert story.ask("Something that no log shows", folder=elsewhere).sessions == ()


def test_subject_in_its_repository_names_the_commit(story: Story) -> None:
    parse_session(story)
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    report = story.ask("nested brackets")
    assert [one.change.hash for one in report.wanted] == [commit]
    assert ids(report) == [SESSION]
    unknown = story.ask("curly brackets are read")
    assert "no commit of this repository has this subject: only the logs are asked" in unknown.notes


def test_number_that_git_does_not_know_is_bounded_by_the_log_that_opened_it(story: Story) -> None:
    parse_session(story)
    log = story.log(OTHER).prompt("Open a pull request", HOUR)
    command = 'gh pr create --title "Nested brackets" --body x'
    story.keep(story.ran(log, command, "https://github.com/ada/orbit/pull/31\n", HOUR + 5))
    report = story.ask("#31")
    assert [(one.hash, one.subject, one.made_in) for one in report.sightings] == [("#31", "Nested brackets", OTHER)]
    assert set(ids(report)) == {OTHER, SESSION}


def test_sighting_of_another_repository_bounds_nothing(story: Story, tmp_path: Path) -> None:
    other = story.user.repository("lamp", "git@example.org:ada/lamp.git")
    log = story.log(OTHER, cwd=other).prompt("Open a pull request", HOUR)
    command = 'gh pr create --title "Dim the lamp" --body x'
    story.keep(story.ran(log, command, "https://github.com/ada/lamp/pull/31\n", HOUR + 5))
    assert story.ask("#31").sightings == ()


def test_file_is_found_without_a_repository(story: Story, tmp_path: Path) -> None:
    parse_session(story)
    docs_session(story)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert ids(story.ask("src/parser.py", folder=elsewhere)) == [SESSION]


def test_without_git_the_logs_are_asked(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    parse_session(story)
    monkeypatch.setenv("PATH", "/nonexistent")
    report = story.ask("src/parser.py")
    assert ids(report) == [SESSION]
    assert "git is not installed" in report.notes


def test_missing_index_is_said(story: Story) -> None:
    parse_session(story)
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    assert any(note.startswith("there is no lexical index") for note in story.ask(commit).notes)


def test_nothing_found_is_an_empty_answer(story: Story) -> None:
    docs_session(story)
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60 * DAY))
    report = story.ask(commit)
    assert (report.sessions, report.reason) == ((), ())


@pytest.mark.parametrize("target", ["", "a\nb", "a\0b", "x" * 5_000])
def test_what_names_nothing_is_refused(story: Story, target: str) -> None:
    docs_session(story)
    with pytest.raises(UsageError):
        story.ask(target)


@pytest.mark.parametrize("target", ["--output=stolen", "-p", "no/such/file", "main..--output=stolen", "@{upstream}"])
def test_hostile_and_unknown_targets_run_nothing(story: Story, target: str) -> None:
    docs_session(story)
    before = snapshot(story.repository.folder)
    with pytest.raises((NotFound, UsageError)):
        story.ask(target)
    assert snapshot(story.repository.folder) == before


def test_file_outside_the_repository_is_refused(story: Story) -> None:
    docs_session(story)
    with pytest.raises(UsageError, match="is not in the repository"):
        story.ask("../../etc/passwd")


@pytest.mark.parametrize("seconds", [0, 253_402_300_799, 2**63])
def test_commit_of_an_impossible_time_is_answered(story: Story, seconds: int) -> None:
    parse_session(story)
    stream = f"commit refs/heads/odd\ncommitter A <a@example.org> {seconds} +0000\ndata 3\nodd\n"
    importing = ["git", "-C", story.folder, "fast-import", "--quiet", "--date-format=raw-permissive"]
    subprocess.run(importing, input=stream.encode(), check=True, capture_output=True)
    assert ids(story.ask("odd")) == []


def test_no_file_of_the_repository_is_written(story: Story) -> None:
    parse_session(story)
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    before = snapshot(story.repository.folder)
    for target in (commit, "src/parser.py", "src/parser.py:1-2", "main~1..main"):
        story.ask(target)
    assert snapshot(story.repository.folder) == before


def test_programs_that_a_repository_names_are_not_run(story: Story) -> None:
    parse_session(story)
    story.repository.write(".gitattributes", "*.py diff=spy filter=spy\n")
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    trap = story.repository.folder / "trap"
    for name in ("diff.spy.command", "diff.spy.textconv", "filter.spy.clean", "diff.external"):
        story.repository.git("config", name, f"touch {trap}; cat")
    story.repository.write("src/parser.py", f"{LONG}\n# more\n")
    for target in (commit, "src/parser.py", "src/parser.py:1-5"):
        story.ask(target)
    assert not trap.exists()


def test_shallow_clone_still_answers_for_what_it_has(story: Story, tmp_path: Path) -> None:
    parse_session(story)
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    clone = tmp_path / "clone" / "orbit"
    address = f"file://{story.repository.folder}"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", address, str(clone)], check=True, capture_output=True)
    assert ids(story.ask(commit, folder=clone)) == [SESSION]


def test_partial_clone_answers_without_fetching(story: Story, tmp_path: Path) -> None:
    parse_session(story)
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    story.repository.git("mv", "src/parser.py", "src/reader.py")
    story.repository.commit("src/reader.py", f"{LONG}# more\n", "Call it reader", when(3 * DAY))
    story.repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone" / "orbit"
    options = ("--quiet", "--filter=blob:none", "--no-checkout", f"file://{story.repository.folder}")
    subprocess.run(["git", "clone", *options, str(clone)], check=True, capture_output=True)
    before = snapshot(clone)
    assert ids(story.ask(commit, folder=clone)) == [SESSION]
    assert story.ask("HEAD", folder=clone).wanted[0].change.files
    assert snapshot(clone) == before


@pytest.mark.parametrize("target", ["src/parser.py", "src/parser.py:2"])
def test_end_of_a_shallow_clone_wrote_nothing_of_what_it_begins_with(story: Story, tmp_path: Path, target: str) -> None:
    parse_session(story)
    story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    docs_session(story, begin=10 * DAY)
    story.repository.commit("docs/install.md", "y\n", "Describe the installation", when(10 * DAY + 60))
    clone = tmp_path / "clone" / "orbit"
    address = f"file://{story.repository.folder}"
    subprocess.run(["git", "clone", "--quiet", "--depth=1", address, str(clone)], check=True, capture_output=True)
    report = story.ask(target, when(30 * DAY), folder=clone)
    assert ids(report) == [SESSION]
    assert report.sessions[0].confidence != "high"
    assert any("shallow" in note for note in report.notes)
    [end] = story.ask("HEAD", when(30 * DAY), folder=clone).wanted
    assert (end.change.subject, end.files) == ("Describe the installation", ())


@pytest.mark.parametrize("target", ["src/reader.py", "src/reader.py:2"])
def test_file_of_a_partial_clone_is_followed_as_far_as_it_goes(story: Story, tmp_path: Path, target: str) -> None:
    parse_session(story)
    story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    story.repository.git("mv", "src/parser.py", "src/reader.py")
    story.repository.commit("src/reader.py", f"{LONG}# more\n", "Call it reader", when(120))
    story.repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone" / "orbit"
    options = ("--quiet", "--filter=blob:none", f"file://{story.repository.folder}")
    subprocess.run(["git", "clone", *options, str(clone)], check=True, capture_output=True)
    report = story.ask(target, folder=clone)
    assert [item.change.subject for item in report.wanted] == ["Call it reader"]
    assert ids(report) == [SESSION]
    with pytest.raises(NotFound, match="no lines 900"):
        story.ask("src/reader.py:900", folder=clone)


def test_file_of_a_submodule_leads_to_its_own_repository(story: Story) -> None:
    parse_session(story)
    story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    outer = Repository(story.user.work / "outer")
    outer.commit()
    outer.git("submodule", "--quiet", "add", f"file://{story.repository.folder}", "orbit")
    for target in ("orbit/src/parser.py", "orbit/src/parser.py:2"):
        with pytest.raises(NotFound) as error:
            story.ask(target, folder=outer.folder)
        hint = error.value.hint or ""
        assert hint.endswith(f"aicx why --repo {outer.folder / 'orbit'} {target.removeprefix('orbit/')}")


def test_file_of_a_submodule_is_named_from_its_root_also_through_a_link(story: Story) -> None:
    parse_session(story)
    story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    outer = Repository(story.user.work / "outer")
    outer.commit()
    outer.git("submodule", "--quiet", "add", f"file://{story.repository.folder}", "orbit")
    link = story.user.work / "linked"
    link.symlink_to(outer.folder)
    with pytest.raises(NotFound) as error:
        story.ask("orbit/src/parser.py", folder=link)
    assert (error.value.hint or "").endswith("orbit src/parser.py")


def test_commit_in_a_submodule_is_that_of_the_submodule(story: Story) -> None:
    parse_session(story)
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    outer = Repository(story.user.work / "outer")
    outer.commit()
    outer.git("submodule", "--quiet", "add", f"file://{story.repository.folder}", "orbit")
    assert ids(story.ask(commit, folder=outer.folder / "orbit")) == [SESSION]


def test_worktree_of_the_repository_counts_as_it(story: Story, tmp_path: Path) -> None:
    tree = tmp_path / "elsewhere" / "tree"
    story.repository.git("worktree", "add", "--quiet", "-b", "brackets", str(tree))
    log = story.log(cwd=str(tree)).prompt("The parser should read nested brackets", 0)
    story.keep(story.edited(log, "src/parser.py", 10, LONG))
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    report = story.ask(commit)
    assert ids(report) == [SESSION]
    assert "place" in kinds(report)


def test_session_that_explains_no_more_than_a_better_one_is_not_sure(story: Story) -> None:
    log = story.log(OTHER).prompt("The parser should read round brackets", -HOUR)
    story.keep(story.edited(log, "src/parser.py", -HOUR + 10).answer("It reads round brackets.", -HOUR + 20))
    parse_session(story)
    report = story.ask(story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60)))
    assert [(item.session.session_id, item.confidence) for item in report.sessions] == [
        (SESSION, "high"),
        (OTHER, "medium"),
    ]
    assert {line.session_id for line in report.reason} == {SESSION}


def test_long_session_is_weighed_by_its_last_chunks_and_those_that_name_the_files(
    story: Story, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = story.edited(story.log().prompt("The parser should read nested brackets", 0), "src/parser.py", 5, LONG)
    for number in range(30):
        log.answer(f"Step {number}. " + "The tokens are looked at one after the other. " * 120, 10 + number)
    story.keep(log)
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(90))
    read: list[int] = []

    def counted(layout: Layout, paths: Sequence[str]) -> tuple[list[Step], list[str]]:
        read.append(len(paths))
        return read_steps(layout, paths)

    monkeypatch.setattr("aicx.why.run.read_steps", counted)
    assert "files" in kinds(story.ask(commit))
    assert read[0] == MAX_WEIGHED + 1


def test_a_session_that_only_listed_a_commit_is_at_most_possible(story: Story) -> None:
    subject = "Read nested brackets with a stack"
    log = story.log().prompt("The parser should read nested brackets", 0)
    story.ran(log, "git log --oneline", f"a1b2c3d {subject}\nb2c3d4e Begin", 20)
    story.keep(log.answer("Nested brackets are read with a stack.", 30))
    story.keep(story.log(OTHER).prompt("Which shells are there?", DAY - 60).answer("Two.", DAY - 50))
    commit = story.repository.commit("src/parser.py", LONG, subject, when(DAY))
    report = story.ask(commit)
    assert {one.confidence for one in report.sessions} <= {"low"}
    assert report.reason == ()


@pytest.mark.parametrize(("committed", "confidence"), [(True, "low"), (False, "medium")])
def test_what_a_session_committed_as_something_else_is_no_part_of_a_later_commit(
    story: Story, committed: bool, confidence: str
) -> None:
    story.repository.write("src/lexer.py", "tokens = ()\n")
    log = story.log().prompt("Note that nested brackets are read wrongly", 0)
    story.edited(log, "src/parser.py", 20, "# todo: nested brackets\n")
    if committed:
        story.ran(log, "git commit -am 'Note a todo'", "[main a1b2c3d] Note a todo\n 1 file changed", 30)
    story.keep(log.answer("Nested brackets are noted to be read wrongly.", 40))
    commit = story.repository.commit("src/parser.py", LONG, "Read nested brackets rightly", when(HOUR))
    report = story.ask(commit)
    assert ([one.confidence for one in report.sessions], bool(report.reason)) == ([confidence], not committed)


@pytest.mark.parametrize(("landed", "confidence"), [(True, "low"), (False, "high")])
def test_a_session_whose_change_of_the_file_is_in_history_as_something_else_made_no_later_one(
    story: Story, landed: bool, confidence: str
) -> None:
    log = story.log().prompt("Note that nested brackets are read wrongly", 0)
    story.edited(log, "src/parser.py", 20, "# todo: nested brackets\n")
    story.ran(log, "git commit -am 'Note a todo'", "[main a1b2c3d] Note a todo\n 1 file changed", 30)
    story.keep(log.answer("Nested brackets are noted to be read wrongly.", 40))
    if landed:
        story.repository.commit("src/parser.py", "# todo: nested brackets\n", "Note a todo (#4)", when(100))
    commit = story.repository.commit("src/parser.py", LONG, "Read nested brackets rightly", when(HOUR))
    assert [one.confidence for one in story.ask(commit).sessions] == [confidence]


def test_a_session_that_only_noted_what_is_wrong_did_not_mend_it(story: Story) -> None:
    story.repository.write("src/parser.py", LONG)
    log = story.log().prompt("Note that nested brackets are read wrongly", 0)
    story.edited(log, "notes/brackets.md", 20, "Nested brackets are read wrongly.\n")
    story.keep(log.answer("Nested brackets are noted to be read wrongly.", 40))
    commit = story.repository.commit("notes/brackets.md", "Done.\n", "Read nested brackets rightly", when(HOUR))
    report = story.ask(commit)
    assert ([one.confidence for one in report.sessions], report.reason) == (["low"], ())


def test_a_program_that_quoted_the_commit_and_changed_nothing_is_not_named(story: Story) -> None:
    parse_session(story)
    review = story.log(OTHER).prompt("Judge: Nested brackets are read", 50, promptSource="sdk", entrypoint="sdk-cli")
    story.keep(review.answer('{"outcome": "Nested brackets are read, allow"}', 55))
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    assert ids(story.ask(commit)) == [SESSION]


def test_a_session_that_mended_a_commit_before_it_was_rebased_is_not_its_maker(story: Story) -> None:
    parse_session(story)
    first = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    mending = story.log(OTHER).prompt("Deep brackets crash the parser", HOUR)
    story.edited(mending, "src/parser.py", HOUR + 10, "    limit = 40\n")
    story.keep(mending.answer("There is a limit now.", HOUR + 20))
    # A rebase keeps the author's date, and gives the commit the time of the rebase.
    date = f"--date={when(60).isoformat()}"
    story.repository.git("commit", "--amend", "--quiet", "--no-edit", date, at=when(2 * HOUR))
    found = story.ask("HEAD")
    assert found.wanted[0].change.hash != first
    assert ids(found)[0] == SESSION
    assert "files" not in {one.kind for item in found.sessions[1:] for one in item.evidence}


def test_what_a_program_of_the_forge_committed_is_no_sessions_work(story: Story) -> None:
    story.keep(story.edited(story.log().prompt("Lint the sources", 0), "ci.yml", 10, "lint: 3\n").answer("Done.", 20))
    story.repository.commit("ci.yml", "lint: 4\n", "Bump lint from 3 to 4", when(60))
    program = "dependabot[bot] <1+dependabot[bot]@users.noreply.example.org>"
    assert story.ask("HEAD").sessions[0].confidence == "high"
    story.repository.git("commit", "--amend", "--quiet", "--no-edit", f"--author={program}", at=when(60))
    assert {one.confidence for one in story.ask("HEAD").sessions} == {"low"}


def test_a_later_session_whose_lines_were_folded_into_a_rebased_commit_shares_in_it(story: Story) -> None:
    mending = story.log(OTHER).prompt("Deep brackets crash the parser", HOUR)
    story.keep(story.edited(mending, "src/parser.py", HOUR + 10, LONG).answer("There is a limit now.", HOUR + 20))
    story.repository.commit("src/parser.py", "def parse(): ...\n", "Nested brackets are read", when(60))
    story.repository.write("src/parser.py", LONG)
    date = f"--date={when(60).isoformat()}"
    story.repository.git("commit", "--all", "--amend", "--quiet", "--no-edit", date, at=when(2 * HOUR))
    assert ids(story.ask("HEAD")) == [OTHER]


def test_a_session_that_began_on_the_branch_after_the_commit_is_no_reason_for_it(story: Story) -> None:
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    later = story.log(OTHER, branch="main").prompt("Which brackets does the manual name?", 120)
    story.keep(story.ran(later, "cat src/parser.py", LONG, 130).answer("Round ones.", 140))
    report = story.ask(commit)
    assert (ids(report), report.reason) == ([], ())


def test_a_session_whose_clock_is_ahead_still_wrote_the_lines(story: Story) -> None:
    parse_session(story, begin=120)
    commit = story.repository.commit("src/parser.py", LONG, "Nested brackets are read", when(60))
    assert ids(story.ask(commit)) == [SESSION]


def updates(story: Story) -> list[str]:
    """Two updates of a dependency with one subject, on one branch; a session made the first."""
    subject = "chore(deps): update the lexer library"
    locked = [(f"lexer-library={number}.0.0\n", when(number * DAY)) for number in (1, 2)]
    made = [story.repository.commit("lexer.lock", text, subject, at) for text, at in locked]
    log = story.log().prompt("Update the lexer library", DAY - 60)
    story.ran(log, f"git commit -am '{subject}'", f"[main {made[0][:7]}] {subject}\n 1 file changed", DAY - 30)
    story.keep(log.answer("The library is up to date.", DAY - 20))
    return made


def test_updates_with_one_subject_are_no_copies_of_each_other(story: Story) -> None:
    first, second = updates(story)
    assert [one.hashes for one in story.ask(second).wanted] == [(second,)]
    assert ids(story.ask(first)) == [SESSION]
    assert all(one.confidence == "low" for one in story.ask(second).sessions)


def test_a_change_on_another_base_is_a_copy_though_its_patch_differs(story: Story) -> None:
    docs_session(story)
    story.repository.git("switch", "--quiet", "--create", "brackets")
    before = story.repository.commit("src/parser.py", LONG, "Read nested brackets at last", when(60))
    story.repository.git("switch", "--quiet", "main")
    after = story.repository.commit("src/parser.py", f"{LONG}# end\n", "Read nested brackets at last", when(DAY))
    assert story.ask(after).wanted[0].hashes == (after, before)


@pytest.mark.parametrize(("days", "confidence"), [(0.5, "medium"), (6, "low")])
def test_files_alone_name_a_session_only_where_it_changed_them_the_day_before(
    story: Story, days: float, confidence: str
) -> None:
    parse_session(story)
    story.keep(story.edited(story.log().prompt("The parser should read", 0), "src/parser.py", 40, "z"))
    commit = story.repository.commit("src/parser.py", "unlike = 'what was written'\n", "Refactor", when(days * DAY))
    assert [one.confidence for one in story.ask(commit, when(9 * DAY)).sessions] == [confidence]
