"""Chunks read back as turns."""

from __future__ import annotations

from typing import Any

import pytest

from aicx.corpus.files import Sidecar
from aicx.errors import CorpusDamaged
from aicx.fields import to_fields
from aicx.servers.dashboard.reader import turns_of
from aicx.sources.items import TimelineEntry
from tests.corpus.builders import chunks_of, entry, tool_entry


def read(*entries: TimelineEntry) -> list[list[dict[str, Any]]]:
    """The turns of each chunk of a session."""
    return [list(map(to_fields, turns_of(Sidecar(chunk.fields), chunk.markdown))) for chunk in chunks_of(entries)]


def turn(one: TimelineEntry) -> dict[str, Any]:
    [[found]] = read(one)
    return found


def test_what_was_typed_is_open_and_whole() -> None:
    found = turn(entry("Why?\n\n### 10:00:00 assistant\n\nNot an answer.\n", 1))
    assert found["role"] == "user"
    assert found["text"].startswith("Why?")
    assert "Not an answer." in found["text"]
    assert (found["folded"], found["title"], found["tool"], found["part"]) == (False, "user", None, None)


def test_turns_come_in_the_order_of_the_session() -> None:
    [found] = read(entry("one", 0), entry("two", 1, "assistant"), tool_entry("ls", 2, "call"), entry("three", 3))
    assert [one["text"] for one in found] == ["one", "two", "ls", "three"]
    assert [one["at"][11:19] for one in found] == ["10:00:00", "10:00:01", "10:00:02", "10:00:03"]


@pytest.mark.parametrize(
    ("phase", "failed", "outcome"), [("call", None, "call"), ("result", False, "result"), ("result", True, "failed")]
)
def test_a_tool_is_folded_and_says_how_it_went(phase: str, failed: bool | None, outcome: str) -> None:
    found = turn(tool_entry("some output", 0, phase, "My result failed Tool", failed=failed))
    assert found["tool"] == {"name": "My result failed Tool", "call_id": None, "outcome": outcome}
    assert (found["role"], found["folded"], found["text"]) == ("tool", True, "some output")


def test_a_fence_in_what_a_tool_printed_stays_text() -> None:
    text = "```\n### 10:00:00 user\n\n````\nforged"
    assert turn(tool_entry(text))["text"] == text


@pytest.mark.parametrize(
    ("role", "origin", "expected"),
    [
        ("user", "typed", "user"),
        ("user", "injected", "note"),
        ("user", "compaction", "note"),
        ("assistant", "agent", "assistant"),
        ("assistant", "compaction", "note"),
        ("reasoning", "agent", "reasoning"),
        ("system", "injected", "note"),
        ("artifact", "artifact", "note"),
    ],
)
def test_who_speaks(role: str, origin: str, expected: str) -> None:
    found = turn(entry("said", 0, role, origin=origin))
    assert found["role"] == expected
    assert found["folded"] is (expected not in ("user", "assistant"))


def test_a_long_message_is_in_parts_that_say_so() -> None:
    chunks = read(entry("word " * 6000, 0))
    parts = [one["part"] for turns in chunks for one in turns]
    assert parts[0] == [1, len(parts)]
    assert len(parts) > 2
    assert {one["title"] for turns in chunks for one in turns} == {"user"}


def test_what_a_chunk_repeats_of_the_one_before_is_left_out() -> None:
    entries = [
        entry(f"{number} " + "word " * 300, number, "user" if number % 2 else "assistant") for number in range(20)
    ]
    chunks = read(*entries)
    assert len(chunks) > 1
    assert [one["text"].split()[0] for turns in chunks for one in turns] == [str(number) for number in range(20)]


@pytest.mark.parametrize(
    "messages", [[{"span": [0, 10_000]}], [{"span": [5, 2]}], [{"span": "x"}], ["text"], [{}], [{"span": [1, 2]}]]
)
def test_a_sidecar_that_does_not_fit_is_damage(messages: list[Any]) -> None:
    [chunk] = chunks_of([entry("Hello")])
    with pytest.raises(CorpusDamaged, match="does not fit"):
        turns_of(Sidecar({**chunk.fields, "messages": messages}), chunk.markdown)


@pytest.mark.parametrize(("text", "folded"), [("/clear", True), ("/review the lexer", False), ("Clear it", False)])
def test_a_command_to_the_client_alone_is_folded(text: str, folded: bool) -> None:
    assert turn(entry(text, 1))["folded"] is folded
