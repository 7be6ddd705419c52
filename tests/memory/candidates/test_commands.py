"""What commands show: checks that work, what they need before them, and what linters object to again and again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from aicx.git import Roots
from aicx.memory.candidates.gather import holds, unlike
from aicx.memory.candidates.rules import propose
from aicx.memory.proposals import Proposal, joined
from tests.evidence.stories import Story
from tests.memory.candidates.builders import session, statements

WRAPPED = "src/a.go:{}:3: error returned from external package is unwrapped: `{}` (wrapcheck)"


def _kept(*stories: Story) -> list[Proposal]:
    found: Iterable[Proposal] = (
        one for number, story in enumerate(stories) for one in propose(session(story, number=number))
    )
    return [one for one in joined(found) if holds(one)]


def test_a_check_that_failed_and_later_passed_in_two_sessions_is_a_procedure() -> None:
    first = Story().runs("make lint", "error: bad", failed=True).runs("make lint", "ok").runs("make lint", "ok")
    second = Story().runs("make lint 2>&1", "ok")
    (found,) = _kept(first, second)
    assert (found.kind, found.statement, found.topic) == ("procedure", "Lint with `make lint`.", "lint")
    assert (found.origin, found.sessions) == ("tool_output", 2)
    assert sorted(str(one.outcome) for one in found.sightings) == ["failed", "passed", "passed"]


def test_a_check_that_never_failed_or_passed_once_shows_too_little() -> None:
    assert _kept(Story().runs("make lint", "ok"), Story().runs("make lint", "ok")) == []
    assert _kept(Story().runs("make lint", "error: bad", failed=True).runs("make lint", "ok")) == []


def test_a_check_that_failed_last_is_not_known_to_work() -> None:
    broken = Story().asks("a").asks("b").asks("c").runs("make lint", "error: bad", failed=True)
    assert _kept(Story().runs("make lint", "ok"), Story().runs("make lint", "ok"), broken) == []


@pytest.mark.parametrize(
    "line",
    [
        "pytest tests/test_a.py",
        "cd ../other && npm test",
        *("bun --filter web run test", "mise --cd crates/a run lint", "npm -w web run test"),
    ],
)
def test_a_check_of_a_part_or_of_something_outside_is_no_check_of_the_repository(line: str) -> None:
    one = Story().runs(line, "error: bad", failed=True).runs(line, "ok")
    assert _kept(one, one) == []


@pytest.mark.parametrize(
    ("fails", "passes", "again", "topic", "statement"),
    [
        # With the module that python runs, the sub-command that checks, and everything where the command needs it.
        (
            *("python -m pytest -q", "python -m pytest -q", "python -m pytest -x"),
            *("test", "Run the tests with `python -m pytest`."),
        ),
        ("go test ./...", "go test ./... -count=1", "go test ./...", "test", "Run the tests with `go test ./...`."),
        (
            *("golangci-lint run --path-mode=abs ./...", "golangci-lint run --fast ./...", "golangci-lint run ./..."),
            *("lint", "Lint with `golangci-lint run ./...`."),
        ),
        ("go vet ./...", "go vet ./...", "go vet ./...", "lint", "Lint with `go vet ./...`."),
        # With the folder that it was run in.
        ("cd web && npm test", "npm test", "cd web && npm test", "test", "Run the tests with `npm test` in `web`."),
    ],
)
def test_a_procedure_names_all_that_the_check_needs(
    fails: str, passes: str, again: str, topic: str, statement: str
) -> None:
    first = Story().runs(fails, "1 failed: bad", failed=True).runs(passes, "ok")
    (found,) = _kept(first, Story().runs(again, "ok"))
    assert (found.statement, found.topic) == (statement, topic)


def test_the_only_command_before_a_check_passed_is_a_procedure() -> None:
    story = Story().runs("bun run typecheck", "tsc: command not found", failed=True).runs("bun run generate", "done")
    story.runs("bun run typecheck", "ok")
    assert statements(story) == [
        ("procedure", "Run `bun run generate` before `bun run typecheck`, which fails without it.")
    ]


def test_what_every_new_copy_needs_and_a_command_that_says_it_is_out_of_date_are_no_procedure() -> None:
    story = Story().runs("bun run typecheck", "tsc: command not found", failed=True).runs("bun install", "done")
    assert statements(story.runs("bun run typecheck", "ok")) == []
    old = "Warning: 'format' command is deprecated. Please use 'fix' instead."
    one = Story().runs("npm run format", f"{old}\nerror: bad", failed=True).runs("npm run format", f"{old}\nok")
    assert _kept(one, one) == []


def test_an_edit_or_a_second_command_between_explains_the_pass_as_well() -> None:
    failing = ("bun run typecheck", "error TS1: bad")
    edited = Story().runs(*failing, failed=True).edits("src/a.ts").runs("bun run generate", "done")
    assert statements(edited.runs("bun run typecheck", "ok")) == []
    both = Story().runs(*failing, failed=True).runs("bun run generate", "done").runs("bun run build", "done")
    assert statements(both.runs("bun run typecheck", "ok")) == []


@pytest.mark.parametrize(
    ("fails", "helps", "passes", "told"),
    [
        (
            "cd web && make check",
            "bun run generate",
            "make check",
            ["Run `bun run generate` in `web` before `make check`, which fails without it."],
        ),
        # In another repository, in another folder than the check, and a pass that is of another folder.
        ("cd ../other && make check", "bun run generate", "make check", []),
        ("make check", "cd web && bun run generate", "cd .. && make check", []),
        ("make check", "bun run generate", "cd web && make check", []),
    ],
)
def test_what_a_check_needs_is_told_of_its_own_folder_alone(
    fails: str, helps: str, passes: str, told: list[str]
) -> None:
    story = Story().runs(fails, "error: no modules", failed=True).runs(helps, "added 3").runs(passes, "ok")
    assert [one for _, one in statements(story)] == told


def test_a_linters_objection_in_two_sessions_is_a_failure_with_what_differs_left_out() -> None:
    stories = [
        Story().runs("make lint", WRAPPED.format(line, name), failed=True).edits("a.go").runs("make lint", "ok")
        for line, name in ((12, "os.Open"), (99, "io.Copy"))
    ]
    (found,) = [one for one in _kept(*stories) if one.kind == "failure"]
    assert found.statement == ("`make lint` objects: error returned from external package is unwrapped: … (wrapcheck)")
    assert [one.quote for one in found.sightings] == [WRAPPED.format(12, "os.Open"), WRAPPED.format(99, "io.Copy")]
    assert [one for one in _kept(stories[0]) if one.kind == "failure"] == []


def test_an_objection_that_is_not_over_and_a_failed_test_are_none() -> None:
    open_ones = [Story().runs("make lint", WRAPPED.format(1, "x"), failed=True) for _ in range(2)]
    assert _kept(*open_ones) == []
    tests = [
        Story().runs("make test", "a.go:1: expected three rows but got four", failed=True).runs("make test", "ok")
        for _ in range(2)
    ]
    assert {one.kind for one in _kept(*tests)} <= {"procedure"}


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        ("npm run check", "Check with `npm run check`."),
        ("npm run build", "Build with `npm run build`."),
        ("npm run lint", "Lint with `npm run lint`."),
        ("make fmt", "Format with `make fmt`."),
        ("npm run lint:format", "Lint with `npm run lint:format`."),
        ("npm run format:check", "Check with `npm run format:check`."),
        ("cargo fmt", "Format with `cargo fmt`."),
    ],
)
def test_a_check_is_told_with_no_more_than_its_name_says_it_does(line: str, statement: str) -> None:
    first = Story().runs(line, "error: bad", failed=True).runs(line, "ok")
    assert [found.statement for found in _kept(first, Story().runs(line, "ok"))] == [statement]


@pytest.mark.parametrize("option", ["-tags=e2e", "-tags e2e", "--features slow"])
def test_a_check_of_what_an_option_selects_is_no_check_of_everything_else(option: str) -> None:
    line = f"go vet {option} ./..."
    one = Story().runs(line, "a.go:1: bad", failed=True).runs(line, "ok")
    assert _kept(one, one) == []


def test_a_command_that_several_checks_need_is_told_once() -> None:
    story = Story()
    for check in ("make test", "make lint"):
        story.runs(check, "error: no modules", failed=True)
    story.runs("npm run generate", "made 3 files").runs("make test", "3 passed").runs("make lint", "ok")
    found = [one for _, one in statements(story) if "generate" in one]
    assert found == ["Run `npm run generate` before `make test`, which fails without it."]


def test_a_check_with_and_without_what_it_looks_at_is_one_candidate() -> None:
    wide = Story().runs("golangci-lint run", "error: bad", failed=True).runs("golangci-lint run", "0 issues.")
    narrow = "golangci-lint run ./..."
    whole = Story().runs(narrow, "error: bad", failed=True).runs(narrow, "0 issues.")
    found = unlike(_kept(wide, wide, whole, whole))
    assert len(found) == 1


def test_a_bare_check_of_the_toolchain_is_a_matter_of_course_beside_a_task() -> None:
    bare, task = (
        [Story().runs(line, "error: bad", failed=True).runs(line, "ok")] * 2 for line in ("cargo test", "just ci")
    )
    assert [one.statement for one in unlike(_kept(*bare, *task))] == ["Check with `just ci`."]
    assert [one.statement for one in unlike(_kept(*bare))] == ["Run the tests with `cargo test`."]


def test_a_limit_with_and_without_the_version_is_one_candidate_where_one_session_tells_both() -> None:
    plain = "Graphite doesn't support a `retry` field in the notarize configuration."
    exact = "Graphite v2.13.2 doesn't support a `retry` field in the notarize part of the configuration."
    assert len(unlike(_kept(Story().asks("why?").says(plain).says(exact)))) == 1
    assert len(unlike(_kept(Story().asks("why?").says(plain), Story().asks("why?").says(exact)))) == 2


def test_a_folder_that_was_left_again_is_not_told() -> None:
    first = Story().runs("cd web && ls", "a").runs("cd .. && npm test", "1 failed", failed=True).runs("npm test", "ok")
    (found,) = _kept(first, Story().runs("npm test", "ok"))
    assert found.statement == "Run the tests with `npm test`."


def test_a_folder_of_windows_is_told_from_the_root() -> None:
    story = Story().runs('cd "D:\\orbit\\web" && npm test', "1 failed", failed=True).runs("npm test", "ok")
    placed = replace(session(story), roots=Roots((r"D:\orbit",)), folder=r"D:\orbit")
    assert {one.statement for one in propose(placed)} == {"Run the tests with `npm test` in `web`."}


def test_the_same_check_in_another_folder_is_another_procedure() -> None:
    runs = [
        Story().runs(f"cd {place} && go vet ./...", "bad", failed=True).runs("go vet ./...", "ok") for place in "ab"
    ]
    assert [one.statement for one in unlike(_kept(*runs, *runs))] == [
        "Lint with `go vet ./...` in `a`.",
        "Lint with `go vet ./...` in `b`.",
    ]
    wide = Story().runs("cd a && go vet", "bad", failed=True).runs("go vet", "ok")
    assert len(unlike(_kept(*runs, *runs, wide, wide))) == 2
