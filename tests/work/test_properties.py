"""Any sequence of changes, on a clock that jumps, leaves what a plain model of it says."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.config import load_settings
from aicx.errors import NotFound, UsageError
from aicx.work.events import read_log
from aicx.work.files import read_all
from aicx.work.holder import check_files, check_log
from aicx.work.patch import Patch
from aicx.work.place import find_place
from aicx.work.record import CLOSINGS, OPEN
from aicx.work.state import close, open_tasks, resume_task, start, update
from tests.work.builders import NOW

GOALS = ("Export", "Import", "Release")
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["start", "update", "resume", *CLOSINGS]),
        st.sampled_from(GOALS),
        st.integers(0, 3),
        st.integers(-500, 500),
    ),
    max_size=12,
)


@given(steps=STEPS)
@settings(max_examples=20)
def test_every_sequence_of_changes_is_kept_as_it_was_made(
    steps: list[tuple[str, str, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder: Path = tmp_path_factory.mktemp("any")
    (folder / "repo").mkdir()
    config = load_settings({"HOME": str(folder), "AICX_HOME": str(folder / "corpus")})
    place = find_place(config, folder / "repo")
    tasks: dict[str, str] = {}  # goal -> id of the last task with it
    expected: dict[str, tuple[str, set[str]]] = {}  # id -> status and what is verified
    last: list[str] = []  # ids in the order in which they were begun or resumed, the last at the end
    for number, (step, goal, fact, days) in enumerate(steps):
        now, task = NOW + timedelta(days=days), tasks.get(goal)
        status, facts = expected.get(task or "", ("", set()))
        if step == "start":
            written = start(config, place, goal, now)
            assert written.new == (status not in OPEN), number
            tasks[goal] = written.record.id
            expected[written.record.id] = ("in_progress", set() if written.new else facts)
        elif task is None:
            with pytest.raises(NotFound):
                update(config, place, goal.lower(), Patch(hypothesis="x"), now)
            continue
        elif step == "update":
            patch = Patch(said={"verified": [f"fact {fact}"]})
            if status in OPEN:
                expected[task] = (status, facts | {f"fact {fact}"})
                changed = update(config, place, task, patch, now).changed_fields
                assert changed == (() if f"fact {fact}" in facts else ("verified",)), number
            else:
                with pytest.raises(UsageError):
                    update(config, place, task, patch, now)
        elif step == "resume":
            resume_task(config, place, task, now)
            expected[task] = ("in_progress", facts)
        else:
            close(config, place, task, step, now)  # type: ignore[arg-type]
            expected[task] = (step, facts)
        if step in ("start", "resume"):
            last = [*(one for one in last if one != tasks[goal]), tasks[goal]]
    found = read_all(config.layout, place.folders)
    assert found.damaged == []
    assert {one.id: (one.status, set(one.texts("verified"))) for one in found.records} == expected
    active = [one.record.id for one in open_tasks(config, place, NOW).active]
    assert active == [one for one in reversed(last) if expected[one][0] == "in_progress"]
    events = read_log(config.layout.work / place.repo_id).events
    assert [one.sequence for one in events] == sorted({one.sequence for one in events})
    assert {check_files(config.layout, unfinished=False).severity, check_log(config.layout).severity} == {"green"}
