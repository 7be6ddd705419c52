"""Reasons that an agent gives for a change: the cause, the ways it weighed, and its report."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from aicx.evidence import Step
from aicx.evidence.patterns import statement_rules
from aicx.evidence.statements import conclusion, is_announcement, reports, telling
from aicx.evidence.texts import sentences, summary_line, words
from aicx.text import shorten

SAID = 320  # characters of one line

_MIN_WEIGHED = 8  # words; "A reasonable trade-off." names neither way
# The agent's last messages; the very last may only say that it pushes.
_LAST_MESSAGES = 6
# Messages that name a result, of which the sentences are compared with a commit.
_MAX_REPORTS = 40
_SENTENCE = 3  # words
_MIN_CAUSE = 6  # words; "This is the root cause." names none


def causes(steps: Sequence[Step]) -> list[tuple[str, Step]]:
    """The sentences in which an agent names the cause of what was wrong, and their messages."""
    found, tells = [], statement_rules().tells_cause
    for step in steps:
        if step.role != "assistant" or not (tells.search(step.text) or "cause" in step.text.casefold()):
            continue
        heading = ""
        for said in sentences(step.text):
            # Of what comes under a heading the first sentence names it.
            headed = said.heading != heading and statement_rules().cause_heading.search(said.heading)
            heading = said.heading
            if (headed or tells.search(said.text)) and _names_cause(said.text):
                found.append((shorten(said.text, SAID), step))
    return found


def _names_cause(text: str) -> bool:
    return len(words(text)) >= _MIN_CAUSE and not statement_rules().guessed.search(text) and not is_announcement(text)


def weighed(steps: Sequence[Step]) -> list[tuple[str, Step]]:
    """The sentences in which an agent names another way than the one that was taken, and their messages."""
    rules = statement_rules()
    return [
        (shorten(said.text, SAID), step)
        for step in steps
        if step.role == "assistant" and (rules.ways_weighed.search(step.text) or rules.put_in_place.search(step.text))
        for said in sentences(step.text)
        if _names_ways(said.text) and not is_announcement(said.text)
    ]


def _names_ways(text: str) -> bool:
    """Whether a sentence names another way than the one that was taken, of the work and not of the agent's working."""
    rules = statement_rules()
    named = rules.ways_weighed.search(text) or (rules.put_in_place.search(text) and rules.chosen.search(text))
    # A colon leads to a list, which is not quoted with it.
    whole = len(words(text)) >= _MIN_WEIGHED and not text.endswith(":")
    return bool(named) and whole and not rules.not_agent.search(text)


def reports_of(steps: Sequence[Step], worked: datetime | None) -> list[tuple[str, Step]]:
    """Finds the agent's reports: sentences of its messages that name a result, and its last report as a whole."""
    told = [
        (shorten(said.text, SAID), step)
        for step in [step for step in steps if reports(step)][-_MAX_REPORTS:]
        for said in sentences(telling(step.text))
        if len(words(said.text)) >= _MIN_CAUSE and not said.text.endswith(":") and not is_announcement(said.text)
        if not statement_rules().undone.search(said.text)
    ]
    last = _last_report(steps, worked)
    return [*told, (summary_line(telling(last.text), SAID), last)] if last else told


def _last_report(steps: Sequence[Step], worked: datetime | None) -> Step | None:
    """The last of the agent's messages that says more than what it does next.

    Of those after the work ended, at ``worked``, one that names a result comes first: how far CI is says less.
    """
    said = [step for step in steps if step.role == "assistant"][-_LAST_MESSAGES:]
    more = [step for step in reversed(said) if _says_more(step.text)]
    results = (step for step in more if worked and step.at >= worked and reports(step))
    return next(results, next(iter(more), None)) or conclusion(steps)


def _says_more(text: str) -> bool:
    """Whether a message says more than "Committed" and what comes next."""
    told = [said.text for said in sentences(telling(text)) if len(words(said.text)) >= _SENTENCE]
    # One that ends with what comes next was said in the middle of the work.
    return bool(summary_line(telling(text), SAID)) and bool(told) and not is_announcement(told[-1])
