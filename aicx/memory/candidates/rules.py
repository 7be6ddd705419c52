"""The rules by which one session proposes memories.

They go by what a person stated in prompts and in answers to an agent, what its commands showed, and what the agent
concluded: limits of what it named, causes with their fix, and choices with their reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest

from aicx.evidence import Step
from aicx.evidence.fixes import topic_of, whole_check
from aicx.evidence.patterns import MemoryRules, memory_rules
from aicx.evidence.runs import CommandRun
from aicx.evidence.statements import weigh
from aicx.evidence.texts import Sentence, sentences, words
from aicx.memory.candidates.session import ReadSession
from aicx.memory.proposals import MAX_STATEMENT, Proposal, ProposalKind
from aicx.telling import ENOUGH, count_telling
from aicx.types import PROMPTS

# Longer prompts are mostly pasted, or the whole task for an agent.
_MAX_PROMPT = 1500
_ANSWER = re.compile(r'"([^"\n]{5,300})"="([^"\n]{2,300})"')
_RECOMMENDED = re.compile(r"\s*\((?:recommended|default)\)", re.IGNORECASE)
# Who writes without capitals ends sentences all the same.
_LOWER_CASE_END = re.compile(r"(?<=[a-z]{3}[.!])\s+(?=[a-z])")
_NAMED = re.compile(r"\b(?:call(?:ed)?|named?) [`'\"]?([\w@]+[-_./][\w@./-]*\w)")
_MARKS_AT_END = re.compile(r"[!.]{2,}$")


def stated(session: ReadSession) -> Iterator[Proposal]:
    """Proposes what the person of a session stated for good. A subagent has no person, nor has what a program asks."""
    rules = memory_rules()
    for step in session.steps:
        if step.role == "user" and step.origin == "typed":
            yield from _in_prompt(session, step, rules)
        elif step.tool == "AskUserQuestion" and step.phase == "result":
            yield from _answered(session, step, rules)


def _in_prompt(session: ReadSession, step: Step, rules: MemoryRules) -> Iterator[Proposal]:
    text = weigh(step.text).text
    if not text or len(text) > _MAX_PROMPT or rules.pasted.search(text):
        return
    for said in sentences(text):
        for part in _LOWER_CASE_END.split(said.text):
            said_right = rules.correction.sub("", part)
            statement = _plain(said_right, rules)
            kind = kind_of(statement, rules, corrects=said_right != part)
            # What goes on from the sentence before lacks what that is about; a rule says it all.
            if kind != "policy" and (rules.goes_on.match(part) or not _is_used(statement, session, step)):
                continue
            if kind is not None and len(statement) <= MAX_STATEMENT:
                claims = claims_of(statement)
                yield session.proposal(
                    statement, kind, "person_stated", step, origin="human", quote=part, claims=claims
                )


def _is_used(statement: str, session: ReadSession, step: Step) -> bool:
    """Whether the name that a statement gives something is in the session again: else it was a slip of the pen."""
    named = _NAMED.search(statement)
    return named is None or any(named[1] in one.text for one in session.steps if one is not step and one.at >= step.at)


def _plain(text: str, rules: MemoryRules) -> str:
    """A sentence without what leads over to it, without brackets around it, and with one mark at its end."""
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1]
    text = rules.opening.sub("", text)
    return _MARKS_AT_END.sub(lambda found: found[0][0], text).strip()


def kind_of(text: str, rules: MemoryRules, *, corrects: bool) -> ProposalKind | None:
    """The kind of what a person stated for good; None for what passes, or says too little."""
    if rules.passing.search(text):
        return None
    if rules.rules.search(text):
        return "policy" if len(words(text)) >= _MIN_WORDS else None
    if count_telling(text) < ENOUGH:
        return None
    if corrects and rules.corrected.search(text):
        return "fact"
    kinds: tuple[tuple[re.Pattern[str], ProposalKind], ...] = (
        (rules.preferences, "preference"),
        (rules.choices, "decision"),
        (rules.facts, "fact"),
    )
    return next((kind for pattern, kind in kinds if pattern.search(text)), None)


def claims_of(text: str) -> Mapping[str, str]:
    """Returns a statement's choice under a key that the opposite choice has as well; empty where it chooses nothing."""
    found = memory_rules().choice.search(text)
    if found is None:
        return {}
    one, other = (memory_rules().article.sub("", found[name].strip("`.").casefold()) for name in ("one", "other"))
    return {f"choice:{' | '.join(sorted((one, other)))}": one} if one != other else {}


def _answered(session: ReadSession, step: Step, rules: MemoryRules) -> Iterator[Proposal]:
    for question, answer in _ANSWER.findall(step.text):
        if statement := settled_by(question, answer, rules):
            yield session.proposal(statement, "decision", "person_answered", step, origin="human")


def settled_by(question: str, answer: str, rules: MemoryRules) -> str | None:
    """Returns an answer about what is built, with its question; None where it is about how the work goes on."""
    chosen = _RECOMMENDED.sub("", answer).strip()
    if not rules.about_design.search(question) or rules.about_procedure.search(question):
        return None
    if rules.about_something_else.search(question.partition("?")[0]) or count_telling(question) < ENOUGH:
        return None
    if rules.answers_by_place.search(chosen) and not rules.options.search(question):
        return None
    return None if rules.answers_nothing.search(chosen) else f"{question} {chosen}"


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


# How far after a cause its fix is said.
_NEAR = 3
_MIN_LENGTH = 30  # characters of what an agent concluded
_MAX_FILES = 3
_NAME = re.compile(r"`([^`]+)`")
# Causes with so many names in common, and half of the fewer, are one.
_SAME_NAMES = 2
_HOW = {"test": "Run the tests with", "lint": "Lint with", "build": "Build with"}
# A task of such a name says what else it does, or only that it checks.
_OTHERWISE = {
    "Check with": re.compile(r"\b(?:check|ci|validate|verify)$"),
    "Format with": re.compile(r"^(?!.*\blint).*\b(?:black|fmt|format|gofmt|isort|prettier|rustfmt|shfmt)\b"),
}
_MIN_WORDS = 4  # a rule in fewer leaves out what it is about


def commands(session: ReadSession) -> Iterator[Proposal]:
    """Proposes what the commands of a session showed; the outcome of each is the log's own."""
    rules = memory_rules()
    yield from _works(session, rules)
    prepared: set[str] = set()
    placed = list(zip(session.runs, session.places, strict=True))
    for number, (run, place) in enumerate(placed):
        if run.kind == "check" and run.outcome in ("failed", "unknown"):
            if place is not None:  # what a check needs elsewhere says nothing of this repository
                yield from _prepared(session, run, place, placed[number + 1 :], rules, prepared)
            yield from _found(session, run, session.runs[number + 1 :], rules)


def _works(session: ReadSession, rules: MemoryRules) -> Iterator[Proposal]:
    """The checks of everything, each with its first failure and its last success in the session.

    One that says itself that another one has taken its place is none.
    """
    seen: dict[tuple[str, str, bool], tuple[str, CommandRun]] = {}
    for run, place, printed in zip(session.runs, session.places, session.printed, strict=True):
        if run.kind != "check" or run.outcome not in ("ok", "failed") or place is None:
            continue
        if (old := rules.deprecated.search(printed)) and run.parts[-1].text.split()[-1] == old[1]:
            continue
        passed = run.outcome == "ok"
        for part in run.parts if passed else run.parts[-1:]:
            if program := whole_check(part):
                before = seen.get((program, place, passed))
                first = run if passed or before is None else before[1]
                seen[program, place, passed] = (topic_of(part) or "build", first)
    for (program, place, passed), (topic, run) in seen.items():
        other = (how for how, named in _OTHERWISE.items() if topic != "test" and named.search(program))
        how = next(other, _HOW[topic])
        yield session.proposal(
            f"{how} `{program}` in `{place}`." if place else f"{how} `{program}`.",
            "procedure",
            "passed_after_failure",
            run,
            origin="tool_output",
            topic=topic,
            quote=f"`{run.line}` passed" if passed else f"`{run.line}` failed: {run.telling}",
            outcome="passed" if passed else "failed",
        )


def _prepared(
    session: ReadSession,
    failed: CommandRun,
    place: str,
    later: Sequence[tuple[CommandRun, str | None]],
    rules: MemoryRules,
    known: set[str],
) -> Iterator[Proposal]:
    """The one command between a check that failed and its pass in the same folder, with no edit meanwhile.

    Once for each such command: every further check that needs it says the same. ``known`` are those that were told.
    """
    wanted = failed.parts[-1].text
    between: dict[tuple[str, str | None], None] = {}
    for run, there in later:
        if there == place and any(part.text == wanted for part in run.parts):
            edited = any(failed.at <= edit.at <= run.at for edit in session.edits)
            if run.outcome == "ok" and len(between) == 1 and not edited:
                helped, where = next(iter(between))
                if helped in known or where != place or rules.goes_without_saying.match(helped):
                    return
                known.add(helped)
                within = f" in `{place}`" if place else ""
                yield session.proposal(
                    f"Run `{helped}`{within} before `{wanted}`, which fails without it.",
                    "procedure",
                    "prepared_check",
                    run,
                    origin="tool_output",
                    topic=topic_of(failed.parts[-1]) or "",
                    quote=f"`{failed.line}` failed: {failed.telling}; after `{helped}` it passed",
                )
            return
        if run.outcome in ("ok", "quiet"):
            between |= {(part.text, there): None for part in run.parts if rules.prepares.search(part.text)}


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
    turns = list(_turns(session.steps))
    for turn, then in zip_longest(turns, turns[1:], fillvalue=()):
        refuted = any(rules.refuted.search(step.text) for step in then[:1])
        for one in (
            one for step in turn if step.role == "assistant" for one in _in_message(session, step, rules, turn)
        ):
            # Said again it is the same cause, and what was then done about it is known better.
            known = [other for other in found if not _is_same_cause(one, other)]
            found = known if refuted and one.reason == "cause_and_fix" else [*known, one]
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
