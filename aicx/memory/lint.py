"""Finds faults of records as texts: said twice, secret, too long, saying too little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from aicx.evidence.texts import words
from aicx.memory.assess import Assessment
from aicx.memory.record import Record
from aicx.memory.sameness import Statements
from aicx.values import dataclass
from retrieval.analysis import STOP_WORDS

SCHEMA = "aicx.memory-lint/1"
Code = Literal["duplicate", "possible_secret", "too_long", "low_information", "no_evidence"]
Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing that is wrong with a record. It holds no text of it."""

    ref: Annotated[str, "of the record"]
    code: Annotated[Code, "what is wrong"]
    severity: Annotated[Severity, "an error keeps it out of recall"]
    other: Annotated[str | None, "the record that says the same, or null"]
    suppressed: Annotated[str | None, "the reason for which recall leaves it out, or null"]


@dataclass(frozen=True, slots=True)
class LintAnswer:
    """The findings. The exit code is 1 where one is an error."""

    checked: Annotated[int, "number of records"]
    counts: Annotated[dict[str, int], "code → number of findings"]
    findings: Annotated[list[LintFinding], "by reference"]
    repository: Annotated[str | None, "whose records were checked, beside those that hold everywhere; null for all"]


SEVERITIES: dict[Code, Severity] = {
    "duplicate": "error",
    "possible_secret": "error",
    "too_long": "warning",
    "low_information": "warning",
    "no_evidence": "info",
}
MAX_DETAILS = 6000  # characters of a record's details together
_MIN_WORDS = 2  # beside those that every sentence has
# What says nothing of what it is about.
_EMPTY = frozenset(
    {
        *("change", "changed", "changes", "code", "done", "everything", "file", "fine", "fix", "fixed", "good", "it"),
        *("note", "nothing", "ok", "okay", "remember", "something", "stuff", "thing", "things", "todo", "update"),
        *("updated", "work", "worked", "works", "yes"),
    }
)
# What is put away already is not looked at again.
_PUT_AWAY = frozenset({"archived", "superseded", "policy_blocked"})


def lint(assessed: Iterable[Assessment]) -> Iterator[LintFinding]:
    """The findings, those of one record together, in the order of their references."""
    live = [found for found in assessed if found.status not in _PUT_AWAY]
    same = duplicates(live)
    for found in sorted(live, key=lambda one: one.record.id):
        record = found.record
        codes = {reason.code for reason in found.reasons}
        if "quarantined_secret" in codes:
            yield _finding("possible_secret", record, suppressed="quarantined_secret")
        if any(flaw.data.get("why") == "statement too long" for flaw in record.flaws):
            yield _finding("too_long", record, suppressed="malformed")
        if not record.digest:  # nothing of its text is known
            continue
        if other := same.get(record.id):
            yield _finding("duplicate", record, other.ref, "duplicate")
        if sum(map(len, record.details)) > MAX_DETAILS:
            yield _finding("too_long", record)
        if says_little(record):
            yield _finding("low_information", record)
        if not record.evidence and not record.anchors and not found.baseline:
            yield _finding("no_evidence", record)


def _finding(code: Code, record: Record, other: str | None = None, suppressed: str | None = None) -> LintFinding:
    return LintFinding(record.ref, code, SEVERITIES[code], other, suppressed)


def duplicates(assessed: Iterable[Assessment]) -> dict[str, Record]:
    """Id → the record that says the same and comes first: what is agreed, pinned, of more authority, or older.

    The text of what is kept apart is compared with nothing, and so no finding tells of it.
    """
    known: Statements[Record] = Statements()
    found: dict[str, Record] = {}
    for one in sorted(assessed, key=_precedence):
        if not one.record.digest or one.status in ("quarantined", *_PUT_AWAY):
            continue
        same = known.place_of(one.record)
        if same is None:
            known.add(one.record)
        else:
            found[one.record.id] = known.found[same]
    return found


def says_little(record: Record) -> bool:
    """Whether there are too few words in it that tell anything."""
    told = {word.casefold() for word in words(" ".join((record.statement, *record.details)))}
    return len(told - STOP_WORDS - _EMPTY) < _MIN_WORDS


def _precedence(found: Assessment) -> tuple[bool, bool, int, float, str]:
    record = found.record
    return not found.baseline, not record.pinned, found.tier, record.created_at.timestamp(), record.id
