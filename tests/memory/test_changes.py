"""What changed at an anchor is shown, and reading touches nothing: no file's bytes or times, nor git's own."""

from __future__ import annotations

import pytest

from aicx.memory.anchors import Compared, compare, take_anchor
from aicx.memory.evidence import what_changed
from tests.corpus.builders import SESSION
from tests.review.builders import Review

CODE = "import time\n\n\ndef retry(call):\n    for attempt in range(5):\n        call()\n    return None\n"


def state(place, anchor):
    return compare(place.repo, [anchor], Compared())[anchor]


def changed(place, anchor):
    return what_changed(place.repo, anchor, state(place, anchor))


def shown(place, anchor):
    return [(line.sign, line.number, line.text.strip()) for line in changed(place, anchor)[0]]


@pytest.fixture
def taken(place):
    """The place, and an anchor to three lines of a committed file."""
    place.write("src/retry.py", CODE)
    commit = place.commit()
    return place, take_anchor(place.repo, place.repo, "src/retry.py#L4-L6", commit)


def test_only_changes_of_the_anchored_lines_are_shown(taken):
    place, anchor = taken
    place.write("src/retry.py", CODE.replace("import time", "import random").replace("range(5)", "range(9)"))
    assert shown(place, anchor) == [("-", 5, "for attempt in range(5):"), ("+", 5, "for attempt in range(9):")]


def test_lines_are_numbered_where_they_were_and_where_they_are(taken):
    place, anchor = taken
    place.write("src/retry.py", "# a licence\n" + CODE.replace("call()", "call(1)"))
    assert shown(place, anchor) == [("-", 6, "call()"), ("+", 7, "call(1)")]


def test_deleted_lines_are_shown(taken):
    place, anchor = taken
    place.write("src/retry.py", CODE.replace("        call()\n", ""))
    assert shown(place, anchor) == [("-", 6, "call()")]


def test_a_renamed_file_is_compared_under_its_new_name(taken):
    place, anchor = taken
    place.git("mv", "src/retry.py", "src/again.py")
    found = state(place, anchor)
    assert (found.state, found.path, shown(place, anchor)) == ("moved", "src/again.py", [])


def test_lines_unknown_to_git_are_shown_as_they_are(place):
    place.write("a.py", CODE)
    anchor = take_anchor(place.repo, place.repo, "a.py#L5", None)
    place.write("a.py", CODE.replace("range(5)", "range(9)"))
    lines, known, _ = changed(place, anchor)
    assert not known
    assert [(line.sign, line.number) for line in lines] == [(" ", 5)]


def test_a_file_that_was_not_as_committed_when_it_was_anchored_has_no_before(place):
    place.write("a.py", CODE)
    commit = place.commit()
    place.write("a.py", CODE.replace("range(5)", "range(7)"))
    anchor = take_anchor(place.repo, place.repo, "a.py#L5", commit)
    place.write("a.py", CODE.replace("range(5)", "range(9)"))
    assert not changed(place, anchor)[1]


def test_a_whole_file_and_many_changes_are_bounded(place):
    place.write("a.txt", "".join(f"line {n}\n" for n in range(100)))
    anchor = take_anchor(place.repo, place.repo, "a.txt", place.commit())
    place.write("a.txt", "".join(f"other {n}\n" for n in range(100)))
    lines, _, more = changed(place, anchor)
    assert (len(lines), more) == (40, 160)


def test_a_file_gone_or_outside_shows_nothing(taken, tmp_path):
    place, anchor = taken
    (place.repo / "src/retry.py").unlink()
    assert shown(place, anchor) == []
    (tmp_path / "secret").write_text("secret")
    (place.repo / "src/retry.py").symlink_to(tmp_path / "secret")
    assert shown(place, anchor) == []


READING = [
    *("memory list", "memory get rule", "memory get live:claude:CLAUDE.md", "memory recall exports"),
    *("memory recall exports --with-evidence --record", "memory history rule", "memory stats", "memory sources"),
    *("memory candidates", "memory backfill --dry-run", "memory lint", "memory curate", "memory eval"),
    *("search exports", "search exports --scope memories", "steer", "resume", "resume --task exports", "boot"),
    *("prepare --task exports --dry-run", "review candidates", "review show rule", "continuity load"),
    *("continuity status", "pack task", "pack family", f"sessions restore --session {SESSION}", "why export.py"),
    *("sessions recall exports", f"sessions summarize {SESSION}", "map", "task status", "next", "doctor"),
]


def files(place: Review) -> dict[str, tuple[int, int, bytes]]:
    """Everything below the repository, git's own files too: mode, time of the last change, and bytes."""
    found = {path: path.lstat() for path in place.repo.rglob("*")}
    return {
        str(path): (about.st_mode, about.st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path, about in found.items()
    }


@pytest.mark.slow
def test_reading_touches_nothing_in_the_repository(lived_in: Review) -> None:
    (lived_in.repo / "export.py").touch()  # git's index is behind, and `git status` would write it
    before = files(lived_in)
    for line in READING:
        code, _, err = lived_in.run(*line.split(), "--json")
        assert code == 0 or line == "doctor", err
        after = files(lived_in)
        changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        assert not changed, line
