"""What a session was seen to do."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from aicx.evidence import Step
from aicx.evidence.calls import OtherRepositories
from aicx.git import Roots
from aicx.work.deriving import derive, observe
from aicx.work.session_facts import SessionPart
from tests.evidence.stories import Story

ROOT = "/home/ada/shop"
NUMBERS = count()
AT = datetime(2026, 3, 1, tzinfo=UTC)


def call(tool: str, command: str = "", files: tuple[str, ...] = (), **result: Any) -> list[Step]:
    one = str(next(NUMBERS))
    asked = Step("c:1", AT, "tool", "tool", command, tool, "call", call_id=one, command=command, files=files)
    answered = Step("c:1", AT, "tool", "tool", result.get("text", ""), tool, "result", result.get("failed", False), one)
    return [asked, answered]


def seen(*calls: list[Step], folder: str = ROOT) -> Any:
    return observe([step for steps in calls for step in steps], Roots((ROOT,)), folder)


def test_files_are_opened_by_tools_and_by_programs_that_print_them() -> None:
    found = seen(
        call("Read", files=(f"{ROOT}/src/a.py",)),
        call("Bash", "sed -n '1,40p' src/b.py | head"),
        call("Bash", f"cat {ROOT}/Makefile missing"),
    )
    assert found.opened == ("src/a.py", "src/b.py", "Makefile")


def test_what_lies_outside_the_repository_is_not_observed() -> None:
    assert seen(call("Read", files=("/etc/hosts",)), call("Bash", "cat ../other/x.py")).opened == ()


def test_an_edit_that_failed_changed_nothing() -> None:
    found = seen(call("Edit", files=("src/a.py",), failed=True), call("Edit", files=("src/b.py",)))
    assert (found.edited, found.opened) == (("src/b.py",), ())


def test_a_deleted_file_is_seen_unless_it_was_written_again() -> None:
    patch = "*** Begin Patch\n*** Delete File: src/d.py\n*** End Patch"
    found = seen(
        call("Bash", "rm -rf src/a.py && git rm src/b.py src/c.py"),
        call("Write", files=(f"{ROOT}/src/b.py",)),
        call("apply_patch", patch, files=(f"{ROOT}/src/d.py",)),
        call("Bash", "rm src/kept.py", failed=True),
    )
    windows = observe(call("Bash", 'rm "D:/orbit/src/try.py"'), Roots(("D:/orbit",)), "D:/orbit")
    assert windows.deleted == ("src/try.py",)
    assert found.deleted == ("src/a.py", "src/c.py", "src/d.py")


def test_a_file_that_was_moved_is_gone_and_the_edit_is_of_its_new_name() -> None:
    moved = f"*** Begin Patch\n*** Update File: {ROOT}/src/b.py\n*** Move to: {ROOT}/src/c.py\n@@\n*** End Patch"
    found = seen(
        call("Edit", files=("src/a.py", "src/b.py")),
        call("Bash", "mv src/a.py src/cart.py\nnpm test", failed=True),
        call("apply_patch", moved, files=(f"{ROOT}/src/b.py", f"{ROOT}/src/c.py")),
        call("Bash", "mv src/cart.py src/never.py", failed=True),
    )
    assert (found.deleted, found.edited[-2:]) == (("src/a.py", "src/b.py"), ("src/cart.py", "src/c.py"))


def test_commands_before_the_first_file_are_orientation() -> None:
    found = seen(call("Bash", "git status && ls"), call("Read", files=("a.py",)), call("Bash", "git log"))
    assert (found.orientation, found.commands) == (("git status", "ls"), ())


def test_a_test_is_found_within_a_line() -> None:
    found = seen(call("Bash", "cd src && uv run pytest -q 2>&1 | tail -5"), call("Bash", "npm run lint"))
    assert (found.tests, found.commands) == (("uv run pytest -q",), ("uv run pytest -q", "npm run lint"))


def test_a_report_of_the_end_is_seen_in_a_shell_and_over_mcp() -> None:
    assert seen(call("Bash", 'aicx finalize --status success --summary "done"')).finalized
    assert seen(call("mcp__aicx__aicx_finalize")).finalized
    assert not seen(call("Bash", "echo finalize")).finalized


@pytest.mark.parametrize(
    ("asked", "title", "kept"),
    [
        ("Sort the rows of the export by name and keep the header above them", "Wax support", False),
        ("Sort the rows of the export by name and keep the header above them", "export-row-order", True),
        ("Sort the rows of the export by name and keep the header above them", "Lexer of nested lists", True),
        ("can you look at this", "Wax support", True),
        ("Sort the rows of the export by name and keep the header above them", "Export, issue 5992", False),
    ],
)
def test_a_title_that_nothing_bears_out_is_none_where_the_request_says_enough(
    asked: str, title: str, *, kept: bool
) -> None:
    steps = Story().asks(asked).edits(f"{ROOT}/src/lexer.py").says("Sorted.").steps
    part = SessionPart("claude", "s", "", ROOT, None, "primary", False, title)
    found = derive(part, steps, OtherRepositories(None, Roots((ROOT,))))
    assert found is not None
    assert (found.title == title) is kept
