"""Proposing and editing: whatever is stated becomes a record that waits for a person. Nothing here grants trust."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from aicx.config import Settings
from aicx.errors import UsageError
from aicx.memory.anchors import normal
from aicx.memory.findings import imitates_a_prompt, is_environment_negative
from aicx.memory.policy_records import note_root
from aicx.memory.reading import Memory, Scope
from aicx.memory.record import MAX_STATEMENT, Adoption, Anchor, Kind, Record, Source, Validity, digest_of
from aicx.memory.writing import RecordChanges, changing
from aicx.redaction import redact_plain
from aicx.text import printable
from aicx.values import dataclass

UNNAMED = "unspecified"  # who did it where nobody said
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
_ID = re.compile(r"[0-9a-f]{12}")
_MAX_LENGTHS = {"topic": 80, "detail": 1000, "claim": 200, "tag": 40, "why": 500, "by": 80}  # characters
_MAX_COUNTS = {"details": 50, "evidence": 100, "anchors": 50, "claims": 20, "tags": 20}


@dataclass(frozen=True, slots=True)
class Draft:
    """A statement to be proposed, as it was stated. ``by`` is who states it, a person or a program."""

    statement: str
    kind: Kind = "note"
    topic: str = "general"
    source: Source = field(default_factory=lambda: Source("assistant"))
    repository: str | None = None
    name: str | None = None
    details: Sequence[str] = ()
    tags: Sequence[str] = ()
    claims: Mapping[str, str] = field(default_factory=dict)
    evidence: Sequence[str] = ()
    anchors: Sequence[Anchor] = ()
    validity: Validity = field(default_factory=Validity)
    supersedes: Sequence[str] = ()  # ids
    observed_at: datetime | None = None
    sightings: int = 1  # in how many places it was found
    by: str = UNNAMED


def clean(text: str) -> str:
    """``text`` as it may be stored and shown: one line, nothing invisible, nothing secret."""
    return redact_plain(" ".join(printable(text).split())).text


def propose(
    settings: Settings, scope: Scope, drafts: Iterable[Draft], now: datetime, notify: Callable[[str], None]
) -> list[tuple[Record, bool]]:
    """Makes records of ``drafts``, all or none; one that says what a record says already counts as a sighting of it.

    Returns the record of each, and whether it is new. Raises UsageError for a draft that cannot be a record.
    """
    with changing(settings, now, notify) as change, Memory.open(settings, now, scope=scope) as memory:
        known = _Known(memory.records(everywhere=True), scope)
        made = [known.add(change, draft) for draft in drafts]
        if change.staged:
            change.publish()
        note_root(settings.layout, scope)
    return made


# How what is stated of a record is stored, by its field.
_STORED: Mapping[str, Callable[[Any], Any]] = {
    "statement": clean,
    "topic": clean,
    "details": lambda lines: tuple(filter(None, map(clean, lines))),
    "tags": lambda tags: tuple(dict.fromkeys(map(clean, tags))),
    "claims": lambda claims: {clean(key): clean(value) for key, value in claims.items()},
    "evidence": lambda refs: tuple(dict.fromkeys(map(clean, refs))),
    "anchors": lambda anchors: tuple(dict.fromkeys(anchors)),
    "supersedes": lambda ids: tuple(dict.fromkeys(ids)),
}


class _Known:
    """The records there are, and those that are being made."""

    def __init__(self, records: Iterable[Record], scope: Scope) -> None:
        self._scope = scope
        self._records = {record.id: record for record in records}
        self._same = {_same(record): record.id for record in self._records.values() if record.digest}
        self._names = {(record.repository, record.name): record.id for record in self._records.values() if record.name}

    def add(self, change: RecordChanges, draft: Draft) -> tuple[Record, bool]:
        record = at_host(checked(_drafted(draft, change.now)), self._scope)
        by = clean(draft.by)[: _MAX_LENGTHS["by"]] or UNNAMED
        same = self._same.get(_same(record)) or self._same.get(_same(replace(record, host=None)))
        known = self._records.get(same or "")
        if known is not None:
            seen = _seen_again(known, record)
            if seen is not known:
                known = self._records[known.id] = change.put(seen, "seen", by)
            return known, False
        if record.name is not None and (record.repository, record.name) in self._names:
            raise name_taken(record.name, self._names[record.repository, record.name])
        record = replace(record, id=self._free_id(record))
        written = change.put(record, "proposed", by)
        self._records[written.id] = written
        self._same[_same(written)] = written.id
        if written.name:
            self._names[written.repository, written.name] = written.id
        return written, True

    def _free_id(self, record: Record) -> str:
        """An id that the same statement has on every machine, unless another record has it by now."""
        for attempt in range(len(self._records) + 1):
            found = id_of(record.repository, record.kind, record.statement, attempt)
            if found not in self._records:
                return found
        raise AssertionError("there are more attempts than ids")


def id_of(repository: str | None, kind: Kind, statement: str, attempt: int = 0) -> str:
    """The id of a new record: the first ``attempt`` that no other has."""
    text = f"{repository}\0{kind}\0{normal(statement)}\0{attempt or ''}"
    return sha256(text.encode()).hexdigest()[:12]


def _same(record: Record) -> tuple[str | None, str | None, str, str]:
    return record.repository, record.host, record.kind, normal(record.statement)


def at_host(record: Record, scope: Scope) -> Record:
    """``record`` with the host of the repository that it is decided in, where it is of that one and has none yet."""
    here = record.repository is not None and record.repository == scope.repository
    return replace(record, host=scope.host) if here and record.host is None and scope.host else record


def _drafted(draft: Draft, now: datetime) -> Record:
    stored = {name: tidy(getattr(draft, name)) for name, tidy in _STORED.items()}
    return Record(
        id="",
        repository=draft.repository,
        kind=draft.kind,
        source=draft.source,
        created_at=min(draft.observed_at or now, now),
        name=draft.name,
        validity=draft.validity,
        sightings=draft.sightings,
        environment_negative=is_environment_negative(draft.kind, stored["statement"]),
        **{**stored, "evidence": stored["evidence"][: _MAX_COUNTS["evidence"]]},
    )


def checked(record: Record) -> Record:
    """``record`` if it can be written. Raises UsageError."""
    if not record.statement:
        raise UsageError("there is no statement", hint="say in one sentence what is to be remembered")
    if len(record.statement) > MAX_STATEMENT:
        raise UsageError(
            f"the statement has {len(record.statement)} characters; {MAX_STATEMENT} is the most",
            hint="say it in a sentence, and the rest with --detail",
        )
    if record.name is not None and (not _NAME.fullmatch(record.name) or _ID.fullmatch(record.name)):
        raise UsageError(f"{record.name!r} cannot be a name", hint="lower-case letters, digits, and . _ - between them")
    if record.name is not None and clean(record.name) != record.name:
        raise UsageError("a name is shown everywhere; this one looks like a secret")
    texts = {
        "topic": [record.topic],
        "detail": record.details,
        "claim": [word for pair in record.claims.items() for word in pair],
        "tag": record.tags,
    }
    for what, found in texts.items():
        for text in found:
            if not text or len(text) > _MAX_LENGTHS[what]:
                raise UsageError(f"a {what} has 1 to {_MAX_LENGTHS[what]} characters, not {len(text)}")
    for what, most in _MAX_COUNTS.items():
        if len(getattr(record, what)) > most:
            raise UsageError(f"at most {most} {what} belong to a record")
    if imitates_a_prompt([*record.evidence, *record.tags]):  # what may grow without a person looking at it again
        raise UsageError("evidence and tags name things; these imitate the structure of a prompt")
    if any(clean(anchor.path) != anchor.path for anchor in record.anchors):
        raise UsageError("the name of an anchor's file looks like a secret", hint="anchor a file of another name")
    if record.anchors and record.repository is None:
        raise UsageError("what holds everywhere has no anchor", hint="leave out --global or --anchor")
    if record.id and record.id in record.supersedes:
        raise UsageError("a record cannot supersede itself")
    return record


def name_taken(name: str, by: str) -> UsageError:
    return UsageError(f"{name!r} is the name of mem:{by}", hint=f"aicx memory edit {name}, or choose another name")


def _seen_again(known: Record, again: Record) -> Record:
    """A record that was stated once more: the evidence grows, and what was decided stays. The same evidence twice is
    one sighting."""
    new = [ref for ref in again.evidence if ref not in known.evidence]
    if again.evidence and not new:
        return known
    evidence = (*known.evidence, *new)[: _MAX_COUNTS["evidence"]]
    return replace(known, evidence=evidence, sightings=known.sightings + (len(new) or 1))


@dataclass(frozen=True, slots=True)
class Edit:
    """The changes of `edit`; None leaves a field as it is."""

    statement: str | None = None
    topic: str | None = None
    name: str | None = None
    details: Sequence[str] | None = None
    tags: Sequence[str] | None = None
    claims: Mapping[str, str] | None = None
    evidence: Sequence[str] | None = None
    anchors: Sequence[Anchor] | None = None
    validity: Validity | None = None
    supersedes: Sequence[str] | None = None


def edited(record: Record, edit: Edit) -> Record:
    """``record`` as it is after ``edit``. What a person accepted is proposed again when it changes."""
    given = {name: value for name in Edit.__slots__ if (value := getattr(edit, name)) is not None}
    changes = {name: _STORED[name](value) if name in _STORED else value for name, value in given.items()}
    if edit.statement is not None:
        changes["environment_negative"] = is_environment_negative(record.kind, changes["statement"])
    if edit.evidence is not None:
        changes["evidence"] = tuple(dict.fromkeys([*record.evidence, *changes["evidence"]]))
    new = replace(record, **changes)
    if digest_of(new) == record.digest and not record.by_hand:
        return checked(new)
    return checked(replace(new, adoption=Adoption()))
