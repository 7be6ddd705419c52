"""One statement on its own, by the rules for candidates: what kind of memory it would be, if any."""

from __future__ import annotations

from aicx.evidence.patterns import memory_rules
from aicx.memory.candidates.stated import kind_of, settled_by
from aicx.memory.proposals import MAX_STATEMENT, ProposalKind

_MIN_LENGTH = 30  # of what an agent concluded


def kind_of_statement(text: str) -> tuple[str, ProposalKind] | None:
    """A statement without what leads over to it, and its kind; None for what is not worth a person's look."""
    rules = memory_rules()
    plain = rules.opening.sub("", text).strip()
    if not plain or len(plain) > MAX_STATEMENT:
        return None
    question, asked, answer = plain.partition("? \u2192 ")  # as notes write what a person chose
    if asked:
        settled = settled_by(f"{question}?", answer, rules)
        return (settled, "decision") if settled else None
    if (kind := kind_of(plain, rules, corrects=False)) is not None:
        return plain, kind
    if len(plain) < _MIN_LENGTH:
        return None
    if rules.limits.search(plain) and not rules.not_lasting.search(plain):
        return plain, "fact"
    if "`" in plain and rules.choices_made.search(plain) and not rules.not_settled.search(plain):
        return plain, "decision"
    return None
