"""Pushes the sessions of chosen projects: what would go, and sending it so that a kill at any moment harms nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Annotated, Any
from uuid import uuid4

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.errors import UsageError
from aicx.share.membership import Membership
from aicx.share.rows import ChunkRow, OwnVectors, SessionRows, chunks_of_sessions, session_rows, source_of
from aicx.share.seals import Seal, digest_of, drop_rows, drop_superseded, owned, read_seals, write_seals
from aicx.share.tables import FAILURES, Database, ShareAway, committed, read_rows, reading, write_rows
from aicx.text import instant, shorten
from aicx.values import dataclass
from indexer.vector_table import sql_list

OnProgress = Callable[[int, int, str], None]
Send = Callable[[Sequence["Session"], "Pushed"], None]
SAMPLES, _SAMPLE_LENGTH = 10, 400
_ROWS_A_COMMIT = 2000
_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Session:
    """A session that is to be pushed."""

    key: str
    agent: str
    session_id: str
    chunks: Sequence[ChunkRow]
    source: str
    known: Seal | None


@dataclass(frozen=True, slots=True)
class PushSample:
    """A passage as it leaves this machine."""

    chunk: Annotated[str, "its id"]
    project: str
    text: Annotated[str, f"the first {_SAMPLE_LENGTH} characters"]


@dataclass(frozen=True, slots=True)
class PushPlan:
    """The plan of a push. ``withdrawn`` are sessions of projects that are no longer chosen, ``forgotten`` those that
    the corpus no longer has; ``held_back`` were forgotten by this member on another machine."""

    new: tuple[Session, ...]
    changed: tuple[Session, ...]
    unchanged: int
    withdrawn: tuple[Seal, ...]
    forgotten: tuple[Seal, ...]
    held_back: int
    projects: Mapping[str, int]  # chunks of each project that is shared

    @property
    def going(self) -> tuple[Session, ...]:
        return self.new + self.changed


@dataclass(slots=True)
class Pushed:
    """The rows that were sent, or in a dry run would be."""

    sessions: int = 0
    chunks: int = 0
    vectors: int = 0  # chunks with vectors
    size: int = 0  # bytes of text
    redacted: int = 0  # secrets that only the second redaction found
    removed: int = 0  # sessions taken out
    samples: list[PushSample] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def plan_push(settings: Settings, membership: Membership, database: Database, make: str | None = None) -> PushPlan:
    """Compares the chosen projects with what the share has of this machine. Raises UsageError where none is chosen.

    ``make`` is the model of the vectors that would be sent, by default those of one's own index.
    """
    seals = read_seals(database)
    own = seals.of(membership.own)
    if not membership.projects and not any(seal.generation for seal in own.values()):
        raise UsageError("no project is chosen, and none is shared by default", hint="aicx share push --project GLOB")
    with open_catalog(settings.layout) as opened:
        stored = chunks_of_sessions(opened.catalog)
    made = OwnVectors(settings, database.model).make if make is None else make
    new: list[Session] = []
    changed: list[Session] = []
    unchanged = held_back = 0
    projects: dict[str, int] = {}
    met: set[str] = set()
    for (agent, session_id), every in stored.items():
        chunks = [chunk for chunk in every if is_chosen(chunk.project, membership.projects)]
        key = membership.key(agent, session_id)
        known = own.get(key)
        if not chunks:
            continue
        if (membership.member, agent, session_id) in seals.hidden:  # forgotten, and stored again or elsewhere
            held_back += 1
            continue
        met.add(key)
        for chunk in chunks:
            projects[chunk.project] = projects.get(chunk.project, 0) + 1
        source = source_of(chunks, made)
        # Rows with vectors, as a build makes them, are not replaced by the same without.
        sources = (source, source_of(chunks, database.model.fingerprint))
        if known is not None and known.source in sources and known.generation:
            unchanged += 1
        else:
            session = Session(key, agent, session_id, chunks, source, known)
            (changed if known is not None and known.generation else new).append(session)
    gone = [seal for key, seal in own.items() if key not in met and seal.generation]
    withdrawn = [seal for seal in gone if (seal.agent, seal.session_id) in stored]
    forgotten = [seal for seal in gone if (seal.agent, seal.session_id) not in stored]
    return PushPlan(
        tuple(new),
        tuple(changed),
        unchanged,
        tuple(withdrawn),
        tuple(forgotten),
        held_back,
        dict(sorted(projects.items())),
    )


def preview(settings: Settings, membership: Membership, database: Database, plan: PushPlan) -> Pushed:
    """Returns what a push would send, with samples taken evenly from all of it. Nothing leaves this machine."""
    pushed = Pushed(removed=len(plan.withdrawn) + len(plan.forgotten))
    vectors = OwnVectors(settings, database.model)
    pushed.notes += [vectors.why_not] if vectors.why_not and plan.going else []
    candidates: list[dict[str, Any]] = []
    for session in plan.going:
        found = session_rows(settings, membership, session.key, "", session.chunks, vectors.of(session.chunks))
        _count(pushed, found)
        candidates += ({name: row[name] for name in ("chunk", "project", "text")} for row in found.rows)
    step = max(1, len(candidates) // SAMPLES)
    for row in candidates[::step][:SAMPLES]:
        pushed.samples.append(PushSample(row["chunk"], row["project"], shorten(row["text"], _SAMPLE_LENGTH)))
    return pushed


def push(
    settings: Settings,
    membership: Membership,
    database: Database,
    plan: PushPlan,
    now: datetime,
    on_progress: OnProgress = lambda done, total, at: None,
    send: Send | None = None,
) -> Pushed:
    """Sends what is planned: rows of new generations, then their seals, then what they replace goes.

    One push of a machine at a time: the caller holds a lock. Killed at any moment, the next one begins by taking out
    rows without a seal. ``send`` is another way to make the rows and to seal them.
    """
    pushed = Pushed()
    _sweep(database, membership)
    if send is not None:
        if plan.going:
            send(plan.going, pushed)
    else:
        vectors = OwnVectors(settings, database.model)
        pushed.notes += [vectors.why_not] if vectors.why_not and plan.going else []
        for batch in _batches(plan.going):
            _send(settings, membership, database, batch, vectors, now, pushed)
            on_progress(pushed.sessions, len(plan.going), "share")
    take_out(database, plan.withdrawn, now, forgotten=False)
    take_out(database, plan.forgotten, now, forgotten=True)
    pushed.removed = len(plan.withdrawn) + len(plan.forgotten)
    _sweep(database, membership)
    return pushed


def take_out(database: Database, seals: Sequence[Seal], now: datetime, *, forgotten: bool) -> None:
    """Hides sessions of this machine at once, then deletes their rows. ``forgotten`` hides them of every machine of
    the member."""
    if not seals:
        return
    at = instant(now)
    gone = [
        Seal(
            *(seal.key, seal.member, seal.machine, seal.agent, seal.session_id, "", seal.sequence + 1),
            source=seal.generation,
            pushed_at=at,
            deleted_at=at if forgotten else None,
        )
        for seal in seals
    ]
    with reading(database.uri):
        committed(lambda: write_seals(database, gone))
        condition = f"generation IN ({sql_list(seal.generation for seal in seals)})"
    if forgotten:
        drop_rows(database, condition)
    else:
        with reading(database.uri):
            committed(lambda: database.chunks.delete(condition))


def seal_of(
    membership: Membership, session: Session, generation: str, rows: int, digest: str, version: int, now: datetime
) -> Seal:
    """The seal of a session's new generation."""
    return Seal(
        *(session.key, membership.member, membership.machine, session.agent, session.session_id, generation),
        sequence=session.known.sequence + 1 if session.known else 1,
        rows=rows,
        digest=digest,
        source=session.source,
        version=version,
        pushed_at=instant(now),
    )


def is_chosen(project: str, globs: Sequence[str]) -> bool:
    """Whether a project is among those chosen, each named in full, by a pattern, or by the repository's own name."""
    names = (project.lower(), project.lower().rpartition("/")[2])
    return any(fnmatchcase(name, glob.lower()) for glob in globs for name in names)


def _send(
    settings: Settings,
    membership: Membership,
    database: Database,
    batch: Sequence[Session],
    vectors: OwnVectors,
    now: datetime,
    pushed: Pushed,
) -> None:
    for attempt in range(_ATTEMPTS):
        # Of an answer that was lost it is not known whether the rows were written: other rows are never the same rows.
        made = [(session, uuid4().hex) for session in batch]
        found = [
            session_rows(settings, membership, session.key, generation, session.chunks, vectors.of(session.chunks))
            for session, generation in made
        ]
        rows = [row for one in found for row in one.rows]
        try:
            with reading(database.uri):
                version = write_rows(database.chunks, rows) if rows else int(database.chunks.version)
        except ShareAway as error:
            if attempt == _ATTEMPTS - 1 or not isinstance(error.__cause__, FAILURES):
                raise
            database.refresh()
            continue
        break
    seals = [
        seal_of(membership, session, generation, len(one.rows), digest_of(one.rows), version, now)
        for (session, generation), one in zip(made, found, strict=True)
    ]
    with reading(database.uri):
        committed(lambda: write_seals(database, seals))
    pushed.sessions += len(batch)
    for one in found:
        _count(pushed, one)


def _count(pushed: Pushed, found: SessionRows) -> None:
    pushed.chunks += len(found.rows)
    pushed.vectors += sum(row["vectors"] is not None for row in found.rows)
    pushed.size += sum(len(row["text"].encode()) for row in found.rows)
    pushed.redacted += found.redacted
    pushed.unreadable += found.unreadable


def _sweep(database: Database, membership: Membership) -> None:
    """Deletes rows of this machine that no seal names: of a push that was killed, or replaced by a newer one."""
    database.refresh()
    own = read_seals(database).of(membership.own)
    where = owned(membership.member, membership.machine)
    with reading(database.uri):
        there = {row["generation"] for row in read_rows(database.chunks, ("generation",), where)}
        left = sorted(there - {seal.generation for seal in own.values()})
        forgotten = [seal.source for seal in own.values() if seal.deleted_at and seal.source in left]
        if forgotten:
            drop_rows(database, f"generation IN ({sql_list(forgotten)})")
        if left:
            committed(lambda: database.chunks.delete(f"{where} AND generation IN ({sql_list(left)})"))
        drop_superseded(database, membership.own, own)


def _batches(sessions: Sequence[Session]) -> Iterator[list[Session]]:
    batch: list[Session] = []
    for session in sessions:
        batch.append(session)
        if sum(len(one.chunks) for one in batch) >= _ROWS_A_COMMIT:
            yield batch
            batch = []
    if batch:
        yield batch
