"""A note that aicx wrote is read without a parser of Markdown, and says the same."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.continuity.markdown import parse, render
from aicx.continuity.note import KINDS, Kind, Note
from aicx.continuity.reading import read_as_written
from tests.continuity.test_markdown import STARTS, TEXTS, note

pytestmark = pytest.mark.slow

WRITTEN = note(
    "Fix the export", [("confirmed", "`make test` passed"), ("next", "Ask Ada"), ("decision", "Keep it: all")]
)


def _read(body: str, like: Note) -> Note | None:
    return read_as_written(body.encode(), "local", {item.key for item in like.items})


@given(goal=st.none() | TEXTS, items=st.lists(st.tuples(st.sampled_from(KINDS), TEXTS), max_size=8))
def test_what_is_written_is_read_as_the_parser_reads_it(goal: str | None, items: list[tuple[Kind, str]]) -> None:
    body = render(note(goal, items), "local")
    read = _read(body, note(goal, items))
    assert read == parse(body.encode(), "local")


@given(body=st.lists(st.sampled_from([*STARTS, "## Confirmed working", "text", "  more", ""]), max_size=12))
def test_what_a_person_wrote_is_read_alike_once_it_is_known(body: list[str]) -> None:
    text = "## Goal\n\nX\n\n## Tried and failed\n\n" + "\n".join(body)
    try:
        written = parse(text.encode(), "local")
    except Exception:  # noqa: BLE001 - what is no note is of no interest here
        return
    again = render(written, "local")
    assert _read(again, written) in (None, parse(again.encode(), "local"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ask Ada", "Ask Bob"),
        ("- Ask Ada", "* Ask Ada"),
        ("- Ask Ada", "- Ask Ada\n\nText"),
        ("## Incomplete and next", "## Next"),
        ("status: active", "status: strange"),
        ("status: active", "owner: Ada"),
        ("# Continuity of this worktree", "# Mine"),
        ("## Goal\n", "## Goal\n\n## Goal\n"),
    ],
)
def test_what_a_person_changed_is_left_to_the_parser(old: str, new: str) -> None:
    body = render(replace(WRITTEN, source="session:claude:a"), "local")
    assert _read(body, WRITTEN) is not None
    assert old in body
    assert _read(body.replace(old, new, 1), WRITTEN) is None


def test_reading_loads_no_parser() -> None:
    code = "import sys, aicx.continuity.reading; sys.exit('markdown_it' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
