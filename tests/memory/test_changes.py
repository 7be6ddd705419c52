"""Which lines below a record changed: as they were, by git, and as they are."""

from __future__ import annotations

import pytest

from aicx.memory.anchors import Compared, compare, take_anchor
from aicx.memory.evidence import what_changed

CODE = "import time\n\n\ndef retry(call):\n    for attempt in range(5):\n        call()\n    return None\n"


def changed(place, anchor):
    return what_changed(place.repo, anchor, compare(place.repo, [anchor], Compared())[anchor])


def shown(place, anchor):
    return [(line.sign, line.number, line.text.strip()) for line in changed(place, anchor).lines]


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
    found = changed(place, anchor)
    assert (found.found.state, found.found.path, found.lines) == ("moved", "src/again.py", ())


def test_lines_unknown_to_git_are_shown_as_they_are(place):
    place.write("a.py", CODE)
    anchor = take_anchor(place.repo, place.repo, "a.py#L5", None)
    place.write("a.py", CODE.replace("range(5)", "range(9)"))
    found = changed(place, anchor)
    assert not found.known
    assert [(line.sign, line.number) for line in found.lines] == [(" ", 5)]


def test_a_file_that_was_not_as_committed_when_it_was_anchored_has_no_before(place):
    place.write("a.py", CODE)
    commit = place.commit()
    place.write("a.py", CODE.replace("range(5)", "range(7)"))
    anchor = take_anchor(place.repo, place.repo, "a.py#L5", commit)
    place.write("a.py", CODE.replace("range(5)", "range(9)"))
    assert not changed(place, anchor).known


def test_a_whole_file_and_many_changes_are_bounded(place):
    place.write("a.txt", "".join(f"line {n}\n" for n in range(100)))
    anchor = take_anchor(place.repo, place.repo, "a.txt", place.commit())
    place.write("a.txt", "".join(f"other {n}\n" for n in range(100)))
    found = changed(place, anchor)
    assert (len(found.lines), found.more) == (40, 160)


def test_a_file_gone_or_outside_shows_nothing(taken, tmp_path):
    place, anchor = taken
    (place.repo / "src/retry.py").unlink()
    assert shown(place, anchor) == []
    (tmp_path / "secret").write_text("secret")
    (place.repo / "src/retry.py").symlink_to(tmp_path / "secret")
    assert shown(place, anchor) == []
