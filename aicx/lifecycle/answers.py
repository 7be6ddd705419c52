"""The answers of the life cycle's commands, made from what was found or kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from aicx.lifecycle.prepare import PreparedStart
from aicx.resume.brief.json_brief import contract_answer, previous_answer
from aicx.storage.typed import with_texts
from aicx.values import dataclass
from aicx.work.answers import SkippedTask, TaskEntry, entry_of, skipped_of
from aicx.work.compliance import Compliance
from aicx.work.contract import Contract, ContractResult
from aicx.work.handoff import HandoffAnswer
from aicx.work.record import stored

PREPARE_SCHEMA = "aicx.prepare/1"
FINALIZE_SCHEMA = "aicx.finalize/1"
HANDOFFS_SCHEMA = "aicx.handoffs/1"
BOOT_SCHEMA = "aicx.boot/1"


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """The session that asks."""

    id: Annotated[str | None, "as its agent names it; null where nothing tells"]
    agent: Annotated[str, "its agent, `person` where none is known"]
    number: Annotated[int, "its number among the repository's sessions"]


@dataclass(frozen=True, slots=True)
class BannerPolicy:
    """When to show the banner."""

    already_shown: Annotated[bool, "whether this session had it before: it is shown once"]
    language: Annotated[str, "what of it may be put into the language of the person, and what may not"] = (
        "The words around it may be put into the language of the person who reads it. Names of agents, repositories,"
        " files and tasks, ids, numbers, commands and code stay as they are."
    )


@dataclass(frozen=True, slots=True)
class PrepareAnswer:
    """Everything that a session needs at its start."""

    startup_banner_text: Annotated[str, "a line to show first, and up to four below it"]
    startup_banner_policy: Annotated[BannerPolicy, "when to show it"]
    session: Annotated[SessionAnswer, "the session that asks"]
    brief: Annotated[str, "the brief of [`resume`](resume.md), as Markdown"]
    active: Annotated[list[TaskEntry], "the open tasks that may be used here; without one the latest open session"]
    skipped: Annotated[list[SkippedTask], "those that may not, which nothing changes"]
    previous_contract_result: Annotated[ContractResult | None, "of the last session that could be evaluated"]
    execution_contract: Annotated[Contract | None, "what it is asked to keep to"]
    attempt: Annotated[str | None, "reference of the record of this session; null where none was written"]
    entry_points_by: Annotated[str, "what decided about the files to begin with: `rules` or `arbiter`"]
    summary_by: Annotated[str, "what the brief's text is by: `rules`, or also the `summarizer`"]
    notes: Annotated[Sequence[str], "what could not be done, and why"] = ()


@dataclass(frozen=True, slots=True)
class ErrorEventAnswer:
    """An error as a tool reported it."""

    toolchain: Annotated[str, "the tool"]
    phase: Annotated[str, "such as `test`, `type`, `build`"]
    message: Annotated[str, "what it said"]
    code: Annotated[str | None, "of the error, or null"]
    file: Annotated[str | None, "from the repository's root, or null"]
    line: Annotated[int | None, "from 1, or null"]
    fingerprint: Annotated[str, "the same for the same mistake"]


@dataclass(frozen=True, slots=True)
class HandoffsAnswer:
    """The handoffs of a repository, the newest first."""

    items: Annotated[list[HandoffAnswer], "the newest of them"]
    total: Annotated[int, "number there are"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class FinalizeAnswer:
    """The end of a session as it was kept."""

    agent_summary_text: Annotated[str, "lines to repeat to the user: Context, Map, Saved, Contract, Next, Details"]
    contract_compliance: Annotated[Compliance, "how the contract was kept"]
    attempt: Annotated[str, "reference of the session's record"]
    handoff: Annotated[str, "reference of the handoff"]
    task: Annotated[TaskEntry | None, "the open task with what it learned; null where none is open or may be used"]
    task_changed: Annotated[Sequence[str], "the names of its fields that changed"]
    task_skipped: Annotated[str | None, "why no task was changed, where one is open elsewhere"]
    errors: Annotated[list[ErrorEventAnswer], "what the observed errors say"]
    decisions_proposed: Annotated[
        list[str], "records of the memory that decisions with a reason became, for a person to accept"
    ]
    notes: Annotated[list[str], "what was not taken over, and why"]
    summary_by: Annotated[str, "what the handoff's text is by: `rules`, or also the `summarizer`"]
    summary_note: Annotated[str | None, "what became of asking the summarizer; null where none is configured"]


@dataclass(frozen=True, slots=True)
class BootAnswer:
    """The place and the asker as aicx knows them, for a look at why a session begins as it does."""

    repo_id: Annotated[str, "the repository's id on this machine"]
    worktree_id: Annotated[str, "the id of the working folder"]
    root: str
    project: Annotated[str | None, "what the corpus calls the repository"]
    session: Annotated[SessionAnswer, "the session that asks"]
    sessions_stored: Annotated[int, "of this repository"]
    tasks: Annotated[dict[str, int], "number of tasks: `active`, `skipped`, `waiting`, `damaged`"]
    attempts: Annotated[int, "sessions that were prepared or finalized"]
    last_summary: Annotated[str, "what was said at the last end of a session, or that nothing was"]
    previous_contract_result: Annotated[ContractResult | None, "of the last session that could be evaluated"]


def prepared_answer(found: PreparedStart, brief: str) -> PrepareAnswer:
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
