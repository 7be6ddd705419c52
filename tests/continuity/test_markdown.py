"""A note is read back as it was written, whatever is in it, and whatever a person made of it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aicx.continuity.markdown import parse, render
from aicx.continuity.note import KINDS, PLACEHOLDER, Broken, Kind, Note, NoteItem
from aicx.text import shorten

# What a block of Markdown, a front matter or a marker of ours begins with.
STARTS = (
    "", "# ", "## Goal", "- ", "* ", "1. ", "> ", "```", "~~~", "---", "===", "<div>", "<!--", "[a]: b", "\\", "| a |",
    "File: ", "Decision: ", "_Nothing yet._", "    code", "+ [ ] ", "10) ", "&lt;", "***", "Environment:", "\\\\",
)  # fmt: skip
TEXTS = st.builds(lambda start, rest: shorten(start + rest, 240), st.sampled_from(STARTS), st.text(max_size=40)).filter(
    bool
)


def note(goal: str | None, items: list[tuple[Kind, str]]) -> Note:
    found: dict[Kind, tuple[NoteItem, ...]] = {}
    for kind, text in items:
        found[kind] = (*found.get(kind, ()), NoteItem(text, kind, "local"))
    return Note(None if goal is None else NoteItem(goal, "goal", "local"), found)


@given(goal=st.none() | TEXTS, items=st.lists(st.tuples(st.sampled_from(KINDS), TEXTS), max_size=8))
def test_any_line_in_any_section_is_read_back_as_it_is(goal: str | None, items: list[tuple[Kind, str]]) -> None:
    written = note(goal, items)
    read = parse(render(written, "local").encode(), "local")
    assert [(item.kind, item.text) for item in read.items] == [(item.kind, item.text) for item in written.items]
    assert read.unknown_text == ""


@given(body=st.lists(st.sampled_from([*STARTS, "## Confirmed working", "## Links", "text", "  more", ""]), max_size=12))
@example(["## Goal", "<div>", PLACEHOLDER, "# "])
def test_what_a_person_wrote_is_kept_however_often_it_is_written_again(body: list[str]) -> None:
    text = "## Goal\n\nX\n\n## Tried and failed\n\n" + "\n".join(body)
    try:
        first = parse(text.encode(), "local")
    except Broken:
        return
    second = parse(render(first, "local").encode(), "local")
    assert second.items == first.items
    assert second.unknown_text == first.unknown_text
    said = render(first, "local")
    for word in ("text", "code", "more"):
        assert said.count(word) == text.count(word)


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("Confirmed Working", "confirmed"),
        ("tried & failed", "failed"),
        ("Incomplete / Next", "next"),
        ("Files / Decisions / Environment", "environment"),
    ],
)
def test_headings_of_older_notes_are_known(heading: str, kind: Kind) -> None:
    read = parse(f"# Session\n\n## {heading}\n\n- one\n1. two\n\nthree\n".encode(), "local")
    assert [item.text for item in read.sections[kind]] == ["one", "two", "three"]


def test_an_item_of_several_lines_stays_one(tmp_path: object) -> None:
    text = (
        "## Not yet tried\n\n- a stream\n  of bytes\n- steps:\n  1. read\n  2. parse\n\n  ```\n  x = 1\n\n  y\n  ```\n"
    )
    read = parse(text.encode(), "local")
    assert [item.text for item in read.sections["untried"]] == [
        "a stream of bytes",
        "steps:\n1. read\n2. parse\n\n```\nx = 1\n\ny\n```",
    ]
    assert parse(render(read, "local").encode(), "local").sections == read.sections


def test_unknown_front_matter_and_windows_line_ends_are_kept() -> None:
    body = b"\xef\xbb\xbf---\r\nstatus: paused\r\nowner: Ada\r\n---\r\n\r\n## Goal\r\n\r\nShip it\r\n"
    read = parse(body, "local")
    assert (read.status, read.front_matter) == ("paused", "owner: Ada")
    assert "owner: Ada\n---" in render(read, "local")
    assert read.goal is not None
    assert read.goal.text == "Ship it"
