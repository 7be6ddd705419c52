"""`aicx task` and `aicx resume --next` as a person and an agent call them."""

from __future__ import annotations

import json

import pytest

from aicx.cli import run
from tests.corpus.builders import OTHER, SESSION, ClaudeLog
from tests.kept import Kept
from tests.work.builders import TaskPlace

pytestmark = pytest.mark.slow

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3  # made up, in the shape of a real one


@pytest.fixture
def place(kept: Kept, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> TaskPlace:
    monkeypatch.setattr("aicx.git.state._late", {})  # the folder's path is that of the test before

    def fill() -> None:
        found = TaskPlace(kept.folder, monkeypatch, capsys)
        found.write("src/export.py", "x = 1\n")
        found.commit("First")

    kept.again(fill)
    return TaskPlace(kept.folder, monkeypatch, capsys)


def store(place: TaskPlace, log: ClaudeLog) -> None:
    path = place.folder / "user/.claude/projects/x" / f"{log.session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(log.body())
    code, _, err = place.run("store")
    assert code == 0, err


def open_session(place: TaskPlace, session: str = SESSION, at: float = 0, branch: str = "main") -> ClaudeLog:
    """A session that edits a file, leaves a failing test and says what is next."""
    file = f"{place.repo}/src/export.py"
    found = ClaudeLog(session, str(place.repo), branch).prompt("Empty files make the export crash", at)
    found.call("Edit", at + 1, "t1", file_path=file, new_string="x", old_string="y").result("updated", at + 2, "t1")
    found.call("Bash", at + 3, "t2", command="pytest -q").result("FAILED test_empty", at + 4, "t2", failed=True)
    return found.answer("The reader is fixed. The writer still needs to be changed.", at + 5)


class TestLife:
    def test_a_task_from_its_goal_to_its_end(self, place: TaskPlace) -> None:
        begun = place("start", "Fix the export. It crashes.", "--next", "Reproduce it", "--file", "src/export.py")
        task = begun["task"]
        assert (begun["schema"], begun["new"], task["title"], task["status"]) == (
            "aicx.task-change/1",
            True,
            "Fix the export.",
            "in_progress",
        )
        assert (task["origin"], task["active_files"], task["next_action"]) == (
            "stated",
            ["src/export.py"],
            "Reproduce it",
        )
        updated = place(
            *("update", "--hypothesis", "the reader", "--verified", "it crashes", "--unverified", "on Windows"),
            *("--discarded", "pandas: too slow", "--uncertainty", "encodings", "--command", "pytest -q"),
            *("--risk", "old files", "--source", f"session:claude:{SESSION}", "--evidence", "commit:abcdef1"),
        )
        assert updated["changed_fields"] == [
            *("hypothesis", "sources", "verified", "unverified", "discarded_paths", "uncertainties", "commands"),
            "risks",
        ]
        whole = place("show", task["id"])
        assert whole["path"] == f"work/{task['repo_id']}/tasks/{task['id']}.json"
        assert {item["section"]: item["evidence"] for item in whole["items"]}["verified"] == ["commit:abcdef1"]
        closed = place("close", "--status", "resolved", "--note", "merged")
        assert (closed["task"]["status"], closed["task"]["closing_note"]) == ("resolved", "merged")
        assert place("status")["active"] == []
        assert [event["type"] for event in place("show", task["id"])["events"]] == ["started", "updated", "closed"]
        again = place("close", task["id"], "--status", "resolved")
        assert (again["changed_fields"], again["task"]["rev"]) == ([], closed["task"]["rev"])

    @pytest.mark.parametrize("status", ["paused", "blocked"])
    def test_what_is_set_aside_waits_and_can_be_resumed(self, place: TaskPlace, status: str) -> None:
        task = place.start("Later")
        place("close", task, "--status", status)
        found = place("status")
        assert ([one["id"] for one in found["waiting"]], found["active"]) == ([task], [])
        assert place("list", "--status", status)["total"] == 1
        place("resume", "later")
        assert place.active() == ["Later"]

    def test_status_has_the_fields_that_agents_read(self, place: TaskPlace) -> None:
        place.write("src/export.py", "x = 2\n")
        place.start("Here")
        found = place("status")
        git = found["active"][0]["git_context"]
        assert (git["available"], git["branch"], git["dirty"], git["changed_files"]) == (
            True,
            "main",
            True,
            ["src/export.py"],
        )
        assert git["head"] == place.git("rev-parse", "HEAD").strip()
        assert found["active"][0]["loading"]["reason"] == "same_branch"
        assert found["skipped"] == []

    def test_skipped_tasks_have_their_reason(self, place: TaskPlace) -> None:
        place.branch("feature")
        task = place.start("On the feature")
        place.git("checkout", "-q", "main")
        (found,) = place("status")["skipped"]
        assert (found["id"], found["reason"], found["saved_branch"], found["current_branch"]) == (
            task,
            "branch_mismatch_unmerged",
            "feature",
            "main",
        )
        assert place.failed("update", task, "--next", "x")["code"] == 2
        assert place.json("next")["skipped"][0]["id"] == task

    def test_secrets_never_reach_the_home(self, place: TaskPlace) -> None:
        task = place.start(f"Use {TOKEN}", "--next", TOKEN, "--hypothesis", TOKEN, "--command", f"curl -H {TOKEN}")
        place("update", task, "--verified", TOKEN, "--source", TOKEN, "--evidence", TOKEN)
        place("close", task, "--note", TOKEN)
        assert not [path for path in place.home.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]


class TestUpdate:
    def test_options_and_a_patch_are_one_update(self, place: TaskPlace) -> None:
        place.start("Here")
        patch = {"verified": ["a"], "uncertainties": [{"claim": "c", "confidence": "low", "needs_validation": True}]}
        found = place("update", "--json-patch", json.dumps(patch), "--verified", "b")
        assert found["task"]["verified"] == ["a", "b"]
        assert found["task"]["uncertainties"] == [{"claim": "c", "confidence": "low", "needs_validation": True}]

    def test_a_patch_may_be_in_a_file(self, place: TaskPlace) -> None:
        place.start("Here")
        (place.folder / "patch.json").write_text('{"next_action": "from a file"}')
        found = place("update", "--from-file", str(place.folder / "patch.json"))
        assert found["task"]["next_action"] == "from a file"

    def test_paths_are_taken_from_where_one_is(self, place: TaskPlace, monkeypatch: pytest.MonkeyPatch) -> None:
        place.start("Here")
        monkeypatch.chdir(place.repo / "src")
        found = place("update", "--file", "export.py", "--file", "../README.md", "--file", "/etc/passwd")
        assert found["task"]["active_files"] == ["src/export.py", "README.md"]
        assert found["left_out"] == {"active_files": ["/etc/passwd"]}

    def test_an_entry_is_taken_out_by_its_text_or_id(self, place: TaskPlace) -> None:
        task = place.start("Here")
        place("update", "--risk", "one", "--risk", "two", "--risk", "three")
        one = next(item["id"] for item in place("show", task)["items"] if item["text"] == "one")
        assert place("update", "--drop", one, "--drop", "two")["task"]["risks"] == ["three"]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((), "nothing to add"),
            (("--evidence", "commit:abc"), "nothing to add"),
            (("--json-patch", "{"), "is not JSON"),
            (("--json-patch", "[]"), "not a JSON object"),
            (("--json-patch", '{"status": "resolved"}'), "does not change the status"),
            (("--json-patch", "{}", "--from-file", "x"), "without --from-file"),
            (("--from-file", "missing.json"), "cannot be read"),
            (("--goal", " "), "a task has a goal"),
            (("nothing-like-it", "--next", "x"), "there is no task 'nothing-like-it' here"),
        ],
    )
    def test_what_does_not_fit_is_refused_with_the_next_step(
        self, place: TaskPlace, arguments: tuple[str, ...], message: str
    ) -> None:
        place.start("Here")
        before = place.files()
        found = place.failed("update", *arguments)
        assert message in found["error"]
        assert found["hint"]
        assert place.files() == before

    def test_a_closed_task_is_not_updated(self, place: TaskPlace) -> None:
        task = place.start("Here")
        place("close", task)
        assert "is resolved" in place.failed("update", task, "--next", "x")["error"]
        assert "no task is open here" in place.failed("update", "--next", "x")["error"]


class TestNaming:
    def test_a_task_is_named_by_id_prefix_reference_title_or_its_beginning(self, place: TaskPlace) -> None:
        task = place.start("Fix the Export, again")
        for name in (task, task[:6], f"work:{task}", "fix-the-export-again", "Fix the Export, again", "fix-the"):
            assert place("show", name)["task"]["id"] == task

    def test_a_reference_to_a_task_is_shown_as_any_other(self, place: TaskPlace) -> None:
        task = place.start("Referred to")
        found = place.json("show", f"work:{task}")
        assert (found["schema"], found["task"]["title"]) == ("aicx.task-show/1", "Referred to")

    def test_a_name_of_several_tasks_is_refused_with_all_of_them(self, place: TaskPlace) -> None:
        first, second = place.start("Fix the export"), place.start("Fix the import")
        error = place.failed("show", "fix-the")["error"]
        assert first in error
        assert second in error

    def test_of_two_with_one_title_the_open_one_is_meant(self, place: TaskPlace) -> None:
        place("close", place.start("Release"))
        second = place.start("Release")
        assert place("show", "release")["task"]["id"] == second

    def test_tasks_of_other_repositories_are_listed_on_request(self, place: TaskPlace) -> None:
        other = place.folder / "other"
        other.mkdir()
        place("start", "Elsewhere", "--repo", str(other))
        assert place("list")["tasks"] == []
        (found,) = place("list", "--everywhere")["tasks"]
        assert (found["title"], found["loadable"]) == ("Elsewhere", None)


class TestDerived:
    def test_without_a_task_the_latest_open_session_is_shown_and_labelled(self, place: TaskPlace) -> None:
        store(place, open_session(place))
        (found,) = place("status")["active"]
        assert (found["origin"], found["id"], found["ref"]) == ("derived", None, f"session:claude:{SESSION}")
        assert found["derived_because"] == "a command failed and nothing fixed it"
        assert (found["goal"], found["active_files"]) == ("Empty files make the export crash", ["src/export.py"])
        assert "pytest -q" in found["failing"][0]
        assert found["loading"]["reason"] == "same_branch"
        assert place.json("next")["next"]["origin"] == "derived"
        assert not (place.home / "work").exists()

    def test_a_session_on_an_unmerged_branch_is_skipped_for_an_older_one(self, place: TaskPlace) -> None:
        place.branch("feature")
        place.git("checkout", "-q", "main")
        store(place, open_session(place, OTHER))
        store(place, open_session(place, at=3600, branch="feature"))
        found = place("status")
        assert [one["ref"] for one in found["active"]] == [f"session:claude:{OTHER}"]
        assert [(one["origin"], one["ref"], one["reason"]) for one in found["skipped"]] == [
            ("derived", f"session:claude:{SESSION}", "branch_mismatch_unmerged")
        ]

    def test_a_task_that_somebody_began_takes_the_place_of_a_derived_one(self, place: TaskPlace) -> None:
        store(place, open_session(place))
        place.start("Something else")
        assert [one["origin"] for one in place("status")["active"]] == ["stated"]

    def test_a_task_can_be_begun_from_the_open_session(self, place: TaskPlace) -> None:
        store(place, open_session(place))
        found = place("start", "--next", "Change the writer")["task"]
        assert (found["goal"], found["goal_source"]) == (
            "Empty files make the export crash",
            f"session:claude:{SESSION}",
        )
        assert found["next_action"] == "Change the writer"
        whole = place("show", found["id"])
        assert {item["origin"] for item in whole["items"]} == {"derived"}
        assert all(item["evidence"] for item in whole["items"])

    def test_work_that_was_closed_since_is_not_offered_again(self, place: TaskPlace) -> None:
        store(place, open_session(place))
        place("close", place("start")["task"]["id"])
        assert place("status")["active"] == []

    def test_a_damaged_catalogue_does_not_stop_work(self, place: TaskPlace) -> None:
        store(place, open_session(place))
        path = place.home / "catalog.sqlite"
        path.write_bytes(b"SQLite format 3\0" + b"x" * path.stat().st_size)
        found = place("status")
        assert [one["origin"] for one in found["active"]] == ["derived"]
        assert any("catalog" in note for note in found["notes"])
        task = place.start("Go on")
        assert place("update", task, "--next", "x")["changed_fields"] == ["next_action"]

    def test_without_a_session_there_is_no_goal_to_take(self, place: TaskPlace) -> None:
        assert "no open session" in place.failed("start")["error"]


@pytest.mark.parametrize(
    ("folder", "message"), [("missing", "there is no folder"), ("widgets/.git", "bare repository")]
)
def test_a_folder_that_has_no_work_is_refused_with_the_next_step(place: TaskPlace, folder: str, message: str) -> None:
    found = place.failed("status", "--repo", str(place.folder / folder))
    assert message in found["error"]
    assert "map" not in found["error"] + found["hint"]


class TestNext:
    def test_what_was_stated_comes_before_what_is_left_undone(self, place: TaskPlace) -> None:
        task = place.start("Goal")
        assert place.json("next")["next"]["field"] == "goal"
        place("update", task, "--unverified", "on Windows")
        assert place.json("next")["next"]["text"] == "Verify: on Windows"
        place("update", task, "--next", "Run it on Windows")
        found = place.json("next")["next"]
        assert (found["text"], found["field"], found["task"]) == ("Run it on Windows", "next_action", f"work:{task}")

    def test_nothing_open_is_no_error(self, place: TaskPlace) -> None:
        assert place.json("next")["next"] is None
        code, out, err = place.run("next")
        assert (code, out) == (0, "Nothing is open here that I could prove.\n")
        assert err == ""


def test_people_read_the_same_in_words(place: TaskPlace) -> None:
    place.branch("feature")
    place.start("On the feature")
    place.git("checkout", "-q", "main")
    place.start("On main", "--next", "Write it")
    code, out, _ = place.run("task")
    assert code == 0
    assert "On main" in out
    assert "Next: Write it" in out
    assert "not used here (branch_mismatch_unmerged): left on feature, which is not merged here" in out
    assert "Write it  (work:" in place.run("next")[1]
    assert "not used here: branch_mismatch_unmerged" in place.run("task", "list")[1]
    assert "started: goal" in place.run("task", "show", "on-main")[1]


def test_of_many_open_tasks_ten_are_next(place: TaskPlace, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(12):
        place("start", f"Goal number {number}")
    capsys.readouterr()
    assert run(["next", "--repo", str(place.repo)]) == 0
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 10
    assert "10 of 12 open tasks; --limit shows more." in printed.err
    assert run(["next", "--repo", str(place.repo), "--json", "--limit", "3"]) == 0
    assert len(json.loads(capsys.readouterr().out)["steps"]) == 3
