"""The record of one selection: everything considered, once each, and why it is in the brief or not."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal, NamedTuple


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
    STATED_LAST = "stated_last"
    RAN_SINCE = "ran_since"
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
    WRITTEN_BY_AICX = "written_by_aicx"
    SAYS_NOTHING = "says_nothing"
    ALTERED_ON_DISK = "altered_on_disk"
    OVER_LIMIT = "over_limit"
    OVER_BUDGET = "over_budget"
    DROPPED_BY_ARBITER = "dropped_by_arbiter"
    ADDS_LITTLE = "adds_little"  # to what is printed for people; the JSON has it


Kind = Literal["session", "chunk", "file", "symbol", "commit", "memory", "task", "handoff", "run"]


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
