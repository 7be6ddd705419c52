"""Texts in a person's place that no person typed, told by what they look like."""

from __future__ import annotations

import pytest

from aicx.sources.voices import speaker_of

TRANSCRIPT = "\u276f make hive\ncc -c hive.c\nld hive.o"


@pytest.mark.parametrize(
    ("text", "speaker"),
    [
        ('{"task_id":"b1","tool_use_id":"t","description":"Seal the cell","task_type":"local_bash"}', "injected"),
        ('{"task_id":"b1","description":"say \\"[REDACTED:x]","task_type":"local_agent"', "injected"),
        ("Stop hook feedback:\n[seal.sh]: not sealed", "injected"),
        ("PostToolUse:Edit hook additional context: sealed", "injected"),
        ('Another Claude session sent a message:\n<agent-message from="bee">hi</agent-message>', "agent"),
        ('<teammate-message teammate_id="bee">{"type":"idle"}</teammate-message>', "agent"),
        ("<codex_delegation>\n  <input>Seal the cell</input>\n</codex_delegation>", "agent"),
        ("<state_snapshot>\nthe hive so far", "compaction"),
        ("Another language model started to solve this problem and produced a summary of it", "compaction"),
        ("<tool_result>\nsealed\n</tool_result>", "tool"),
        ("Chunk ID: 1a2b\nWall time: 0.1 seconds\nOutput:\nx", "tool"),
        (TRANSCRIPT, "pasted"),
    ],
)
def test_each_text_has_its_true_origin(text: str, speaker: str) -> None:
    assert speaker_of(text) == speaker


@pytest.mark.parametrize(
    "text",
    [
        "Seal the cell",
        '{"task_id": what does this mean?',
        '{"bees": 3}',
        f"{TRANSCRIPT}\n\nwhy does it not link the queen?",
        "$ make hive fails",
        "The Stop hook feedback is wrong",
    ],
)
def test_what_a_person_may_have_typed_stays_typed(text: str) -> None:
    assert speaker_of(text) is None
