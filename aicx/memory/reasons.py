"""The closed list of reasons: why a record has its status, and why it was or was not shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from aicx.storage.texts import Made
from aicx.values import dataclass

# Code -> what it means. Nothing else is ever a reason; docs/memory.md has the same list.
REASONS: Mapping[str, str] = {
    # why a record is believed, or stands where it does
    "adopted": "a person accepted exactly this revision, by name",
    "pinned": "a person pinned it",
    "anchor_relocated": "the anchored lines are elsewhere in the same file, word for word",
    "validation_doubted": "a model says that it no longer holds, and nobody has looked since",
    # not believed yet
    "candidate_not_adopted": "nobody has accepted it yet",
    "subagent_unadopted": "a subagent said it, and nobody has accepted it",
    "revision_not_adopted": "its text or its conditions changed since a person accepted it",
    "adoption_unproven": "its sidecar claims a decision that is not among the events that this home wrote",
    "advisory_source": "it repeats an instruction file, whose owner is the file",
    # no longer believed
    "superseded": "a person put another record in its place",
    "expired": "its last day has passed",
    "ttl_expired": "more time has passed since it was confirmed than it was given",
    "anchor_changed": "the lines or the file it is anchored to changed",
    "anchor_missing": "the file it is anchored to is gone",
    "anchor_moved": "the file it is anchored to was renamed",
    "anchor_unchecked": "its repository is not at hand, so its anchors cannot be compared",
    "validation_required": "it has to be validated, and was not lately",
    "validation_failed": "its last validation failed",
    "contradicts_repo": "the repository's current content says otherwise",
    "conflict": "another accepted record of the same topic says otherwise",
    # kept apart
    "archived": "it was archived",
    "rejected": "a person rejected it",
    "erased": "it was deleted, and its files came back by another way",
    "quarantined_manual": "it is on hold",
    "quarantined_secret": "its text holds what looks like a secret",
    "quarantined_injection": "its text imitates the structure of a prompt",
    "malformed": "its files cannot be read as a record",
    # may not be shown
    "policy_path": "the policy excludes its path",
    "policy_source": "the policy excludes its source",
    "policy_pattern": "the policy excludes text like it",
    "policy_unreadable": "the policy of its repository cannot be understood",
    "outside_repo": "it is outside the repository",
    "unsafe_symlink": "a link leads out of the repository",
    "unreadable": "it cannot be read as text",
    # why it was, or was not, selected
    "selected": "it was selected",
    "relevant_match": "its words or its meaning match",
    "anchor_match": "it is anchored to a file that is at hand",
    "required_section": "its section is always shown",
    "not_matched": "it does not match",
    "below_threshold": "it matches too weakly",
    "over_limit": "more matched than were asked for",
    "over_budget": "there was no room left",
    "duplicate": "another record says the same",
    "low_signal": "it says too little",
    "branch_unsafe": "it is about another branch",
    "scope_mismatch": "it is about another repository",
    "lane_unavailable": "a way of searching was not available",
    "redacted_partial": "a secret was taken out of it",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """A code of `REASONS`, with what it is about: a path, lines, another record. Never free text."""

    code: Made
    data: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        assert self.code in REASONS, self.code
