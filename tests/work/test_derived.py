"""The task that is derived from an open session: when it is offered, and when work on it was closed."""

from __future__ import annotations

from datetime import datetime

import pytest

from aicx.resume.run import open_work
from aicx.text import local
from aicx.work.patch import Patch
from aicx.work.record import SECTIONS
from aicx.work.state import OpenTasks, close, open_tasks, start
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, when
from tests.work.builders import TaskPlace

pytestmark = pytest.mark.slow

HOUR = 3600.0
REF = f"session:claude:{SESSION}"


@pytest.fixture
def stored(place: TaskPlace) -> TaskPlace:
    """A place whose one session was left open after five seconds."""
    log = ClaudeLog(SESSION, str(place.repo)).prompt("Empty files make the export crash", 0)
    log.call("Bash", 1, "t1", command="pytest -q").result("FAILED test_empty", 2, "t1", failed=True)
    log.answer("The reader is fixed. The writer still needs to be changed.", 5)
    keep(place, log)
    return place


def keep(place: TaskPlace, log: ClaudeLog) -> None:
    path = place.folder / "user/.claude/projects/x" / f"{log.session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(log.body())
    place.store()


def at(place: TaskPlace, now: datetime) -> OpenTasks:
    return open_work(place.settings, place.place, now)


def derived(place: TaskPlace, now: datetime) -> list[str]:
    return [task.record.ref for task in at(place, now).active if task.derived]


def worked(place: TaskPlace, begun: float, closed: float, patch: Patch | None = None) -> None:
    """A task that was open from ``begun`` to ``closed``, in seconds of the session's clock."""
    task = start(place.settings, place.place, "Mend the export", when(begun), patch=patch or Patch())
    close(place.settings, place.place, task.record.id, "resolved", when(closed))


def test_every_item_is_derived_and_has_its_chunk_as_evidence(stored: TaskPlace) -> None:
    (task,) = at(stored, when(HOUR)).active
    items = [item for section in SECTIONS for item in task.record.of(section)]
    assert {item.section for item in items} == {"failing", "next_steps"}
    assert {(item.origin, item.evidence) for item in items} == {("derived", (f"chunk:claude:{SESSION}:001",))}
    assert task.record.updated_at == when(5)


def test_the_title_is_that_of_the_session_and_work_that_broke_off_goes_on_with_the_last_request(
    place: TaskPlace,
) -> None:
    log = ClaudeLog(SESSION, str(place.repo)).prompt("Look at https://example.org/export/12", 0)
    log.answer("The reader does not accept empty files.", 1).prompt("Then mend the reader, please", 2)
    log.call("Edit", 3, "t1", file_path=f"{place.repo}/reader.py", new_string="x", old_string="y")
    keep(place, log.title("Empty files in the export"))
    (task,) = at(place, when(HOUR)).active
    assert task.derived == "it broke off"
    assert task.record.title == "Empty files in the export"
    assert task.record.next_action == "Finish what was asked last: Then mend the reader, please"


def test_the_next_step_of_a_derived_task_says_of_which_day_it_is(stored: TaskPlace) -> None:
    code, out, _ = stored.run("next")
    assert (code, f"({REF}: derived from {local(when(5)):%Y-%m-%d}, open because " in out) == (0, True)


def test_nothing_is_offered_from_after_now(stored: TaskPlace) -> None:
    assert derived(stored, when(-HOUR)) == []


@pytest.mark.parametrize(
    ("begun", "closed", "offered"),
    [
        (-HOUR, 60, False),  # it was open while the session ran
        (-HOUR, 1, False),  # the session closed it, and said so
        (-2 * HOUR, -HOUR, True),  # other work, over before
        (HOUR, 2 * HOUR, True),  # other work, begun afterwards
    ],
)
def test_a_session_is_not_offered_again_once_the_task_it_worked_on_was_closed(
    stored: TaskPlace, begun: float, closed: float, offered: bool
) -> None:
    worked(stored, begun, closed)
    assert derived(stored, when(3 * HOUR)) == ([REF] if offered else [])


def test_a_task_that_names_the_session_settles_it_whenever_it_was_open(stored: TaskPlace) -> None:
    worked(stored, HOUR, 2 * HOUR, Patch(sources=[REF]))
    assert derived(stored, when(3 * HOUR)) == []


def test_a_task_on_another_branch_settles_nothing(stored: TaskPlace) -> None:
    stored.branch("feature")
    worked(stored, -HOUR, 60)
    stored.git("checkout", "-q", "main")
    assert derived(stored, when(HOUR)) == [REF]


def test_a_task_that_was_taken_up_again_is_the_one_that_is_open(stored: TaskPlace) -> None:
    worked(stored, -HOUR, 60)
    stored("resume", "mend-the-export")
    assert [task.derived for task in at(stored, when(3 * HOUR)).active] == [None]


def test_what_a_session_says_stays_out_where_it_is_not_asked_for(stored: TaskPlace) -> None:
    assert open_tasks(stored.settings, stored.place, when(HOUR)).active == []


def test_a_failure_that_a_later_session_saw_pass_is_not_open(place: TaskPlace) -> None:
    log = ClaudeLog(SESSION, str(place.repo)).prompt("Empty files make the export crash", 0)
    log.call("Edit", 0.2, "t0", file_path=f"{place.repo}/src/export.py", new_string="x", old_string="y")
    log.result("updated", 0.5, "t0")
    log.call("Bash", 1, "t1", command="npm test").result("1 failing", 2, "t1", failed=True)
    keep(place, log.answer("I looked at the reader.", 5))
    assert derived(place, when(2 * HOUR)) == [REF]
    log = ClaudeLog(OTHER, str(place.repo)).prompt("Run the tests of the export", HOUR)
    log.call("Bash", HOUR + 1, "t2", command="npm test").result("12 passing", HOUR + 2, "t2")
    keep(place, log.answer("All tests pass.", HOUR + 3))
    assert derived(place, when(2 * HOUR)) == []


@pytest.mark.parametrize("by", ["a later session", "somebody by hand"])
def test_what_was_only_to_be_committed_is_not_open_once_it_is(place: TaskPlace, by: str) -> None:
    (place.repo / "reader.py").write_text("x")
    log = ClaudeLog(SESSION, str(place.repo)).prompt("Empty files make the export crash", 0)
    log.call("Edit", 1, "t1", file_path=f"{place.repo}/reader.py", new_string="x", old_string="y")
    log.result("updated", 2, "t1")
    keep(place, log.answer("I changed the reader. The changes are not committed yet.", 5))
    (task,) = at(place, when(2 * HOUR)).active
    assert task.record.next_action == "The changes are not committed yet."
    if by == "a later session":
        log = ClaudeLog(OTHER, str(place.repo)).prompt("Commit the reader", HOUR)
        log.call("Bash", HOUR + 1, "t2", command="git commit -am 'Mend the reader'")
        log.result("[main 1a2b3c4] Mend the reader\n 1 file changed", HOUR + 2, "t2")
        keep(place, log.answer("Committed.", HOUR + 3))
    else:
        place.git("add", "--all")
        place.git("commit", "-qm", "Mend the reader")
    assert derived(place, when(2 * HOUR)) == []
