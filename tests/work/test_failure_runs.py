"""The failures of a session: each mistake once, what was tried, and what it took to pass."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

from aicx.evidence import Step
from aicx.evidence.calls import answered_calls
from aicx.evidence.runs import followed, ran_by
from aicx.git import Roots
from aicx.work.failure_runs import failures_of
from aicx.work.failures import Pattern, patterns, seen_before
from aicx.work.session_facts import Failure, Ran, Said, SessionFacts, Try
from tests.work import facts as invented

ROOT = "/home/ada/shop"
BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
NUMBERS = count()
ERROR = 'src/cart.py:{line}: error: Name "price" is not defined  [name-defined]'
OTHER = 'src/cart.py:9: error: Name "total" is not defined  [name-defined]'


def call(
    tool: str, command: str = "", *, text: str = "", failed: bool = False, files: tuple[str, ...] = ()
) -> list[Step]:
    number = next(NUMBERS)
    at, one = BEGIN + timedelta(seconds=number), str(number)
    asked = Step(f"c:{one}", at, "tool", "tool", command, tool, "call", call_id=one, command=command, files=files)
    code = 1 if failed else 0
    return [asked, Step(f"c:{one}", at, "tool", "tool", text, tool, "result", failed, one, exit_code=code)]


def edit(path: str) -> list[Step]:
    return call("Edit", files=(f"{ROOT}/{path}",))


def fails(command: str = "mypy src", line: int = 4, text: str = ERROR) -> list[Step]:
    return call("Bash", command, text=text.format(line=line), failed=True)


def passes(command: str = "mypy src") -> list[Step]:
    return call("Bash", command, text="Success: no issues found")


def found(*calls: list[Step]) -> list[Failure]:
    steps = [step for one in calls for step in one]
    calls = followed(answered_calls(steps))
    return failures_of(calls, ran_by(calls, Roots((ROOT,))), Roots((ROOT,)), ROOT)


def test_a_mistake_is_kept_with_its_place_and_command() -> None:
    [one] = found(fails())
    assert (one.file, one.line, one.command, one.exit_code) == ("src/cart.py", 4, "mypy src", 1)
    assert "price" in one.message
    assert one.resolved is None


def test_the_same_mistake_on_another_line_is_one() -> None:
    [one] = found(fails(), fails(line=40))
    assert one.count == 2


def test_another_mistake_is_another() -> None:
    assert len({one.fingerprint for one in found(fails(), fails(text=OTHER))}) == 2


def test_what_was_edited_before_it_passed_resolved_it() -> None:
    [one] = found(fails(), edit("src/cart.py"), call("Bash", "git status"), passes())
    assert one.resolved is not None
    assert (one.resolved.files, one.resolved.commands, one.attempts) == (("src/cart.py",), (), ())


def test_what_the_same_line_did_before_it_passed_resolved_it() -> None:
    [one] = found(fails("npm test"), passes("cd shop && npm install left-pad && npm test"))
    assert one.resolved is not None
    assert one.resolved.commands == ("npm install left-pad",)


def test_what_the_same_line_did_before_it_failed_again_had_no_effect() -> None:
    [one] = found(fails(), fails("pip install types-attrs && mypy src"))
    assert [attempt.commands for attempt in one.attempts] == [("pip install types-attrs",)]


def test_what_was_tried_before_it_failed_again_had_no_effect() -> None:
    [one] = found(fails(), edit("src/a.py"), fails(), edit("src/b.py"), passes())
    assert [attempt.files for attempt in one.attempts] == [("src/a.py",)]
    assert one.resolved is not None
    assert one.resolved.files == ("src/b.py",)


def test_a_command_that_is_no_check_may_be_what_helped() -> None:
    [one] = found(fails(), call("Bash", "docker compose up -d"), passes())
    assert one.resolved is not None
    assert one.resolved.commands == ("docker compose up -d",)


@pytest.mark.parametrize("command", ["mypy tests", "npm test", "ls"])
def test_only_the_command_that_failed_or_one_that_includes_it_resolves(command: str) -> None:
    assert found(fails(), edit("src/cart.py"), passes(command))[0].resolved is None


GO = "# shop\nsrc/cart.go:4:2: undefined: price"


@pytest.mark.parametrize("command", ["go build ./...", "go test ./...", "mise run test"])
def test_what_was_not_compiled_is_resolved_once_its_tests_ran(command: str) -> None:
    [one] = found(fails("go build ./...", text=GO), edit("src/cart.go"), passes(command))
    assert one.resolved is not None
    assert one.resolved.files == ("src/cart.go",)


@pytest.mark.parametrize("command", ["npm test", "mise run lint"])
def test_what_was_not_compiled_is_open_while_something_else_passed(command: str) -> None:
    assert found(fails("go build ./...", text=GO), passes(command))[0].resolved is None


def test_another_command_of_the_same_program_resolves_nothing() -> None:
    [one] = found(fails("./seal.sh verify", text="Error: No seal found"), passes("./seal.sh version"))
    assert one.resolved is None


def test_a_formatter_may_be_what_helped_a_linter_alone() -> None:
    lint = "src/cart.py:4:1: E501 Line too long"
    [one] = found(
        fails("ruff check src", text=lint),
        call("Bash", "ruff format src"),
        call("Bash", "ruff check src", text="All checks passed!"),
    )
    assert one.resolved is not None
    assert one.resolved.commands == ("ruff format src",)
    [other] = found(fails(), call("Bash", "ruff format src"), passes())
    assert other.resolved is not None
    assert other.resolved.commands == ()


@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("seals close main", "Error: No active window found"),
        ("node -p 'require(1)'", "Error: Package subpath is not defined\n    at src/cart.js:4:1"),
        ("make", "error: Exited with code 1"),
        ("git commit -m x", "hint: error: use -f if you really want to add them"),
        ("git push origin main", "error: failed to push some refs to 'https://example.org/ada/shop.git'"),
        ("hk run", "error: See /home/ada/output.log for full command output"),
    ],
)
def test_what_says_nothing_of_the_work_is_no_failure(command: str, text: str) -> None:
    assert found(fails(command, text=text)) == []


def test_an_error_of_a_script_of_the_work_is_a_failure() -> None:
    assert [one.message for one in found(fails("./seal.sh verify", text="Error: No seal found"))] != []


def test_a_mistake_that_comes_back_is_open_again() -> None:
    [one] = found(fails(), edit("src/cart.py"), passes(), fails())
    assert (one.count, one.resolved) == (2, None)


def test_an_edit_that_failed_resolved_nothing() -> None:
    refused = call("Edit", files=(f"{ROOT}/src/cart.py",), failed=True)
    [one] = found(fails(), refused, passes())
    assert one.resolved is not None
    assert one.resolved.files == ()


def test_a_run_that_passed_has_no_failures() -> None:
    assert found(call("Bash", "mypy src", text="error: handled\nSuccess: no issues found")) == []


def test_what_a_client_puts_before_an_output_is_no_failure() -> None:
    assert found(fails(text="Script completed\nWall time 0.1 seconds\nOutput:\n")) == []


def test_a_mistake_in_the_first_answer_of_a_long_command_is_kept() -> None:
    begun = call("exec", "mypy src", text=f"Output:\nProcess running with session ID 77\n{ERROR.format(line=4)}")
    asked = call("write_stdin", text="Output:\n", failed=True)
    asked[0] = asked[0]._replace(text='{"session_id": 77}')
    assert [one.line for one in found(begun, asked)] == [4]


def session(name: str, *failures: Failure, **known: Any) -> SessionFacts:
    """A session that ended with those of its failures which nothing resolved."""
    ended_with = tuple(Said(f"`{one.command}` failed", one.last_at, (one.ref,)) for one in failures)
    return invented.facts(name, failures=failures, failing=ended_with, **known)


def failure(fingerprint: str, at: str, **known: Any) -> Failure:
    return invented.failure(fingerprint, first_at=at, last_at=at, **known)


FIX = Try(("src/a.py",), (), "2026-03-02T00:00:00Z", "chunk:2")


def one_pattern(*sessions: SessionFacts) -> Pattern:
    [found] = patterns(sessions)
    return found


def test_a_pattern_counts_over_all_sessions() -> None:
    one = one_pattern(
        session("a", failure("f", "2026-03-01T00:00:00Z", count=2)), session("b", failure("f", "2026-03-03T00:00:00Z"))
    )
    assert (one.occurrences, one.sessions) == (3, ("session:claude:b", "session:claude:a"))
    assert (one.first_at, one.last.last_at) == ("2026-03-01T00:00:00Z", "2026-03-03T00:00:00Z")


def test_a_pattern_is_open_where_its_last_report_was_not_resolved() -> None:
    fixed, open_ = failure("f", "2026-03-01T00:00:00Z", resolved=FIX), failure("f", "2026-03-03T00:00:00Z")
    assert one_pattern(session("a", fixed), session("b", open_)).status == "open"
    assert one_pattern(session("a", fixed)).status == "resolved"


def test_a_failure_that_the_session_did_not_end_with_is_not_told() -> None:
    assert patterns([invented.facts("a", failures=(failure("f", "2026-03-01T00:00:00Z"),))]) == []


@pytest.mark.parametrize(("branch", "told"), [("main", 0), ("attempt", 1)])
def test_a_failure_is_not_open_once_a_later_session_in_the_same_place_committed(branch: str, told: int) -> None:
    later = invented.facts("b", branch=branch, commits=(Said("Mend the cart", "2026-03-05T00:00:00Z", ()),))
    assert len(patterns([later, session("a", failure("f", "2026-03-01T00:00:00Z"))])) == told


def test_what_helped_is_known_when_it_comes_back() -> None:
    fixed, open_ = failure("f", "2026-03-01T00:00:00Z", resolved=FIX), failure("f", "2026-03-03T00:00:00Z")
    known = patterns([session("a", fixed, failure("g", "2026-03-01T00:00:00Z")), session("b", open_)])
    assert [one.helped and one.helped.by for one in seen_before(known, ["f", "g", "h"])] == [FIX]


@pytest.mark.parametrize(("test", "read_all"), [(None, True), ("test_total", False), ("test_total", True)])
def test_a_failure_of_whose_end_nothing_can_be_learned_is_not_told(test: str | None, read_all: bool) -> None:
    over = Try((), (), "2026-03-02T00:00:00Z", "chunk:2", read_all)
    assert patterns([session("a", failure("f", "2026-03-01T00:00:00Z", test=test, resolved=over))]) == []


def test_a_test_that_comes_and_goes_in_several_sessions_is_told() -> None:
    over = Try((), (), "2026-03-02T00:00:00Z", "chunk:2", read_all=True)
    flaky = failure("f", "2026-03-01T00:00:00Z", test="test_total", resolved=over)
    assert one_pattern(session("a", flaky), session("b", flaky)).helped is None


def test_the_last_reported_comes_first() -> None:
    every = patterns([session("a", failure("f", "2026-03-01T00:00:00Z"), failure("g", "2026-03-02T00:00:00Z"))])
    assert [one.id for one in every] == ["failure:g", "failure:f"]


@pytest.mark.parametrize(
    ("command", "branch", "folder", "at", "status"),
    [
        ("npm test", "main", "/elsewhere", "2026-03-02T09:00:00Z", "resolved"),
        ("npm test -- --silent", None, "/home/ada/shop", "2026-03-02T09:00:00Z", "resolved"),
        ("npm test", "attempt", "/home/ada/shop", "2026-03-02T09:00:00Z", "open"),  # on another branch
        ("npm test", "main", "/home/ada/shop", "2026-02-28T09:00:00Z", "open"),  # before it failed
    ],
)
def test_what_one_agent_saw_fail_is_resolved_by_a_later_run_of_another(
    command: str, branch: str | None, folder: str, at: str, status: str
) -> None:
    before = session("c", failure("f", "2026-02-01T00:00:00Z", command="npm test", resolved=FIX))
    seen = session("a", failure("f", "2026-03-01T10:10:00Z", command="npm test"), agent="codex")
    later = invented.facts("b", branch=branch, folder=folder, tests=(Ran(command, True, at, "chunk:claude:b:002"),))
    one = one_pattern(later, seen, before)
    assert one.status == status
    if status == "resolved":
        newest = one.resolutions[0]
        assert (newest.session, newest.by.ref) == ("session:claude:b", "chunk:claude:b:002")
        assert not newest.by.read_all  # what was changed for it is not known
