"""The end of a session: its outcome, the handoff it leaves, what the task learns, and how it kept to its contract."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path

from aicx.config import Settings
from aicx.errors import AicxError, NotFound, UsageError
from aicx.fields import taken_from
from aicx.lifecycle.answers import ErrorEventAnswer, FinalizeAnswer
from aicx.lifecycle.identity import NOBODY, Asker
from aicx.memory.proposing import Draft, propose
from aicx.memory.reading import find_scope
from aicx.memory.record import Source
from aicx.storage.event_lines import new_id
from aicx.storage.typed import with_texts
from aicx.text import plural
from aicx.toolchains.parsing import parse
from aicx.values import dataclass
from aicx.work.answers import entry_of
from aicx.work.attempts import attempt_of, begin, end
from aicx.work.compliance import Compliance, known_facts, result
from aicx.work.events import changing
from aicx.work.handoff import handoff_of
from aicx.work.patch import NewItem, Patch, apply, new_items
from aicx.work.place import Loaded, WorkPlace, find_place, looking, new_record, project_of
from aicx.work.record import (
    MAX_GOAL,
    MAX_LISTED,
    Attempt,
    Outcome,
    Section,
    Stated,
    WorkRecord,
    clean,
    stored,
    words_of,
)
from aicx.work.session_facts import SessionFacts
from aicx.work.state import Written, open_tasks, update
from aicx.work.summarizer import Fact, Summary, summarize

Notify = Callable[[str], None]
_SOURCE = "finalize"  # as events name it


@dataclass(frozen=True, slots=True)
class Ending:
    """The statement of a session's end. Paths may be absolute or from the current folder."""

    outcome: Outcome
    summary: str
    task: str = ""
    stated: Stated = field(default=Stated())
    next_steps: Sequence[str] = ()
    decisions: Sequence[str] = ()


def finalize(
    settings: Settings, folder: Path, asker: Asker, ending: Ending, now: datetime, *, notify: Notify = lambda _: None
) -> FinalizeAnswer:
    """Keeps the end of a session, and proposes its decisions that give a reason to the memory.

    Said twice, the later outcome counts and both handoffs are kept.

    Raises UsageError for an empty summary, NotFound for a folder that is none, StoreUnwritable.
    """
    if not ending.summary.strip():
        raise UsageError("a summary says what was reached", hint='--summary "The export handles empty files"')
    place = find_place(settings, folder)
    stated = _relative(place, folder, ending.stated)
    known = attempt_of(settings, place, asker.agent, asker.session)
    if known is None:
        new = Attempt(asker.agent, asker.session)
        known = begin(settings, place, ending.task, new, now, source=_SOURCE, notify=notify)
    ended = end(settings, known, ending.outcome, ending.summary, stated, now, source=_SOURCE, notify=notify)
    facts = known_facts(settings, place, {asker.session or ""}).get((asker.agent, asker.session or ""))
    compliance = result(ended, facts)
    task, skipped = _tell_task(settings, place, ended, ending, now, notify)
    # Before anything is locked: it may take a while.
    summed_up = _summed_up(settings.summarizer, ended, ending, facts) if settings.summarizer else None
    handoff = _hand_off(settings, place, ended, ending, facts, summed_up, now, notify)
    proposed, notes = propose_decisions(settings, folder, asker, ending.decisions, ended.sources, now, notify)
    observed = parse("\n".join(ending.stated.errors)).events if ending.stated.errors else ()
    answer = FinalizeAnswer(
        agent_summary_text=_summary(ended, ending, compliance, task, handoff),
        contract_compliance=compliance,
        attempt=ended.ref,
        handoff=handoff.ref,
        task=entry_of(Loaded(task.record, task.loading)) if task else None,
        task_changed=task.changed_fields if task else (),
        task_skipped=skipped,
        errors=[taken_from(event, ErrorEventAnswer) for event in observed if event.severity == "error"],
        decisions_proposed=proposed,
        notes=notes,
        summary_by=summed_up.by if summed_up else "rules",
        summary_note=summed_up.note if summed_up else None,
    )
    return with_texts(answer, stored)


def _relative(place: WorkPlace, folder: Path, stated: Stated) -> Stated:
    """Returns what was stated, within its bounds, without secrets, and with paths from the repository's root."""

    def paths(given: Sequence[str]) -> tuple[str, ...]:
        return tuple(clean(path) for name in given[:MAX_LISTED] if (path := place.relative(name, folder)))

    def texts(given: Sequence[str]) -> tuple[str, ...]:
        return tuple(filter(None, map(clean, given[:MAX_LISTED])))

    return Stated(
        paths(stated.opened), paths(stated.edited), texts(stated.commands), texts(stated.tests), texts(stated.errors)
    )


def _tell_task(
    settings: Settings, place: WorkPlace, ended: WorkRecord, ending: Ending, now: datetime, notify: Notify
) -> tuple[Written | None, str | None]:
    """Adds what the session did to the open task. A task that may not be used here is left as it is, and said."""
    assert ended.attempt is not None
    tasks = open_tasks(settings, place, now)
    if not tasks.active:
        left = [task.record.title for task in tasks.skipped]
        return None, f"left as it was: {', '.join(left[:3])}" if left else None
    stated = ended.attempt.stated
    said: dict[Section, Sequence[NewItem | str]] = {
        "active_files": stated.edited,
        "commands": stated.tests,
        "next_steps": list(ending.next_steps),
        "decisions": list(ending.decisions),
    }
    if ending.outcome == "success":
        said["verified"] = [ending.summary]
    else:
        said["risks"] = [ending.summary]
        said["failing"] = stated.errors[:3]
    patch = Patch(
        next_action=ending.next_steps[0] if ending.next_steps else None, said=said, sources=(*ended.sources, ended.ref)
    )
    wanted = _same_goal(tasks.active, ending.task)
    try:
        return update(settings, place, wanted, patch, now, source=_SOURCE, notify=notify), None
    except (NotFound, UsageError) as error:  # it was closed, or its branch left, since
        return None, error.message


def _same_goal(active: Sequence[Loaded], goal: str) -> str | None:
    """The id of the open task that has this goal; None for the one that was last begun."""
    wanted = words_of(goal)
    return next((task.record.id for task in active if wanted and words_of(task.record.goal) == wanted), None)


def _hand_off(
    settings: Settings,
    place: WorkPlace,
    ended: WorkRecord,
    ending: Ending,
    facts: SessionFacts | None,
    summed_up: Summary | None,
    now: datetime,
    notify: Notify,
) -> WorkRecord:
    """The handoff: what was stated first, then what the log says."""
    assert ended.attempt is not None
    goal, goal_source = clean(ending.task, MAX_GOAL), "stated"
    if not goal and facts is not None and facts.goal is not None:
        goal, goal_source = clean(facts.goal.text, MAX_GOAL), facts.ref
    elif not goal:
        goal, goal_source = ended.goal, ended.goal_source
    with looking(place, now) as present, changing(settings, now, _SOURCE, notify) as change:
        project = project_of(settings, place)
        record = replace(
            new_record(place, "handoff", new_id()[:12], goal, now, present.context, project),
            goal_source=goal_source,
            status="resolved" if ending.outcome == "success" else "blocked",
            closing_note=clean(ending.summary),
            parent=ended.ref,
            attempt=ended.attempt,
        )
        record = apply(record, _stated(ended.attempt.stated, ending), now, place.relative).record
        if facts is not None:
            record = apply(record, derived_patch(facts), now, lambda path: path).record
        if summed_up is not None:
            claims = [NewItem(claim.text, claim.refs) for claim in summed_up.claims]
            record = apply(record, Patch(said={"claims": claims}, origin="derived"), now, lambda path: path).record
        record = change.put(record, "handed_off")
        change.publish()
        return record


def _summed_up(command: str, ended: WorkRecord, ending: Ending, facts: SessionFacts | None) -> Summary:
    """Returns what the command makes of everything that the handoff holds; what was stated is proved by the attempt."""
    assert ended.attempt is not None
    patches = [_stated(ended.attempt.stated, ending), *([derived_patch(facts)] if facts else [])]
    listed = [
        Fact(section, said, (ended.ref,))
        if isinstance(said, str)
        else Fact(section, said.text, said.evidence or (ended.ref,))
        for patch in patches
        for section, lines in patch.said.items()
        for said in lines
    ]
    return summarize(command, "handoff", ended.goal, listed)


def _stated(stated: Stated, ending: Ending) -> Patch:
    succeeded = ending.outcome == "success"
    return Patch(
        next_action=ending.next_steps[0] if ending.next_steps else None,
        said={
            "verified": [ending.summary] if succeeded else [],
            "failing": stated.errors[:8] if not succeeded else [],
            "next_steps": list(ending.next_steps),
            "decisions": list(ending.decisions),
            "starting_points": stated.edited[:5],
            "tests": stated.tests,
        },
    )


def derived_patch(facts: SessionFacts) -> Patch:
    """Returns what a session's log says for its handoff."""
    handoff = handoff_of(facts)
    said: dict[Section, Sequence[NewItem | str]] = {
        "verified": new_items(handoff.done),
        "failing": new_items(facts.failing),
        "next_steps": new_items(facts.next),
        "questions": new_items(facts.questions),
        "decisions": new_items(facts.decisions),
        "starting_points": [NewItem(path, (handoff.facts.ref,)) for path in handoff.starting_points],
        "commits": new_items(facts.commits),
        "tests": [NewItem(f"`{run.command}` passed", (run.ref,)) for run in handoff.tests if run.passed],
    }
    return Patch(said=said, sources=(handoff.facts.ref,), origin="derived")


def _summary(
    ended: WorkRecord, ending: Ending, compliance: Compliance, task: Written | None, handoff: WorkRecord
) -> str:
    """The lines that an agent repeats to its user; a line only where there is something to say."""
    assert ended.attempt is not None
    stated = ended.attempt.stated
    saved_ = ["the handoff", *(["the task"] if task is not None and task.changed_fields else [])]
    map_ = [plural(len(stated.edited), "file") + " edited"] if stated.edited else []
    map_ += [plural(len(stated.tests), "test") + " run"] if stated.tests else []
    step = clean(ending.next_steps[0]) if ending.next_steps else task.record.next_action if task else ""
    lines = [
        ("Context", task.record.title if task else ended.title if ended.attempt.contract else ""),
        ("Map", ", ".join(map_)),
        ("Summary", "; ".join(handoff.texts("claims"))),
        ("Saved", " and ".join(saved_)),
        ("Contract", compliance.compact_summary if compliance.score is not None else ""),
        ("Next", step),
        ("Details", f"aicx task handoffs --limit 1 ({handoff.ref})"),
    ]
    return "\n".join(f"{name}: {text}" for name, text in lines if text)


_REASON = re.compile(
    r"\b(?:because|since|so that|in order to|due to|as it|as they|otherwise|to avoid|to keep)\b", re.IGNORECASE
)


def propose_decisions(
    settings: Settings,
    folder: Path,
    asker: Asker,
    decisions: Sequence[str],
    evidence: Sequence[str],
    now: datetime,
    notify: Callable[[str], None],
) -> tuple[list[str], list[str]]:
    """The references of the records that those decisions became that give a reason, and notes on those that did not."""
    reasoned = [text for text in decisions if _REASON.search(text)]
    without = [
        f"not proposed to the memory, because it gives no reason: {text}" for text in decisions if text not in reasoned
    ]
    if not reasoned:
        return [], without
    source = Source("human" if asker.agent == NOBODY else "assistant", agent=asker.agent, session=asker.session)
    try:
        scope = find_scope(settings, folder)
        drafts = [
            Draft(text, "decision", source=source, repository=scope.repository, evidence=evidence, by=asker.agent)
            for text in reasoned
        ]
        return [record.ref for record, _ in propose(settings, scope, drafts, now, notify)], without
    except AicxError as error:  # the end of the session is kept all the same
        return [], [*without, f"decisions were not proposed: {error.message}"]
