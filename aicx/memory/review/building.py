"""Building: what is suggested becomes proposed records of the memory, and what others proposed stays as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import cast

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.views.references import SessionTarget, find_target, parse_reference
from aicx.errors import UsageError
from aicx.memory.anchors import normal
from aicx.memory.backfill import Backfill, import_backfill, plan_backfill
from aicx.memory.candidates.gather import gather
from aicx.memory.deciding import Desk
from aicx.memory.policy import Policy, load_policy
from aicx.memory.policy_records import policy_in
from aicx.memory.proposals import Excluded, Proposal, ProposalKind, Statements
from aicx.memory.reading import Memory
from aicx.memory.record import KINDS, Record
from aicx.memory.review.states import Surface, surface_of
from aicx.memory.sources import read_live
from aicx.refs import Ref

BY = "aicx review build"
MAX_EACH = 6  # of a build that a person has to decide about: for the memory, and for instruction files


def proposals_in(settings: Settings, session: str) -> tuple[str, list[Proposal], list[str]]:
    """Finds what one stored session suggests: its reference, proposals, best first, and notes on what is unreadable.

    Raises NotFound, UsageError for a chunk or where several sessions fit, MalformedPolicy.
    """
    layout = settings.layout
    with open_catalog(layout) as opened:
        target = find_target(parse_reference(session, layout), opened.catalog)
        if not isinstance(target, SessionTarget):
            raise UsageError(f"{session!r} is a chunk", hint="--session takes the id of a session")
        of_folder = partial(load_policy, layout.home, user_home=settings.user_home)
        where, values = "agent=? AND session_id=?", [target.agent, target.session_id]
        found = gather(layout, opened.catalog, of_folder(None), where, values, of_folder)
        ref = str(Ref.of_session(target.agent, target.session_id))
        return ref, found.proposals, [*opened.notes, *found.notes]


def build(desk: Desk, proposals: Iterable[Proposal]) -> Backfill:
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
        if excluded := _excluded(policy, proposal):
            left.append(Excluded(proposal.id, excluded))
        elif proposal.repository == desk.scope.repository and normal(proposal.statement).rstrip(".") in said:
            left.append(Excluded(proposal.id, "duplicate"))
        elif waits and waiting[surface] >= MAX_EACH:
            left.append(Excluded(proposal.id, "over_limit"))
        else:
            waiting[surface] += waits
            wanted.append(proposal)
    backfill = plan_backfill(desk, wanted, BY)
    backfill.left[:0] = left
    import_backfill(desk, backfill)
    return backfill


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


def _excluded(policy: Policy, proposal: Proposal) -> str | None:
    refs = {str(ref) for seen in proposal.sightings for ref in (seen.ref, seen.session)}
    found = policy.of_text(replace(proposal, sightings=()), [seen.quote for seen in proposal.sightings])
    return found or next(filter(None, map(policy.of_source, sorted(refs))), None) or policy.of_path(*proposal.anchors)
