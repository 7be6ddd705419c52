"""Cuts a session's timeline into stretches of one repository and one UTC day, the groups that chunks are made from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from aicx.corpus.ingest.drafts import Draft
from aicx.corpus.ingest.frontmatter import split_frontmatter
from aicx.corpus.ingest.identity import Identity, Resolver
from aicx.types import Kind

# What an artifact calls itself, and the kind it is stored as.
_ARTIFACT_KINDS: dict[str, Kind] = {
    "(task)": "plans",
    "(implementation plan)": "plans",
    "(walkthrough)": "reports",
}


@dataclass(slots=True)
class Segment:
    """One stretch: messages in order, the repository they belong to, and the steering fields that opened it."""

    date: str
    identity: Identity | None
    drafts: list[Draft] = field(default_factory=list)
    steering: dict[str, Any] = field(default_factory=dict)
    folders: dict[str, Identity | None] = field(default_factory=dict)


def segment(drafts: Iterable[Draft], resolver: Resolver, decided: Mapping[str, Identity | None]) -> list[Segment]:
    """Segments in timeline order.

    ``decided`` says what earlier runs made of this session's folders: what is filed stays where it is, even when a
    folder has vanished or got a new remote since.

    A folder of no known repository (a scratch folder, say) does not end a stretch: the work still belongs to the
    repository it was in. Before the first known one there is nothing to belong to.
    """
    segments: list[Segment] = []
    for draft in drafts:
        date = draft.entry.at.date().isoformat()
        current = segments[-1] if segments else None
        cwd = draft.entry.cwd
        located = decided[cwd] if cwd is not None and cwd in decided else resolver.resolve(cwd)
        identity = located or (current.identity if current else None)
        if (
            current is None
            or current.date != date
            or _project(current.identity) != _project(identity)
            # A plan and a report are filed apart, so they cannot share a chunk.
            or (current.drafts and _artifact_kind(current.drafts[-1]) != _artifact_kind(draft))
        ):
            current = Segment(date, identity)
            segments.append(current)
            opened = _without_frontmatter(draft, current)
        else:
            opened = draft
        if cwd is not None:
            current.folders[cwd] = located
        if opened is not None:
            current.drafts.append(opened)
    return [part for part in segments if part.drafts]


def kind_of(segment_: Segment, has_exchange: bool, draft: Draft) -> Kind:
    """The kind a chunk is filed under: what its frontmatter says, else what its artifact is, else what was going on.

    ``has_exchange`` says whether anyone, human or agent, has said something in the session by the chunk's end.
    """
    if "kind" in segment_.steering:
        kind: Kind = segment_.steering["kind"]
        return kind
    return _artifact_kind(draft) or ("conversations" if has_exchange else "other")


def _artifact_kind(draft: Draft) -> Kind | None:
    if draft.entry.role != "artifact":
        return None
    heading = draft.entry.text.partition("\n")[0]
    return next((kind for name, kind in _ARTIFACT_KINDS.items() if name in heading), "other")


def _project(identity: Identity | None) -> str | None:
    return identity.project if identity else None


def _without_frontmatter(draft: Draft, segment_: Segment) -> Draft | None:
    """The first message of a segment with its steering block taken off; None when nothing else was in it."""
    # What a tool shows is no order: a page that somebody wrote for a blog begins with such a block as well.
    if draft.entry.role == "tool" or not draft.body.startswith(b"---"):
        return draft
    fields, _ = split_frontmatter(draft.entry.text)
    if not fields:
        return draft
    segment_.steering = fields
    body = split_frontmatter(draft.body.decode())[1].strip()
    if not body:
        return None
    return replace(draft, body=body.encode(), entry=replace(draft.entry, text=body))
