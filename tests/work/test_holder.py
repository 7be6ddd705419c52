"""Tasks hold people's text: what forgets, hides, redacts and checks the rest reaches them too."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from aicx.work.events import changing
from aicx.work.patch import NewItem, Patch
from aicx.work.record import Item
from aicx.work.state import start, update
from tests.corpus.builders import SESSION, ClaudeLog
from tests.work.builders import NOW, TaskPlace

pytestmark = pytest.mark.slow

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3  # made up, in the shape of a real one


def forgotten(place: TaskPlace, *arguments: str) -> int:
    found: int = place.json("forget", *arguments, "--yes")["work_removed"]
    return found


def checks(place: TaskPlace, *arguments: str) -> dict[str, str]:
    code, out, err = place.run("doctor", *arguments, "--json")
    assert code in (0, 1), out + err
    return {check["name"]: check["severity"] for check in orjson.loads(out)["checks"]}


@pytest.fixture
def stored(place: TaskPlace) -> TaskPlace:
    """A place with one stored session."""
    log = ClaudeLog(SESSION, str(place.repo)).prompt("Why does the export fail?", 0).answer("The reader is wrong.", 5)
    path = place.folder / "user/.claude/projects/x" / f"{SESSION}.jsonl"
    path.parent.mkdir(parents=True)
    path.write_bytes(log.body())
    place.store()
    return place


class TestForget:
    def test_a_text_takes_the_tasks_that_have_it(self, stored: TaskPlace) -> None:
        for option in ("--next", "--hypothesis", "--command"):
            stored.start(f"Goal with {option}", option, "ask about titan")
        kept = stored.start("Kept")
        assert forgotten(stored, "--pattern", "titan") == 3
        assert [task["id"] for task in stored("list", "--all")["tasks"]] == [kept]
        assert not [path for path in stored.home.rglob("*") if path.is_file() and b"titan" in path.read_bytes()]
        assert checks(stored)["work_events"] == "green"

    def test_a_damaged_file_goes_too_where_it_has_the_text(self, stored: TaskPlace) -> None:
        path = stored.file(stored.start("About titan"))
        path.write_bytes(path.read_bytes()[:-40])
        assert forgotten(stored, "--pattern", "titan") == 1
        assert not path.exists()

    def test_a_project_takes_its_tasks(self, stored: TaskPlace) -> None:
        stored.start("Of the project")
        assert forgotten(stored, "--project", "acme/widgets") == 1

    def test_a_session_takes_what_rests_on_it_alone(self, stored: TaskPlace) -> None:
        session, chunk = f"session:claude:{SESSION}", f"chunk:claude:{SESSION}:001"
        settings, here = stored.settings, stored.place
        said = {
            "verified": [
                NewItem("from it alone", (chunk,)),
                NewItem("from more", (chunk, "commit:abc")),
                NewItem("stated"),
            ]
        }
        mixed = start(settings, here, "Mixed", NOW, patch=Patch(said=said, sources=[session, "session:codex:x"])).record
        whole = start(settings, here, "Wholly of it", NOW).record
        with changing(settings, NOW, "cli", lambda _: None) as change:
            change.put(replace(whole, goal_source=session), "updated")
            change.publish()
        assert forgotten(stored, "--session", SESSION) == 1
        assert [task["id"] for task in stored("list", "--all")["tasks"]] == [mixed.id]
        found = stored("show", mixed.id)
        assert (found["task"]["verified"], found["task"]["sources"]) == (["from more", "stated"], ["session:codex:x"])
        assert [item["evidence"] for item in found["items"]] == [["commit:abc"], []]
        assert not any(SESSION.encode() in body for body in stored.files().values())
        assert checks(stored)["work_events"] == "green"

    def test_a_session_whose_id_begins_like_another_takes_nothing_of_it(self, stored: TaskPlace) -> None:
        source = f"session:claude:{SESSION}0"
        task = start(stored.settings, stored.place, "Other", NOW, patch=Patch(sources=[source])).record
        assert forgotten(stored, "--session", SESSION) == 0
        assert stored("show", task.id)["task"]["sources"] == [source]


def test_the_ignore_file_hides_tasks(place: TaskPlace) -> None:
    task = place.start("Hidden")
    (place.home / ".aicxignore").write_text("work/*/tasks/*\n")
    assert place.active() == []
    assert "there is no task" in place.failed("show", task)["error"]
    assert place("list", "--all")["tasks"] == []


def test_what_a_hand_wrote_into_a_task_is_redacted_again(place: TaskPlace) -> None:
    task = place.start("Fix it", "--next", "PLACEHOLDER")
    path = place.file(task)
    path.write_bytes(path.read_bytes().replace(b"PLACEHOLDER", TOKEN.encode()))
    assert checks(place)["work"] == "warning"
    assert place.run("store", "--redact-again")[0] == 0
    assert not any(TOKEN.encode() in body for body in place.files().values())
    assert place("show", task)["task"]["next_action"] == "[REDACTED:github-token]"
    assert checks(place)["work"] == "green"
    before = place.files()
    assert place.run("store", "--redact-again")[0] == 0
    assert place.files() == before


class TestDoctor:
    def test_sound_tasks_are_green(self, place: TaskPlace) -> None:
        place.start("One")
        place("close")
        found = checks(place)
        assert (found["work"], found["work_events"]) == ("green", "green")

    def test_a_damaged_task_is_critical_and_stays(self, place: TaskPlace) -> None:
        path = place.file(place.start("One"))
        path.write_bytes(b"{")
        assert checks(place)["work"] == "critical"
        assert checks(place, "--fix")["work"] == "critical"
        assert path.read_bytes() == b"{"

    def test_a_task_that_its_events_do_not_know_is_named(self, place: TaskPlace) -> None:
        path = place.file(place.start("One"))
        path.write_bytes(path.read_bytes().replace(b'"in_progress"', b'"paused"'))
        assert checks(place)["work_events"] == "warning"

    def test_a_damaged_event_is_named_and_costs_nothing(self, place: TaskPlace) -> None:
        task = place.start("One")
        (log,) = place.home.glob("work/*/events-0001.jsonl")
        log.write_bytes(log.read_bytes()[:-5])
        assert checks(place)["work_events"] == "warning"
        place("update", task, "--next", "x")
        assert place("show", task)["damaged_lines"] == ["events-0001.jsonl:1"]


def test_what_a_later_version_wrote_is_kept_as_it_is(place: TaskPlace) -> None:
    task = place.start("One")
    future = Item("glossary", "a section of the future", NOW, extra={"weight": 2})
    with changing(place.settings, NOW, "cli", lambda _: None) as change:
        change.put(replace(place.open().active[0].record, items=(future,), extra={"contract": {"x": 1}}), "updated")
        change.publish()
    update(place.settings, place.place, task, Patch(next_action="go on"), NOW)
    found = orjson.loads(place.file(task).read_bytes())
    assert (found["contract"], found["items"][0]["weight"], found["next_action"]) == ({"x": 1}, 2, "go on")
