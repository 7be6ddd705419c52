"""Why an answer has its place, in a line: `--explain` of `aicx search` and of `aicx steer TEXT`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aicx import console

if TYPE_CHECKING:
    from aicx.engine.search import Hit


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
