"""The rules by which one session proposes memories: beside what a person stated, what its commands showed, and what the
agent concluded: limits of what it named, causes with their fix, and choices with their reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from aicx.evidence.fixes import topic_of, whole_check
from aicx.evidence.patterns import MemoryRules, memory_rules
from aicx.evidence.runs import CommandRun
from aicx.evidence.texts import Sentence, sentences, words
from aicx.evidence.transcript import Step
from aicx.memory.candidates.session import ReadSession
from aicx.memory.candidates.stated import stated
from aicx.memory.proposals import MAX_STATEMENT, Proposal
from aicx.types import PROMPTS

# How far after a cause its fix is said.
_NEAR = 3
_MIN_LENGTH = 30
_MAX_FILES = 3
_NAME = re.compile(r"`([^`]+)`")
# Causes with so many names in common, and half of the fewer, are one.
_SAME_NAMES = 2
_HOW = {"test": "Run the tests with", "lint": "Lint and format with", "build": "Build with"}
_MIN_WORDS = 4


def commands(session: ReadSession) -> Iterator[Proposal]:
    """Proposes what the commands of a session showed; the outcome of each is the log's own."""
    rules = memory_rules()
    yield from _works(session)
    prepared: set[str] = set()
    for place, run in enumerate(session.runs):
        if run.kind == "check" and run.outcome in ("failed", "unknown"):
            yield from _prepared(session, run, session.runs[place + 1 :], rules, prepared)
            yield from _found(session, run, session.runs[place + 1 :], rules)


def _works(session: ReadSession) -> Iterator[Proposal]:
    """The checks of everything, each with its first failure and its last success in the session."""
    seen: dict[tuple[str, str, bool], tuple[str, CommandRun]] = {}
    for run, place in zip(session.runs, session.places, strict=True):
        if run.kind != "check" or run.outcome not in ("ok", "failed") or place is None:
            continue
        passed = run.outcome == "ok"
        for part in run.parts if passed else run.parts[-1:]:
            if program := whole_check(part):
                before = seen.get((program, place, passed))
                first = run if passed or before is None else before[1]
                seen[program, place, passed] = (topic_of(part) or "build", first)
    for (program, place, passed), (topic, run) in seen.items():
        yield session.proposal(
            f"{_HOW[topic]} `{program}` in `{place}`." if place else f"{_HOW[topic]} `{program}`.",
            "procedure",
            "passed_after_failure",
            run,
            origin="tool_output",
            topic=topic,
            quote=f"`{run.line}` passed" if passed else f"`{run.line}` failed: {run.telling}",
            outcome="passed" if passed else "failed",
        )


def _prepared(
    session: ReadSession, failed: CommandRun, later: list[CommandRun], rules: MemoryRules, known: set[str]
) -> Iterator[Proposal]:
    """The one command between a check that failed and the same check that passed, with no edit meanwhile.

    Once for each such command: every further check that needs it says the same. ``known`` are those that were told.
    """
    wanted = failed.parts[-1].text
    between: dict[str, None] = {}
    for run in later:
        if any(part.text == wanted for part in run.parts):
            edited = any(failed.at <= edit.at <= run.at for edit in session.edits)
            if run.outcome == "ok" and len(between) == 1 and not edited:
                helped = next(iter(between))
                if helped in known:
                    return
                known.add(helped)
                yield session.proposal(
                    f"Run `{helped}` before `{wanted}`, which fails without it.",
                    "procedure",
                    "prepared_check",
                    run,
                    origin="tool_output",
                    topic=topic_of(failed.parts[-1]) or "",
                    quote=f"`{failed.line}` failed: {failed.telling}; after `{helped}` it passed",
                )
            return
        if run.outcome in ("ok", "quiet"):
            between |= {part.text: None for part in run.parts if rules.prepares.search(part.text)}


def _found(session: ReadSession, failed: CommandRun, later: list[CommandRun], rules: MemoryRules) -> Iterator[Proposal]:
    """Proposes a linter's objection that it no longer has."""
    topic = topic_of(failed.parts[-1])
    line = rules.at_place.sub("", failed.telling)
    finding = rules.varies.sub("…", line)
    if topic != "lint" or "…" in line or rules.says_little.search(line) or len(words(finding)) < _MIN_WORDS:
        return
    program = whole_check(failed.parts[-1])
    if program and any(run.outcome == "ok" and program in map(whole_check, run.parts) for run in later):
        yield session.proposal(
            f"`{program}` objects: {finding}",
            "failure",
            "recurring_failure",
            failed,
            origin="tool_output",
            topic="lint",
            quote=failed.telling,
        )


def concluded(session: ReadSession) -> Iterator[Proposal]:
    """Proposes the results that the agent of a session stated."""
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
    """Splits steps at each prompt, in order; before the first is what an agent did unasked."""
    turn: list[Step] = []
    for step in steps:
        if step.role == "user" and step.origin in PROMPTS:
            yield turn
            turn = []
        turn.append(step)
    yield turn


def _in_message(session: ReadSession, step: Step, rules: MemoryRules, turn: Sequence[Step]) -> Iterator[Proposal]:
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
    session: ReadSession, step: Step, turn: Sequence[Step], following: Sequence[Sentence], rules: MemoryRules
) -> str | None:
    """Returns how a cause was fixed: in the agent's words, else the files that were changed before a check passed."""
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


RULES: tuple[Callable[[ReadSession], Iterator[Proposal]], ...] = (stated, commands, concluded)


def propose(session: ReadSession) -> Iterator[Proposal]:
    """Applies every rule to one session."""
    for rule in RULES:
        yield from rule(session)
