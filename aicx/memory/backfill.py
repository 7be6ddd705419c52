"""Makes records of what the history proposes: each a candidate, or another sighting of a record that says it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

from aicx.config import Settings
from aicx.errors import NotFound, UsageError
from aicx.memory.anchors import take_anchor
from aicx.memory.deciding import Desk
from aicx.memory.proposals import Excluded, Proposal, Statements
from aicx.memory.proposing import Draft, clean, id_of, propose
from aicx.memory.reading import Memory, Scope, find_scope
from aicx.memory.record import PREFIX, Anchor, Record, Source
from aicx.values import dataclass

SCHEMA = "aicx.memory-backfill/1"
# ``new``: a record is made. ``seen``: one that says it has more evidence. ``known``: nothing is new about it.
State = Literal["new", "seen", "known"]


@dataclass(frozen=True, slots=True)
class BackfillItem:
    """A proposal, and what importing it does."""

    ref: Annotated[str, "of the record that it becomes, or of the one that says it already"]
    state: Annotated[
        State,
        "`new`: a candidate is made; `seen`: a record that says it has more evidence; `known`: nothing is new",
    ]
    kind: Annotated[str, "of the record"]
    topic: Annotated[str, "what it is about"]
    statement: Annotated[str, "what it says"]
    repository: Annotated[str | None, "whose record it is"]
    lane: Annotated[str, "`subagent` where nothing but subagents are behind it, else `primary`"]
    blocked: Annotated[bool, "whether only subagents are behind it, so that a person has to adopt it by name"]
    sightings: Annotated[int, "in how many places it was found"]
    evidence: Annotated[list[str], "the chunks it was found in"]


@dataclass(frozen=True, slots=True)
class BackfillAnswer:
    """The records that were imported, or would be. None is believed before a person accepts it."""

    dry_run: bool
    counts: Annotated[dict[str, int], "state → number of proposals"]
    items: Annotated[list[BackfillItem], "what becomes a record or belongs to one, the best first"]
    left: Annotated[list[Excluded], "what the policy excludes, was deleted, or belongs to a folder that is gone"]
    notes: list[str]


BY = "aicx memory backfill"
_MAX_EVIDENCE = 100  # of a record; what was found first stays


@dataclass(frozen=True, slots=True)
class Planned:
    """A proposal, the record that it becomes or belongs to, and what importing it does."""

    proposal: Proposal
    draft: Draft
    ref: str
    state: State


@dataclass(frozen=True, slots=True)
class Backfill:
    """Proposals that become records or belong to one, and those that do not."""

    planned: list[Planned]
    left: list[Excluded]


def plan_backfill(desk: Desk, proposals: Iterable[Proposal], by: str = BY) -> Backfill:
    """Says what importing ``proposals``, which ``by`` found, would do. Writes nothing."""
    found = Backfill([], [])
    with Memory.open(desk.settings, desk.now, scope=desk.scope) as memory:
        records = memory.records(everywhere=True)
        by_id = {record.id: record for record in records}
        said: Statements[Record] = Statements()
        for record in records:
            if record.digest:
                said.add(record)
        named: dict[str, str | None] = {}
        for proposal in proposals:
            place = proposal.repository
            if place not in named:
                named[place] = _name_of(desk.settings, place)
            if (repository := named[place]) is None:
                found.left.append(Excluded(proposal.id, "scope_mismatch"))
                continue
            own = replace(proposal, repository=repository)
            draft = draft_of(own, desk.scope, memory.head if own.anchors else None, by)
            own_id = id_of(repository, draft.kind, clean(draft.statement))
            standing = memory.decisions.get(own_id)
            known = by_id.get(own_id)
            if standing is not None and standing.erased:
                found.left.append(Excluded(proposal.id, "erased"))
            elif known is not None and not known.digest:
                found.left.append(Excluded(proposal.id, "malformed"))
            else:
                # A record that was edited since is the same still; its id tells.
                place_of = said.place_of(own) if known is None else None
                known = known if place_of is None else said.found[place_of]
                found.planned.append(_planned(own, draft, known, own_id))
    return found


def import_backfill(desk: Desk, backfill: Backfill) -> None:
    """Makes candidates of what is planned, all or none. What is there keeps everything that was decided about it."""
    drafts = [one.draft for one in backfill.planned if one.state != "known"]
    if drafts:
        propose(desk.settings, desk.scope, drafts, desk.now, desk.notify)


def draft_of(proposal: Proposal, scope: Scope, head: str | None, by: str) -> Draft:
    """Makes a draft of a proposal that the program ``by`` found.

    Its paths become anchors where its repository is at hand and has such files. What a person wrote into a note is
    from no session: its source is the note.
    """
    first = min(proposal.sightings, key=lambda seen: seen.at)
    place, _, name = first.session.value.partition(":")
    found = Source(proposal.origin, proposal.lane)
    is_note = first.session.kind == "live"
    here = scope.root is not None and scope.repository == proposal.repository
    return Draft(
        proposal.statement,
        proposal.kind,
        proposal.topic,
        replace(found, path=name) if is_note else replace(found, agent=place, session=name),
        proposal.repository,
        claims=proposal.claims,
        evidence=[str(ref) for ref in proposal.evidence],
        anchors=list(_anchors(proposal.anchors, scope, head)) if here else (),
        observed_at=first.at,
        sightings=len(proposal.sightings),
        by=by,
    )


def _anchors(paths: Iterable[str], scope: Scope, head: str | None) -> Iterator[Anchor]:
    assert scope.root is not None
    for path in paths:
        try:
            yield take_anchor(scope.root, scope.root, path, head)
        except (NotFound, UsageError):  # it is gone since, or was never inside
            continue


def _planned(proposal: Proposal, draft: Draft, known: Record | None, own_id: str) -> Planned:
    draft = replace(draft, evidence=list(dict.fromkeys(map(clean, draft.evidence)))[:_MAX_EVIDENCE])
    if known is None:
        return Planned(proposal, draft, f"{PREFIX}{own_id}", "new")
    new = set(draft.evidence) - set(known.evidence)
    full = len(known.evidence) >= _MAX_EVIDENCE
    # In its words it is found again, and counts as another sighting.
    draft = replace(draft, statement=known.statement, kind=known.kind, repository=known.repository)
    return Planned(proposal, draft, known.ref, "seen" if new and not full else "known")


def _name_of(settings: Settings, place: str) -> str | None:
    """The repository as records name it; None for a folder that is not there, which has no name without its files."""
    if not Path(place).is_absolute():
        return place
    try:
        return find_scope(settings, Path(place)).repository
    except (NotFound, UsageError):
        return None
