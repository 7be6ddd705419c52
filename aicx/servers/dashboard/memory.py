"""The page Memory: what is agreed, what waits for a person with its evidence, conflicts, and what went stale.

Nothing here decides: a decision is passed on with the name of the person who made it, and refused where the record
changed since it was shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from aicx.config import Settings
from aicx.errors import CorpusDamaged, NotFound, UsageError
from aicx.memory.anchors import AnchorState
from aicx.memory.answers import HIDDEN, entry_of
from aicx.memory.assess import Assessment
from aicx.memory.deciding import Decider, Desk, decide, supersede, validate
from aicx.memory.events import Standing
from aicx.memory.evidence import allowed, show_evidence, what_changed
from aicx.memory.persons import is_person
from aicx.memory.policy_records import of_records, policy_in
from aicx.memory.reading import Memory, Scope, find_scope
from aicx.memory.record import REASONS, Anchor, Reason, Record
from aicx.memory.review.states import candidate_of
from aicx.memory.review.states import waiting as waiting_in
from aicx.redaction import redact_plain
from aicx.servers.dashboard import requests as asked
from aicx.servers.dashboard import responses as shapes
from aicx.servers.dashboard.searches import folder_of, started_in
from aicx.text import printable

_MAX_AGREED = 500
_MAX_TROUBLED = 50  # conflicts and stale records, each with its evidence
_METHOD = "looked at it on the page Memory"


def read_page(settings: Settings, wanted: asked.MemoryRequest, now: datetime) -> shapes.MemoryPage:
    """Everything that the page shows of one repository.

    Where none is named it is the one that the server was started in, or that with the most records if that has none.
    """
    with Memory.open(settings, now) as memory:
        counts = Counter(record.repository for record in memory.records(everywhere=True))
    named = sorted((name for name in counts if name is not None), key=lambda name: (-counts[name], name))
    here = started_in(settings)
    scope = _scope(settings, wanted.project or (here if here in named else next(iter(named), None)))
    policy = of_records(policy_in(settings, scope), settings, scope)
    with Memory.open(settings, now, scope=scope, policy=policy) as memory:
        records = memory.records()
        context = memory.context(records)
        assessed = memory.assessed(records)
        waiting = [one.found for one in waiting_in(memory, assessed)]
        view = _View(settings, scope, context.anchors, memory.decisions)
    stale = sorted((found for found in assessed if found.status == "stale"), key=_latest)
    agreed = sorted((found for found in assessed if found.baseline), key=_by_topic)
    part = waiting[wanted.offset : wanted.offset + wanted.limit]
    notes = []
    if scope.root is None and scope.repository is not None:
        notes.append("this repository is not at hand, so that nothing anchored to its files is believed")
    for name, found, most in (("agreed", agreed, _MAX_AGREED), ("stale", stale, _MAX_TROUBLED)):
        if len(found) > most:
            notes.append(f"only {most} of {len(found):,} {name} records are shown; aicx memory list has all")
    return shapes.MemoryPage(
        repository=scope.repository,
        at_hand=scope.root is not None,
        repositories=[shapes.MemoryRepository(name, counts[name]) for name in named],
        counts=dict(sorted(Counter(found.status for found in assessed).items())),
        agreed=[view.card(found) for found in agreed[:_MAX_AGREED]],
        waiting=[view.card(found, whole=True) for found in part],
        waiting_total=len(waiting),
        conflicts=view.conflicts(assessed),
        stale=[view.card(found, whole=True) for found in stale[:_MAX_TROUBLED]],
        apart=[view.card(found) for found in assessed if found.status in HIDDEN][:_MAX_TROUBLED],
        notes=notes,
    )


def decide_on_page(settings: Settings, wanted: asked.DecisionRequest, now: datetime) -> shapes.Decided:
    """Does what a person decided. Raises UsageError without a person's name, RecordChanged where it is another now."""
    by = " ".join(wanted.by.split())
    if not is_person(by):
        raise UsageError(f"a decision needs the name of a person, and {by[:80]!r} is none")
    desk = Desk(settings, _scope(settings, wanted.project), now, lambda line: None)
    decider = Decider(by, wanted.why or None, rev=wanted.rev, digest=wanted.digest)
    # Before anything is decided: what cannot be shown is not.
    policy = of_records(policy_in(settings, desk.scope), settings, desk.scope)
    match wanted.action:
        case "supersede":
            if wanted.other is None:
                raise UsageError("which record takes its place?")
            record, _ = supersede(desk, wanted.ref, wanted.other, decider)
        case "validate":
            record = validate(desk, wanted.ref, "pass", wanted.why or _METHOD, decider)
        case action:
            record = decide(desk, wanted.ref, action, decider)
    with Memory.open(settings, now, scope=desk.scope, policy=policy) as memory:
        (found,) = memory.assessed([memory.find(record.ref)])
    return shapes.Decided(entry_of(found))


class _View:
    """Records as the page shows them, with what they rest on."""

    def __init__(
        self, settings: Settings, scope: Scope, anchors: Mapping[Anchor, AnchorState], decisions: Mapping[str, Standing]
    ) -> None:
        self._settings, self._scope, self._anchors, self._decisions = settings, scope, anchors, decisions

    def card(self, found: Assessment, *, whole: bool = False) -> shapes.MemoryCard:
        record = found.record
        shown = found.status not in HIDDEN
        whole = whole and shown
        adoption = record.adoption
        reviewed = candidate_of(found, self._decisions.get(record.id))
        return shapes.MemoryCard(
            entry=entry_of(found),
            digest=record.digest,
            because=[_words(reason) for reason in found.reasons],
            details=list(record.details) if shown else [],
            claims=dict(record.claims) if shown else {},
            decided_by=adoption.by if shown and adoption.state == "adopted" else None,
            proofs=list(self._proofs(record)) if whole else [],
            changes=[self._change(anchor) for anchor in record.anchors] if whole and found.status == "stale" else [],
            review=reviewed.state,
            surface=reviewed.surface,
        )

    def conflicts(self, assessed: Iterable[Assessment]) -> list[list[shapes.MemoryCard]]:
        """Each two records of which a person has to choose one."""
        known = {found.record.ref: found for found in assessed}
        pairs: dict[frozenset[str], list[shapes.MemoryCard]] = {}
        for ref, found in known.items():
            for reason in found.reasons:
                other = known.get(str(reason.data.get("with"))) if reason.code == "conflict" else None
                if other is not None and (pair := frozenset({ref, other.record.ref})) not in pairs:
                    pairs[pair] = [self.card(found, whole=True), self.card(other, whole=True)]
        return list(pairs.values())[:_MAX_TROUBLED]

    def _proofs(self, record: Record) -> Iterable[shapes.MemoryProof]:
        with suppress(OSError):  # a file that went away meanwhile
            for ref, lines in show_evidence(self._settings, self._scope, record):
                yield shapes.MemoryProof(ref, [_safe(line) for line in lines if line])

    def _change(self, anchor: Anchor) -> shapes.MemoryChange:
        found = self._anchors.get(anchor, AnchorState("unchecked"))
        lines, known, more = what_changed(self._scope.root, anchor, found)
        texts = allowed(policy_in(self._settings, self._scope), [line.text for line in lines])
        return shapes.MemoryChange(
            path=anchor.path,
            lines=None if anchor.first is None or anchor.last is None else [anchor.first, anchor.last],
            state=found.state,
            now=found.path,
            known=known,
            more=more,
            diff=[replace(line, text=_safe(text)) for line, text in zip(lines, texts, strict=False)],
        )


def _scope(settings: Settings, project: str | None) -> Scope:
    """The scope of a repository by its name, with its folder where this machine has it."""
    if project is None:
        return Scope()
    with suppress(NotFound, UsageError, OSError):
        here = find_scope(settings, Path.cwd())
        if here.repository == project:
            return here
    with suppress(NotFound, CorpusDamaged):
        if folder := folder_of(settings, project):
            return replace(find_scope(settings, folder), repository=project)
    return Scope(project)


def _words(reason: Reason) -> str:
    about = ", ".join(str(value) for value in reason.data.values() if not isinstance(value, int))
    return f"{REASONS[reason.code]}{f' ({about})' if about else ''}"


def _safe(line: str) -> str:
    """A line of a file or a session as it may be shown: nothing invisible, nothing secret."""
    return redact_plain(printable(line)[:400]).text


def _latest(found: Assessment) -> tuple[float, str]:
    record = found.record
    return -(record.updated_at or record.created_at).timestamp(), record.id


def _by_topic(found: Assessment) -> tuple[str, int, str]:
    return found.record.topic.casefold(), found.tier, found.record.id
