"""The work of a repository over HTTP: what is open, what sessions left, failures with their fixes, and contracts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from aicx.fields import to_fields
from aicx.servers.dashboard import requests as asked
from aicx.servers.dashboard import work
from aicx.work.facts_index import refresh_all
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home, snapshot
from tests.servers.dashboard.http_client import get, request
from tests.servers.dashboard.works import BRANCH, HOSTILE, LOGOUT, Worked
from tests.work.builders import git

pytestmark = [pytest.mark.needs("web"), pytest.mark.slow]

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def page(home: Home, **wanted: Any) -> dict[str, Any]:
    return to_fields(work.read_work(home.settings, asked.WorkRequest(**wanted), NOW))


@pytest.fixture(scope="module")
def found(worked: Worked, worked_address: str) -> dict[str, Any]:
    fields: dict[str, Any] = get(worked_address, "/api/work").fields
    return fields


def refs(tasks: list[dict[str, Any]]) -> list[str]:
    return [task["entry"]["ref"] for task in tasks]


class TestPage:
    def test_the_repository_with_open_tasks_comes_first(self, found: dict[str, Any]) -> None:
        assert (found["repository"], found["at_hand"], found["branch"]) == ("acme/orbit", True, "main")
        assert found["repositories"] == [{"name": "acme/orbit", "tasks": 3, "sessions": 3}]

    def test_every_open_task_is_where_the_loading_table_says(self, worked: Worked, found: dict[str, Any]) -> None:
        assert {name: refs(found[name]) for name in ("active", "waiting", "skipped")} == {
            name: [worked.refs[name]] for name in ("active", "waiting", "skipped")
        }
        (skipped,) = found["skipped"]
        assert skipped["entry"]["loading"]["reason"] == "branch_mismatch_unmerged"
        assert BRANCH in skipped["entry"]["loading"]["warning"]

    def test_a_task_says_what_comes_next_and_where_that_is_from(self, found: dict[str, Any]) -> None:
        (active,) = found["active"]
        assert (active["next"], active["next_field"]) == (HOSTILE, "next_action")
        assert found["skipped"][0]["next_field"] == "goal"

    def test_a_handoff_has_its_session_and_what_proves_its_lines(self, found: dict[str, Any]) -> None:
        unstored, stored, _ = found["sessions"]
        assert (unstored["session"], unstored["stored"]) == ("session:claude:unstored", False)
        assert (stored["session"], stored["stored"]) == (f"session:claude:{SESSION}", True)
        (line,) = [line for line in stored["entry"]["done"] if line.startswith("Done: tokens last an hour.")]
        assert stored["proofs"][line] == [f"chunk:claude:{SESSION}:001"]

    def test_a_session_whose_statement_leaves_work_open_is_marked(self, found: dict[str, Any]) -> None:
        assert [one["left_open"] for one in found["sessions"][:2]] == [True, False]
        assert found["sessions"][2]["entry"]["goal"] == "The logout breaks"

    def test_a_failure_has_what_was_tried_and_what_resolved_it(self, found: dict[str, Any]) -> None:
        assert [one["file"] for one in found["failing"]] == ["logout/end.py"]
        assert (found["failing_total"], found["fixed_total"]) == (1, 1)
        (failure,) = found["fixed"]
        assert (failure["file"], failure["line"], failure["occurrences"]) == ("src/login.py", 4, 2)
        assert [one["files"] for one in failure["attempts"]] == [["src/token.py"]]
        assert [one["by"]["files"] for one in failure["resolutions"]] == [["src/login.py"]]
        assert failure["resolutions"][0]["by"]["ref"] == f"chunk:claude:{SESSION}:001"

    def test_a_contract_is_beside_its_result(self, found: dict[str, Any]) -> None:
        results = {one["session"]: one for one in found["contracts"]}
        kept, broken = (results[f"session:claude:{name}"] for name in (SESSION, "unstored"))
        assert (kept["outcome"], kept["stored"]) == ("success", True)
        assert kept["result"]["score"] > broken["result"]["score"]
        assert "edit_outside_scope" in [one["code"] for one in broken["result"]["violations"]]
        assert broken["contract"]["edit_scope"]["primary"] == ["src/login.py"]

    def test_it_says_how_many_sessions_are_not_read_yet(self, found: dict[str, Any]) -> None:
        assert (found["unread"], found["sessions_total"]) == (1, 3)

    @pytest.mark.parametrize("limit", ["0", "101", "x"])
    def test_limits_are_bounded(self, worked_address: str, limit: str) -> None:
        assert get(worked_address, "/api/work", limit=limit).status == 400
        assert get(worked_address, "/api/work", failures=limit).status == 400

    def test_lists_are_cut_and_counted(self, worked_address: str) -> None:
        fields = get(worked_address, "/api/work", limit=1).fields
        assert (len(fields["sessions"]), fields["sessions_total"]) == (1, 3)
        assert (len(fields["contracts"]), fields["contracts_total"]) == (1, 2)

    def test_it_needs_the_token_and_only_reads(self, worked_address: str) -> None:
        assert request(worked_address, "GET", "/api/work", Authorization=None).status == 401
        assert request(worked_address, "POST", "/api/work").status == 405


def test_no_session_is_read_and_nothing_is_written_while_a_page_waits(
    worked: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any) -> None:
        raise AssertionError("a session was read")

    monkeypatch.setattr("aicx.evidence.read_steps", fail)
    before = snapshot(worked.user.corpus)
    page(worked.user)
    assert before == snapshot(worked.user.corpus)


def test_a_repository_that_is_not_here_is_told_and_its_tasks_are_not_judged(
    worked: Worked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "folders_of", lambda *_: iter(()))
    fields = page(worked.user)
    assert (fields["at_hand"], fields["branch"], fields["skipped"]) == (False, None, [])
    assert {task["entry"]["loading"]["reason"] for task in fields["active"]} == {"git_unavailable"}
    assert "not at hand" in fields["notes"][0]


def test_an_unknown_repository_has_nothing(worked: Worked) -> None:
    fields = page(worked.user, project="acme/elsewhere")
    assert (fields["tasks_total"], fields["sessions_total"], fields["contracts_total"]) == (0, 0, 0)


def test_a_home_without_anything_has_no_repository(tmp_path: Path) -> None:
    fields = page(Home(tmp_path))
    assert (fields["repository"], fields["repositories"], fields["notes"]) == (None, [], [])


class TestOwn:
    @pytest.fixture
    def own(self, tmp_path: Path) -> Worked:
        return Worked(tmp_path)

    def test_of_sessions_only_the_one_that_a_brief_goes_on_from_is_marked_as_left_open(self, own: Worked) -> None:
        left = {one["session"]: one["left_open"] for one in page(own.user)["sessions"]}
        assert left[f"session:claude:{OTHER}"] is False  # a later session was asked something else
        later = ClaudeLog(THIRD, str(own.repository.folder)).prompt("The logout breaks again", 9100)
        later.call(
            "Edit", 9105, "c1", file_path=f"{own.repository.folder}/logout/end.py", old_string="y", new_string="z"
        )
        later.result("updated", 9106, "c1").call("Bash", 9110, "c2", command="mypy logout")
        own.user.claude(later.result(LOGOUT, 9115, "c2", failed=True).answer("It still fails.", 9120))
        own.user.store()
        refresh_all(own.user.settings)
        left = {one["session"]: one["left_open"] for one in page(own.user)["sessions"]}
        assert left[f"session:claude:{THIRD}"] is True
        assert left[f"session:claude:{OTHER}"] is False

    def test_a_task_is_judged_in_the_worktree_where_it_was_begun(
        self, own: Worked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        beside = tmp_path / "beside"
        git(own.repository.folder, "worktree", "add", "-q", str(beside), BRANCH)
        folders = [own.repository.folder, beside]
        monkeypatch.setattr(work, "folders_of", lambda *_: iter(folders))
        assert own.refs["skipped"] in refs(page(own.user)["skipped"])
        own("task", "start", "Another login", "--next", "Test it", "--repo", str(beside))
        active = {task["entry"]["git_context"]["branch"]: task["next"] for task in page(own.user)["active"]}
        assert active == {"main": HOSTILE, BRANCH: "Test it"}

    def test_a_damaged_file_is_named_and_the_rest_is_shown(self, own: Worked) -> None:
        (file,) = own.user.corpus.glob(f"work/*/tasks/{own.refs['skipped'].removeprefix('work:')}.json")
        file.write_text("{")
        fields = page(own.user)
        assert [one["path"].rpartition("/")[2] for one in fields["damaged"]] == [file.name]
        assert refs(fields["active"]) == [own.refs["active"]]

    def test_what_the_ignore_file_hides_is_not_shown(self, own: Worked) -> None:
        own.user.settings.layout.ignore_file.write_text(
            f"work/*/tasks/{own.refs['active'].removeprefix('work:')}.json\n"
        )
        assert own.refs["active"] not in str(page(own.user))

    def test_git_that_hangs_costs_little(self, own: Worked, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        slow = tmp_path / "bin" / "git"
        slow.parent.mkdir()
        slow.write_text("#!/bin/sh\nsleep 30\n")
        slow.chmod(0o755)
        monkeypatch.setenv("PATH", str(slow.parent), prepend=":")
        begun = datetime.now(UTC)
        fields = page(own.user)
        assert datetime.now(UTC) - begun < timedelta(seconds=10)
        assert len(fields["active"]) == 2  # git says nothing, and so nothing is skipped
