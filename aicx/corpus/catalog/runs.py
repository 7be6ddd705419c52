"""Folds what the runs of one prompt have in a list into one item: the first, with the ids of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Item = TypeVar("Item")

# The chunks within a condition, beside what is known of their sessions.
FOUND = "(SELECT * FROM chunks WHERE {}) LEFT JOIN sessions USING (agent, session_id)"
# Of a session, for whoever lists it or its chunks. A chunk has a title of its own.
FACTS = "sessions.title AS session_title, automated_why, prompt_key"


def run_key(row: Any) -> str | None:
    """Returns the key that the runs of one prompt share; None for a session that no program ran."""
    return row["prompt_key"] if row["automated_why"] else None


def fold_runs(
    items: Iterable[Item],
    session_of: Callable[[Item], str],
    key_of: Callable[[Item], str | None],
    limit: int | None = None,
) -> list[tuple[Item, list[str]]]:
    """The first ``limit`` items without those of further runs of a prompt, each with the sessions it speaks for.

    ``items`` are in their order, so that the first of a prompt's runs is the best or the newest. Further items of the
    run that is shown stay.
    """
    folded: list[tuple[Item, list[str]]] = []
    runs: dict[str, list[str]] = {}
    for item in items:
        key, session = key_of(item), session_of(item)
        sessions = [session] if key is None else runs.setdefault(key, [])
        if session not in sessions:
            sessions.append(session)
        if session == sessions[0] and (limit is None or len(folded) < limit):
            folded.append((item, sessions))
    return folded


def told(row: Any, sessions: Iterable[str] | None) -> dict[str, Any]:
    """Returns the fields on who ran an item's session, and for how many runs it speaks (None: itself alone)."""
    ids = list(sessions or [row["session_id"]])
    return {
        "automated": row["automated_why"] is not None,
        "automated_why": row["automated_why"],
        "runs": len(ids),
        "run_ids": ids if len(ids) > 1 else [],
    }
