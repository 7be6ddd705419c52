"""What every door says of words that were not found."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aicx.engine.search import SearchReport

# A question that is typed has no more words; of one that is pasted the first tell enough.
_MAX_NAMED = 12


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
