"""`aicx.steer/1`: chunks by what is known of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aicx.corpus.catalog.query import Steered

SCHEMA = "aicx.steer/1"


@dataclass(frozen=True, slots=True)
class SteerStatus:
    """How the catalogue answered. ``fallback_reason`` says why it did not, and every sidecar was read."""

    source_layer: str
    backend: str
    index_kind: str
    fallback_reason: str | None
    store_root: str
    indexed_count: int
    scanned_count: int
    candidate_count: int
    source_paths_verified: bool
    stale_or_unknown: bool


@dataclass(frozen=True, slots=True)
class SteerAnswer:
    """Chunks by what is known of them: the fields of their sidecars, and the path of each."""

    results: int
    matched: int
    items: list[dict[str, Any]]
    notes: list[str]
    oracle_status: SteerStatus


def steer_answer(found: Steered) -> SteerAnswer:
    status = SteerStatus(**found.oracle_status)
    return SteerAnswer(len(found.items), found.matched, found.items, found.notes, status)
