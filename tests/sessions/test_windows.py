"""F6: context windows of a session."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.files.read import read_chunk
from aicx.errors import NotFound
from aicx.evidence import read_steps
from aicx.sessions.stored import find_stored
from aicx.sessions.summarize import open_session
from aicx.sessions.windows import Window, _Message, _split, read_windows, steps_of_windows
from aicx.text import BYTES_PER_TOKEN
from tests.corpus.builders import SESSION, CodexLog, when
from tests.sessions.compacted import SUMMARY, Compacted, story


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Compacted:
    return Compacted(tmp_path, monkeypatch, capsys)


def _cover(windows: tuple[Window, ...]) -> list[int]:
    return [number for one in windows for number in range(one.from_message, one.to_message + 1)]


def _messages(place: Compacted) -> list[dict[str, object]]:
    """The session's messages as its sidecars have them, those that are in two chunks once."""
    found = []
    for path in sorted(place.user.corpus.rglob("*.meta.json")):
        stored = read_chunk(
            place.settings.layout, str(path.relative_to(place.user.corpus)).replace(".meta.json", ".md")
        )
        found += [one for one in stored.sidecar.messages if not one.get("repeated")]
    return found


def test_two_compactions_make_three_windows_that_cover_every_message_once(place: Compacted) -> None:
    place.store(story(place.log()))
    windows = open_session(place.settings, SESSION[:8]).windows
    messages = _messages(place)
    assert [(one.index, one.trigger) for one in windows] == [(0, "start"), (1, "compact"), (2, "compact")]
    assert _cover(windows) == list(range(len(messages)))
    assert [one.messages for one in windows] == [one.to_message - one.from_message + 1 for one in windows]
    low, high = zip(*(one["span"] for one in messages), strict=True)  # type: ignore[misc]
    size = sum(high) - sum(low)
    assert size / BYTES_PER_TOKEN <= sum(one.tokens for one in windows) < size / BYTES_PER_TOKEN + len(windows)
    assert windows[1].started_at == when(31)
    assert windows[2].ended_at == when(80)


def test_a_session_that_begins_with_a_summary_has_one_window_begun_by_compaction(place: Compacted) -> None:
    log = place.log().add("user", 0, isCompactSummary=True, message={"role": "user", "content": SUMMARY})
    place.store(log.prompt("Go on with the export of tables", 1).answer("It is done.", 2))
    (only,) = open_session(place.settings, SESSION).windows
    assert (only.trigger, only.from_message, only.messages) == ("compact", 0, 3)


def test_a_summary_too_long_for_a_chunk_begins_one_window(place: Compacted) -> None:
    log = place.log().prompt("Make the export of tables keep the header", 0).answer("I look at it.", 1)
    long = SUMMARY + "The header of the export was read before the rows were written.\n" * 900
    log.add("user", 2, isCompactSummary=True, message={"role": "user", "content": long})
    place.store(log.answer("It is done.", 3))
    first, second = open_session(place.settings, SESSION).windows
    assert len(second.chunks) > 2
    assert (first.to_message, second.from_message, second.messages) == (1, 2, 2)
    assert second.tokens > len(long) / BYTES_PER_TOKEN


def test_a_thousand_compactions_are_a_thousand_windows(place: Compacted) -> None:
    log = place.log().prompt("Make the export of tables keep the header", 0)
    for number in range(1000):
        said = f"This session is being continued from a previous conversation: part {number}"
        log.add("user", 2 * number + 1, isCompactSummary=True, message={"role": "user", "content": said})
        log.answer(f"Step {number} is done.", 2 * number + 2)
    place.store(log)
    windows = open_session(place.settings, SESSION).windows
    assert len(windows) == 1001
    assert _cover(windows) == list(range(2001))


def test_a_compaction_of_codex_without_a_readable_summary_begins_a_window(place: Compacted) -> None:
    log = CodexLog(cwd=str(place.folder)).prompt("Make the export of tables keep the header", 1)
    log.answer("I look at it.", 2)
    log._add("compacted", 3, {"message": "", "replacement_history": []})
    log._add("event_msg", 3, {"type": "context_compacted"})
    log.answer("It is kept.", 4)
    log._add("compacted", 5, {"message": "So far: the header.", "replacement_history": []})
    log._add("event_msg", 5, {"type": "context_compacted"})
    place.user.codex(log.answer("It is done.", 6))
    place.user.store()
    windows = open_session(place.settings, log.session).windows
    assert [(one.trigger, one.from_message, one.to_message) for one in windows] == [
        ("start", 0, 1),
        ("compact", 2, 3),
        ("compact", 4, 6),
    ]
    with open_catalog(place.settings.layout) as opened:
        paths = find_stored(opened.catalog, log.session).paths
    steps, _ = read_steps(place.settings.layout, paths)
    assert [len(part) for part in steps_of_windows(windows, steps)] == [2, 2, 3]


def test_a_recap_for_a_person_who_was_away_begins_no_window(place: Compacted) -> None:
    log = place.log().prompt("Make the export of tables keep the header", 0).answer("I look at it.", 1)
    log.add("system", 2, subtype="away_summary", content="The export is being mended; the header is next.")
    place.store(log.prompt("Go on", 3).answer("It is done.", 4))
    (only,) = open_session(place.settings, SESSION).windows
    assert (only.trigger, only.messages) == ("start", 5)
    with open_catalog(place.settings.layout) as opened:
        paths = find_stored(opened.catalog, SESSION).paths
    steps, _ = read_steps(place.settings.layout, paths)
    assert [len(part) for part in steps_of_windows((only,), steps)] == [5]


def test_the_steps_of_a_window_are_those_between_its_bounds(place: Compacted) -> None:
    place.store(story(place.log()))
    settings = place.settings
    with open_catalog(settings.layout) as opened:
        paths = find_stored(opened.catalog, SESSION).paths
    windows, notes = read_windows(settings.layout, paths)
    steps, _ = read_steps(settings.layout, paths)
    found = steps_of_windows(windows, steps)
    assert [len(part) for part in found] == [one.messages for one in windows]
    assert [step for part in found for step in part] == steps
    assert [part[0].origin for part in found] == ["typed", "compaction", "compaction"]
    assert not notes


def test_a_chunk_that_cannot_be_read_is_named_and_the_others_are_covered(place: Compacted) -> None:
    log = place.log()
    for number in range(60):
        log.prompt(f"Request {number}: " + "look at the export of tables again " * 40, number * 2)
        log.answer("I did. " + "The header is there. " * 40, number * 2 + 1)
    place.store(log)
    with open_catalog(place.settings.layout) as opened:
        paths = find_stored(opened.catalog, SESSION).paths
    (place.user.corpus / paths[1].replace(".md", ".meta.json")).write_text("{")
    windows, notes = read_windows(place.settings.layout, paths)
    assert len(notes) == 1
    assert _cover(windows) == list(range(windows[-1].to_message + 1))


def test_windows_of_a_session_that_is_not_stored_name_the_nearest(place: Compacted) -> None:
    place.store(story(place.log()))
    with pytest.raises(NotFound):
        open_session(place.settings, "ffffffff")


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_whatever_is_compacted_each_message_is_in_one_window(compacts: list[bool]) -> None:
    messages = [
        _Message(when(number), "summary" if one else None, 4, {f"c{number // 3}": None})
        for number, one in enumerate(compacts)
    ]
    windows = _split(messages)
    assert _cover(windows) == list(range(len(compacts)))
    assert len(windows) == 1 + sum(compacts[1:])
    assert sum(one.tokens for one in windows) == len(compacts)
