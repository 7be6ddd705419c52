"""Cuts a session's timeline into stretches of one repository, UTC day and run, the groups that chunks are made from.

Last the runs beyond one reading of a log: of what is stored already, and of the session that started a subagent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import Any

from aicx.corpus.catalog import Catalog
from aicx.corpus.files.read import load_markdown, load_sidecar
from aicx.corpus.ingest.drafts import MAX_TOKENS, MessageDraft
from aicx.corpus.ingest.frontmatter import next_run, split_frontmatter
from aicx.corpus.places.identity import RepositoryIdentity
from aicx.errors import CorpusDamaged, NotFound
from aicx.paths import Layout
from aicx.types import Kind
from aicx.values import dataclass

# What an artifact calls itself, and the kind it is stored as.
_ARTIFACT_KINDS: dict[str, Kind] = {"(task)": "plans", "(implementation plan)": "plans", "(walkthrough)": "reports"}
# What a block says of the one stretch it opens: later ones have a kind and a model of their own.
_OF_ONE_STRETCH = ("kind", "model")


@dataclass(slots=True)
class Segment:
    """One stretch: messages in order, the repository they belong to, and the steering fields that hold for them."""

    date: str
    identity: RepositoryIdentity | None
    drafts: list[MessageDraft] = field(default_factory=list)
    steering: dict[str, Any] = field(default_factory=dict)
    folders: dict[str, RepositoryIdentity | None] = field(default_factory=dict)


def segment(
    drafts: Iterable[MessageDraft],
    locate: Callable[[str | None], RepositoryIdentity | None],
    run: Mapping[str, Any] | None = None,
    begun: Segment | None = None,
) -> list[Segment]:
    """Segments in timeline order; ``locate`` gives the repository of a folder.

    ``run`` is what steers before the first block of these messages, and ``begun`` the segment that they go on with.

    A folder of no known repository (a scratch folder, say) does not end a stretch: the work still belongs to the
    repository it was in. Before the first known one there is nothing to belong to.
    """
    segments: list[Segment] = [begun] if begun else []
    run = run or {}
    for draft in drafts:
        date = draft.entry.at.date().isoformat()
        current = segments[-1] if segments else None
        cwd = draft.entry.cwd
        located = locate(cwd)
        identity = located or (current.identity if current else None)
        opens = (
            current is None
            or current.date != date
            or _project(current.identity) != _project(identity)
            # A plan and a report are filed apart, so they cannot share a chunk.
            or (bool(current.drafts) and _artifact_kind(current.drafts[-1]) != _artifact_kind(draft))
        )
        asks = is_prompt(draft.entry.role, draft.entry.origin)
        fields, opened = _split_block(draft) if opens or asks else ({}, draft)
        if current is None or opens or (fields and not _only_preamble(current)):
            current = Segment(date, identity, steering=dict(run))
            segments.append(current)
        if fields:
            current.steering = next_run(run, fields)
            if asks:  # what a report or an artifact says of itself is about nothing else
                run = {name: value for name, value in current.steering.items() if name not in _OF_ONE_STRETCH}
        if cwd is not None:
            current.folders[cwd] = located
        if opened is not None:
            current.drafts.append(opened)
    return [part for part in segments if part.drafts]


def is_prompt(role: str, origin: str) -> bool:
    """Whether a message is what a person or a calling agent asked for, so that a block in it counts from there on."""
    return role == "user" and origin not in ("injected", "compaction")


def _only_preamble(segment_: Segment) -> bool:
    """Whether all that came yet is what a client puts before the first prompt, and it is not cut off from that yet."""
    return (
        all(draft.entry.origin == "injected" for draft in segment_.drafts)
        and sum(draft.tokens for draft in segment_.drafts) <= MAX_TOKENS
    )


def kind_of(segment_: Segment, has_exchange: bool, draft: MessageDraft) -> Kind:
    """The kind a chunk is filed under: what its frontmatter says, else what its artifact is, else what was going on.

    ``has_exchange`` says whether anyone, human or agent, has said something in the session by the chunk's end.
    """
    if "kind" in segment_.steering:
        kind: Kind = segment_.steering["kind"]
        return kind
    return _artifact_kind(draft) or ("conversations" if has_exchange else "other")


def _artifact_kind(draft: MessageDraft) -> Kind | None:
    if draft.entry.role != "artifact":
        return None
    heading = draft.entry.text.partition("\n")[0]
    return next((kind for name, kind in _ARTIFACT_KINDS.items() if name in heading), "other")


def _project(identity: RepositoryIdentity | None) -> str | None:
    return identity.project if identity else None


def _split_block(draft: MessageDraft) -> tuple[dict[str, Any], MessageDraft | None]:
    """The fields of a steering block that opens a message, and the message without it; None where that is all of it."""
    # What a tool shows is no order: a page that somebody wrote for a blog begins with such a block as well.
    if draft.entry.role == "tool" or not draft.body.startswith(b"---"):
        return {}, draft
    fields, _ = split_frontmatter(draft.entry.text)
    if not fields:
        return {}, draft
    body = split_frontmatter(draft.body.decode())[1].strip()
    if not body:
        return fields, None
    return fields, replace(draft, body=body.encode(), entry=replace(draft.entry, text=body))


# What names a run and where in it one is; the first two tell whether there is any.
_RUN = ("run_id", "prompt_id", "workflow_phase", "mode", "skill_code")
# What steers from one chunk of a session to the next, as sidecars name it.
_CARRIED = (
    *("run_id", "prompt_id", "run_from", "status", "stated_started_at", "stated_completed_at", "stated_agent"),
    *("workflow_phase", "mode", "skill_code", "framework_version", "token_usage", "findings_count"),
)


def run_of_caller(catalog: Catalog, agent: str, caller: str, at: str) -> dict[str, Any]:
    """The run of a session that the session ``caller`` started at an instant; empty where there is none."""
    found = _run_of(catalog, agent, caller, at)
    return found | {"run_from": caller} if found else {}


def run_after(layout: Layout, path: str) -> dict[str, Any]:
    """Reads the state that steers after a stored chunk. Empty where it cannot be read, which `doctor` names."""
    try:
        return run_behind(layout, path, load_sidecar(layout, path).fields)
    except (NotFound, CorpusDamaged):
        return {}


def run_behind(layout: Layout, path: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    run = {name: fields[name] for name in _CARRIED if name in fields}
    # An earlier version read no block but a stretch's first one, and left the others in the text.
    markdown = load_markdown(layout, path)
    for message in fields.get("messages") or ():
        if is_prompt(message["role"], message["origin"]) and not message.get("repeated"):
            block = split_frontmatter(markdown[slice(*message["span"])].decode("utf-8", "replace"))[0]
            run = next_run(run, {name: value for name, value in block.items() if name in _CARRIED})
    return run


def _run_of(catalog: Catalog, agent: str, session_id: str, at: str) -> dict[str, str]:
    """Returns the names of the run that a session was in at an instant; empty where it was in none.

    Before the session's first chunk, what that one says: the clock of what it started may be behind its own.
    """
    row = catalog.connection.execute(
        f"SELECT {', '.join(_RUN)} FROM chunks WHERE agent=? AND session_id=? AND stream=''"
        " ORDER BY started_at<=?3 DESC, CASE WHEN started_at<=?3 THEN -number ELSE number END LIMIT 1",
        (agent, session_id, at),
    ).fetchone()
    if row is None or not (row[0] or row[1]):
        return {}
    return {name: value for name, value in zip(_RUN, row, strict=True) if value}
