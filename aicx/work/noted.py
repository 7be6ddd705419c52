"""What a note of continuity takes from a session: its goal, what is left to do, and what was tried and failed."""

from __future__ import annotations

from dataclasses import replace

from aicx.evidence.texts import words
from aicx.text import shorten
from aicx.titles import shorten_title
from aicx.work.session_facts import Said, SessionFacts

MAX_GOAL = 400
# Where a goal is made of several parts, how much of each is told.
_ASKED, _THEN = 200, 140
# A title of which so much was asked in the same words is made of that.
_SAID = 0.7
_JOINT = " — "


def goal_of(facts: SessionFacts) -> Said | None:
    """What a session is for: what was asked first, what it is called where that says more, and what it turned to."""
    asked = facts.goal or facts.asked
    if asked is None:
        return None
    name, _, work = (facts.title or "").rstrip("…").partition(_JOINT)
    # What was done completes it where others can see it; else a title ends in the agent's own words.
    if not (facts.commits or facts.pull_requests):
        work = ""
    elif not work and facts.commits:
        work = facts.commits[-1].text  # the first one: the later ones correct it
    text = shorten(asked.text, _ASKED) if work or facts.turned_to else asked.text
    told = f"{asked.text} {facts.turned_to.text}" if facts.turned_to else asked.text
    if name and not _is_said(name, told):
        text = f"{name} (asked: {shorten(asked.text, _ASKED)})"
    elif work:
        text = f"{text}{_JOINT}{work}"
    if facts.turned_to is None:
        return replace(asked, text=shorten(text, MAX_GOAL))
    then = shorten(facts.turned_to.text, _THEN)
    refs = tuple(dict.fromkeys((*asked.refs, *facts.turned_to.refs)))
    return Said(shorten(f"{text} / then: {then}", MAX_GOAL), facts.turned_to.at, refs)


def next_of(facts: SessionFacts) -> tuple[Said, ...]:
    """What is left to do: a request that the session did not come to answer, and what it says of it itself."""
    return (facts.unanswered, *facts.next) if facts.unanswered else facts.next


def failed_of(facts: SessionFacts) -> tuple[Said, ...]:
    """What failed: first what fails still, then what was given up, the latest first."""
    return (*facts.failing, *facts.given_up)


def _is_said(name: str, asked: str) -> bool:
    """Whether a title is made of what was asked. Titles have a short form in place of each address."""
    of_name = words(name)
    said = {*words(asked), *words(shorten_title(asked))}
    return sum(word in said for word in of_name) >= _SAID * len(of_name)
