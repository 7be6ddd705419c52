"""Checks of what is remembered: faults of records as texts, what recall handed out, and texts that rely on records."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

import orjson

from aicx.evidence.texts import words
from aicx.memory.anchors import normal
from aicx.memory.assess import Assessment
from aicx.memory.events import Event
from aicx.memory.proposals import Statements
from aicx.memory.record import PREFIX, Record
from aicx.text import instant
from aicx.values import dataclass
from retrieval.analysis import STOP_WORDS

LINT_SCHEMA = "aicx.memory-lint/1"
EVAL_SCHEMA = "aicx.memory-eval/1"
AUDIT_SCHEMA = "aicx.memory-audit/1"
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


Verdict = Literal["pass", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class EvalIssue:
    """One thing that is wrong with a retrieval."""

    ref: Annotated[str | None, "of the record, or null where it is about all of them"]
    code: Annotated[str, "its status now, or `missing`, `no_evidence`, `nothing_shown`"]
    points: Annotated[int, "what it takes from 100"]
    fails: Annotated[bool, "whether it alone makes the retrieval fail"]


@dataclass(frozen=True, slots=True)
class EvalRetrieval:
    """One retrieval: a recorded one, or a saved answer."""

    name: Annotated[str, "id of the event, or the file"]
    recorded_at: Annotated[str | None, "when it was recorded, null for a file"]
    status: Annotated[Verdict, "`fail` where it has what is not to be believed"]
    points: Annotated[int, "0 to 100"]
    entries: Annotated[int, "number of records in it"]
    issues: Annotated[list[EvalIssue], "what is wrong with it"]


@dataclass(frozen=True, slots=True)
class EvalAnswer:
    """All retrievals. The exit code is 1 where ``status`` is ``fail``."""

    status: Annotated[Verdict, "the worst of them"]
    counts: Annotated[dict[str, int], "status → number of retrievals"]
    retrievals: Annotated[list[EvalRetrieval], "recorded ones first, oldest first"]


@dataclass(frozen=True, slots=True)
class AuditCredit:
    """A place where a text relies on what is not agreed. It holds no text."""

    file: Annotated[str, "the file, `-` for standard input"]
    line: Annotated[int | None, "its line, null in JSON and where the words are repeated"]
    ref: Annotated[str, "of the record"]
    status: Annotated[str, "its status now, or `missing`"]
    quoted: Annotated[bool, "whether the words are repeated without the reference"]


@dataclass(frozen=True, slots=True)
class AuditAnswer:
    """The records that texts rely on. The exit code is 1 where ``contamination`` is more than 0."""

    status: Annotated[Literal["pass", "fail"], "`fail` where anything is relied on that is not agreed"]
    contamination: Annotated[float, "the share of what is relied on that is not agreed"]
    relied: Annotated[int, "number of places where a record is relied on"]
    named: Annotated[int, "number of places that name a record together with its status, which is no reliance"]
    blocked: Annotated[int, "of the untrusted, those that may not be shown at all"]
    untrusted: Annotated[list[AuditCredit], "where something is relied on that is not agreed"]


# What each thing that is wrong with a retrieval takes from its 100 points.
NOT_BELIEVED, NOT_ACCEPTED, NO_EVIDENCE, NOTHING_SHOWN = 40, 15, 10, 15
_GOOD = 85
_REF = re.compile(r"\bmem:([0-9a-f]{4,12})\b")
_MIN_QUOTED = 4  # of a statement that is recognised without its reference
_HANDED_OUT = frozenset({"accepted", "candidate", "advisory"})  # each as what it is
_NEVER_SHOWN = frozenset({"policy_blocked", "quarantined"})


@dataclass(frozen=True, slots=True)
class Retrieval:
    """One retrieval: references of the records handed out, and which of them as agreed. ``left_out`` was not."""

    name: str
    refs: tuple[str, ...]
    agreed: frozenset[str] = frozenset()
    left_out: tuple[str, ...] = ()
    recorded_at: datetime | None = None


def retrieval_of(event: Event) -> Retrieval:
    """Reads a recorded retrieval from its event."""
    return Retrieval(event.id, tuple(f"{PREFIX}{name}" for name in event.refs), recorded_at=event.at)


def retrieval_in(name: str, answer: Mapping[str, Any]) -> Retrieval:
    """Reads a retrieval from a saved answer of recall, or from a manifest. Raises ValueError for another JSON."""
    entries, excluded = answer.get("entries"), answer.get("excluded", ())
    if not isinstance(entries, list) or not all(isinstance(one, dict) and "ref" in one for one in entries):
        raise ValueError("it has no entries")
    shown = [one for one in entries if one.get("included", "full") != "none"]
    agreed = frozenset(str(one["ref"]) for one in shown if one.get("baseline"))
    return Retrieval(
        name,
        tuple(str(one["ref"]) for one in shown if str(one["ref"]).startswith(PREFIX)),
        agreed,
        tuple(str(one.get("ref")) for one in excluded if isinstance(one, dict)),
    )


def judge(retrieval: Retrieval, known: Mapping[str, Assessment]) -> EvalRetrieval:
    """Judges a retrieval by what may be believed now; ``known`` has every record by reference."""
    issues: list[EvalIssue] = []
    for ref in retrieval.refs:
        found = known.get(ref)
        if found is None:
            issues.append(EvalIssue(ref, "missing", NOT_BELIEVED, fails=True))
        elif found.status not in _HANDED_OUT or (ref in retrieval.agreed and not found.baseline):
            issues.append(EvalIssue(ref, found.status, NOT_BELIEVED, fails=True))
        elif found.status != "accepted":
            issues.append(EvalIssue(ref, found.status, NOT_ACCEPTED, fails=False))
            if not found.record.evidence and not found.record.anchors:
                issues.append(EvalIssue(ref, "no_evidence", NO_EVIDENCE, fails=False))
    if not retrieval.refs and any(known[ref].baseline for ref in retrieval.left_out if ref in known):
        issues.append(EvalIssue(None, "nothing_shown", NOTHING_SHOWN, fails=False))
    points = max(0, 100 - sum(issue.points for issue in issues))
    verdict: Verdict = "warn" if issues or points < _GOOD else "pass"
    if any(issue.fails for issue in issues):
        verdict = "fail"
    recorded_at = instant(retrieval.recorded_at) if retrieval.recorded_at else None
    return EvalRetrieval(retrieval.name, recorded_at, verdict, points, len(retrieval.refs), issues)


def audit(texts: Iterable[tuple[str, str]], known: Mapping[str, Assessment]) -> AuditAnswer:
    """Audits texts, Markdown or JSON, each with its file: which records they rely on, and whether those are agreed."""
    relied = named = 0
    untrusted: list[AuditCredit] = []
    for file, text in texts:
        found, mentions = _relied_on(text, known, file)
        relied, named = relied + len(found), named + mentions
        untrusted += (credit for credit, agreed in found if not agreed)
    share = len(untrusted) / relied if relied else 0.0
    blocked = sum(one.status in _NEVER_SHOWN for one in untrusted)
    return AuditAnswer("fail" if untrusted else "pass", round(share, 4), relied, named, blocked, untrusted)


def _relied_on(text: str, known: Mapping[str, Assessment], file: str) -> tuple[list[tuple[AuditCredit, bool]], int]:
    """The records that a text cites or whose words it repeats, each with whether it is agreed.

    A reference beside its present status ("mem:3fa2… candidate") says what it is worth, and is no reliance: how many.
    """
    found: list[tuple[AuditCredit, bool]] = []
    named = 0
    cited = set()
    for number, line, status in _lines(text):
        for ref in dict.fromkeys(_REF.findall(line)):
            one = _meant(ref, known)
            name = one.record.ref if one else f"{PREFIX}{ref}"
            cited.add(name)
            now = one.status if one else "missing"
            if now != "accepted" and (status == now if status is not None else _is_named(line, ref, now)):
                named += 1
                continue
            found.append((AuditCredit(file, number, name, now, quoted=False), one is not None and one.baseline))
    said = f" {normal(text)} "
    found += (
        (AuditCredit(file, None, one.record.ref, one.status, quoted=True), False)
        for one in known.values()
        if one.record.ref not in cited and not one.baseline and _is_quoted(one.record, said)
    )
    return found, named


def _meant(ref: str, known: Mapping[str, Assessment]) -> Assessment | None:
    exact = known.get(f"{PREFIX}{ref}")
    if exact is not None:
        return exact
    fitting = [one for name, one in known.items() if name.startswith(f"{PREFIX}{ref}")]
    return fitting[0] if len(fitting) == 1 else None


def _is_named(line: str, ref: str, status: str) -> bool:
    """Whether the status is right before or after the reference."""
    beside = rf"mem:{ref}\W{{0,4}}{status}\b|\b{status}\W{{0,4}}mem:{ref}\b"
    return re.search(beside, line, re.IGNORECASE) is not None


def _is_quoted(record: Record, said: str) -> bool:
    words = normal(record.statement).rstrip(".!")
    return len(words.split()) >= _MIN_QUOTED and words in said


def _lines(text: str) -> Iterator[tuple[int | None, str, str | None]]:
    """The lines of a text; of JSON every text in it, with the status that stands beside a reference."""
    try:
        whole = orjson.loads(text)
    except orjson.JSONDecodeError:
        yield from ((number, line, None) for number, line in enumerate(text.splitlines(), 1))
        return
    yield from ((None, line, status) for line, status in _texts(whole))


def _texts(value: Any) -> Iterator[tuple[str, str | None]]:
    if isinstance(value, str):
        yield value, None
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
    elif isinstance(value, dict):
        rest: Iterable[Any] = value.values()
        if isinstance(value.get("ref"), str) and isinstance(value.get("status"), str):
            yield value["ref"], value["status"]
            rest = [one for name, one in value.items() if name != "ref"]
        for one in rest:
            yield from _texts(one)
