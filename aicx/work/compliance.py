"""How sessions kept to the contracts they were given: an audit of what was observed, which never blocks anything.

Contracts are evaluated from logs each time; results are stored nowhere. Statuses, codes and the arithmetic of the score
are those of AICTX 6.3. Beside them: how the programs ended that `aicx run` ran.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import field
from datetime import datetime
from typing import Annotated, Literal, NamedTuple

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places.places import load_decisions
from aicx.corpus.places.stored import place_of
from aicx.errors import CorpusDamaged, NotFound
from aicx.evidence.fixes import ends
from aicx.evidence.sessions import SessionRow
from aicx.fields import INTERNAL
from aicx.shell import simple_commands
from aicx.sources import RUN
from aicx.text import plural, shorten
from aicx.values import dataclass
from aicx.work.attempts import RECENT, attempts_in, contract_of
from aicx.work.contract import Contract, is_test
from aicx.work.facts_index import facts_so_far
from aicx.work.place import WorkPlace
from aicx.work.record import WorkRecord
from aicx.work.session_facts import Observed, SessionFacts

Status = Literal["followed", "partial", "violated", "not_evaluated"]
Alignment = Literal["followed", "partially_followed", "ignored", "not_evaluated"]
Code = Literal[
    "missing_first_action",
    "edit_outside_scope",
    "canonical_test_missing",
    "canonical_test_not_observed",
    "orientation_command_order_unknown",
    "first_action_not_observable",
    "no_resume_contract",
    "no_execution_observation",
]
Gap = Literal["missing_validation", "missing_first_action", "edit_outside_scope", "structural_entrypoints_ignored"]

# What a contract that was not kept costs of a score of 1.
_FIRST, _SCOPE, _NO_TEST, _NO_TEST_UNLESS_FAILED, _ORIENTATION, _MAX_ORIENTATION = 0.30, 0.30, 0.25, 0.10, 0.05, 0.15
_FOLLOWED = 0.95
_SUMMARY = 120
_MAX_EVIDENCE = 8
_GAPS: dict[Code, Gap] = {
    "canonical_test_missing": "missing_validation",
    "canonical_test_not_observed": "missing_validation",
    "missing_first_action": "missing_first_action",
    "edit_outside_scope": "edit_outside_scope",
}


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was not as the contract said."""

    code: Annotated[Code, "one of the [codes](work.md#compliance)", str]
    severity: Annotated[Literal["violation", "warning"], "`violation` or `warning`", str]
    detail: Annotated[str, "the same in words"]
    evidence: Annotated[tuple[str, ...], "paths or commands"] = ()


@dataclass(frozen=True, slots=True)
class Checks:
    """Each part of a contract: kept, not kept, or null where it asked for nothing or nothing was observed."""

    followed_first_action: Annotated[bool | None, "the file to begin with was opened"] = None
    edited_within_scope: Annotated[bool | None, "no other file was edited"] = None
    canonical_test_used: Annotated[bool | None, "the test that proves it was run"] = None
    finalize_used: Annotated[bool | None, "the end was reported"] = None


@dataclass(frozen=True, slots=True)
class Compliance:
    """How a session kept to its contract. It is an audit, and stops nobody."""

    status: Annotated[Status, "`followed`, `partial`, `violated` or `not_evaluated`", str]
    score: Annotated[float | None, "0 to 1; null where nothing was evaluated"]
    checks: Annotated[Checks, "each part of the contract"] = Checks()
    structural_alignment: Annotated[
        Alignment, "`followed`, `partially_followed`, `ignored` or `not_evaluated`", str
    ] = "not_evaluated"
    violations: Annotated[tuple[Finding, ...], "what was not kept"] = ()
    warnings: Annotated[tuple[Finding, ...], "what cannot be told or is minor"] = ()
    main_issue: Annotated[
        Code | None, "the code of the first violation or warning, or why nothing was evaluated", str | None
    ] = None
    compact_summary: Annotated[str, "one line of at most 120 characters"] = ""
    matched_files: tuple[str, ...] = field(default=(), metadata=INTERNAL)
    outside_scope: tuple[str, ...] = field(default=(), metadata=INTERNAL)
    gaps: tuple[Gap, ...] = field(default=(), metadata=INTERNAL)

    @classmethod
    def none(cls, reason: Code) -> Compliance:
        """Returns the result where nothing could be evaluated, and why."""
        summary = f"not evaluated: {reason.replace('_', ' ')}"
        return cls("not_evaluated", None, main_issue=reason, compact_summary=summary)


def evaluate(contract: Contract | None, observed: Observed) -> Compliance:
    """The audit of a session."""
    if contract is None:
        return Compliance.none("no_resume_contract")
    if observed.is_empty:
        return Compliance.none("no_execution_observation")
    touched = (*observed.opened, *observed.edited)
    outside = _outside(contract, observed)
    tested = _tested(contract, observed)
    first = _first(contract, touched)
    findings = [*_of_first(contract, touched, first), *_of_scope(outside), *_of_test(contract, observed, tested)]
    orientation = observed.orientation if contract.first_action is not None else ()
    findings += (
        Finding("orientation_command_order_unknown", "warning", f"looked around first: {command}", (command,))
        for command in orientation
    )
    cost = (
        _FIRST * (first is False)
        + _SCOPE * bool(outside)
        + (_NO_TEST if observed.succeeded is False else _NO_TEST_UNLESS_FAILED) * (tested is False)
        + min(_ORIENTATION * len(orientation), _MAX_ORIENTATION)
    )
    score = round(1 - cost, 4)
    violations = tuple(finding for finding in findings if finding.severity == "violation")
    warnings = tuple(finding for finding in findings if finding.severity == "warning")
    alignment, matched = _alignment(contract, touched)
    gaps = [_GAPS[finding.code] for finding in findings if finding.code in _GAPS]
    gaps += ["structural_entrypoints_ignored"] if alignment == "ignored" else []
    issue = next(iter((*violations, *warnings)), None)
    status: Status = "violated" if violations else "partial" if warnings or score < _FOLLOWED else "followed"
    said = f"{status}, {score:.2f}{f': {issue.detail}' if issue else ''}"
    return Compliance(
        status=status,
        score=score,
        structural_alignment=alignment,
        checks=Checks(first, None if not contract.edit_scope.primary else not outside, tested, observed.finalized),
        violations=violations,
        warnings=warnings,
        main_issue=issue.code if issue else None,
        compact_summary=shorten(said, _SUMMARY),
        matched_files=matched,
        outside_scope=outside,
        gaps=tuple(dict.fromkeys(gaps)),
    )


def _first(contract: Contract, touched: Sequence[str]) -> bool | None:
    """Whether the session began as it was told to; None where that cannot be said."""
    if contract.first_action is None or not touched:
        return None
    if contract.first_action.path is not None:
        return contract.first_action.path in touched
    return not set(contract.expected_first_files).isdisjoint(touched)


def _of_first(contract: Contract, touched: Sequence[str], kept: bool | None) -> list[Finding]:
    wanted = contract.first_action and (contract.first_action.path or ", ".join(contract.expected_first_files))
    if kept is False:
        detail = f"{wanted} was not opened"
        if contract.first_action is not None and contract.first_action.path is None:
            detail = f"none of the files to look at first was opened: {wanted}"
        return [Finding("missing_first_action", "violation", detail, tuple(touched[:1]))]
    if kept is None and wanted:
        return [Finding("first_action_not_observable", "warning", f"no opened file is known, {wanted} was expected")]
    return []


def _outside(contract: Contract, observed: Observed) -> tuple[str, ...]:
    scope = contract.edit_scope
    listed = {*scope.primary, *scope.secondary}
    if not listed:
        return tuple(path for path in observed.edited if path in scope.avoid)
    return tuple(path for path in observed.edited if path not in listed)


def _of_scope(outside: Sequence[str]) -> list[Finding]:
    if not outside:
        return []
    detail = f"{plural(len(outside), 'file')} edited outside the scope: {', '.join(outside[:3])}"
    return [Finding("edit_outside_scope", "violation", detail, tuple(outside[:_MAX_EVIDENCE]))]


def _tested(contract: Contract, observed: Observed) -> bool | None:
    expected = contract.test_command.command
    if expected is None:
        return None
    return any(is_same_test(run, expected) for run in (*observed.tests, *observed.commands))


def _of_test(contract: Contract, observed: Observed, tested: bool | None) -> list[Finding]:
    if tested is not False:
        return []
    detail = f"`{contract.test_command.command}` was not run"
    if observed.succeeded is not False:
        return [Finding("canonical_test_not_observed", "warning", detail)]
    return [Finding("canonical_test_missing", "violation", detail)]


def _alignment(contract: Contract, touched: Sequence[str]) -> tuple[Alignment, tuple[str, ...]]:
    """Whether the files to look at first were touched: any, none, or nothing but tests."""
    if not contract.expected_first_files or not touched:
        return "not_evaluated", ()
    matched = tuple(path for path in contract.expected_first_files if path in touched)
    if matched and all(map(is_test, matched)) and not all(map(is_test, contract.expected_first_files)):
        return "partially_followed", matched
    return ("followed" if matched else "ignored"), matched


def is_same_test(run: str, expected: str) -> bool:
    """Whether a command ran the expected test, or one that includes it."""
    wanted = simple_commands(expected)
    return bool(wanted) and any(ends(part, wanted[-1], "check") for part in simple_commands(run))


MAX_VALUES = 5000  # of one question in SQL


class Result(NamedTuple):
    """An attempt, and how it kept to its contract."""

    record: WorkRecord
    compliance: Compliance


def results_of(
    settings: Settings, place: WorkPlace, found: Sequence[WorkRecord], catalog: Catalog | None = None
) -> list[Result]:
    """The result of each attempt. Sessions that are not stored yet are judged by what was said of them.

    ``catalog`` is the catalogue, where the caller has opened it.
    """
    facts = known_facts(settings, place, {session for _, session in map(_key, found)}, catalog)
    return [Result(one, result(one, facts.get(_key(one)))) for one in found]


def previous_result(
    settings: Settings, place: WorkPlace, but: Sequence[str] = (), catalog: Catalog | None = None
) -> Result | None:
    """The last attempt that could be evaluated, other than those of the sessions ``but``."""
    recent = attempts_in(settings, place.folders, RECENT)
    found = [one for one in recent if one.attempt and one.attempt.session not in but]
    results = results_of(settings, place, found, catalog)
    return next((one for one in results if one.compliance.score is not None), None)


def result(record: WorkRecord, facts: SessionFacts | None) -> Compliance:
    """How one attempt kept to its contract; ``facts`` are what its log says, where it is stored."""
    return evaluate(contract_of(record), observed_in(record, facts))


def observed_in(record: WorkRecord, facts: SessionFacts | None) -> Observed:
    """Returns what an attempt did: what its log says, and what was stated besides."""
    assert record.attempt is not None
    stated, outcome = record.attempt.stated, record.attempt.outcome
    succeeded = None if outcome is None else outcome == "success"
    if succeeded is None and facts is not None and facts.state != "unknown":
        succeeded = facts.state == "completed" and not facts.failing
    return Observed(
        opened=_all(facts.opened if facts else (), stated.opened),
        edited=_all(facts.edited if facts else (), stated.edited),
        commands=_all(facts.commands if facts else (), stated.commands),
        tests=_all((run.command for run in facts.tests) if facts else (), stated.tests),
        orientation=facts.orientation if facts else (),
        succeeded=succeeded,
        finalized=outcome is not None or (facts is not None and facts.finalized),
    )


def known_facts(
    settings: Settings, place: WorkPlace, sessions: Collection[str], catalog: Catalog | None = None
) -> dict[tuple[str, str], SessionFacts]:
    """Returns what earlier runs of `aicx store` know of these sessions of the repository, by agent and session."""
    named = [session for session in sessions if session][:MAX_VALUES]
    if not named or not settings.layout.work_facts.exists():
        return {}
    with ExitStack() as stack:
        try:
            catalog = catalog or stack.enter_context(open_catalog(settings.layout)).catalog
            decisions = load_decisions(settings.layout.projects)
        except (NotFound, CorpusDamaged):  # nothing is stored, or `aicx doctor` has to mend it first
            return {}
        root = str(place.root)
        identity = place_of(catalog, settings.user_home, decisions, root)
        project = identity.project if identity else root
        where = f"(project=? OR cwd=?) AND session_id IN ({','.join('?' * len(named))})"
        found, _ = facts_so_far(settings.layout, catalog, where, [project, project, *named])
    return {(facts.agent, facts.session_id): facts for facts in found}


def _key(record: WorkRecord) -> tuple[str, str]:
    assert record.attempt is not None
    return record.attempt.agent, record.attempt.session or ""


def _all(*found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for texts in found for text in texts))


MAX_RUNS = 3


def ran_since(
    settings: Settings, place: WorkPlace, session: SessionRow | None, until: datetime, but: Sequence[str] = ()
) -> tuple[WorkRecord, ...]:
    """The last run of each command since ``session`` began, the last first, at most MAX_RUNS.

    Where that was a run itself, the last runs count whenever they were. An agent that keeps a log of its own counts
    only where it failed: its log says the rest.
    """
    began = None if session is None or session.agent == RUN else session.started_at
    found: dict[tuple[str, ...], WorkRecord] = {}
    for record in attempts_in(settings, place.folders, RECENT):
        attempt = record.attempt
        if attempt is None or attempt.exit_code is None or (attempt.session or "").startswith(tuple(but)):
            continue
        if record.updated_at > until or (began is not None and record.updated_at < began):
            continue
        if attempt.agent == RUN or attempt.exit_code:
            found.setdefault(attempt.stated.commands[-1:], record)
    return tuple(found.values())[:MAX_RUNS]
