"""A repository that was moved, or cloned anew on another machine: its stored sessions still make its notes."""

from __future__ import annotations

import pytest

from tests.continuity.builders import FIRST, SECOND, NotePlace
from tests.corpus.builders import ClaudeLog


@pytest.fixture
def stored(place: NotePlace) -> NotePlace:
    log = ClaudeLog(FIRST, str(place.repo)).prompt("Fix the export of empty files", 0)
    log.call("Edit", 1, "t1", file_path=f"{place.repo}/src/export.py").result("updated", 2, "t1")
    place.write_log(log.answer("Done.", 3), FIRST)
    place.json("store")
    return place


def test_the_sessions_of_a_folder_that_is_gone_make_the_note_of_the_new_one(stored: NotePlace) -> None:
    moved = stored.repo.rename(stored.folder / "moved")
    found = stored.json("continuity", "save", "--repo", str(moved))
    assert found["rolloutSelection"]["kind"] == "latest_primary"
    loaded = stored.json("continuity", "load", "--repo", str(moved))
    assert "Fix the export of empty files" in loaded["resumeContext"]["goal"]
    assert [item["text"] for item in loaded["projectLocal"]["sections"]["file"]] == ["src/export.py"]


def test_a_session_of_this_folder_comes_before_one_of_a_folder_that_is_gone(stored: NotePlace) -> None:
    moved = stored.repo.rename(stored.folder / "moved")
    stored.session(SECOND, "Fix the import", folder=moved)
    found = stored.json("continuity", "save", "--repo", str(moved))
    assert SECOND in found["rolloutSelection"]["rolloutPath"]


def test_sessions_of_another_clone_are_its_own(stored: NotePlace) -> None:
    other = stored.folder / "other"
    stored.git("clone", "-q", str(stored.repo), str(other))
    stored.git("-C", str(other), "remote", "set-url", "origin", "git@github.com:acme/widgets.git")
    code, _, err = stored.run("continuity", "save", "--repo", str(other))
    assert code == 3
    assert "no session of this worktree" in err
