"""Steps of a review that are killed at any moment, or taken by many at once: taken or not, and never half."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.survival.runs import CUTS, HERE, Home, Runner

pytestmark = pytest.mark.process

SAID = "`zip` cannot be used with `--all`."
NOTE = """# Continuity of this worktree

## Files, decisions and environment

- Decision: Exports are Parquet files, because readers need types
- Decision: Always run `make check` before a merge
"""
BY = ("--by", "Ada", "--yes")
COMMANDS = {
    "build": ("build",),
    "adopt": ("adopt", "said", "--by", "Ada"),
    "promote an instruction": ("promote", "order", *BY),
    "verify": ("verify-apply", "waits"),
}


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A record before each step, and a note."""
    folder = tmp_path_factory.mktemp("reviewed")
    for name in ("user", "repo/.aicx/continuity"):
        (folder / name).mkdir(parents=True)
    (folder / "repo/.aicx/continuity/active.md").write_text(NOTE)
    (folder / "repo/CLAUDE.md").write_text("# Rules\n")
    home = Home(folder / "user", folder / "corpus")
    statements = {"said": SAID, "order": "Always run the tests", "waits": "Always be kind"}
    for name, statement in statements.items():
        origin = ("--origin", "subagent") if name == "said" else ()
        do(home, "memory", "put", statement, "--name", name, *origin)
    for name in ("order", "waits"):
        do(home, "review", "approve", name, "--by", "Ada")
    block = do(home, "review", "promote", "waits", *BY)["proposal"]["block"]
    (folder / "repo/CLAUDE.md").write_text(f"# Rules\n\n{block}")
    return home


def words(home: Home, *arguments: str) -> tuple[str, ...]:
    return (*arguments, "--repo", str(home.user.parent / "repo"), "--json")


def do(home: Home, *arguments: str) -> dict[str, Any]:
    return HERE.said(home, *words(home, *arguments))


def view(home: Home) -> tuple[Mapping[str, str], frozenset[str]]:
    """The state of every record, and the proposals that there are."""
    states = (
        "pending",
        "approved",
        "blocked",
        "promoted",
        "rejected",
        "stale",
        "manual-apply-pending",
        "manual-applied",
    )
    options = [word for state in states for word in ("--state", state)]
    found = do(home, "review", "candidates", *options)
    assert found["notes"] == []
    files = frozenset(path.name for path in home.corpus.glob("memory/*/proposals/*"))
    return {one["entry"]["statement"]: one["state"] for one in found["candidates"]}, files


def finish(home: Home) -> None:
    """What the next writer does: it finishes what was begun, and writes something of its own."""
    do(home, "memory", "put", "Something else", "--global", "--name", "after")
    do(home, "memory", "delete", "after", "--yes")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_kill_at_any_step_leaves_it_taken_or_not(
    command: str, reviewed: Home, runner: Runner, tmp_path: Path
) -> None:
    before = view(reviewed)

    whole = Home(reviewed.user, shutil.copytree(reviewed.corpus, tmp_path / "whole"))
    cuts = runner.cuts(whole, tmp_path / "cuts", *words(whole, "review", *COMMANDS[command]))
    after = view(whole)
    assert after != before
    file = (reviewed.user.parent / "repo/CLAUDE.md").read_bytes()
    killed = 0
    for step, home in cuts:
        killed += 1
        finish(home)
        assert view(home) in (before, after), step
        checks = json.loads(HERE.run(home, "doctor", "--json").out)["checks"]
        wrong = [one for one in checks if one["name"].startswith(("memory", "review")) and one["severity"] != "green"]
        assert wrong == [], step
    assert killed >= CUTS
    assert (reviewed.user.parent / "repo/CLAUDE.md").read_bytes() == file


def test_eight_builds_at_once_make_each_candidate_once(reviewed: Home, runner: Runner, tmp_path: Path) -> None:
    home = Home(reviewed.user, shutil.copytree(reviewed.corpus, tmp_path / "corpus"))
    lines = (home.corpus / "memory/events.jsonl").read_text().count("\n")
    assert [code for code, _ in runner.at_once(home, *[words(home, "review", "build")] * 8)] == [0] * 8
    states, _ = view(home)
    assert len(states) == 3 + 2
    assert (home.corpus / "memory/events.jsonl").read_text().count("\n") == lines + 2
