"""Notes hold people's text: what forgets, hides, redacts and checks the rest reaches them too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from aicx.continuity.holder import HOLDER
from tests.continuity.builders import FIRST, SECOND, THIRD, NotePlace
from tests.continuity.test_acceptance import TOKEN, break_log, mend_log

pytestmark = pytest.mark.slow


def checks(place: NotePlace) -> dict[str, str]:
    _, out, _ = place.run("doctor", "--json")
    return {check["name"]: check["severity"] for check in orjson.loads(out)["checks"]}


def forgotten(place: NotePlace, *arguments: str) -> int:
    found: int = place.json("forget", *arguments, "--yes")["continuity_removed"]
    return found


def holding(place: NotePlace, text: str) -> list[Path]:
    """The files of the home and of the repository that have a text."""
    files = (path for top in (place.home, place.repo) for path in top.rglob("*") if path.is_file())
    return [path for path in files if text.encode() in path.read_bytes()]


@pytest.fixture
def stored(place: NotePlace) -> NotePlace:
    """Two stored sessions, and notes that are from both."""
    calls = (("pytest tests/heron", "1 passed", False),)
    place.session(FIRST, "Count the herons", calls=calls, said="Next step: feed the heron at the weir.", modified=1000)
    place("save")
    calls = (("pytest tests/otter", "1 passed", False),)
    place.session(SECOND, "Count the otters", calls=calls, said="Next step: find the otter.", begin=1000, modified=2000)
    place("save")
    assert place.run("store")[0] == 0
    return place


class TestForget:
    def test_a_session_takes_what_is_from_it_alone(self, stored: NotePlace) -> None:
        stored.edit(stored.local, "## Incomplete and next\n\n", "## Incomplete and next\n\n- Ask Ada\n")
        assert forgotten(stored, "--session", FIRST) == 2
        assert stored.texts("confirmed") == ["`pytest tests/otter` passed"]
        assert stored.texts("next") == ["Ask Ada", "Next step: find the otter."]
        assert not [path for path in holding(stored, "heron") if ".git" not in path.parts]
        assert checks(stored)["continuity"] == "green"

    def test_the_log_of_a_forgotten_session_does_not_bring_it_back(self, stored: NotePlace) -> None:
        forgotten(stored, "--session", SECOND)
        assert stored("save")["rolloutSelection"]["kind"] == "latest_primary"
        assert not holding(stored, "otter")
        log = next((stored.folder / "user").rglob(f"{SECOND}.jsonl"))
        assert stored.failed("save", "--log", str(log))["code"] == 3

    def test_a_text_takes_the_lines_that_have_it(self, stored: NotePlace) -> None:
        stored.edit(stored.local, "## Goal", "## Mine\n\nherons like rain\nread the plan\n\n## Goal")
        assert forgotten(stored, "--pattern", "(?i)heron") == 2
        assert not holding(stored, "heron")
        assert stored.texts("next") == ["Next step: find the otter."]
        assert stored.layers().merged.unknown_text == "## Mine\n\nread the plan"

    def test_a_project_takes_its_notes(self, stored: NotePlace) -> None:
        assert forgotten(stored, "--project", "acme/widgets") == 2
        assert not stored.project.exists()
        assert not stored.local.exists()

    def test_a_note_without_the_text_stays_as_it_is(self, stored: NotePlace) -> None:
        before = stored.project.read_bytes(), stored.local.read_bytes()
        stored.json("task", "start", "Kept")
        assert forgotten(stored, "--pattern", "titan") == 0
        assert (stored.project.read_bytes(), stored.local.read_bytes()) == before

    def test_a_marker_of_a_forgotten_session_goes(self, stored: NotePlace) -> None:
        break_log(stored)
        stored.failed("save")
        mend_log(stored)
        assert stored("status")["pendingContinuityRecovery"]
        forgotten(stored, "--session", SECOND)
        assert not stored("status")["pendingContinuityRecovery"]


def test_a_hidden_note_is_not_read(stored: NotePlace) -> None:
    (stored.home / ".aicxignore").write_text("work/*/continuity/project.md\n")
    assert stored.layers().project is None
    assert stored.layers().local is not None
    (path,) = HOLDER.paths(facts(stored))
    assert path.endswith("continuity/project.md")


def test_redacting_again_reaches_both_notes(stored: NotePlace) -> None:
    for path in (stored.project, stored.local):
        stored.edit(path, "\n## Goal", f"\n## Mine\n\n{TOKEN}\n\n## Goal")
    assert checks(stored)["continuity"] == "warning"
    assert stored.run("store", "--redact-again")[0] == 0
    assert not holding(stored, TOKEN)
    assert checks(stored)["continuity"] == "green"
    assert stored.texts("confirmed") == ["`pytest tests/otter` passed", "`pytest tests/heron` passed"]


@pytest.mark.parametrize("layer", ["project", "local"])
def test_doctor_names_a_note_that_cannot_be_understood_and_leaves_it(layer: str, stored: NotePlace) -> None:
    path = stored.project if layer == "project" else stored.local
    path.write_text("Nothing of a note.\n")
    assert checks(stored)["continuity"] == "warning"
    stored.run("doctor", "--fix")
    assert path.read_text() == "Nothing of a note.\n"


def test_doctor_names_a_writing_that_failed(stored: NotePlace) -> None:
    break_log(stored)
    stored.failed("save")
    mend_log(stored)
    assert checks(stored)["continuity"] == "warning"
    stored("save")
    assert checks(stored)["continuity"] == "green"


def test_a_marker_whose_log_is_gone_is_removed_by_doctor(stored: NotePlace) -> None:
    log = stored.session(THIRD, "Count the owls", begin=2000, modified=3000)
    break_log(stored)
    stored.failed("save")
    mend_log(stored)
    log.unlink()
    assert stored.failed("save")["code"] == 8
    assert stored.run("doctor", "--fix")[0] == 0
    assert stored("save")["rolloutSelection"]["kind"] == "latest_primary"


def test_clearing_takes_the_markers_of_the_worktree(stored: NotePlace) -> None:
    break_log(stored)
    stored.failed("save")
    mend_log(stored)
    stored("clear")
    assert not stored("status")["pendingContinuityRecovery"]


def test_a_damaged_file_of_what_is_known_leaves_the_words(stored: NotePlace) -> None:
    for path in stored.home.glob("work/*/continuity/*.json"):
        path.write_bytes(b"{")
    assert checks(stored)["continuity"] == "warning"
    before = stored.texts("confirmed")
    assert before
    stored("save")
    assert stored.texts("confirmed") == before


def facts(place: NotePlace) -> Any:
    class Facts:
        layout = place.settings.layout

    return Facts()
