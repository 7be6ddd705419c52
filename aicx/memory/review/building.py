"""Makes records of what the history and notes suggest: each a candidate, or another sighting of one that says it.

What others proposed stays as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, cast

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.views.references import find_target, parse_reference
from aicx.errors import NotFound, UsageError
from aicx.memory.anchors import normal, take_anchor
from aicx.memory.candidates.gather import gather
from aicx.memory.deciding import Desk
from aicx.memory.policy import Policy, load_policy
from aicx.memory.policy_records import of_proposal, policy_in
from aicx.memory.proposals import Excluded, Proposal, ProposalKind, Statements
from aicx.memory.proposing import Draft, clean, id_of, propose
from aicx.memory.reading import Memory, Scope, find_scope
from aicx.memory.record import KINDS, PREFIX, Anchor, Record, Source
from aicx.memory.review.states import Surface, surface_of
from aicx.memory.sources import read_live
from aicx.refs import Ref
from aicx.values import dataclass

BACKFILL_SCHEMA = "aicx.memory-backfill/1"
# ``new``: a record is made. ``seen``: one that says it has more evidence. ``known``: nothing is new about it.
State = Literal["new", "seen", "known"]


@dataclass(frozen=True, slots=True)
class BackfillItem:
    """A proposal, and what importing it does."""

    ref: Annotated[str, "of the record that it becomes, or of the one that says it already"]
    state: Annotated[
        State, "`new`: a candidate is made; `seen`: a record that says it has more evidence; `known`: nothing is new"
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


# Who proposes, as records that are kept name it.
_BACKFILLED_BY = "aicx memory backfill"
_BUILT_BY = "aicx review build"
_MAX_EVIDENCE = 100  # of a record; what was found first stays


@dataclass(frozen=True, slots=True)
class Planned:
    """A proposal, the record that it becomes or belongs to, and what importing it does."""

    proposal: Proposal
    draft: Draft
    ref: str
    state: State


def plan_backfill(
    desk: Desk, proposals: Iterable[Proposal], by: str = _BACKFILLED_BY
) -> tuple[list[Planned], list[Excluded]]:
    """Which of ``proposals``, found by ``by``, become a record or belong to one, and the others. Writes nothing."""
    planned: list[Planned] = []
    left: list[Excluded] = []
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
                left.append(Excluded(proposal.id, "scope_mismatch"))
                continue
            own = replace(proposal, repository=repository)
            draft = draft_of(own, desk.scope, memory.head if own.anchors else None, by)
            own_id = id_of(repository, draft.kind, clean(draft.statement))
            standing = memory.decisions.get(own_id)
            known = by_id.get(own_id)
            if standing is not None and standing.erased:
                left.append(Excluded(proposal.id, "erased"))
            elif known is not None and not known.digest:
                left.append(Excluded(proposal.id, "malformed"))
            else:
                # A record that was edited since is the same still; its id tells.
                place_of = said.place_of(own) if known is None else None
                known = known if place_of is None else said.found[place_of]
                planned.append(_planned(own, draft, known, own_id))
    return planned, left


def import_backfill(desk: Desk, planned: Iterable[Planned]) -> None:
    """Makes candidates of what is planned, all or none. What is there keeps everything that was decided about it."""
    drafts = [one.draft for one in planned if one.state != "known"]
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


MAX_EACH = 6  # of a build that a person has to decide about: for the memory, and for instruction files


def proposals_in(settings: Settings, session: str) -> tuple[str, list[Proposal], list[str]]:
    """Finds what one stored session suggests: its reference, proposals, best first, and notes on what is unreadable.

    Raises NotFound, UsageError for a chunk or where several sessions fit, MalformedPolicy.
    """
    layout = settings.layout
    with open_catalog(layout) as opened:
        target = find_target(parse_reference(session, layout), opened.catalog)
        if isinstance(target, str):
            raise UsageError(f"{session!r} is a chunk", hint="--session takes the id of a session")
        of_folder = partial(load_policy, layout.home, user_home=settings.user_home)
        where, values = "agent=? AND session_id=?", list(target)
        found = gather(layout, opened.catalog, of_folder(None), where, values, of_folder)
        ref = str(Ref.of_session(*target))
        return ref, found.proposals, [*opened.notes, *found.notes]


def build(desk: Desk, proposals: Iterable[Proposal]) -> tuple[list[Planned], list[Excluded]]:
    """Makes candidates of ``proposals``, the first of them where there are many. Raises MalformedPolicy."""
    policy = policy_in(desk.settings, desk.scope)
    said = _said_already(desk, policy)
    wanted: list[Proposal] = []
    left: list[Excluded] = []
    known, decided = _known(desk)
    waiting: Counter[Surface] = Counter()
    for given in proposals:
        proposal, record = _as_known(given, known)
        surface = surface_of(proposal)
        waits = record is None or record.id not in decided
        if excluded := of_proposal(policy, proposal):
            left.append(Excluded(proposal.id, excluded))
        elif proposal.repository == desk.scope.repository and normal(proposal.statement).rstrip(".") in said:
            left.append(Excluded(proposal.id, "duplicate"))
        elif waits and waiting[surface] >= MAX_EACH:
            left.append(Excluded(proposal.id, "over_limit"))
        else:
            waiting[surface] += waits
            wanted.append(proposal)
    planned, more = plan_backfill(desk, wanted, _BUILT_BY)
    import_backfill(desk, planned)
    return planned, [*left, *more]


def _known(desk: Desk) -> tuple[Statements[Record], set[str]]:
    """The records by their words, and the ids of those of the scope that no longer wait for a decision."""
    known: Statements[Record] = Statements()
    with Memory.open(desk.settings, desk.now, scope=desk.scope) as memory:
        for record in memory.records(everywhere=True):
            if record.digest:
                known.add(record)
        return known, {found.record.id for found in memory.assessed() if found.status != "candidate"}


def _as_known(proposal: Proposal, known: Statements[Record]) -> tuple[Proposal, Record | None]:
    """The proposal as another sighting of a record that says the same, of whatever kind, and that record."""
    for kind in (proposal.kind, *KINDS):
        other = replace(proposal, kind=cast("ProposalKind", kind))
        if (place := known.place_of(other)) is not None:
            return other, known.found[place]
    return proposal, None


def _said_already(desk: Desk, policy: Policy) -> frozenset[str]:
    """The statements of the repository's instruction files."""
    settings, root = desk.settings, desk.scope.root
    if root is None:
        return frozenset()
    live = read_live(root, policy, homes=settings.homes, redact_secrets=settings.redact_secrets)
    return frozenset(normal(one.statement.text).rstrip(".") for one in live.statements)
