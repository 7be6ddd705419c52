"""What commands showed: checks that work, what they need before them, and what they found again and again."""

from __future__ import annotations

from collections.abc import Iterator

from aicx.evidence.fixes import topic_of, whole_check
from aicx.evidence.patterns import MemoryRules, memory_rules
from aicx.evidence.runs import CommandRun
from aicx.evidence.texts import words
from aicx.memory.candidates.session import Session
from aicx.memory.proposals import Proposal

_HOW = {"test": "Run the tests with", "lint": "Lint and format with", "build": "Build with"}
_MIN_WORDS = 4


def commands(session: Session) -> Iterator[Proposal]:
    """What the commands of a session showed; the outcome of each is the log's own."""
    rules = memory_rules()
    yield from _works(session)
    prepared: set[str] = set()
    for place, run in enumerate(session.runs):
        if run.kind == "check" and run.outcome in ("failed", "unknown"):
            yield from _prepared(session, run, session.runs[place + 1 :], rules, prepared)
            yield from _found(session, run, session.runs[place + 1 :], rules)


def _works(session: Session) -> Iterator[Proposal]:
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
    session: Session, failed: CommandRun, later: list[CommandRun], rules: MemoryRules, known: set[str]
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


def _found(session: Session, failed: CommandRun, later: list[CommandRun], rules: MemoryRules) -> Iterator[Proposal]:
    """What a linter objected to and no longer does."""
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
