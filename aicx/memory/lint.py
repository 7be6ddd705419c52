"""Finds faults of records as texts: said twice, secret, too long, saying too little."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from aicx.evidence.texts import words
from aicx.memory.assess import Assessment
from aicx.memory.reasons import Reason
from aicx.memory.record import Record
from aicx.memory.sameness import Statements
from aicx.values import dataclass
from retrieval.analysis import STOP_WORDS

SCHEMA = "aicx.memory-lint/1"


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing that is wrong with a record. It holds no text of it."""

    ref: Annotated[str, "of the record"]
    code: Annotated[
        Literal["duplicate", "possible_secret", "too_long", "low_information", "no_evidence"], "what is wrong"
    ]
    severity: Annotated[Literal["error", "warning", "info"], "an error keeps it out of recall"]
    other: Annotated[str | None, "the record that says the same, or null"]
    suppressed: Annotated[str | None, "the reason for which recall leaves it out, or null"]


@dataclass(frozen=True, slots=True)
class LintAnswer:
    """The findings. The exit code is 1 where one is an error."""

    checked: Annotated[int, "number of records"]
    counts: Annotated[dict[str, int], "code → number of findings"]
    findings: Annotated[list[LintFinding], "by reference"]
    repository: Annotated[str | None, "whose records were checked, beside those that hold everywhere; null for all"]


Code = Literal["duplicate", "possible_secret", "too_long", "low_information", "no_evidence"]
Severity = Literal["error", "warning", "info"]
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


@dataclass(frozen=True, slots=True)
class Finding:
    """``other`` is the record that says the same; ``suppressed`` the reason for which recall leaves it out."""

    code: Code
    record: Record
    other: Record | None = None
    suppressed: Reason | None = None

    @property
    def severity(self) -> Severity:
        return SEVERITIES[self.code]


def lint(assessed: Iterable[Assessment]) -> Iterator[Finding]:
    """The findings, those of one record together, in the order of their references."""
    live = [found for found in assessed if found.status not in _PUT_AWAY]
    same = duplicates(live)
    for found in sorted(live, key=lambda one: one.record.id):
        record = found.record
        codes = {reason.code for reason in found.reasons}
        if "quarantined_secret" in codes:
            yield Finding("possible_secret", record, suppressed=Reason("quarantined_secret"))
        if any(flaw.data.get("why") == "statement too long" for flaw in record.flaws):
            yield Finding("too_long", record, suppressed=Reason("malformed"))
        if not record.digest:  # nothing of its text is known
            continue
        if other := same.get(record.id):
            yield Finding("duplicate", record, other, Reason("duplicate", {"of": other.ref}))
        if sum(map(len, record.details)) > MAX_DETAILS:
            yield Finding("too_long", record)
        if says_little(record):
            yield Finding("low_information", record)
        if not record.evidence and not record.anchors and not found.baseline:
            yield Finding("no_evidence", record)


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
