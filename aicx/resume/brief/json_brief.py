"""The brief as one JSON object: every key always there, its own size included."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from aicx.brief import QUOTED_BRIEFLY
from aicx.fields import taken_from, to_fields
from aicx.refs import Ref
from aicx.resume.brief import Part, Slot, clean, context_data
from aicx.resume.brief.answer import (
    SCHEMA,
    BudgetUsed,
    Capsule,
    Match,
    RepositoryState,
    ResumeAnswer,
    StructuralContext,
    TaskState,
)
from aicx.resume.brief.banner import banner
from aicx.resume.report import Reason, ResumeReport
from aicx.text import estimate_tokens, instant, local, shorten
from aicx.work.contract import Contract, ContractResult, EditScope

if TYPE_CHECKING:
    from aicx.work.compliance import Result

_MAX_WARNINGS = 5
_MAX_MAPPED = 3
# Of what was stated at the end of a session, the lists, and the parts that they are of.
_OF_END: Mapping[str, Slot] = {"next": "stated_next", "failing": "stated_failing", "decisions": "stated_decisions"}
_ANYBODY = "agent"  # in a banner, where nobody said who asks


def json_line(
    report: ResumeReport, parts: Sequence[Part], limit: int, target: int, extra: Mapping[str, Any] | None = None
) -> bytes:
    """The object on one line; ``budget`` in it says how large the whole line is. ``extra`` keys come last."""
    answer = {"schema": SCHEMA, **to_fields(_answer(report, parts, limit, target)), **(extra or {})}
    budget = answer["budget"]
    # The figures are part of what they measure. They only grow from one round to the next, and by a digit at most.
    while True:
        line = orjson.dumps(answer, option=orjson.OPT_APPEND_NEWLINE)
        figures = {"estimated_tokens": estimate_tokens(line), "chars": len(line.decode())}
        if figures.items() <= budget.items():
            return line
        budget |= figures


def _answer(report: ResumeReport, parts: Sequence[Part], limit: int, target: int) -> ResumeAnswer:
    def of(slot: Slot) -> list[Any]:
        """Returns what the parts of a slot have for the JSON: objects with the fields of their classes."""
        return [part.data for part in parts if part.slot == slot]

    symbols = of("symbols")
    ends = {name: of(slot) for name, slot in _OF_END.items()}
    stated: Any = next(({**found, **ends} for found in of("stated")), None)
    return ResumeAnswer(
        generated_at=instant(report.now, "seconds"),
        mode="agent_brief",
        agent_id=report.agent and shorten(clean(report.agent), limit or 1),
        request=shorten(report.task, limit or 1),
        repo=_repo(report, of, limit),
        startup_banner_text=banner(
            report.agent or _ANYBODY, report, report.tasks.active if report.tasks else (), limit=limit
        ),
        task_state=_task_state(report),
        continuity_match=_match(report),
        capsule=_capsule(report, of, limit),
        loaded_context=_loaded(report, of("context"), symbols),
        structural_entry_points=symbols,
        structural_context=StructuralContext(**report.map_status, used=bool(symbols), entry_point_count=len(symbols)),
        evidence=QUOTED_BRIEFLY,
        warnings=[shorten(warning, limit) for warning in report.warnings[:_MAX_WARNINGS] if limit],
        altered=[ref for chunk in report.altered[:_MAX_WARNINGS] if _fits(ref := str(Ref("chunk", chunk)), limit)],
        unavailable=[shorten(note, limit) for note in report.unavailable[:_MAX_WARNINGS] if limit],
        oracle_status={
            name: shorten(value, limit or 1) if isinstance(value, str) else value
            for name, value in report.search.items()
        },
        budget=BudgetUsed(target, 0, 0),
        known_fixes=of("known_fixes"),
        previous_contract_result=previous_answer(report.previous) if limit else None,
        execution_contract=contract_answer(report.contract, limit) if report.contract and limit else None,
        entry_points_by=report.files_by,
        summary_by=report.summary_by,
        summary=of("summary") or None,
        agreed=of("agreed") or None,
        guidance=of("guidance") or None,
        stated=stated,
        stated_before=next(iter(of("stated_before")), None),
        ran=of("ran") or None,
        team=of("team") or None,
    )


def _capsule(report: ResumeReport, of: Callable[[Slot], list[Any]], limit: int) -> Capsule:
    resumed = report.resumed
    return Capsule(
        current_request=shorten(report.task, limit or 1),
        resuming=resumed.facts.ref if resumed and _fits(resumed.facts.ref, limit) else None,
        reopen=resumed.reopen if resumed and resumed.reopen and _fits(resumed.reopen, limit) else None,
        goal=next(iter(of("goal")), None),
        last_request=next(iter(of("asked")), None),
        last_progress=next(iter(of("progress")), None),
        next_action=shorten(step, limit) if (step := _next_action(report)) and limit else None,
        next=of("next"),
        failures=of("failures"),
        decisions=of("decisions"),
        validated=of("validated"),
        commits=of("commits_made"),
        pull_requests=of("pull_requests"),
        files_edited=of("files_edited"),
        entry_points=of("entry_points"),
        automated=resumed is not None and resumed.facts.automated_why is not None,
        automated_why=resumed.facts.automated_why if resumed else None,
    )


def _next_action(report: ResumeReport) -> str:
    """The step that `next` says, where no task was begun."""
    if report.left is not None:
        from aicx.work.left import next_of  # imported here: most state nothing

        if stated := next_of(report.left.record):
            return stated
    return report.still_open.step if report.still_open else ""


def contract_answer(contract: Contract, limit: int = 1000) -> Contract:
    """The contract as answers have it; ``limit`` bounds its texts."""

    def paths(found: Iterable[str]) -> tuple[str, ...]:
        return tuple(clean(path) for path in found if _fits(path, limit))

    scope, first, test = contract.edit_scope, contract.first_action, contract.test_command
    return replace(
        contract,
        task_goal=shorten(contract.task_goal, limit),
        first_action=replace(first, path=first.path and clean(first.path)) if first else None,
        edit_scope=EditScope(paths(scope.primary), paths(scope.secondary), paths(scope.avoid)),
        test_command=replace(test, command=test.command and clean(test.command)),
        finalize_command=clean(contract.finalize_command),
        expected_first_files=paths(contract.expected_first_files),
    )


def previous_answer(found: Result | None) -> ContractResult | None:
    if found is None or found.compliance.score is None:
        return None
    kept = found.compliance
    at = instant(found.record.updated_at, "seconds")
    return ContractResult(
        found.record.ref, kept.status, found.compliance.score, kept.main_issue, kept.compact_summary, at
    )


def _loaded(
    report: ResumeReport, history: Sequence[Mapping[str, Any]], symbols: Sequence[Mapping[str, Any]]
) -> list[Any]:
    """The pieces of history that were used, and after them the first places that the map names."""
    at = str(report.map_status.get("last_refresh_at") or instant(report.now, "seconds"))
    mapped = (
        context_data(
            report,
            "repo_map",
            str(Ref.of_symbol(one["path"], one["metadata"]["line"])),
            one["title"],
            local(at),
            source="map",
            reasons=one["reasons"],
            role="background",
            selection=str(Reason.IN_MAP),
            confidence="medium" if one["metadata"]["symbol"] else "low",
            paths=[one["path"]],
        )
        | {"at": at}
        for one in symbols[:_MAX_MAPPED]
    )
    return [{**data, "rank": rank} for rank, data in enumerate([*history, *mapped], 1)]


def _repo(report: ResumeReport, of: Callable[[Slot], list[Any]], limit: int) -> RepositoryState:
    git = report.git
    return taken_from(
        git,
        RepositoryState,
        project=report.project and shorten(clean(report.project), limit or 1),
        root=git.root and shorten(clean(git.root), limit or 1),
        branch=git.branch and shorten(clean(git.branch), limit or 1),
        changed_files=[data["path"] for data in of("changed_files")],
        commits_since_last_session=report.commit_count,
        commits=of("commits"),
        submodule=git.superproject is not None,
        worktrees=git.worktree_count,
        sessions=report.session_count,
    )


def _task_state(report: ResumeReport) -> TaskState:
    if report.left is not None:
        from aicx.work.left import has_failed, is_open  # imported here: most state nothing

        if is_open(report.left.record):
            return TaskState("active", "high", "stated_failure" if has_failed(report.left.record) else "stated_next")
    brief = report.resumed.brief if report.resumed else None
    if report.resumed is None or brief is None:
        return TaskState("unknown", "low", "no_earlier_session")
    if report.still_open is not None:
        return TaskState("active", report.resumed.confidence, report.still_open.reason)
    if brief.state == "active":
        return TaskState("unknown", report.resumed.confidence, "nothing_proven")
    return TaskState(brief.state, report.resumed.confidence, brief.state_reason)


def _match(report: ResumeReport) -> Match:
    if report.resumed is None:
        return Match("low", 0.0, [])
    signals = [str(reason) for reason in report.resumed.reasons if reason is not Reason.MERGED_BRANCH]
    return Match(report.resumed.confidence, round(report.resumed.score, 4), signals)


def _fits(text: str, limit: int) -> bool:
    """Whether a reference is short enough; half of one would lead nowhere."""
    return len(text) <= max(limit, 80)
