"""A kill while chunks move to another repository costs nothing: each is in its old place or in its new one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog
from tests.survival.runs import HERE, Home, Runner

GONE = "/gone/orbit"
DAY = 24 * 3600.0
BATCH = 6
EVERY = 5
SESSIONS = (SESSION, OTHER, *(f"{number}" * 8 + OTHER[8:] for number in range(4)))


def write(user: Path, log: ClaudeLog) -> None:
    path = user / ".claude/projects/-gone-orbit" / f"{log.session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(log.body())


@pytest.fixture(scope="module")
def filed(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Sessions of two days each, filed under no repository; their logs are gone, and one that knows it has come."""
    folder = tmp_path_factory.mktemp("filed")
    home = Home(folder / "user", folder / "corpus")
    for number, session in enumerate(SESSIONS):
        log = ClaudeLog(session, GONE).prompt(f"Why is lamp number {number} dark since this morning?", number * 10)
        write(home.user, log.answer(f"The fuse {number} is burnt.", number * 10 + DAY))
    HERE.store(home)
    shutil.rmtree(home.user / ".claude")
    log = ClaudeLog(THIRD, GONE).prompt("Push it", 5000).call("Bash", 5001, command="git push")
    write(home.user, log.result("To github.com:ada/orbit.git\n   1234567..89abcde  main -> main\n", 5002))
    return home


def copy_of(filed: Home, corpus: Path) -> Home:
    shutil.copytree(filed.corpus, corpus, symlinks=True)
    return Home(filed.user, corpus)


@pytest.mark.parametrize("command", [("store",), ("projects", "assign", GONE, "ada/orbit")], ids=" ".join)
def test_a_kill_at_any_step_of_a_move_leaves_each_chunk_whole_and_the_next_store_ends_it(
    command: tuple[str, ...], filed: Home, runner: Runner, tmp_path: Path
) -> None:
    whole = copy_of(filed, tmp_path / "whole")
    cuts = runner.cuts(whole, tmp_path / "cuts", *command, batch=BATCH, every=EVERY)
    HERE.store(whole)
    tree, answers = whole.tree(), HERE.answers(whole)
    assert {item["project"] for item in answers} == {"ada/orbit"}
    for step, home in cuts:
        assert home.flaws() == [], step
        HERE.store(home)
        if command != ("store",) and not (home.corpus / "projects.json").exists():
            HERE.run(home, *command)  # it was killed before it had recorded anything
            HERE.store(home)
        assert home.tree() == tree, step
        assert HERE.answers(home) == answers, step
