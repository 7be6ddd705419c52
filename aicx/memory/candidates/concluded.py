"""What an agent concluded: limits of what it named, causes with their fix, and choices with their reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aicx.evidence.patterns import MemoryRules, memory_rules
from aicx.evidence.texts import Sentence, sentences
from aicx.evidence.transcript import Step
from aicx.memory.candidates.session import Session
from aicx.memory.proposals import MAX_STATEMENT, Proposal
from aicx.types import PROMPTS

# How far after a cause its fix is said.
_NEAR = 3
_MIN_LENGTH = 30
_MAX_FILES = 3
_NAME = re.compile(r"`([^`]+)`")
# Causes with so many names in common, and half of the fewer, are one.
_SAME_NAMES = 2


def concluded(session: Session) -> Iterator[Proposal]:
    """What the agent of a session stated as a result."""
    rules = memory_rules()
    found: list[Proposal] = []
    for turn in _turns(session.steps):
        for step in turn:
            if step.role == "assistant":
                for one in _in_message(session, step, rules, turn):
                    # Said again it is the same cause, and what was then done about it is known better.
                    found = [*(other for other in found if not _is_same_cause(one, other)), one]
    yield from found


def _is_same_cause(one: Proposal, other: Proposal) -> bool:
    """Whether two causes name the same things."""
    if not one.reason == other.reason == "cause_and_fix":
        return False
    mine, theirs = ({*_NAME.findall(said.statement)} for said in (one, other))
    return len(mine & theirs) >= max(_SAME_NAMES, min(len(mine), len(theirs)) / 2)


def _turns(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """What came of each prompt, in order, with what an agent did unasked before the first."""
    turn: list[Step] = []
    for step in steps:
        if step.role == "user" and step.origin in PROMPTS:
            yield turn
            turn = []
        turn.append(step)
    yield turn


def _in_message(session: Session, step: Step, rules: MemoryRules, turn: Sequence[Step]) -> Iterator[Proposal]:
    if not rules.worth_a_look.search(step.text):
        return
    every = list(sentences(step.text))
    for number, said in enumerate(every):
        if not _MIN_LENGTH <= len(said.text) <= MAX_STATEMENT or rules.headings.search(said.text):
            continue
        if rules.limits.search(said.text) and not rules.not_lasting.search(said.text):
            plain = rules.opening.sub("", said.text)
            yield session.proposal(plain, "fact", "named_limit", step, origin="assistant", quote=said.text)
        elif "`" in said.text and rules.causes.search(said.text) and not rules.guessed.search(said.text):
            if fix := _fix(session, step, turn, every[number + 1 :], rules):
                statement = f"{said.text} {fix}"
                yield session.proposal(statement, "failure", "cause_and_fix", step, origin="assistant")
        elif "`" in said.text and rules.choices_made.search(said.text) and not rules.not_settled.search(said.text):
            yield session.proposal(said.text, "decision", "agent_choice", step, origin="assistant")


def _fix(
    session: Session, step: Step, turn: Sequence[Step], following: Sequence[Sentence], rules: MemoryRules
) -> str | None:
    """What was done about a cause: in the agent's words, else the files that were changed before a check passed."""
    first, last = turn[0].at, turn[-1].at
    edits = [edit for edit in session.edits if first <= edit.at <= last]
    if not edits:
        return None
    for said in following[:_NEAR]:
        if rules.remedies.search(said.text):
            return said.text
    after = [edit for edit in edits if edit.at >= step.at]
    passed = [run.at for run in session.runs if run.kind == "check" and run.outcome == "ok" and run.at <= last]
    if not after or not any(at >= after[0].at for at in passed):
        return None
    files = dict.fromkeys(path for edit in after for path in map(session.relative, edit.files) if path)
    return f"Fixed in {', '.join(f'`{path}`' for path in files)}." if 0 < len(files) <= _MAX_FILES else None
