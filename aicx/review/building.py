"""Building: what is suggested becomes proposed records of the memory, and what others proposed stays as it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import cast

from aicx.config import Settings
from aicx.memory.backfill import Left, Planned, import_backfill, plan_backfill
from aicx.memory.claims import normal
from aicx.memory.policy import Policy
from aicx.memory.policy_records import policy_in
from aicx.memory.proposals import Proposal, ProposalKind
from aicx.memory.proposing import Draft
from aicx.memory.reading import Memory, Scope
from aicx.memory.reasons import Reason
from aicx.memory.record import KINDS, Record
from aicx.memory.sameness import Statements
from aicx.memory.sources import read_live
from aicx.review.states import INSTRUCTING, Surface, reads_like_instruction
from aicx.review.suggesting import NOTE
from aicx.values import dataclass

BY = "aicx review build"
MAX_EACH = 6  # of a build that a person has to decide about: for the memory, and for instruction files


@dataclass(frozen=True, slots=True)
class Built:
    """What became of the suggestions: the records they are or belong to, and what was left out and why."""

    planned: tuple[Planned, ...]
    left: tuple[Left, ...]


def build(
    settings: Settings, scope: Scope, now: datetime, proposals: Iterable[Proposal], notify: Callable[[str], None]
) -> Built:
    """Makes candidates of ``proposals``, the first of them where there are many. Raises MalformedPolicy."""
    policy = policy_in(settings, scope)
    said = _said_already(settings, scope, policy)
    wanted: list[Proposal] = []
    left: list[Left] = []
    known, decided = _known(settings, scope, now)
    waiting: Counter[Surface] = Counter()
    for given in proposals:
        proposal, record = _as_known(given, known)
        surface: Surface = "instructions" if _instructs(proposal) else "memory"
        waits = record is None or record.id not in decided
        if excluded := _excluded(policy, proposal):
            left.append(Left(proposal.id, excluded))
        elif proposal.repository == scope.repository and normal(proposal.statement).rstrip(".") in said:
            left.append(Left(proposal.id, Reason("duplicate")))
        elif waits and waiting[surface] >= MAX_EACH:
            left.append(Left(proposal.id, Reason("over_limit")))
        else:
            waiting[surface] += waits
            wanted.append(proposal)
    backfill = plan_backfill(settings, scope, now, wanted, BY)
    backfill = replace(backfill, planned=[replace(one, draft=_without_session(one.draft)) for one in backfill.planned])
    import_backfill(settings, scope, now, notify, backfill)
    return Built(tuple(backfill.planned), (*left, *backfill.left))


def _without_session(draft: Draft) -> Draft:
    """What a person wrote into a note is from no session: its source is the note."""
    source = draft.source
    if source.agent != NOTE:
        return draft
    return replace(draft, source=replace(source, agent=None, session=None, path=source.session))


def _instructs(proposal: Proposal) -> bool:
    return proposal.kind in INSTRUCTING or reads_like_instruction(proposal.statement)


def _known(settings: Settings, scope: Scope, now: datetime) -> tuple[Statements[Record], set[str]]:
    """The records by their words, and the ids of those of the scope that no longer wait for a decision."""
    known: Statements[Record] = Statements()
    with Memory.open(settings, now, scope=scope) as memory:
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


def _said_already(settings: Settings, scope: Scope, policy: Policy) -> frozenset[str]:
    """The statements of the repository's instruction files."""
    if scope.root is None:
        return frozenset()
    live = read_live(scope.root, policy, homes=settings.homes, redact_secrets=settings.redact_secrets)
    return frozenset(normal(one.statement.text).rstrip(".") for one in live.statements)


def _excluded(policy: Policy, proposal: Proposal) -> Reason | None:
    refs = {str(ref) for seen in proposal.sightings for ref in (seen.ref, seen.session)}
    found = policy.of_text(replace(proposal, sightings=()), [seen.quote for seen in proposal.sightings])
    found = found or next(filter(None, map(policy.of_source, sorted(refs))), None) or policy.of_path(*proposal.anchors)
    return Reason(found) if found else None
