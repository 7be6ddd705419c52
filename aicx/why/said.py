"""Reasons that an agent gives for a change: the cause, the ways it weighed, and its report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from aicx.evidence.patterns import statement_rules
from aicx.evidence.statements import conclusion, is_announcement, reports, telling
from aicx.evidence.texts import sentences, summary_line, words
from aicx.evidence.transcript import Step
from aicx.text import shorten
from aicx.values import regex

SAID = 320  # characters of one line

# Words with which an agent names the cause of what it then changes, alone or as a heading.
_CAUSE_HEADING = regex(r"^(?:the )?(?:root )?cause\b", re.IGNORECASE)
_CAUSE = regex(
    r"\b(?:root causes?(?: (?:fix|is|was)\b|:)|turn(?:s|ed) out\b|(?:that|which)(?:.s| is) why\b"
    r"|(?:is|are|was|were) caused by\b|(?:happens|fail(?:s|ed)?|breaks|broke) because\b"
    r"|(?:the|real|actual) (?:[\w`-]+ ){0,2}(?:bug|cause|culprit|problem|regression|issue|failure|gap|mismatch|race)"
    r" (?:(?:is|was) (?:that|in|how|where|with|when|an?|the|now)|comes from|came from)\b)",
    re.IGNORECASE,
)
# A cause that is only thought of.
_GUESSED = regex(r"\?|\b(?:may|might|maybe|perhaps|probably|likely|could|seems?|if|whether)\b", re.IGNORECASE)
# Words with which one of several ways is named.
_WEIGHED = regex(
    r"\b(?:alternatively|the alternatives?|alternative (?:approach|fix|is|option|solution|way|would)|trade-?offs?"
    r"|option [a-d1-4]\b|another (?:approach|option|way)|(?:either|question is whether) .{3,80} or "
    r"|(?:cleaner|safer|simpler) than|the downside|pros and cons|as opposed to)",
    re.IGNORECASE,
)
# With these a sentence may also only say what was changed, or how it was; a word of choosing makes them a choice,
# "should" does not: it says what is wrong, or what will come of it.
_REPLACED = regex(r"\b(?:instead of|rather than)\b", re.IGNORECASE)
_CHOSEN = regex(
    r"\b(?:better|best|prefer\w*|cleane\w+|simple\w+|safe\w+|let.?s|decided|chose|recommend\w*|suggest\w*"
    r"|(?:I|we)(?:.m|.ll|.d|.ve| am| will| would)? (?:\w+ )?(?:us(?:e|ing)|keep(?:ing)?|kept|leav(?:e|ing)|put|want|go"
    r"|went))\b",
    re.IGNORECASE,
)
# What was left as it was is not what a commit did.
_NOT_DONE = regex(
    r"\b(?:not|n.t|un|never) ?(?:fix|chang|touch|address|implement)ed\b|\b(?:left (?:alone|as)|out of scope)\b",
    re.IGNORECASE,
)
_MIN_WEIGHED = 8  # words; "A reasonable trade-off." names neither way
# The agent's last messages; the very last may only say that it pushes.
_LAST_MESSAGES = 6
# Messages that name a result, of which the sentences are compared with a commit.
_MAX_REPORTS = 40
_SENTENCE = 3  # words
_MIN_CAUSE = 6  # words; "This is the root cause." names none


def causes(steps: Sequence[Step]) -> list[tuple[str, Step]]:
    """The sentences in which an agent names the cause of what was wrong, and their messages."""
    found = []
    for step in steps:
        if step.role != "assistant" or not (_CAUSE.search(step.text) or "cause" in step.text.casefold()):
            continue
        heading = ""
        for said in sentences(step.text):
            # Of what comes under a heading the first sentence names it.
            headed = said.heading != heading and _CAUSE_HEADING.search(said.heading)
            heading = said.heading
            if (headed or _CAUSE.search(said.text)) and _names_cause(said.text):
                found.append((shorten(said.text, SAID), step))
    return found


def _names_cause(text: str) -> bool:
    return len(words(text)) >= _MIN_CAUSE and not _GUESSED.search(text) and not is_announcement(text)


def weighed(steps: Sequence[Step]) -> list[tuple[str, Step]]:
    """The sentences in which an agent names another way than the one that was taken, and their messages."""
    return [
        (shorten(said.text, SAID), step)
        for step in steps
        if step.role == "assistant" and (_WEIGHED.search(step.text) or _REPLACED.search(step.text))
        for said in sentences(step.text)
        if _names_ways(said.text) and not is_announcement(said.text)
    ]


def _names_ways(text: str) -> bool:
    """Whether a sentence names another way than the one that was taken, of the work and not of the agent's working."""
    named = _WEIGHED.search(text) or (_REPLACED.search(text) and _CHOSEN.search(text))
    # A colon leads to a list, which is not quoted with it.
    whole = len(words(text)) >= _MIN_WEIGHED and not text.endswith(":")
    return bool(named) and whole and not statement_rules().not_agent.search(text)


def reports_of(steps: Sequence[Step], worked: datetime | None) -> list[tuple[str, Step]]:
    """Finds the agent's reports: sentences of its messages that name a result, and its last report as a whole."""
    told = [
        (shorten(said.text, SAID), step)
        for step in [step for step in steps if reports(step)][-_MAX_REPORTS:]
        for said in sentences(telling(step.text))
        if len(words(said.text)) >= _MIN_CAUSE and not said.text.endswith(":") and not is_announcement(said.text)
        if not _NOT_DONE.search(said.text)
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
