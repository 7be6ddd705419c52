"""The branch of a session whose log does not say it, or said it only where it began: git prints it when it changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from aicx.sources.door import asks_git_here, printed_branch, with_branches
from aicx.sources.items import SourceRef, TimelineEntry, ToolUse

HERE = "/srv/ada/orbit"


@pytest.mark.parametrize(
    ("output", "branch"),
    [
        ("[wax 1234abc] Melt the wax\n 1 file changed", "wax"),
        ("[main (root-commit) 1234abc] Begin", "main"),
        ("Switched to a new branch 'hive/combs'", "hive/combs"),
        ("Switched to branch 'main'\nYour branch is up to date", "main"),
        ("## hive/combs...origin/hive/combs [ahead 1]\n M comb.py", "hive/combs"),
        ("[wax 1234abc] Melt\nSwitched to branch 'main'", "main"),
        ("[detached HEAD 1234abc] Melt the wax", None),
        ("## Usage\n\nHow the hive is used...", None),
        ("## HEAD (no branch)", None),
        ("1234abc [wax] Melt the wax", None),
    ],
)
def test_git_names_the_branch_where_it_changes(output: str, branch: str | None) -> None:
    assert printed_branch(output) == branch


@pytest.mark.parametrize(
    ("command", "here"),
    [
        ("git add . && git commit -m 'Melt the wax'", True),
        ("cd ../combs && git commit -m 'Melt the wax'", False),
        ("git -C ../combs commit -m 'Melt the wax'", False),
        ("git --no-pager -C ../combs switch wax", False),
        ("git worktree add ../combs -b combs", False),
        ("make hive", False),
    ],
)
def test_only_git_in_the_folder_of_the_session_tells_its_branch(command: str, here: bool) -> None:
    assert asks_git_here(command, command, HERE) is here


def test_a_call_that_names_another_folder_tells_nothing() -> None:
    assert asks_git_here(f'exec {{"cmd": "git status", "workdir": "{HERE}"}}', "git status", HERE)
    assert not asks_git_here('exec {"cmd": "git status", "workdir": "/srv/ada/combs"}', "git status", HERE)


def entry(text: str, tool: ToolUse | None = None, branch: str | None = None, cwd: str = HERE) -> TimelineEntry:
    at, ref = datetime(2026, 1, 1, tzinfo=UTC), SourceRef("log.jsonl", 0, 1, "0" * 64)
    role, origin = ("tool", "tool") if tool else ("user", "typed")
    return TimelineEntry("opencode", "s", at, role, text, ref, origin, cwd, branch, tool=tool)  # type: ignore[arg-type]


def called(output: str) -> list[TimelineEntry]:
    command = "git commit -m x"
    return [
        entry(command, ToolUse("bash", "call", "1", command)),
        entry(output, ToolUse("bash", "result", "1")),
        entry("and now?"),
    ]


def test_entries_have_the_branch_that_was_printed_last_before_them() -> None:
    told = list(with_branches([*called("[wax 1234abc] Melt"), entry("elsewhere", cwd="/srv/ada/combs")]))
    assert [one.branch for one in told if isinstance(one, TimelineEntry)] == [None, "wax", "wax", None]


def test_a_log_that_says_its_branch_is_believed() -> None:
    told = list(with_branches([replace(one, branch="main") for one in called("[wax 1234abc] Melt")]))
    assert {one.branch for one in told if isinstance(one, TimelineEntry)} == {"main"}
