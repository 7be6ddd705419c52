"""The response model of the page Work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from aicx.values import dataclass
from aicx.work.answers import TaskEntry
from aicx.work.compliance import Compliance
from aicx.work.contract import Contract
from aicx.work.failures import FailureItem
from aicx.work.files import DamagedFile
from aicx.work.handoff import HandoffAnswer


@dataclass(frozen=True, slots=True)
class WorkRepository:
    name: Annotated[str, "the repository; its id on this machine where it has no name"]
    tasks: Annotated[int, "number of its open tasks"]
    sessions: Annotated[int, "number of its stored sessions"]


@dataclass(frozen=True, slots=True)
class WorkTask:
    """An open task, judged where it was last begun if that folder is on this machine."""

    entry: Annotated[TaskEntry, "the task"]
    next: Annotated[str, "what to do next"]
    next_field: Annotated[str, "the field of the task that says so"]
    proofs: Annotated[dict[str, list[str]], "line of the task → references that prove it"]


@dataclass(frozen=True, slots=True)
class WorkSession:
    """The handoff of a session to the next one."""

    entry: Annotated[HandoffAnswer, "its handoff"]
    session: Annotated[str | None, "reference of the session, also of one that is not stored"]
    stored: Annotated[bool, "whether the session can be read here"]
    left_open: Annotated[
        bool,
        "whether its statement leaves work open, or `aicx resume` goes on from it and its log leaves something open",
    ]
    proofs: Annotated[dict[str, list[str]], "line of the handoff → references that prove it"]


@dataclass(frozen=True, slots=True)
class WorkContract:
    """A session that was given a contract, and how it kept to it."""

    ref: Annotated[str, "reference of the attempt"]
    goal: Annotated[str, "what was to be reached; empty where that was not said"]
    session: Annotated[str | None, "reference of the session"]
    stored: Annotated[bool, "whether the session can be read here"]
    agent: str
    at: Annotated[str, "when it was written last"]
    outcome: Annotated[str | None, "`success` or `failure` as it was reported, or null"]
    summary: Annotated[str, "what was said of its end"]
    contract: Annotated[Contract | None, "what it was asked to keep to"]
    result: Annotated[Compliance, "how it kept to it"]


@dataclass(frozen=True, slots=True)
class WorkPage:
    """The work in a repository, from what was stated and what earlier runs of `aicx store` read of its sessions."""

    repository: Annotated[str | None, "whose work this is"]
    at_hand: Annotated[bool, "whether its files are on this machine"]
    branch: Annotated[str | None, "what is checked out there"]
    repositories: Annotated[list[WorkRepository], "those with open tasks first, then the last worked in"]
    active: Annotated[list[WorkTask], "tasks that are worked on"]
    waiting: Annotated[list[WorkTask], "tasks that are paused or blocked"]
    skipped: Annotated[list[WorkTask], "tasks that may not be used on what is checked out; `loading` says why"]
    tasks_total: Annotated[int, "number of open tasks, of which the last changed are in the lists"]
    damaged: Annotated[Sequence[DamagedFile], "files that cannot be read as tasks, handoffs or attempts"]
    sessions: Annotated[list[WorkSession], "what sessions left, the newest first"]
    sessions_total: Annotated[int, "number of all handoffs"]
    failing: Annotated[list[FailureItem], "failures that are open, the last reported first"]
    failing_total: Annotated[int, "number of all open failures"]
    fixed: Annotated[list[FailureItem], "failures that were resolved, the last reported first"]
    fixed_total: Annotated[int, "number of all resolved failures"]
    contracts: Annotated[list[WorkContract], "sessions that were given a contract, the last first"]
    contracts_total: Annotated[int, "number of all of them"]
    unread: Annotated[int, "stored sessions that are not read yet and so are missing here; `aicx store` reads them"]
    notes: list[str]
