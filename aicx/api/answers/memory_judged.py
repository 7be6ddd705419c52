"""`aicx.memory-eval/1` and `aicx.memory-audit/1`: what was handed out, and what texts rely on, judged by now."""

from __future__ import annotations

from typing import Annotated, Literal

from aicx.values import dataclass

EVAL_SCHEMA = "aicx.memory-eval/1"
AUDIT_SCHEMA = "aicx.memory-audit/1"


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
    status: Annotated[Literal["pass", "warn", "fail"], "`fail` where it has what is not to be believed"]
    points: Annotated[int, "0 to 100"]
    entries: Annotated[int, "number of records in it"]
    issues: Annotated[list[EvalIssue], "what is wrong with it"]


@dataclass(frozen=True, slots=True)
class EvalAnswer:
    """All retrievals. The exit code is 1 where ``status`` is ``fail``."""

    status: Annotated[Literal["pass", "warn", "fail"], "the worst of them"]
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
    """What the texts rely on. The exit code is 1 where ``contamination`` is more than 0."""

    status: Annotated[Literal["pass", "fail"], "`fail` where anything is relied on that is not agreed"]
    contamination: Annotated[float, "the share of what is relied on that is not agreed"]
    relied: Annotated[int, "number of places where a record is relied on"]
    named: Annotated[int, "number of places that name a record together with its status, which is no reliance"]
    blocked: Annotated[int, "of the untrusted, those that may not be shown at all"]
    untrusted: Annotated[list[AuditCredit], "where something is relied on that is not agreed"]
