"""What a session tried without success and gave up."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from aicx.evidence import Step
from aicx.evidence.calls import answered_calls
from aicx.evidence.given_up import given_up
from aicx.evidence.runs import followed, runs_of

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
NUMBERS = count()


def said(text: str, role: str = "assistant") -> list[Step]:
    number = next(NUMBERS)
    origin = "typed" if role == "user" else role
    return [Step(f"c:{number}", BEGIN + timedelta(seconds=number), role, origin, text)]


def ran(command: str, printed: str = "", *, failed: bool = False, tool: str = "Bash", file: str = "") -> list[Step]:
    number = next(NUMBERS)
    at, one, files = BEGIN + timedelta(seconds=number), str(number), (file,) if file else ()
    asked = Step(f"c:{one}", at, "tool", "tool", command, tool, "call", call_id=one, command=command, files=files)
    answer = Step(f"c:{one}", at, "tool", "tool", printed, tool, "result", failed, one, exit_code=int(failed))
    return [asked, answer]


def refused(command: str = "", file: str = "") -> list[Step]:
    printed = "The tool use was rejected. To tell you how to proceed, the user said:"
    return ran(command, printed, failed=True, tool="Bash" if command else "Edit", file=file)


def texts(*parts: list[Step]) -> list[str]:
    steps = [step for part in parts for step in part]
    calls = followed(answered_calls(steps))
    return [one.text for one in given_up(steps, calls, runs_of(calls))]


FAST_FORWARD = "fatal: Not possible to fast-forward, aborting."
OTHER_WORK = [*ran("git reset --hard origin/main"), *ran("git commit -m x"), *ran("make install")]


def test_a_command_that_failed_and_was_left_for_another_is_given_up() -> None:
    found = texts(ran("git pull --ff-only origin main", FAST_FORWARD, failed=True), OTHER_WORK)
    assert found == [f"`git pull --ff-only origin main` failed: {FAST_FORWARD}"]


def test_a_command_that_passed_later_is_not_given_up() -> None:
    again = ran("git pull --ff-only origin main")
    assert not texts(ran("git pull --ff-only origin main", FAST_FORWARD, failed=True), OTHER_WORK, again)


def test_a_command_that_printed_nothing_when_it_was_run_again_is_not_given_up() -> None:
    silent = ran("kit open shop")[:1]
    assert not texts(ran("kit open shop", "error: the shop is closed", failed=True), OTHER_WORK, silent, OTHER_WORK)


def test_what_fails_at_the_end_is_open_and_not_given_up() -> None:
    assert not texts(ran("gh pr merge 4 --auto", "GraphQL: error: Auto merge is not allowed", failed=True))


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("mypy src", "error: Name is not defined"),  # a check is mended
        ("git merge origin/main", "error: Automatic merge failed; fix conflicts"),  # they are resolved
        ("python -c 'import shop'", "ModuleNotFoundError: No module named 'shop'"),  # a question to the program
        ("./scripts/serve.sh", "error: the shop is closed"),  # a program of the work
        ("cargo run --example shop", "error: the shop is closed"),
        ("kit status shop", "Error: No shop found"),  # asks what is there
        ("kit open shop", "error: syntax error near ')'"),  # a slip
        ("kit open shop", "error: HTTP 503: Service Unavailable"),  # passes by itself
        ("kit open shop", "opening"),  # nothing that is an error
        ("kit make shop && kit open shop", "error: the shop is closed"),  # one of two
    ],
)
def test_failures_that_tell_nothing_of_a_way_are_left_out(command: str, printed: str) -> None:
    assert not texts(ran(command, printed, failed=True), OTHER_WORK, OTHER_WORK)


def test_of_several_forms_of_a_command_that_all_failed_the_last_is_told() -> None:
    first = ran("kit open shop --fast", "error: no such mode", failed=True)
    second = ran("kit open shop --slow", "error: the shop is closed", failed=True)
    assert texts(first, second, OTHER_WORK, OTHER_WORK) == ["`kit open shop --slow` failed: error: the shop is closed"]


def test_what_a_person_refused_with_an_order_is_told_with_their_words() -> None:
    found = texts(refused("git add docs && git commit -m plan"), said("Don't check this in. It is a draft.", "user"))
    assert found == ["`git add docs && git commit -m plan` was refused: Don't check this in."]
    found = texts(refused("git commit -m \"$(cat <<'EOF'\nplan\nEOF\n)\""), said("no, never commit", "user"))
    assert found == ["`git commit -m` was refused: no, never commit"]
    found = texts(refused(file="/home/ada/shop/cart.py"), said("no, leave the cart alone", "user"))
    assert found == ["Changing `cart.py` was refused: no, leave the cart alone"]


@pytest.mark.parametrize(
    "answer", ["is the map function not there?", "no problem, but which file is it", "use subagents"]
)
def test_a_question_that_interrupts_a_call_refuses_nothing(answer: str) -> None:
    assert not texts(refused(file="/home/ada/shop/cart.py"), said(answer, "user"))


@pytest.mark.parametrize(
    "text",
    [
        "I tried the release head in a worktree, but the lock file refused to resolve.",
        "The memory-mapped approach didn't work on macOS.",
        "The option I tried\n(`kit --all v1.2`) published everything and failed.",
        "Switching to the older image made no difference.",
        "Ich habe den alten Treiber versucht, aber er lädt nicht.",
    ],
)
def test_sentences_that_say_a_try_failed_are_told(text: str) -> None:
    assert texts(said(text)) == [" ".join(text.split())]


@pytest.mark.parametrize(
    "text",
    [
        "Should I try the other approach if that approach doesn't work?",
        "If the user tried to log in twice, but failed, the page is empty.",
        "I tried the older image first but it works now.",
        "I tried the tests.",
        "The linked job is attempt 1 of the release; it failed while publishing.",
    ],
)
def test_questions_conditions_and_what_worked_are_not_told(text: str) -> None:
    assert not texts(said(text))


def test_the_latest_come_first_and_each_once() -> None:
    one = said("The cached approach failed on Windows.")
    two = said("The forked approach failed on macOS.")
    again = said("The cached approach failed on Windows.")
    assert texts(one, two, again) == ["The cached approach failed on Windows.", "The forked approach failed on macOS."]
