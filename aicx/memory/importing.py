"""Proposals from the history as drafts of records: what they are made of, and nothing that grants trust."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from aicx.errors import NotFound, UsageError
from aicx.memory.anchors import take_anchor
from aicx.memory.proposing import Draft
from aicx.memory.reading import Scope
from aicx.memory.record import Anchor, Kind, Lane, Origin, Source
from aicx.refs import Ref


class Seen(Protocol):
    """One place in the history; ``session`` is the reference of its session."""

    @property
    def session(self) -> Ref: ...

    @property
    def at(self) -> datetime: ...


class Proposed(Protocol):
    """What `aicx.memory.proposals` has of a proposal, as far as a record keeps it."""

    @property
    def statement(self) -> str: ...

    @property
    def kind(self) -> Kind: ...

    @property
    def topic(self) -> str: ...

    @property
    def origin(self) -> Origin: ...

    @property
    def lane(self) -> Lane: ...

    @property
    def repository(self) -> str: ...

    @property
    def sightings(self) -> Sequence[Seen]: ...

    @property
    def evidence(self) -> Sequence[Ref]: ...

    @property
    def claims(self) -> Mapping[str, str]: ...

    @property
    def anchors(self) -> Sequence[str]: ...


def drafts_of(proposals: Iterable[Proposed], scope: Scope, head: str | None, by: str) -> Iterator[Draft]:
    """A draft of each proposal. Its paths become anchors where its repository is at hand and has such files.

    ``by`` is the program that found them.
    """
    for proposal in proposals:
        first = min(proposal.sightings, key=lambda seen: seen.at)
        agent, _, session = first.session.value.partition(":")
        here = scope.root is not None and scope.repository == proposal.repository
        yield Draft(
            proposal.statement,
            proposal.kind,
            proposal.topic,
            Source(proposal.origin, proposal.lane, agent, session),
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
