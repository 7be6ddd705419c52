"""`aicx.prepare/1`, `aicx.finalize/1`, `aicx.handoffs/1` and `aicx.boot/1`: the life cycle of a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from aicx.api.answers.contract import ContractAnswer, ContractResult
from aicx.api.answers.task import SkippedTask, TaskEntry
from aicx.values import dataclass

PREPARE_SCHEMA = "aicx.prepare/1"
FINALIZE_SCHEMA = "aicx.finalize/1"
HANDOFFS_SCHEMA = "aicx.handoffs/1"
BOOT_SCHEMA = "aicx.boot/1"


@dataclass(frozen=True, slots=True)
class FindingAnswer:
    """Something that was not as the contract said."""

    code: Annotated[str, "one of the [codes](work.md#compliance)"]
    severity: Annotated[str, "`violation` or `warning`"]
    detail: Annotated[str, "the same in words"]
    evidence: Annotated[Sequence[str], "paths or commands"]


@dataclass(frozen=True, slots=True)
class ChecksAnswer:
    """Each part of a contract: kept, not kept, or null where it asked for nothing or nothing was observed."""

    followed_first_action: Annotated[bool | None, "the file to begin with was opened"]
    edited_within_scope: Annotated[bool | None, "no other file was edited"]
    canonical_test_used: Annotated[bool | None, "the test that proves it was run"]
    finalize_used: Annotated[bool | None, "the end was reported"]


@dataclass(frozen=True, slots=True)
class ComplianceAnswer:
    """How a session kept to its contract. It is an audit, and stops nobody."""

    status: Annotated[str, "`followed`, `partial`, `violated` or `not_evaluated`"]
    score: Annotated[float | None, "0 to 1; null where nothing was evaluated"]
    checks: Annotated[ChecksAnswer, "each part of the contract"]
    structural_alignment: Annotated[str, "`followed`, `partially_followed`, `ignored` or `not_evaluated`"]
    violations: Annotated[list[FindingAnswer], "what was not kept"]
    warnings: Annotated[list[FindingAnswer], "what cannot be told or is minor"]
    main_issue: Annotated[str | None, "the code of the first violation or warning, or why nothing was evaluated"]
    compact_summary: Annotated[str, "one line of at most 120 characters"]


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
    """What a session needs at its start."""

    startup_banner_text: Annotated[str, "a line to show first, and up to four below it"]
    startup_banner_policy: Annotated[BannerPolicy, "when to show it"]
    session: Annotated[SessionAnswer, "the session that asks"]
    brief: Annotated[str, "the brief of [`resume`](resume.md), as Markdown"]
    active: Annotated[list[TaskEntry], "the open tasks that may be used here; without one the latest open session"]
    skipped: Annotated[list[SkippedTask], "those that may not, which nothing changes"]
    previous_contract_result: Annotated[ContractResult | None, "of the last session that could be evaluated"]
    execution_contract: Annotated[ContractAnswer | None, "what it is asked to keep to"]
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
class HandoffAnswer:
    """What a session leaves. A list holds what was stated first, then what its log says."""

    ref: Annotated[str, "`work:…` where somebody stated it, else the session that it is derived from"]
    origin: Annotated[str, "`stated` or `derived`"]
    session: Annotated[str | None, "reference of the session"]
    agent: Annotated[str | None, "whose session it was"]
    at: Annotated[str, "when the session ended"]
    branch: Annotated[str | None, "the branch that it was on"]
    compatible: Annotated[bool | None, "whether its branch is part of what is checked out; null where unknown"]
    offered: Annotated[bool, "whether it is the newest that fits here"]
    outcome: Annotated[str, "`resolved`, `failed` or `unresolved`"]
    goal: Annotated[str, "what was wanted; empty where that was not said"]
    summary: Annotated[str, "what was stated of its end, else what was said last"]
    done: Annotated[list[str], "what was reached and proved"]
    failing: Annotated[list[str], "what failed and did not pass since"]
    next: list[str]
    questions: Annotated[list[str], "asked and not answered"]
    decisions: Annotated[list[str], "what was decided"]
    starting_points: Annotated[list[str], "files, from the repository's root"]
    commits: Annotated[list[str], "commits made"]
    tests: Annotated[list[str], "tests that were run last, and how they ended"]
    refs: Annotated[list[str], "references that prove it"]
    claims: Annotated[list[str], "what the configured summarizer made of it; empty where the text is by rules alone"]


@dataclass(frozen=True, slots=True)
class HandoffsAnswer:
    """The handoffs of a repository, the newest first."""

    items: Annotated[list[HandoffAnswer], "the newest of them"]
    total: Annotated[int, "number there are"]
    notes: list[str]


@dataclass(frozen=True, slots=True)
class FinalizeAnswer:
    """What was kept of a session's end."""

    agent_summary_text: Annotated[str, "lines to repeat to the user: Context, Map, Saved, Contract, Next, Details"]
    contract_compliance: Annotated[ComplianceAnswer, "how the contract was kept"]
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
    """What aicx knows of a place and of who asks, for a look at why a session begins as it does."""

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
