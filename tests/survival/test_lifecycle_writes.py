"""A session's start and end that are killed at any step, and said again afterwards."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aicx.config import load_settings
from aicx.lifecycle.finalize import Ending, finalize
from aicx.lifecycle.identity import Asker
from aicx.lifecycle.prepare import prepare
from aicx.memory.reading import Memory, find_scope
from aicx.paths import Layout
from aicx.work.events import changing
from aicx.work.files import every_folder, read_all
from aicx.work.holder import check_files, check_log
from aicx.work.record import Stated, WorkRecord
from tests.sampling import sample
from tests.survival.runs import CUTS, HERE, Home, Runner

pytestmark = pytest.mark.process

WHO = ("--agent-id", "claude", "--session-id", "s1")
RECORD = ("resume", "--task", "Fix the login", "--agent-id", "claude", "--record")
DECIDE = (
    *("finalize", "--status", "failure", "--summary", "It fails", "--next", "Read the log", *WHO),
    *("--decision", "Always write a header, because readers expect one"),
)
RUN = ("run", "--task", "Fix the login", "--", "sh", "-c", "echo 'error: no disk'; echo x > made.txt; exit 3")
PREPARE = ("prepare", "--task", "Fix the login", *WHO)
FINALIZE = ("finalize", "--status", "success", "--summary", "It works", "--files-edited", "src/login.py", *WHO)


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Home:
    folder = tmp_path_factory.mktemp("begun")
    (folder / "user").mkdir()
    (folder / "repo").mkdir()
    home = Home(folder / "user", folder / "corpus")
    run = HERE.run(home, "task", "start", "Fix the login", *_in(home))
    assert run.code == 0, run.err
    return home


def _in(home: Home) -> tuple[str, ...]:
    return ("--repo", str(home.user.parent / "repo"), "--json")


def _again(home: Home, command: tuple[str, ...]) -> None:
    """Says the same once more, as an agent does that got no answer."""
    settings, folder = load_settings(home.environ), home.user.parent / "repo"
    who, now = Asker("claude", "s1"), datetime.now(UTC)
    if command is PREPARE:
        prepare(settings, folder, who, now, task="Fix the login")
    else:
        finalize(settings, folder, who, Ending("success", "It works", stated=Stated(edited=("src/login.py",))), now)
    with changing(settings, now, "cli", lambda _: None):
        pass  # the next writer finishes what was begun


def _view(home: Home) -> set[tuple[object, ...]]:
    """What each record says; the same handoff once."""
    layout = Layout(home.corpus)
    return {_said(one) for one in read_all(layout, every_folder(layout)).records}


def _said(one: WorkRecord) -> tuple[object, ...]:
    outcome = one.attempt.outcome if one.attempt else None
    return one.kind, one.status, one.closing_note, tuple(one.texts("verified")), outcome


@pytest.mark.parametrize("command", [PREPARE, FINALIZE], ids=["prepare", "finalize"])
def test_what_was_killed_at_any_step_is_whole_once_it_is_said_again(
    command: tuple[str, ...], begun: Home, runner: Runner, tmp_path: Path
) -> None:
    whole = Home(begun.user, shutil.copytree(begun.corpus, tmp_path / "whole"))
    cuts = runner.cuts(whole, tmp_path / "cuts", *command, *_in(whole))
    wanted = _view(whole)
    killed = 0
    for step, home in cuts:
        killed += 1
        _again(home, command)
        assert _view(home) == wanted, step
        layout = Layout(home.corpus)
        checks = check_files(layout, unfinished=False), check_log(layout)
        assert {check.severity for check in checks} == {"green"}, step
    assert killed >= CUTS


def _statements(home: Home) -> list[str]:
    scope = find_scope(load_settings(home.environ), home.user.parent / "repo")
    with Memory.open(load_settings(home.environ), datetime.now(UTC), scope=scope) as memory:
        return [found.record.statement for found in memory.assessed()]


@pytest.mark.parametrize("command", [RECORD, DECIDE], ids=["resume --record", "finalize --decision"])
def test_what_was_killed_is_whole_once_the_same_command_is_given_again(
    command: tuple[str, ...], begun: Home, runner: Runner, tmp_path: Path
) -> None:
    """The brief beside a contract, and a decision in the memory, are written under other locks than the record."""

    whole = Home(begun.user, shutil.copytree(begun.corpus, tmp_path / "whole"))
    cuts = runner.cuts(whole, tmp_path / "cuts", *command, *_in(whole))
    wanted = _view(whole), _statements(whole)
    killed = 0
    for step, home in cuts:
        killed += 1
        again = HERE.run(home, *command, *_in(home))
        assert again.code == 0, again.err
        assert (_view(home), _statements(home)) == wanted, step
        briefs = [json.loads(path.read_bytes()) for path in home.corpus.glob("work/*/attempts/*.capsule.json")]
        assert bool(briefs) == (command is RECORD)
        layout = Layout(home.corpus)
        checks = check_files(layout, unfinished=False), check_log(layout)
        assert {check.severity for check in checks} == {"green"}, step
    assert killed >= CUTS


def test_runs_killed_at_any_step_leave_a_home_that_is_sound_and_answers(
    begun: Home, runner: Runner, tmp_path: Path
) -> None:
    """One after the other in one home, which has to bear all that they leave."""

    def ask(*words: str) -> str:
        run = HERE.run(home, *words)
        assert run.code == 0, run.err
        return run.out

    home = Home(begun.user, shutil.copytree(begun.corpus, tmp_path / "corpus"))
    repo, log = begun.user.parent / "repo", tmp_path / "steps"
    assert runner.run(home, *RUN, steps=log, folder=repo).code == 3
    steps = len(log.read_text().splitlines())
    ends = [runner.run(home, *RUN, fatal_step=step, folder=repo) for step in sample(range(1, steps + 1), 10)]
    assert sum(end.killed for end in ends) >= 8
    assert runner.run(home, *RUN, folder=repo).code == 3
    ask("store")
    assert "ended with exit code 3, just now: error: no disk" in ask("resume", "--repo", str(repo))
    checks = json.loads(HERE.run(home, "doctor", "--json").out)["checks"]
    assert [check for check in checks if check["severity"] == "critical"] == []
    assert {check["severity"] for check in checks if check["name"] in ("work", "work_events")} == {"green"}
