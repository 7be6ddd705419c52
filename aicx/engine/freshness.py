"""Sentences that every door says of an answer which may lack something: words not found, indexes behind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from aicx.text import plural

if TYPE_CHECKING:
    from aicx.engine.search import SearchReport

# A question that is typed has no more words; of one that is pasted the first tell enough.
_MAX_NAMED = 12

Freshness = Mapping[str, Mapping[str, int | None]]


def stale_indexes(freshness: Freshness) -> list[str]:
    """A sentence for each index that is behind or may be, with the command that brings it up to date.

    ``freshness`` is that of ``oracle_status``: by retriever, how many chunks it is ``behind``; None where that is not
    known.
    """
    said = []
    for name, index in freshness.items():
        command = "aicx index" if name == "dense" else "aicx store"
        if index["behind"] is None:
            said.append(f"the {name} index may not be up to date: it was made for another catalogue; next: {command}")
        elif index["behind"]:
            said.append(f"the {name} index is {plural(index['behind'], 'chunk')} behind; next: {command}")
    return said


def index_state(*, exists: bool, behind: int | None) -> str:
    """The state of one index, in a few words."""
    if not exists:
        return "none"
    if behind is None:
        return "made for another catalogue"
    return f"{plural(behind, 'chunk')} behind" if behind else "up to date"


def evidence_note(report: SearchReport) -> str | None:
    """A sentence on what of a question was not found; None where there is nothing to say."""
    words = list(map(repr, report.missing_words[:_MAX_NAMED]))
    if len(report.missing_words) > _MAX_NAMED:
        words.append(f"{len(report.missing_words) - _MAX_NAMED} more")
    named = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
    missing = f"{named} {'occurs' if len(words) == 1 else 'occur'} nowhere" if words else ""
    missing += " within these limits" if words and report.limited else ""
    match report.evidence:
        case "none":
            return f"Nothing matches: {missing}." if missing else None
        case "weak" if missing:
            return f"{_capital(missing)}. Weak evidence: these answers have only other words of the question."
        case "weak":
            return "Weak evidence: no passage has the words of the question together, only some of them, or apart."
    return f"{_capital(missing)}; the answers have the other words." if missing else None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
