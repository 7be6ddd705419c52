"""Changes of tasks that are killed at any step, or made by many at once: whole or not at all, and none is lost."""

from __future__ import annotations

import json
import os
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from aicx.config import load_settings
from aicx.paths import Layout
from aicx.work.events import read_log
from aicx.work.files import every_folder, read_all
from aicx.work.holder import check_files, check_log
from aicx.work.place import find_place
from aicx.work.state import start
from tests.survival.runs import CUTS, HERE, Home, Runner

pytestmark = pytest.mark.process

COMMANDS = {
    "start": ("start", "Something new", "--next", "begin"),
    "update": ("update", "old-one", "--verified", "it works", "--next", "go on"),
    "close": ("close", "old-one", "--note", "done"),
    "pause": ("close", "old-one", "--status", "paused"),
    "resume": ("resume", "closed-one"),
}
# What the next writer adds, which is left out of the comparison.
AFTER = "Written afterwards"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """An open task and a closed one."""
    folder = tmp_path_factory.mktemp("begun")
    (folder / "user").mkdir()
    (folder / "repo").mkdir()
    home = Home(folder / "user", folder / "corpus")
    do(home, "start", "Old one", "--command", "make test")
    do(home, "start", "Closed one")
    do(home, "close", "closed-one")
    return home


def words(home: Home, *arguments: str) -> tuple[str, ...]:
    return ("task", *arguments, "--repo", str(home.user.parent / "repo"), "--json")


def do(home: Home, *arguments: str) -> dict[str, Any]:
    return HERE.said(home, *words(home, *arguments))


def view(home: Home) -> dict[str, tuple[object, ...]]:
    """What every task says, without the times at which it was written."""
    layout = Layout(home.corpus)
    return {
        record.title: (record.status, record.rev, record.next_action, record.closing_note, record.texts("verified"))
        for record in read_all(layout, every_folder(layout)).records
        if record.title != AFTER
    }


def write_after(home: Home) -> None:
    """What the next writer does: it finishes what was begun, and writes something of its own."""
    settings = load_settings(home.environ)
    start(settings, find_place(settings, home.user.parent / "repo"), AFTER, datetime.now(UTC))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_kill_at_any_step_leaves_the_old_state_or_the_new_one(
    command: str, begun: Home, runner: Runner, tmp_path: Path
) -> None:
    before = view(begun)

    whole = Home(begun.user, shutil.copytree(begun.corpus, tmp_path / "whole"))
    cuts = runner.cuts(whole, tmp_path / "cuts", *words(whole, *COMMANDS[command]))
    after = view(whole)
    assert after != before
    seen = []
    for step, home in cuts:
        assert view(home) in (before, after), step  # also for a reader in the middle
        write_after(home)
        seen.append(view(home))
        assert seen[-1] in (before, after), step
        assert not (home.corpus / "locks" / "work-staging").exists()
        layout = Layout(home.corpus)
        checks = check_files(layout, unfinished=False), check_log(layout)
        assert {check.severity for check in checks} == {"green"}, step
    assert len(seen) >= CUTS
    assert before in seen
    assert after in seen


def test_doctor_says_that_a_change_was_interrupted_and_finishes_it(begun: Home, runner: Runner, tmp_path: Path) -> None:
    close = words(begun, *COMMANDS["close"])
    said = "finished an interrupted change of a task"
    home = runner.finish_by_doctor(begun, tmp_path, *close, check="work", fixed=said)
    assert view(home)["Old one"][0] == "resolved"


def test_twelve_updates_of_one_task_lose_none(begun: Home, runner: Runner, tmp_path: Path) -> None:
    home = Home(begun.user, shutil.copytree(begun.corpus, tmp_path / "corpus"))
    orders = [("update", "old-one", "--verified", f"fact {number}", "--risk", "the same") for number in range(12)]
    done = runner.at_once(home, *(words(home, *order) for order in orders))
    assert [code for code, _ in done] == [0] * 12
    task = do(home, "show", "old-one")
    assert sorted(task["task"]["verified"]) == sorted(f"fact {number}" for number in range(12))
    assert (task["task"]["risks"], task["task"]["rev"]) == (["the same"], 13)
    assert [event["type"] for event in task["events"]] == ["started", *["updated"] * 12]
    said = [json.loads(out)["changed_fields"] for _, out in done]
    assert sorted(said) == [["verified"]] * 11 + [["verified", "risks"]]


def test_twelve_tasks_begun_at_once_are_all_kept(begun: Home, runner: Runner, tmp_path: Path) -> None:
    home = Home(begun.user, shutil.copytree(begun.corpus, tmp_path / "corpus"))
    # Each of six goals twice: an agent that calls everything twice.
    orders = [("start", f"Goal {number // 2}", "--file", f"f{number}.py") for number in range(12)]
    assert [code for code, _ in runner.at_once(home, *(words(home, *order) for order in orders))] == [0] * 12
    tasks = {task["title"]: task["active_files"] for task in do(home, "status")["active"]}
    assert {title: sorted(files) for title, files in tasks.items() if title.startswith("Goal")} == {
        f"Goal {number}": sorted([f"f{2 * number}.py", f"f{2 * number + 1}.py"]) for number in range(6)
    }
    folder = home.corpus / "work"
    events = read_log(next(folder.iterdir())).events
    assert len({event.sequence for event in events}) == len(events) == 3 + 12


def test_closing_and_updating_at_once_ends_in_an_order_that_makes_sense(
    begun: Home, runner: Runner, tmp_path: Path
) -> None:
    home = Home(begun.user, shutil.copytree(begun.corpus, tmp_path / "corpus"))
    orders = [("update", "old-one", "--verified", f"fact {number}") for number in range(6)]
    orders += [("close", "old-one") for _ in range(6)]
    codes = [code for code, _ in runner.at_once(home, *(words(home, *order) for order in orders))]
    assert codes[6:] == [0] * 6
    task = do(home, "show", "old-one")
    assert task["task"]["status"] == "resolved"
    assert len(task["task"]["verified"]) == codes[:6].count(0)  # what was refused said so, and the rest is there
    assert [event["type"] for event in task["events"]].count("closed") == 1


def test_a_home_that_cannot_be_written_is_still_read(begun: Home, runner: Runner, tmp_path: Path) -> None:
    home = Home(begun.user, shutil.copytree(begun.corpus, tmp_path / "corpus"))
    shutil.rmtree(home.corpus / "locks")
    (home.corpus / "locks").write_text("in the way")
    assert [task["title"] for task in do(home, "status")["active"]] == ["Old one"]
    run = runner.run(home, *words(home, *COMMANDS["update"]))
    assert (run.code, json.loads(run.out)["kind"]) == (6, "StoreUnwritable")
    assert os.path.isfile(home.corpus / "locks")
