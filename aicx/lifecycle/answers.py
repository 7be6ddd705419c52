"""The answers of the life cycle's commands, made from what was found or kept."""

from __future__ import annotations

from aicx.api.answers.lifecycle import (
    BannerPolicy,
    ChecksAnswer,
    ComplianceAnswer,
    ErrorEventAnswer,
    FinalizeAnswer,
    FindingAnswer,
    PrepareAnswer,
    SessionAnswer,
)
from aicx.api.fields import taken_from
from aicx.lifecycle.finalize import Finalized
from aicx.lifecycle.prepare import Prepared
from aicx.resume.brief.json_brief import contract_answer, previous_answer
from aicx.storage.texts import with_texts
from aicx.work.compliance import Compliance
from aicx.work.entry import entry_of, skipped_of
from aicx.work.loading import Loaded
from aicx.work.record import stored


def prepared_answer(found: Prepared, brief: str) -> PrepareAnswer:
    answer = PrepareAnswer(
        startup_banner_text=found.banner,
        startup_banner_policy=BannerPolicy(found.already_shown),
        session=SessionAnswer(found.asker.session, found.asker.agent, found.number),
        brief=brief,
        active=[entry_of(task) for task in found.tasks.active],
        skipped=[skipped_of(task) for task in found.tasks.skipped],
        previous_contract_result=previous_answer(found.previous),
        execution_contract=contract_answer(found.report.contract) if found.report.contract else None,
        attempt=found.attempt.ref if found.attempt else None,
        entry_points_by=found.report.files_by,
        summary_by=found.report.summary_by,
        notes=found.notes,
    )
    return with_texts(answer, stored)  # what git says and what was given was never stored


def finalized_answer(found: Finalized, proposed: list[str], notes: list[str]) -> FinalizeAnswer:
    answer = FinalizeAnswer(
        agent_summary_text=found.summary,
        contract_compliance=compliance_answer(found.compliance),
        attempt=found.attempt.ref,
        handoff=found.handoff.ref,
        task=entry_of(Loaded(found.task.record, found.task.loading)) if found.task else None,
        task_changed=found.task.changed_fields if found.task else (),
        task_skipped=found.skipped,
        errors=[taken_from(event, ErrorEventAnswer) for event in found.errors],
        decisions_proposed=proposed,
        notes=notes,
        summary_by=found.summed_up.by if found.summed_up else "rules",
        summary_note=found.summed_up.note if found.summed_up else None,
    )
    return with_texts(answer, stored)


def compliance_answer(found: Compliance) -> ComplianceAnswer:
    return taken_from(
        found,
        ComplianceAnswer,
        checks=taken_from(found.checks, ChecksAnswer),
        violations=[taken_from(one, FindingAnswer) for one in found.violations],
        warnings=[taken_from(one, FindingAnswer) for one in found.warnings],
    )
