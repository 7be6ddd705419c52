"""What was run, how it ended, and which failures nothing fixed."""

from __future__ import annotations

import pytest

from aicx.evidence.calls import answered_calls
from aicx.evidence.runs import CommandRun, followed, latest_outcomes, open_failures, passed_checks, runs_of
from aicx.shell import simple_commands
from tests.evidence.stories import Story

RED = "Exit code 1\nFAILED tests/test_login.py::test_token - AssertionError: no token"


def runs(story: Story) -> list[CommandRun]:
    return runs_of(followed(answered_calls(story.steps)))


def failing(story: Story) -> list[str]:
    return [run.line for run in open_failures(runs(story))]


# Command lines ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("cd /srv/orbit && pytest -q", ["pytest -q"]),
        ("DEBUG=1 timeout 60 ./bin/check --all", ["check --all"]),
        ('bash -lc "make test"', ["make test"]),
        ("pytest -q 2>&1 | tail -5", ["pytest -q"]),
        ('git commit -m "one; two && three"', ['git commit -m "one; two && three"']),
        ("ruff check .; pytest", ["ruff check .", "pytest"]),
        ("pytest \\\n  -q", ["pytest -q"]),
        ("cat > x.py <<'EOF'\npytest\nEOF", ["cat"]),
        ("for name in a b; do pytest $name; done", ["pytest $name"]),
        ("for name in a b\ndo\npytest $name\ndone", ["pytest $name"]),
        ("folder=$(mktemp -d) && make", ["mktemp -d", "make"]),
        ('out="$(pytest -q)"', ["pytest -q"]),
        ("NOW=$(date +%s) NAME='a b' pytest -q", ["pytest -q"]),
        ("command -v rg", ["command -v rg"]),
        ("# look\npytest", ["pytest"]),
        ("case $f in\n a.lua) mark='--' && make ;;\n *) mark='#' ;;\nesac\npytest", ["make", "pytest"]),
        ('case "$x" in a|b) make test ;; *) pytest;; esac', ["make test", "pytest"]),
        ("", []),
        ("'", ["'"]),
    ],
)
def test_line_is_taken_apart_into_commands(line: str, commands: list[str]) -> None:
    assert [command.text for command in simple_commands(line)] == commands


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        *((line, True) for line in ("pytest | tail", "pytest; echo done", "pytest || true", "pytest\necho")),
        *((line, False) for line in ("pytest", "cd x && pytest", "pytest && echo", "pytest > out.txt 2>&1")),
    ],
)
def test_exit_code_that_is_not_the_commands_is_masked(line: str, masked: bool) -> None:
    assert simple_commands(line)[0].masked is masked


# Outcomes -----------------------------------------------------------------------------------------------------------


def test_looking_around_is_no_run() -> None:
    story = Story().runs("ls -la", "a").runs("rg TODO src", "", failed=True).runs("git log --oneline", "1 One")
    assert runs(story) == []


def test_failed_result_is_a_failure_with_the_line_that_tells_why() -> None:
    (run,) = runs(Story().runs("pytest -q", RED, failed=True))
    assert (run.outcome, run.kind) == ("failed", "check")
    assert run.telling == "FAILED tests/test_login.py::test_token - AssertionError: no token"


def test_check_behind_a_pipe_is_judged_by_what_it_printed() -> None:
    story = (
        Story().runs("pytest | tail -3", "1 failed, 8 passed in 2s").runs("ruff check . | tail", "All checks passed!")
    )
    assert [run.outcome for run in runs(story)] == ["failed", "ok"]


def test_word_failed_in_the_output_of_another_program_is_no_failure() -> None:
    (run,) = runs(Story().runs("python report.py | tail", "3 failed payments"))
    assert run.outcome == "quiet"


def test_exit_code_wins_over_what_was_printed() -> None:
    (run,) = runs(Story().runs("pytest -q", "--- FAIL: expected, as the test of the test says\n9 passed"))
    assert run.outcome == "ok"


def test_person_who_said_no_made_nothing_fail() -> None:
    story = Story().runs("git push", "The user doesn't want to proceed with this tool use.", failed=True)
    assert [run.outcome for run in runs(story)] == ["stopped"]


def test_program_that_is_not_installed_is_no_failure_of_the_work() -> None:
    assert failing(Story().runs("hadolint Dockerfile", "zsh:1: command not found: hadolint", failed=True)) == []


def test_answer_that_comes_later_belongs_to_the_command_that_was_still_running() -> None:
    story = Story().runs("cargo test", "Process running with session ID 731\nOutput:\n   Compiling orbit")
    story.calls("write_stdin", "\nsession_id: 731\nchars:").gets(
        "write_stdin", "test result: FAILED. 1 failed", failed=True
    )
    assert [(run.line, run.outcome) for run in runs(story)] == [("cargo test", "failed")]


def test_commands_inside_a_script_are_seen() -> None:
    story = Story().calls("exec", '\nconst r = await tools.exec_command({cmd:"go vet ./...", "workdir":"/x"}); text(r)')
    story.gets("exec", "Script completed\nOutput:\nmain.go:3:1: unreachable code\nexit status 1")
    assert [(run.line, run.outcome) for run in runs(story)] == [("go vet ./...", "failed")]


def test_exit_code_of_a_script_says_more_than_words_in_its_output() -> None:
    story = Story().calls("exec", '\nconst r = await tools.exec_command({cmd:"make e2e", "workdir":"/x"}); text(r)')
    story.gets("exec", "Script completed\nOutput:\nSUCCESS: [test -f seal] expected failure\nerror: script")
    assert [run.outcome for run in runs(story)] == ["ok"]
    story.steps[-1] = story.steps[-1]._replace(exit_code=0, text="Script completed\nFAILED to find a cache")
    assert [run.outcome for run in runs(story)] == ["ok"]


def test_command_line_in_a_file_that_is_written_is_none() -> None:
    story = Story().calls("Write", " README.md\ncontent:\n$ pytest\n").gets("Write", "written")
    assert runs(story) == []


def test_answers_belong_to_calls_in_their_order() -> None:
    story = Story().calls("Bash", "\n$ pytest").calls("Bash", "\n$ ruff check .")
    story.gets("Bash", "9 passed").gets("Bash", "Found 2 errors.", failed=True)
    assert [(run.line, run.outcome) for run in runs(story)] == [("pytest", "ok"), ("ruff check .", "failed")]


def test_answer_after_a_silent_command_belongs_to_the_latest_call() -> None:
    story = Story().calls("Bash", "\n$ git add --all").calls("Bash", "\n$ pytest").gets("Bash", RED, failed=True)
    assert [(run.line, run.outcome) for run in runs(story)] == [("git add --all", "unknown"), ("pytest", "failed")]


# Failures that stayed -----------------------------------------------------------------------------------------------


def test_failure_stays_when_nothing_came_after_it() -> None:
    assert failing(Story().runs("pytest -q", RED, failed=True).says("I will look")) == ["pytest -q"]


def test_later_success_of_the_same_command_fixes_it() -> None:
    assert failing(Story().runs("pytest -q", RED, failed=True).runs("pytest -q", "9 passed")) == []


def test_success_before_the_failure_fixes_nothing() -> None:
    assert failing(Story().runs("pytest -q", "9 passed").runs("pytest -q", RED, failed=True)) == ["pytest -q"]


@pytest.mark.parametrize(
    ("failed", "later"),
    [
        ("pytest tests/test_login.py -k token", "pytest"),
        ("pytest tests/test_login.py::test_token", "make test"),
        ("go test -run TestToken ./auth/login", "go test ./auth/..."),
        ("go test ./auth", "go test ./..."),
        ("golangci-lint run ./auth/login.go", "make lint"),
        ("go build ./auth", "go test ./..."),
        ("ruff format . && ruff check .", "ruff check ."),
        ("pytest 2>&1 | tail -20", "pytest -q"),
        ("git rebase origin/main", "git push --force-with-lease"),
        ("git commit -m 'One'", "git commit -m 'One, with tests'"),
        ("mise run test:e2e e2e/backend/test_http", "mise run test:e2e '^test_http$'"),
        ("mise run test:e2e -- -run TestToken", "go test -run TestToken ./auth/..."),
        ("npm run check", "fnm exec --using=24 corepack pnpm node --run check"),
        ("git commit -m 'One'", "git push"),
        ("git -C /srv/orbit rebase main", "git -c core.editor=true rebase --continue"),
        ("git push origin main", "git push origin attempt"),
        ("gh pr merge 4 --auto", "gh pr merge 4"),
    ],
)
def test_later_success_that_covers_it_fixes_it(failed: str, later: str) -> None:
    assert failing(Story().runs(failed, f"{RED}\n1 failed", failed=True).runs(later, "all tests pass")) == []


@pytest.mark.parametrize(
    ("failed", "later"),
    [
        ("pytest", "pytest tests/test_other.py"),
        ("pytest", "ruff check ."),
        ("npm run test:e2e", "npm run test"),
        ("go test ./auth", "go build ./..."),
        ("git push", "git commit -m 'One'"),
        ("go test ./auth", "go test ./billing"),
    ],
)
def test_success_of_something_else_fixes_nothing(failed: str, later: str) -> None:
    assert len(failing(Story().runs(failed, RED, failed=True).runs(later, "all tests pass"))) == 1


def test_successes_that_cover_a_check_of_everything_between_them_end_its_failure() -> None:
    story = Story().runs("make test:ci", RED, failed=True).runs("make test && make test:slow", "all tests pass")
    assert failing(story) == []


@pytest.mark.parametrize(
    ("failed", "later"),
    [
        ("make test:ci", "make test"),
        ("make test:ci", "make test:fast && make test:slow"),
        ("make test:ci", "make test && npm run test:slow"),
        ("make test:e2e", "make test && make test:slow"),
        ("make test:ci", "make test && make lint"),
    ],
)
def test_successes_that_do_not_cover_it_end_nothing(failed: str, later: str) -> None:
    assert failing(Story().runs(failed, RED, failed=True).runs(later, "all tests pass")) == [failed]


def test_line_that_only_says_that_it_failed_is_not_the_reason() -> None:
    (run,) = runs(Story().runs("go test ./...", "FAIL\n--- FAIL: TestToken (0.01s)\nFAIL", failed=True))
    assert run.telling == "--- FAIL: TestToken (0.01s)"


def test_same_failure_again_and_again_is_one_failure() -> None:
    story = Story().runs("pytest", RED, failed=True).runs("pytest", RED, failed=True).runs("pytest", RED, failed=True)
    assert failing(story) == ["pytest"]


def test_script_tried_on_the_way_is_forgotten() -> None:
    story = Story().runs("python try.py", "Traceback\nKeyError: 'a'", failed=True)
    for number in range(5):
        story.runs(f"python step{number}.py", "done")
    assert failing(story) == []


def test_latest_outcomes_count_how_often_each_check_was_run() -> None:
    story = Story().runs("pytest", "8 passed").runs("ruff check .", "All checks passed!").runs("pytest", "9 passed")
    assert [(run.line, count) for run, count in latest_outcomes(runs(story))] == [("pytest", 2), ("ruff check .", 1)]


def test_a_pull_request_that_exists_after_all_ends_the_failure_of_making_it() -> None:
    story = Story().runs("gh pr create --title x", "pull request create failed: HTTP 503", failed=True)
    assert failing(story) == ["gh pr create --title x"]
    told = 'a pull request for branch "x" into branch "main" already exists:\nhttps://example.org/ada/shop/pull/7'
    assert not failing(story.runs("gh pr create --title x", told, failed=True))


def test_a_command_that_passed_with_another_option_no_longer_fails() -> None:
    story = Story().runs("git rm -q lib/a.c && cp -r lib old", "error: it has changes staged", failed=True)
    assert failing(story) == ["git rm -q lib/a.c && cp -r lib old"]
    assert failing(story.runs("cp -r lib other", "done")) != []
    assert failing(story.runs("cp -rf lib old", "done")) == []


def test_a_check_that_was_run_again_with_an_unknown_ending_is_not_said_to_fail() -> None:
    story = Story().runs("tsc --noEmit", "error TS2322: no", failed=True)
    assert failing(story) == ["tsc --noEmit"]
    assert not failing(story.runs("tsc --noEmit", "Command running in background with ID: b7af8fa"))


def test_what_passed_in_a_later_run_is_told_once_and_no_formatter_alone() -> None:
    story = Story().runs("make test", "ok").runs("ruff check . && make test", "ok").runs("make fmt", "ok")
    story.runs("cargo fmt && cargo test", "ok").runs("ruff format --check .", "ok").runs("make test", "ok")
    assert [(run.line, count) for run, count in passed_checks(runs(story))] == [
        ("make test", 2),
        ("ruff format --check .", 1),
        ("cargo fmt && cargo test", 1),
        ("ruff check . && make test", 1),
    ]


def test_a_run_of_parts_that_passed_since_is_not_told_again() -> None:
    story = Story().runs("ruff check . && make test", "ok").runs("make test", "ok").runs("ruff check .", "ok")
    assert [run.line for run, _ in passed_checks(runs(story))] == ["ruff check .", "make test"]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("pytest -q", "PermissionError: [Errno 1] Operation not permitted"),
        ("GREET_BIN=/no-such/greet pytest -q", RED),
        ("git add docs && git commit -m x", "The following paths are ignored by one of your .gitignore files:\ndocs"),
        ("ssh forge pytest", RED),
        ("python3 /tmp/try.py", "KeyError: 'a'"),
        ("pytest -q | tail -3; node -e 'read()'", "9 passed\nError: ENOENT"),
    ],
)
def test_refusals_trials_and_slips_are_not_what_fails(command: str, output: str) -> None:
    assert failing(Story().runs(command, output, failed=True)) == []
