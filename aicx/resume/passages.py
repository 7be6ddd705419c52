"""The stages about passages of the history: those that answer the task, which of them are quoted, and their words."""

from __future__ import annotations

from dataclasses import replace

from aicx.refs import Ref
from aicx.resume.select.recall import choose
from aicx.resume.select.report import Reason, Recalled
from aicx.resume.state import ResumeState


def search_history(state: ResumeState) -> None:
    """What the search gives for the task, each with how much of the task it holds."""
    if not state.topic:
        return
    from aicx.resume.search import recall  # imported here: without a task nothing is searched

    found = recall(state)
    state.rarity = rarity = state.reader.rarity(state.topic, state.sessions)
    state.passages = [replace(item, coverage=state.reader.coverage(item, rarity)) for item in found]


def choose_passages(state: ResumeState) -> None:
    """Chooses the passages to quote."""
    query = state.query
    limits = query.limits
    state.chosen, considered = choose(state.passages, query.now, query.exclude_session, limits.recalled, limits.related)
    state.considered += considered


def quote_passages(state: ResumeState) -> None:
    """Quotes the passages in their own words, without those in which nobody said anything that stands by itself."""
    found = []
    for item in state.chosen:
        if lines := state.reader.quote(item, state.rarity):
            found.append(Recalled(item.chunk, item.facts, item.started_at, lines, item.score, item.tier, item.relation))
            continue
        ref, nothing = str(Ref("chunk", item.chunk)), Reason.SAYS_NOTHING
        state.considered = [one._replace(left_out=nothing) if one.ref == ref else one for one in state.considered]
    state.report.recalled = tuple(found)
