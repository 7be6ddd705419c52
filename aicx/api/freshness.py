"""What is said of an index that may not hold everything that is stored."""

from __future__ import annotations

from collections.abc import Mapping

from aicx.text import plural

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
