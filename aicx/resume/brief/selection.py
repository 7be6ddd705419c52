"""The record of one selection: everything considered, once each, and why it is in the brief or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from aicx.api.answers.manifest import Included, ManifestEntry
from aicx.text import printable


class Reason(StrEnum):
    """Every reason there is; nothing else is ever given."""

    # What speaks for an entry, or has to be known of it.
    MATCHES_TASK = "matches_task"
    SHARES_FILES = "shares_files"
    SAME_BRANCH = "same_branch"
    SAME_FOLDER = "same_folder"
    LATEST_HERE = "latest_here"
    MERGED_BRANCH = "merged_branch"
    NAMED_IN_TASK = "named_in_task"
    CHANGED_NOW = "changed_now"
    EDITED_BEFORE = "edited_before"
    OFTEN_EDITED = "often_edited"
    READ_BEFORE = "read_before"
    IN_RECALLED = "in_recalled"
    IN_MAP = "in_map"
    NEAR_COMMIT = "near_commit"
    RELATED_REPOSITORY = "related_repository"
    OPEN_TASK = "open_task"
    SINCE_LAST_SESSION = "since_last_session"
    OTHER_BRANCH_UNMERGED = "other_branch_unmerged"
    # Why an entry is not shown.
    SUBAGENT = "subagent"
    AUTOMATED = "automated"
    EXCLUDED_BY_USER = "excluded_by_user"
    WEAK_MATCH = "weak_match"
    ENOUGH_OF_SESSION = "enough_of_session"
    AFTER_NOW = "after_now"
    OUTSIDE_REPOSITORY = "outside_repository"
    NOT_THERE = "not_there"
    FOLDER = "folder"
    SAYS_NOTHING = "says_nothing"
    ALTERED_ON_DISK = "altered_on_disk"
    OVER_LIMIT = "over_limit"
    OVER_BUDGET = "over_budget"
    DROPPED_BY_ARBITER = "dropped_by_arbiter"
    ADDS_LITTLE = "adds_little"  # to what is printed for people; the JSON has it


Kind = Literal["session", "chunk", "file", "symbol", "commit", "memory", "task"]


class Considered(NamedTuple):
    """One thing that was looked at. ``left_out`` is set where the selection, rather than the budget, decided.

    The reasons of a ``memory`` are those of `aicx.memory.reasons`.
    """

    ref: str
    kind: Kind
    score: float | None = None
    reasons: tuple[str, ...] = ()
    left_out: str | None = None
    facts: Mapping[str, Any] | None = None


class Use(NamedTuple):
    """How much of an entry was rendered: of how many lines how many, and how many bytes they take."""

    total: int
    shown: int
    size: int


def entries(
    considered: Sequence[Considered], uses: Mapping[str, Use], unprinted: Collection[str] = ()
) -> list[ManifestEntry]:
    """An entry for each thing considered, in order; each once, whichever ways led to it.

    ``unprinted`` are those of which only the JSON has lines.
    """
    found: dict[str, ManifestEntry] = {}
    for item in considered:
        if item.ref in found:
            continue
        use = uses.get(item.ref)
        included: Included = "none"
        if use is not None and use.shown:
            included = "full" if use.shown == use.total else "partial"
        left_out = None
        if included == "none":
            # What nobody decided against and yet is not there had no room.
            little = Reason.ADDS_LITTLE if item.ref in unprinted else Reason.OVER_LIMIT
            left_out = item.left_out or (Reason.OVER_BUDGET if use else little)
        found[item.ref] = ManifestEntry(
            ref=printable(item.ref),
            kind=item.kind,
            included=included,
            reasons=[str(reason) for reason in item.reasons],
            left_out=str(left_out) if left_out else None,
            score=None if item.score is None else round(item.score, 4),
            items_total=use.total if use else 0,
            items_shown=use.shown if use else 0,
            bytes=use.size if use else 0,
            facts=item.facts,
        )
    return list(found.values())


def exclusions(listed: Sequence[ManifestEntry]) -> dict[str, int]:
    """Reason -> how many entries were left out for it."""
    return dict(sorted(Counter(item.left_out for item in listed if item.left_out).items()))
