"""`aicx.memory-curate/1`: what the curator proposes, and what came of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from aicx.values import dataclass

SCHEMA = "aicx.memory-curate/1"
ActionName = Literal[
    "demote_stale", "archive", "deprecate", "revalidate", "skip_pinned", "review_quarantined", "resolve_conflict"
]


@dataclass(frozen=True, slots=True)
class CurateProposal:
    """One proposal about a record. It holds no text of it."""

    ref: Annotated[str, "of the record"]
    action: Annotated[ActionName, "what to do about it, as in [memory.md](memory.md#keeping-it-in-order)"]
    status: Annotated[str, "what may be believed of it now"]
    pinned: Annotated[bool, "whether it is pinned"]
    rev: Annotated[int, "its revision"]
    reasons: Annotated[list[str], "codes of the closed list"]
    because: Annotated[list[dict[str, Any]], "the `code` of those that are about something, with it"]
    others: Annotated[list[str], "references of other records that it is about"]
    would: Annotated[str | None, "what is not done because it is pinned, or null"]
    needs_person: Annotated[bool, "whether only a person can do it"]
    result: Annotated[Literal["applied", "skipped"] | None, "what came of it; null where nothing was to be applied"]
    why: Annotated[
        Literal["stale_proposal", "needs_person", "pinned"] | None,
        "why it was skipped; `stale_proposal`: the record changed since",
    ]


@dataclass(frozen=True, slots=True)
class CurateAnswer:
    """The proposals, by reference."""

    dry_run: bool
    status: Annotated[Literal["ok", "partial"], "`partial` where a record changed while the proposals were applied"]
    proposals: Annotated[list[CurateProposal], "what is proposed"]
    counts: Annotated[dict[str, int], "action → number of proposals"]
    applied: Annotated[int, "number of proposals that were applied"]
    skipped: Annotated[int, "number of proposals that were not, though all were to be; `why` says of each why"]
    resting: Annotated[int, "records that rest, because the curator dealt with them in the last 30 days"]
    repository: Annotated[str | None, "whose records were looked at, beside those that hold everywhere; null for all"]
