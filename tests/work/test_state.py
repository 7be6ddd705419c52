"""Tasks in repositories of every kind: which may be used where, and that what may not is never changed."""

from __future__ import annotations

import json
import os
import shutil
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from aicx.errors import CorpusDamaged, NotFound, UsageError
from aicx.work.events import changing, read_log
from aicx.work.files import encode, path_of, read_all
from aicx.work.patch import Patch
from aicx.work.place import find_place, looking
from aicx.work.record import WorkRecord
from aicx.work.state import close, open_tasks, resume_task, start, update
from tests.work.builders import NOW, TaskPlace, git

NEXT = Patch(next_action="go on")


def refused(place: TaskPlace, task: str) -> None:
    """Nothing that is not asked to work on another branch changes a byte of a skipped task."""
    before = place.files()
    settings, here = place.settings, place.place
    for change in (
        lambda: update(settings, here, task, NEXT, NOW),
        lambda: close(settings, here, task, "resolved", NOW),
        lambda: resume_task(settings, here, task, NOW),
    ):
        with pytest.raises(UsageError, match="nothing changes it from here"):
            change()
    with pytest.raises(NotFound, match="1 left on other branches"):
        update(settings, here, None, NEXT, NOW)
    assert place.files() == before


class TestBranches:
    def test_a_task_of_an_unmerged_branch_is_listed_and_never_changed(self, place: TaskPlace) -> None:
        place.branch("feature")
        task = place.start("On the feature")
        place.git("checkout", "-q", "main")
        assert (place.active(), place.skipped()) == ([], {"On the feature": "branch_mismatch_unmerged"})
        refused(place, task)
        place.git("checkout", "-q", "feature")
        assert place.active() == ["On the feature"]

    def test_a_task_of_a_merged_branch_is_used_with_a_warning(self, place: TaskPlace) -> None:
        place.branch("feature")
        task = place.start("On the feature")
        place.git("checkout", "-q", "main")
        place.git("merge", "-q", "feature")
        place.git("branch", "-d", "feature")
        (found,) = place("status")["active"]
        assert found["loading"]["reason"] == "branch_changed_but_merged"
        assert found["loading"]["warning"] == "left on feature, which is part of main now"
        assert place("update", task, "--next", "go on")["task"]["git_context"]["branch"] == "main"

    def test_a_task_left_with_changes_on_another_branch_is_not_used(self, place: TaskPlace) -> None:
        place.git("checkout", "-q", "-b", "feature")
        place.write("src/export.py", "x = 2\n")
        task = place.start("On the feature")
        place.git("checkout", "-q", "-b", "other")
        assert place.skipped() == {"On the feature": "dirty_branch_mismatch"}
        refused(place, task)

    def test_a_person_may_take_a_task_over_to_another_branch(self, place: TaskPlace) -> None:
        place.branch("feature")
        task = place.start("Squashed")
        place.git("checkout", "-q", "main")
        assert place("resume", task, "--here")["task"]["git_context"]["branch"] == "main"
        assert place.active() == ["Squashed"]

    def test_the_same_branch_warns_of_a_head_that_moved(self, place: TaskPlace) -> None:
        place.start("Here")
        place.git("commit", "-q", "--allow-empty", "-m", "Further")
        (found,) = place("status")["active"]
        assert found["loading"]["reason"] == "same_branch"
        assert "the head moved from" in found["loading"]["warning"]

    def test_before_the_first_commit_the_branch_alone_decides(self, place: TaskPlace) -> None:
        new = place.folder / "new"
        new.mkdir()
        git(new, "init", "-q", "-b", "main")
        start(place.settings, find_place(place.settings, new), "Begin", NOW)
        git(new, "checkout", "-q", "-b", "other")
        assert [one.loading.reason for one in place.open(new).skipped] == ["branch_mismatch_unmerged"]

    @pytest.mark.parametrize(
        "name", ["$(touch${IFS}owned)", "a;touch${IFS}owned", "--help", "ü\u202eevil", "x" * 200, "a'b"]
    )
    def test_hostile_branch_names_are_names_and_nothing_else(self, place: TaskPlace, name: str) -> None:
        head = place.git("rev-parse", "HEAD").strip()
        place.git("update-ref", f"refs/heads/{name}", head)
        place.git("symbolic-ref", "HEAD", f"refs/heads/{name}")
        place.git("commit", "-q", "--allow-empty", "-m", "On it")
        task = place.start("Hostile")
        assert place.active() == ["Hostile"]
        shown = place("show", task)["task"]["git_context"]["branch"]
        assert shown.isprintable()
        assert "\u202e" not in shown
        place.git("symbolic-ref", "HEAD", "refs/heads/main")
        assert place.skipped() == {"Hostile": "branch_mismatch_unmerged"}
        assert not list(place.folder.rglob("owned"))

    def test_branches_that_differ_by_what_is_not_shown_are_different(self, place: TaskPlace) -> None:
        place.branch("feature")
        place.start("On the plain one")
        place.git("checkout", "-q", "main")
        place.branch("feature\u200b", "Another change")
        assert place.skipped() == {"On the plain one": "branch_mismatch_unmerged"}

    def test_a_secret_in_a_branch_name_is_not_stored(self, place: TaskPlace) -> None:
        token = "ghp_" + "a1B2c3D4e5F6" * 3
        place.branch(token)
        place.start("On a secret")
        assert place.active() == ["On a secret"]
        assert not any(token.encode() in body for body in place.files().values())


class TestRepositories:
    def test_a_detached_head_is_the_same_as_long_as_it_only_moves_on(self, place: TaskPlace) -> None:
        place.git("checkout", "-q", "--detach")
        place.start("Detached")
        place.git("commit", "-q", "--allow-empty", "-m", "Further")
        assert [one.loading.reason for one in place.open().active] == ["same_branch"]
        place.git("checkout", "-q", "--orphan", "other")
        place.git("commit", "-q", "-m", "Apart")
        place.git("checkout", "-q", "--detach")
        assert [one.loading.reason for one in place.open().skipped] == ["branch_mismatch_unmerged"]

    def test_a_shallow_clone_takes_a_commit_it_does_not_know_for_unmerged(self, place: TaskPlace) -> None:
        place.branch("feature")
        place.start("Deep")
        place.git("checkout", "-q", "main")
        place.git("merge", "-q", "feature")
        place.git("branch", "-D", "feature")
        for number in range(3):
            place.git("commit", "-q", "--allow-empty", "-m", f"Later {number}")
        assert [one.loading.reason for one in place.open().active] == ["branch_changed_but_merged"]
        (place.repo / ".git" / "shallow").write_text(place.git("rev-parse", "HEAD~1"))
        place.git("reflog", "expire", "--expire=now", "--all")
        place.git("gc", "-q", "--prune=now")
        assert [one.loading.reason for one in place.open().skipped] == ["branch_mismatch_unmerged"]

    def test_worktrees_share_a_repository_and_are_told_apart(self, place: TaskPlace) -> None:
        tree = place.folder / "tree"
        place.git("worktree", "add", "-q", "-b", "side", str(tree))
        here = place.start("In the main tree")
        settings, beside = place.settings, find_place(place.settings, tree)
        assert beside.folders == place.place.folders
        there = start(settings, beside, "In the tree beside", NOW).record
        assert there.worktree_id != place("show", here)["task"]["worktree_id"]
        # Both hold the same commit, so that each may be used in both; that of the own tree comes first and is meant.
        assert [one.record.title for one in place.open(tree).active] == ["In the tree beside", "In the main tree"]
        assert place.active() == ["In the main tree", "In the tree beside"]
        assert update(settings, beside, None, NEXT, NOW).record.title == "In the tree beside"
        assert place("update", "--next", "go on")["task"]["title"] == "In the main tree"

    def test_a_submodule_has_tasks_of_its_own(self, place: TaskPlace) -> None:
        inner = place.folder / "inner"
        inner.mkdir()
        git(inner, "init", "-q", "-b", "main")
        git(inner, "commit", "-q", "--allow-empty", "-m", "First")
        git(place.repo, "submodule", "add", "-q", str(inner), "part")
        place.start("Outside")
        part = find_place(place.settings, place.repo / "part")
        assert part.repo_id != place.place.repo_id
        start(place.settings, part, "Inside", NOW)
        assert [one.record.title for one in place.open(place.repo / "part").active] == ["Inside"]
        assert place.active() == ["Outside"]

    def test_a_folder_without_git_has_tasks_also_below_it(self, place: TaskPlace) -> None:
        plain = place.folder / "plain"
        (plain / "src").mkdir(parents=True)
        written = start(place.settings, find_place(place.settings, plain), "Plain", NOW)
        assert written.loading.reason == "no_git_context"
        found = place.open(plain / "src")
        assert [(one.record.title, one.loading.reason) for one in found.active] == [("Plain", "no_git_context")]

    def test_tasks_from_before_a_folder_became_a_repository_are_kept(self, place: TaskPlace) -> None:
        plain = place.folder / "plain"
        plain.mkdir()
        task = start(place.settings, find_place(place.settings, plain), "Plain", NOW).record.id
        git(plain, "init", "-q", "-b", "main")
        now = find_place(place.settings, plain)
        assert [one.record.title for one in place.open(plain).active] == ["Plain"]
        assert update(place.settings, now, task, NEXT, NOW).record.git_context is not None
        assert [record.next_action for record in read_all(place.settings.layout, now.folders).records] == ["go on"]

    def test_a_task_started_in_the_home_folder_is_not_that_of_everything_below(self, place: TaskPlace) -> None:
        home = place.settings.user_home
        below = home / "other"
        below.mkdir()
        start(place.settings, find_place(place.settings, home), "At home", NOW)
        assert place.open(below).active == []


class TestGit:
    @pytest.fixture
    def fake_git(self, place: TaskPlace, monkeypatch: pytest.MonkeyPatch) -> Path:
        """A folder that is all of PATH, for a git that is not one."""
        folder = place.folder / "bin"
        folder.mkdir()
        monkeypatch.setenv("PATH", str(folder))
        return folder / "git"

    def test_without_git_a_task_is_used_and_keeps_its_branch(self, place: TaskPlace, fake_git: Path) -> None:
        settings, here = place.settings, place.place
        written = start(settings, here, "Without git", NOW)
        assert written.loading.reason == "no_git_context"
        assert (written.record.git_context or written.record).reason == "git is not installed"  # type: ignore[union-attr]

    def test_git_that_goes_away_leaves_the_saved_context(
        self, place: TaskPlace, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        task = place.start("With git")
        monkeypatch.setenv("PATH", str(place.folder))
        found = place("update", task, "--next", "go on")
        assert found["task"]["loading"]["reason"] == "git_unavailable"
        assert found["task"]["git_context"]["branch"] == "main"
        assert found["changed_fields"] == ["next_action"]

    @pytest.mark.slow
    def test_git_that_hangs_costs_seconds_and_nothing_else(
        self, place: TaskPlace, fake_git: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(looking.__wrapped__.__kwdefaults__, "timeout", 0.3)
        settings, here = place.settings, place.place
        fake_git.write_text("#!/bin/sh\nexec /bin/sleep 60\n")
        fake_git.chmod(0o755)
        began = time.monotonic()
        written = start(settings, here, "Hanging", NOW)
        assert time.monotonic() - began < 5
        assert written.loading.reason == "no_git_context"
        assert [one.record.title for one in place.open().active] == ["Hanging"]


class TestTogether:
    def test_starting_twice_is_one_task(self, place: TaskPlace) -> None:
        first = place("start", "Fix the  export")
        again = place("start", "fix the export")
        assert (first["new"], again["new"]) == (True, True)  # another spelling is another goal
        same = place("start", "Fix the export")
        assert (same["new"], same["task"]["id"]) == (False, first["task"]["id"])

    def test_a_goal_that_was_reached_may_be_set_again(self, place: TaskPlace) -> None:
        first = place.start("Release")
        place("close", first)
        second = place.start("Release")
        assert first != second
        assert [task["status"] for task in place("list", "--all")["tasks"]] == ["in_progress", "resolved"]

    def test_clocks_that_jump_lose_nothing_and_change_no_order(self, place: TaskPlace) -> None:
        settings, here = place.settings, place.place
        for number, days in enumerate((0, 900, -900, 0)):
            task = start(settings, here, f"Task {number}", NOW + timedelta(days=days))
            update(settings, here, task.record.id, NEXT, NOW - timedelta(days=days))
        found = place.open()
        assert [one.record.title for one in found.active] == [f"Task {number}" for number in (3, 2, 1, 0)]
        assert {one.record.next_action for one in found.active} == {"go on"}
        assert len(read_log(settings.layout.work / here.repo_id).events) == 8

    def test_an_update_without_a_name_means_the_task_last_begun_or_resumed(self, place: TaskPlace) -> None:
        first, second = place.start("First"), place.start("Second")
        found = place("update", "--next", "x")
        assert (found["task"]["id"], found["others"]) == (second, [f"work:{first}"])
        place("update", first, "--next", "y")
        assert place("update", "--next", "z")["task"]["id"] == second
        place("resume", first)
        assert place("update", "--next", "w")["task"]["id"] == first

    def test_a_damaged_file_is_reported_and_never_written(self, place: TaskPlace) -> None:
        task = place.start("Damaged")
        path = place.file(task)
        path.write_bytes(path.read_bytes()[:40])
        before = path.read_bytes()
        found = place("status")
        assert (found["active"], [file["why"] for file in found["damaged"]]) == ([], ["not JSON"])
        for change in (
            lambda: update(place.settings, place.place, task, NEXT, NOW),
            lambda: close(place.settings, place.place, task, "resolved", NOW),
        ):
            with pytest.raises(CorpusDamaged, match="cannot be read as a task: not JSON"):
                change()
        again = place("start", "Damaged")
        assert (again["new"], path.read_bytes()) == (True, before)
        assert again["task"]["id"] != task

    @pytest.mark.parametrize("repo_id", ["../../outside", "/etc", "other-0123456789abcdef"])
    def test_a_file_of_another_repository_is_no_task(self, place: TaskPlace, repo_id: str) -> None:
        path = place.file(place.start("Moved"))
        path.write_bytes(path.read_bytes().replace(place.place.repo_id.encode(), repo_id.encode()))
        assert [file["why"] for file in place("status")["damaged"]] == ["of another repository"]

    def test_who_cannot_wait_gets_the_tasks_last_written_and_is_told_of_the_others(self, place: TaskPlace) -> None:
        settings, here = place.settings, place.place
        task = start(settings, here, "The real one", NOW).record
        fill(place, task, 5)
        newest = start(settings, here, "The newest", NOW).record
        found = open_tasks(settings, here, NOW, most=2)
        assert [one.record.id for one in found.active] == [newest.id]
        assert found.notes == ["5 older open tasks left out: `aicx task status` lists all"]
        assert open_tasks(settings, here, NOW, most=7).notes == []

    def test_next_says_as_many_open_tasks_as_the_limit_those_of_other_branches_last(self, place: TaskPlace) -> None:
        fill(place, start(place.settings, place.place, "The real one", NOW).record, 20)
        _, out, err = place.run("next")
        first, *others = out.splitlines()
        assert first.startswith("The real one  (work:")
        assert [line.partition("  ")[0] for line in others] == [f"Not here: Old {n}" for n in range(19, 10, -1)]
        assert all("left on gone, which is not known here)" in line for line in others)
        assert "20 tasks left on other branches" in err

    @pytest.mark.slow
    def test_a_thousand_tasks_are_listed_and_the_last_is_found_first(self, place: TaskPlace) -> None:
        settings, here = place.settings, place.place
        task = start(settings, here, "The real one", NOW).record
        fill(place, task, 1000)
        began = time.process_time()
        found = open_tasks(settings, here, NOW)
        assert time.process_time() - began < 1.5
        assert len(found.active) + len(found.skipped) == 1001
        assert start(settings, here, "The newest", NOW).record.id == place.json("next")["next"]["task"].removeprefix(
            "work:"
        )
        listed = place("list", "--limit", "3")
        assert (len(listed["tasks"]), listed["total"]) == (3, 1002)
        assert place("show", "the-real-one")["task"]["id"] == task.id


def fill(place: TaskPlace, like: WorkRecord, count: int) -> None:
    """Writes ``count`` open tasks, older than ``like``, each of a commit that the repository does not have."""
    assert like.git_context is not None
    for number in range(count):
        head = f"{number:040x}"
        context = replace(like.git_context, branch="gone", branch_mark="gone", head=head)
        record = replace(
            like, id=f"{number:012x}", title=f"Old {number}", git_context=context, sequence=number, focused=number
        )
        path = place.settings.layout.work / path_of(record)
        path.write_bytes(encode(record))


class TestInterrupted:
    def test_of_a_task_in_both_folders_the_later_revision_counts(self, place: TaskPlace) -> None:
        task = place.start("Half closed")
        before = place.file(task)
        saved = before.read_bytes()
        place("close", task)
        before.write_bytes(saved)  # as a kill before the removal leaves it
        assert place.active() == []
        assert [one["status"] for one in place("list", "--all")["tasks"]] == ["resolved"]
        assert place("show", task)["task"]["status"] == "resolved"

    def test_what_a_killed_writer_staged_is_not_published_by_the_next(self, place: TaskPlace) -> None:
        task = place.start("Whole")
        with changing(place.settings, NOW, "cli", lambda _: None) as change:
            change.put(replace(place.open().active[0].record, goal="never"), "updated")
        assert place("update", task, "--next", "x")["task"]["goal"] == "Whole"
        assert not (place.home / "locks" / "work-staging").exists()

    def test_a_link_in_the_place_of_a_folder_is_not_followed(self, place: TaskPlace) -> None:
        place.start("Real")
        folder = place.home / "work" / place.place.repo_id / "tasks"
        elsewhere = place.folder / "elsewhere"
        shutil.move(folder, elsewhere)
        os.symlink(elsewhere, folder)
        assert "symbolic link" in place.failed("start", "Another")["error"]
        assert len(list(elsewhere.iterdir())) == 1


def test_events_hold_no_text_of_a_task(place: TaskPlace) -> None:
    words = ("Titanium", "Hafnium", "Osmium", "Iridium")
    task = place.start(words[0], "--next", words[1])
    place("update", task, "--verified", words[2], "--file", "src/Gallium.py")
    place("close", task, "--note", words[3])
    (log,) = place.home.glob("work/*/events-0001.jsonl")
    assert [json.loads(line)["type"] for line in log.read_text().splitlines()] == ["started", "updated", "closed"]
    assert not any(word in log.read_text() for word in (*words, "Gallium"))
