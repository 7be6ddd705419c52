"""How strong the evidence of an answer is: a line in the same words, whichever tool answers.

``strong`` fits the question, ``weak`` may, ``none`` does not; ``recorded`` is listed or quoted as the logs have it, and
was compared with no question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from aicx.memory.recall.asking import SUFFICIENT
from aicx.servers.mcp.quoting import label

Grade = Literal["strong", "weak", "none", "recorded"]

_MAX_MISSING = 8
_OF_CONFIDENCE: Mapping[str, Grade] = {"high": "strong", "medium": "weak", "low": "none"}
_FOUND: Mapping[str, str] = {
    "strong": "one answer has the question's words together",
    "weak": "the answers have only some of the question's words, or apart",
    "none": "nothing matches",
}
LISTED = "listed by what the logs record; no question was compared"


def strength(grade: Grade, because: str) -> str:
    return f"Evidence: {grade}; {because}."


def of_passages(grade: Grade, missing: Sequence[str] = ()) -> str:
    """The line for answers to a question; ``missing`` are its words that occur nowhere."""
    named = f"; found nowhere: {', '.join(map(label, missing[:_MAX_MISSING]))}" if missing else ""
    return strength(grade, f"{_FOUND[grade]}{named}")


def of_statements(fields: Mapping[str, Any]) -> str:
    """The line for what the memory says on a question."""
    method, entries = fields["method"], fields["entries"]
    if any(one["baseline"] and (one["score"] or {}).get("fused", 0) >= SUFFICIENT for one in entries):
        return strength("strong", "a statement that people agreed to matches well")
    if method["sufficient"]:
        return strength("weak", "a statement matches well, but no person has agreed to it")
    missing = f"; found nowhere: {', '.join(map(label, method['missing'][:_MAX_MISSING]))}" if method["missing"] else ""
    return strength("none", f"the memory has no good answer{missing}; do not fill the gap with a guess")


def of_sessions(confidences: Sequence[str], task: str) -> str:
    """The line for sessions that were weighed, by the confidence of each, the best first; ``task`` says for what."""
    if not confidences:
        return strength("none", f"no stored session was found to {task}")
    return strength(
        _OF_CONFIDENCE[confidences[0]], f"the best session was found to {task} with {confidences[0]} confidence"
    )
