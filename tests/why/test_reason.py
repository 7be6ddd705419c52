"""What is quoted as the reason of a commit, from the session that made it."""

from __future__ import annotations

import pytest

from tests.corpus.builders import Home, when
from tests.kept import Kept
from tests.why.builders import HOUR, Story

pytestmark = pytest.mark.slow

LONG = "def parse(text):\n    tokens = split_into_tokens(text)\n    return build_tree(tokens)\n"
SUBJECT = "Nested brackets are read"


@pytest.fixture
def story(kept: Kept) -> Story:
    user = Home(kept.folder)
    kept.again(lambda: Story(user))
    return Story(user)


def reason(story: Story, kind: str, seconds: float = 60) -> list[str]:
    if not (commit := story.repository.git("log", "--format=%H", "--", "src/parser.py").strip()):
        commit = story.repository.commit("src/parser.py", LONG, SUBJECT, when(seconds))
    return [line.text for line in story.ask(commit).reason if line.kind == kind]


@pytest.mark.parametrize(
    "said",
    [
        "The issue is that `split` drops the inner bracket of every pair.",
        "## Root cause\n\nThe tokenizer drops the inner bracket of every pair.",
        "It turns out the tokenizer drops the inner bracket of every pair.",
    ],
)
def test_cause_that_the_agent_found_is_quoted(story: Story, said: str) -> None:
    log = story.log().prompt("Why are nested brackets not read?", 0).answer(said, 5)
    story.edited(log, "src/parser.py", 10, LONG)
    story.keep(log.answer("Nested brackets are read.", 30))
    [found] = reason(story, "found")
    assert "inner bracket" in found


@pytest.mark.parametrize(
    "said", ["Maybe the issue is that `split` drops a bracket somewhere.", "I found the root cause of the problem."]
)
def test_guess_and_announcement_name_no_cause(story: Story, said: str) -> None:
    log = story.log().prompt("Why are nested brackets not read?", 0).answer(said, 5)
    story.keep(story.edited(log, "src/parser.py", 10, LONG).answer("Nested brackets are read.", 30))
    assert reason(story, "found") == []


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("The root cause is that the last bracket of the settings is missing.", False),
        ("The root cause is that nested ones lose their inner bracket.", True),
    ],
)
def test_a_cause_with_one_word_of_the_subject_may_be_of_another_request(story: Story, said: str, told: bool) -> None:
    log = story.log().prompt("The settings are not valid", 0).prompt("Read nested brackets in the parser too", 4)
    story.keep(story.edited(log.answer(said, 5), "src/parser.py", 10, LONG).answer("Nested brackets are read.", 30))
    assert bool(reason(story, "found")) == told


def test_request_right_after_the_commit_is_no_reason_for_it(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    story.edited(log, "src/parser.py", 10, LONG).answer("Nested brackets are read.", 30)
    log.prompt("Explain nested brackets in the parser to me", 120)
    story.keep(log.answer("I replaced the parser by a stack, which has nothing to do with it.", 130))
    assert reason(story, "asked") == ["The parser should read nested brackets"]
    assert reason(story, "reported") == ["Nested brackets are read."]


def test_reason_ends_where_the_session_made_the_commit(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    story.edited(log, "src/parser.py", 10, LONG)
    story.ran(log, "git commit -am x", f"[main 0123456] {SUBJECT}\n 1 file changed", 30)
    log.answer("Nested brackets are read and committed.", 35).prompt("Give the parser a better error", HOUR)
    story.keep(story.edited(log, "src/parser.py", HOUR + 10).answer("The error names the line.", HOUR + 20))
    # As after a rebase: git has a later date and another hash.
    assert reason(story, "asked", 2 * HOUR) == ["The parser should read nested brackets"]
    assert reason(story, "reported", 2 * HOUR) == ["Nested brackets are read and committed."]


def test_request_that_was_followed_by_the_change_comes_before_one_with_its_words(story: Story) -> None:
    log = story.log().prompt("Clean the folder up", 0).answer("It is clean.", 5)
    log.prompt("How are brackets described in the manual?", 10).answer("In one line.", 15)
    log.prompt("Go deeper there, however many of them there are", 20)
    story.edited(log, "src/parser.py", 25, LONG).answer("Nested brackets are read.", 30)
    story.keep(log.prompt("What is the weather like?", 40).answer("I do not know.", 45))
    assert reason(story, "asked") == [
        "How are brackets described in the manual?",
        "Go deeper there, however many of them there are",
    ]


def test_opening_request_of_a_long_session_is_quoted(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    for number in range(40):
        log.answer(f"Step {number}. " + "The tokens are looked at one after the other. " * 120, 10 + number)
    story.keep(story.edited(log, "src/parser.py", 200, LONG).answer("Nested brackets are read.", 210))
    assert reason(story, "asked", 240) == ["The parser should read nested brackets"]


def test_passed_tests_come_before_checks_of_the_form(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    story.edited(log, "src/parser.py", 10, LONG)
    for number, command in enumerate(["pytest -q tests", "ruff format --check src", "ruff check src"]):
        story.ran(log, command, "ok" if number else "3 passed", 20 + number)
    story.keep(log.answer("Nested brackets are read.", 40))
    assert reason(story, "passed")[0] == "`pytest -q tests` passed"


def two_works(story: Story, said: str) -> Story:
    """A session that was asked for something else before; both change the parser, and ``said`` is between them."""
    log = story.log().prompt("Empty files crash the tool", 0)
    story.edited(log, "src/parser.py", 5, LONG).answer("Empty files are read.", 10)
    log.prompt("Now to what comes in pairs", 20).answer(said, 25)
    story.keep(story.edited(log, "src/parser.py", 30, LONG).answer("Done for pairs as well.", 40))
    return story


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("The issue is that `open` drops the first line of a file.", "found"),
        ("A cleaner option is to skip the file, which is simpler than a default for it.", "weighed"),
        ("I chose an empty tree for a file without lines, because callers expect a tree.", "decided"),
    ],
)
def test_what_is_said_of_other_work_in_the_session_is_not_quoted(story: Story, said: str, kind: str) -> None:
    assert reason(two_works(story, said), kind) == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("The issue is that `split` drops the inner one of nested brackets.", "found"),
        ("A stack for nested brackets is simpler than recursion, and as fast.", "weighed"),
        ("I chose a stack for nested brackets, because recursion has a limit.", "weighed"),
    ],
)
def test_what_is_said_in_the_words_of_the_commit_is_quoted(story: Story, said: str, kind: str) -> None:
    assert reason(two_works(story, said), kind) == [said]


def test_decision_that_holds_an_alternative_is_quoted_once(story: Story) -> None:
    said = "A stack for nested brackets is cleaner than recursion. I chose it because recursion has a limit."
    assert reason(two_works(story, said), "weighed") == ["A stack for nested brackets is cleaner than recursion."]
    assert reason(story, "decided") == []


def test_kind_of_change_in_the_subject_ties_nothing_to_the_commit(story: Story) -> None:
    said = "The fix is simpler than the alternative, which is to open the file twice."
    two_works(story, said)
    commit = story.repository.commit("src/parser.py", LONG, "fix: nested brackets are read", when(60))
    assert [line.text for line in story.ask(commit).reason if line.kind == "weighed"] == []


@pytest.mark.parametrize(
    "said",
    [
        "The tool should read nested brackets instead of stopping at the second one.",
        "Updated the manual to use brackets instead of the removed braces everywhere.",
        "I am keeping the run going so that we get a check by the tests instead of a read.",
    ],
)
def test_account_of_a_change_or_of_working_weighs_nothing(story: Story, said: str) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0).answer(said, 5)
    story.keep(story.edited(log, "src/parser.py", 10, LONG).answer("Nested brackets are read.", 30))
    assert reason(story, "weighed") == []


def test_failure_that_names_no_error_is_left_out(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    story.ran(log, "go test ./...", "FAIL example.org/orbit/parser [build failed]\nFAIL", 5, failed=True)
    story.ran(log, "go vet ./...", "parser.go:7:2: undefined: stack", 15, failed=True)
    story.keep(story.edited(log, "src/parser.py", 25, LONG).answer("Nested brackets are read.", 40))
    assert reason(story, "failed") == ["`go vet ./...` failed: parser.go:7:2: undefined: stack"]


def test_of_a_long_request_the_sentence_of_the_commit_is_quoted(story: Story) -> None:
    asked = f"Empty files crash the tool. {'It looks as if they were never opened at all. ' * 7}"
    log = story.log().prompt(f"{asked}And nested brackets should be read.", 0)
    story.keep(story.edited(log, "src/parser.py", 10, LONG).answer("Nested brackets are read.", 30))
    assert reason(story, "asked") == ["And nested brackets should be read."]


def test_a_request_of_few_words_is_told_with_what_it_leans_on(story: Story) -> None:
    log = story.log().prompt("Find out why lists lose their inner pairs in the export", 0).answer("I see why.", 5)
    log.prompt("go ahead with it", 20)
    story.keep(story.edited(log, "src/parser.py", 30, LONG).answer("Nested brackets are read.", 40))
    assert reason(story, "asked") == ["Find out why lists lose their inner pairs in the export", "go ahead with it"]


def test_a_check_of_folders_that_the_commit_has_nothing_of_is_not_told(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    for number, folder in enumerate(["./lib/svg/", "./src/...", "./..."]):
        story.ran(log, f"go vet {folder}", "lib/a.go:7:2: undefined: stack", 5 + number, failed=True)
    story.keep(story.edited(log, "src/parser.py", 25, LONG).answer("Nested brackets are read.", 40))
    assert [text.partition("`")[2].partition("`")[0] for text in reason(story, "failed")] == [
        "go vet ./src/...",
        "go vet ./...",
    ]


def test_what_was_left_as_it_was_is_not_reported_of_a_commit(story: Story) -> None:
    log = story.log().prompt("Why are nested brackets not read?", 0)
    log.answer("A mistake with nested brackets that are not read was found and deliberately not fixed.", 5)
    log.prompt("Fix it", 20)
    story.keep(story.edited(log, "src/parser.py", 30, LONG).answer("Fixed how nested brackets are read.", 40))
    assert reason(story, "reported") == ["Fixed how nested brackets are read."]


def test_a_guess_is_named_and_not_quoted(story: Story) -> None:
    log = story.log().prompt("Look through the manual, please", 0)
    log.answer("It turns out the manual never names the author of a chapter.", 5)
    story.ran(log, "pytest -q tests", "3 passed", 15)
    story.keep(log.answer("The manual was looked through.", 40))
    commit = story.repository.commit("src/parser.py", LONG, SUBJECT, when(3 * HOUR))
    report = story.ask(commit)
    assert report.sessions[0].confidence == "low"
    assert report.reason == ()


def test_of_several_commits_each_is_told_by_what_was_said_of_it(story: Story) -> None:
    log = story.log().prompt("Empty files crash the tool", 0)
    story.edited(log, "src/files.py", 5).answer("Empty files are read: the default was missing.", 10)
    story.ran(log, "git commit -am files", "[main 1111111] Empty files are read\n 1 file changed", 15)
    log.prompt("The parser should read nested brackets", 20)
    story.edited(log, "src/parser.py", 30, LONG).answer("Nested brackets are read with a stack of tokens.", 35)
    story.ran(log, "git commit -am parser", f"[main 2222222] {SUBJECT}\n 1 file changed", 40)
    log.prompt("Write the release notes", 50)
    story.keep(story.edited(log, "NOTES.md", 55).answer("The release notes are written and pushed.", 60))
    assert reason(story, "asked", HOUR) == ["The parser should read nested brackets"]
    assert reason(story, "reported", HOUR) == ["Nested brackets are read with a stack of tokens."]


def test_what_fits_another_commit_of_the_session_better_is_told_of_that_one(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    log.answer("The root cause is that settings lose empty lines within nested brackets.", 5)
    story.edited(log, "src/parser.py", 10, LONG).answer("Nested brackets are read with a stack of tokens.", 20)
    story.ran(log, "git commit -am parser", f"[main 2222222] {SUBJECT}\n 1 file changed", 30)
    story.edited(log, "src/settings.py", 40).answer("Settings keep their lines.", 50)
    story.ran(log, "git commit -am settings", "[main 1111111] Settings keep empty lines\n 1 file changed", 60)
    story.keep(log.answer("Both are pushed.", 70))
    assert reason(story, "found", HOUR) == []
    assert reason(story, "reported", HOUR) == ["Nested brackets are read with a stack of tokens."]


def test_a_commit_made_again_on_another_base_is_told_by_its_first_making(story: Story) -> None:
    log = story.log().prompt("The parser should read nested brackets", 0)
    story.edited(log, "src/parser.py", 10, LONG).answer("Nested brackets are read with a stack.", 20)
    story.ran(log, "git commit -am x", f"[main 2222222] {SUBJECT}\n 1 file changed", 30)
    log.prompt("Fold the notes into the first commit", 100)
    story.ran(log, "git rebase main && git commit --amend -C x", f"[main 3333333] {SUBJECT}\n 1 file changed", 110)
    story.keep(log.answer("History is rewritten, the notes are fixed in the first commit.", 120))
    assert reason(story, "asked", HOUR) == ["The parser should read nested brackets"]
    assert reason(story, "reported", HOUR) == ["Nested brackets are read with a stack."]


def test_a_request_before_another_commit_that_says_nothing_of_this_one_is_not_quoted(story: Story) -> None:
    log = story.log().prompt("Empty files crash the tool", 0)
    story.edited(log, "src/parser.py", 5, LONG)
    story.ran(log, "git commit -am x", "[main 1a2b3c4] Empty files are read\n 1 file changed", 8)
    log.answer("Committed.", 10).prompt("Now read nested brackets, please", 20)
    story.keep(story.edited(log, "src/parser.py", 30, LONG).answer("Nested brackets are read.", 40))
    assert reason(story, "asked", 60) == ["Now read nested brackets, please"]


def test_a_session_that_turned_to_the_change_is_not_told_by_its_opening(story: Story) -> None:
    log = (
        story.log().prompt("How fast is the website?", 0).answer("Fast.", 5).prompt("Read nested brackets, please", 20)
    )
    story.keep(story.edited(log, "src/parser.py", 30, LONG).answer("Nested brackets are read.", 40))
    assert reason(story, "asked", 60) == ["Read nested brackets, please"]
