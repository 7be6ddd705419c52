"""Finds what a person stated: rules, preferences, choices and facts in prompts, and answers to an agent's questions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from aicx.evidence.patterns import MemoryRules, memory_rules
from aicx.evidence.statements import weigh
from aicx.evidence.texts import sentences, words
from aicx.evidence.transcript import Step
from aicx.memory.candidates.session import ReadSession
from aicx.memory.proposals import MAX_STATEMENT, Proposal, ProposalKind
from aicx.telling import ENOUGH, count_telling

# Longer prompts are mostly pasted, or the whole task for an agent.
_MAX_PROMPT = 1500
# A rule in fewer words leaves out what it is about.
_MIN_WORDS = 4
_ANSWER = re.compile(r'"([^"\n]{5,300})"="([^"\n]{2,300})"')
_RECOMMENDED = re.compile(r"\s*\((?:recommended|default)\)", re.IGNORECASE)
# Who writes without capitals ends sentences all the same.
_LOWER_CASE_END = re.compile(r"(?<=[a-z]{3}[.!])\s+(?=[a-z])")
# What a question lets choose from, where it says so itself.
_OPTIONS = re.compile(r"\w,? (?:or|and) \w", re.IGNORECASE)
_MARKS_AT_END = re.compile(r"[!.]{2,}$")
_ARTICLE = re.compile(r"^(?:the|a|an) ")
# "use X instead of Y", and the like: what is chosen, and over what.
_WORDS = r"`[^`]+`|[\w./@+-]+(?: [\w./@+-]+){0,2}?"
_CHOICE = re.compile(
    rf"\b(?:use|using|prefer|call it|name it) (?P<one>{_WORDS})"
    rf"(?:,? (?:instead of|rather than|over)|,? (?:and |but )?not) (?P<other>{_WORDS})(?=[\s,.;!)]|$)",
    re.IGNORECASE,
)
_MIN_LENGTH = 30  # of what an agent concluded


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
            if kind is not None and len(statement) <= MAX_STATEMENT:
                claims = claims_of(statement)
                yield session.proposal(
                    statement, kind, "person_stated", step, origin="human", quote=part, claims=claims
                )


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
    found = _CHOICE.search(text)
    if found is None:
        return {}
    one, other = (_ARTICLE.sub("", found[name].strip("`.").casefold()) for name in ("one", "other"))
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
    if rules.answers_by_place.search(chosen) and not _OPTIONS.search(question):
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
