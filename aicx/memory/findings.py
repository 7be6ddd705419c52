"""Findings in a record's own text that keep it apart: secrets, and what imitates the structure of a prompt.

What is proposed is redacted before it is written. Findings are what a hand, or another program, put there since.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from aicx.evidence.patterns import memory_rules
from aicx.memory.record import Reason
from aicx.storage.typed import texts_of

if TYPE_CHECKING:
    from aicx.memory.record import Record

# Markers that chat templates and agents' own programs put around the turns of a conversation. Plain words are no
# finding: a record that only says "ignore the rules" is a candidate like any other, and a person reads it.
# A tag such as `<user>` alone may be a place to fill in, and is none either.
_TURNS = re.compile(
    r"<\|[a-z_]{2,20}\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|</?(?:system|system-reminder|system_prompt|"
    r"instructions|tool_result|function_results)\b[^>]*>|</(?:assistant|user|human)>|^\s*(?:`{3,}|~{3,})|^\s*(?:human|"
    r"assistant)\s*:|^\s*#{1,6}\s*(?:system|assistant|human|user)\s*:",
    re.IGNORECASE | re.MULTILINE,
)


def find_flaws(record: Record) -> tuple[Reason, ...]:
    """Finds what in the text of a record keeps it apart until a person has looked at it."""
    from aicx.redaction import redact_plain  # imported here: who reads what is indexed does without its rules

    flaws = []
    texts = list(texts_of(record))
    if any(redact_plain(text).text != text for text in texts):
        flaws.append(Reason("quarantined_secret"))
    if imitates_a_prompt(texts):
        flaws.append(Reason("quarantined_injection"))
    return tuple(flaws)


def imitates_a_prompt(texts: Iterable[str]) -> bool:
    return any(_TURNS.search(text) for text in texts)


def is_environment_negative(kind: str, statement: str) -> bool:
    """Whether a statement claims that something cannot be done here, which another day may prove wrong.

    It only ever takes trust away, so words are enough. What is agreed, rather than observed, is no such claim.
    """
    if kind in ("policy", "preference", "decision"):
        return False
    return bool(memory_rules().not_possible.search(statement) and memory_rules().of_here.search(statement))
