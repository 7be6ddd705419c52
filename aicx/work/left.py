"""Statements at the end of a session: they count where work goes on from there, and no log replaces them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from aicx.config import Settings
from aicx.evidence.sessions import SessionRow
from aicx.git.branches import CURRENT
from aicx.paths import Layout
from aicx.sources import RUN
from aicx.work.attempts import GO_ON, sessions_of
from aicx.work.files import HANDOFFS, newest_folders, read_all
from aicx.work.gone_on import GoneOn, Settled
from aicx.work.place import UNDONE, Loaded, Present, WorkPlace
from aicx.work.record import Item, WorkRecord, with_items

# The last statements, which alone are looked at: each costs reading a file.
_RECENT = 20
# Without the name of a session, a statement is of the one that was at work, or had ended so shortly before.
_LAST_WORDS = timedelta(minutes=10)
# The share of a question's words that a statement has to have.
_ENOUGH = 0.5
# What a log says of how a session ended, where its own statement says it better.
_UNSAID = frozenset({"interrupted", "nothing_said"})


def left_here(stated: Iterable[Loaded], session: SessionRow | None) -> Loaded | None:
    """The first of ``stated`` that is of the session that the work goes on from, or was made after its end."""
    return next(
        (
            one
            for one in stated
            if session is None or is_of(one.record, session) or one.record.updated_at >= session.completed_at
        ),
        None,
    )


def left_about(stated: Iterable[Loaded], task: str, left: Loaded | None) -> Loaded | None:
    """The statement that has most words of ``task``, as a search for it finds one; of equals the first of ``stated``.

    None where ``left`` has as many. Of a session only what it stated last counts.
    """
    last: dict[str, Loaded] = {}
    for one in stated:
        last.setdefault(next(iter(sessions_of(one.record)), one.record.ref), one)
    wanted = set(terms_of(task))
    known = nearness(wanted, left.record) if left is not None else 0.0
    near = [(nearness(wanted, one.record), one) for one in last.values()]
    share, nearest = max(near, key=lambda found: found[0], default=(0.0, None))
    return nearest if share > known else None


def usable_statements(
    settings: Settings,
    place: WorkPlace,
    present: Present,
    settled: Callable[[], Settled],
    until: datetime,
    but: Sequence[str] = (),
) -> Iterator[Loaded]:
    """The last statements that may be used here, the last one first.

    One made by a session whose id begins with one of ``but``, made after ``until``, or of a task that was closed for
    good since, as ``settled`` tells, does not count.
    """
    stated = last_statements(settings.layout, place.folders)
    closed = settled() if stated else []
    for record in stated:
        attempt = record.attempt
        if attempt is None or record.updated_at > until or (attempt.session or "").startswith(tuple(but)):
            continue
        if any(at > record.updated_at and {record.ref, record.parent} & {*task.sources} for task, at in closed):
            continue
        loading = present.loading(record)
        if loading.loadable:
            yield Loaded(record, loading)


def last_statements(layout: Layout, folders: Iterable[str] | None = None) -> list[WorkRecord]:
    """The last statements of the repositories in ``folders`` together, or of all, the last one first."""
    if folders is None:
        folders = newest_folders(layout, HANDOFFS, _RECENT)
    return read_all(layout, folders, (HANDOFFS,), most=_RECENT).records


def is_of(record: WorkRecord, session: SessionRow) -> bool:
    """Whether a statement is of ``session``: it names it, or names none and was made in its course."""
    own = sessions_of(record)
    return session.ref in own or (
        not own and session.started_at <= record.updated_at <= session.completed_at + _LAST_WORDS
    )


def gone_on_session(found: Sequence[GoneOn]) -> SessionRow | None:
    """The session that the work goes on from, among those that a choice looked at."""
    return next((one.session for one in reversed(found) if one.standing in CURRENT), None)


def with_left(left: Loaded | None, derived: Sequence[Loaded], gone_on: Sequence[GoneOn]) -> list[Loaded]:
    """Lists what is open: by a statement, with what the log of the same session has besides, else ``derived``."""
    if left is None:
        return list(derived)
    record = left.record
    own = next((one for one in gone_on if one.standing in CURRENT and is_of(record, one.session)), None)
    of_log = next((one for one in derived if own is not None and one.record.goal_source == own.session.ref), None)
    if not is_open(record):
        return [one for one in derived if one is not of_log or own is None or counts_beside(left, own)]
    why = f"{by_of(record)} stated that {'it failed' if has_failed(record) else 'there is more to do'}"
    goal = goal_of(record) or (of_log.record.goal if of_log else record.closing_note)
    task = replace(
        of_log.record if of_log else record,
        id="",
        kind="thread",
        title=record.title if goal_of(record) else of_log.record.title if of_log else record.closing_note,
        goal=goal,
        goal_source=record.ref,
        updated_at=record.updated_at,
        status="in_progress",
        next_action=next_of(record) or (of_log.record.next_action if of_log else ""),
        next_source=(),
        closing_note=record.closing_note,
        items=with_items(stated_items(record), of_log.record.items if of_log else ())[0],
        sources=tuple(dict.fromkeys((record.ref, *sessions_of(record)))),
    )
    return [Loaded(task, left.loading, why)]


def counts_beside(left: Loaded | None, gone_on: GoneOn) -> bool:
    """Whether what a session's log leaves open still counts where ``left`` was stated."""
    if left is None:
        return True
    unsaid = is_of(left.record, gone_on.session) and gone_on.brief.state_reason in _UNSAID
    return not is_open(left.record) and not unsaid


def stated_items(record: WorkRecord) -> tuple[Item, ...]:
    """The items that somebody stated, without those of a log."""
    return tuple(item for item in record.items if item.origin == "stated")


def has_failed(record: WorkRecord) -> bool:
    return record.attempt is not None and record.attempt.outcome == "failure"


def is_open(record: WorkRecord) -> bool:
    """Whether a statement leaves something to be done."""
    return has_failed(record) or bool(next_of(record))


def next_of(record: WorkRecord) -> str:
    """Returns what a statement says comes next; of a failure that says no more than what failed, that."""
    if record.next_action:
        return record.next_action
    stated = stated_items(record)
    for section, sentence in UNDONE:
        if found := next((item.text for item in stated if item.section == section), None):
            return sentence.format(found)
    return f"Go on with what failed: {record.closing_note}" if has_failed(record) else ""


def goal_of(record: WorkRecord) -> str:
    """The goal that a statement names; empty where none was given."""
    return "" if record.goal == GO_ON else record.goal


def by_of(record: WorkRecord) -> str:
    """Who stated something, or what ran: an agent, a person, or the name of a program that `aicx run` started."""
    attempt = record.attempt
    if attempt is None:
        return "a session"
    return attempt.session.rsplit("-", 2)[0] if attempt.agent == RUN and attempt.session else attempt.agent


def nearness(wanted: set[str], record: WorkRecord) -> float:
    """The share of the words that are ``wanted`` that a statement has; 0 for less than enough."""
    share = len(wanted & {*terms_of("\n".join(lines_of(record)))}) / len(wanted) if wanted else 0.0
    return share if share >= _ENOUGH else 0.0


def lines_of(record: WorkRecord) -> list[str]:
    """Returns what a statement says, each line with what it is."""
    attempt = record.attempt
    outcome = attempt.outcome if attempt is not None and attempt.outcome else "stated"
    named = {"next_steps": "next", "decisions": "decided (candidate)", "failing": "fails"}
    said = [f"goal: {goal_of(record)}"] if goal_of(record) and record.goal_source == "stated" else []
    said += [f"{outcome}: {record.closing_note}"] if record.closing_note else []
    return said + [f"{named[item.section]}: {item.text}" for item in stated_items(record) if item.section in named]


def terms_of(text: str) -> list[str]:
    """The words and names that a statement and a question are compared by."""
    from retrieval.analysis import analyze  # imported here: without a task nothing is compared

    terms = analyze(text, "")
    return [*terms.words, *terms.names]
