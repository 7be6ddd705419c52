"""Endings of commands that found something or nothing: why an answer has its place, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aicx import console
from aicx.config import load_settings
from aicx.corpus.catalog.query import open_catalog
from aicx.errors import NotFound

if TYPE_CHECKING:
    from aicx.engine.search import Hit


NOTHING_STORED = "Nothing is stored yet. Next: aicx store"


def notify_nothing(found: str) -> None:
    """Prints ``found``, a sentence for a search of what is stored; or, where nothing is, how to store something."""
    console.notify(NOTHING_STORED if _is_empty() else found)


def _is_empty() -> bool:
    try:
        with open_catalog(load_settings().layout) as opened:
            return not opened.catalog.rows("SELECT 1 FROM chunks LIMIT 1")
    except NotFound:
        return True


def print_explanation(hit: Hit) -> None:
    """Prints each retriever's rank and score, and the factors that they were multiplied by."""
    votes = [f"{name}: rank {vote.rank}, score {vote.score:.3f}" for name, vote in hit.votes.items()]
    ranked = f"score {hit.score:.2f}: {', '.join(votes)}" if votes else "by date"
    reasons = f"{ranked}; decay x{hit.decay_factor:.2f}; this repository x{hit.own:.2f}"
    if made := hit.history:
        reasons += (
            f"; commit {made.commit[:10]}, named by {made.kind}, x{hit.history_factor:.2f}:"
            f" at work {made.gap.total_seconds() / 3600:.1f} h before it, touched {made.touched} of {made.files}"
        )
    console.out(f"    {console.style(reasons, fg='magenta')}")
