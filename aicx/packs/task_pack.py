"""The pack of a task: everything that is known of it, within the limits, and what they left out counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict
from typing import TypeVar

from aicx.config import Settings
from aicx.corpus.catalog.query import open_catalog
from aicx.errors import AicxError, NotFound
from aicx.fields import taken_from
from aicx.git.state import GitProbe, GitState
from aicx.memory.answers import MemoryEntry
from aicx.packs.answers import PackAnchor, PackEdge, PackFile, PackHandoff, PackNote, PackSession, TaskPack
from aicx.packs.choosing import ChosenSession, choose_task, rank_sessions, sessions_of
from aicx.packs.gathering import Gathered, commits_by_file, gather, git_of, goal_of, memory_of, recent_commits
from aicx.packs.query import PackQuery
from aicx.refs import Ref
from aicx.text import instant
from aicx.work import attempts
from aicx.work.answers import entry_of
from aicx.work.files import CLOSED, HANDOFFS, read_all
from aicx.work.handoff import derived_answer, handoff_of, hands_on, stated_answer, texts
from aicx.work.place import looking
from aicx.work.record import WorkRecord, words_of

_MAX_SESSION_FILES = 20
_MAX_EXTERNAL = 20
_MAX_EDGES = 20

Thing = TypeVar("Thing")


def task_pack(settings: Settings, query: PackQuery) -> tuple[TaskPack, list[str]]:
    """The pack of the task that is named or worked on, and references of what it quotes.

    Raises NotFound for no task, UsageError where several fit.
    """
    gathered = gather(settings, query)
    limits, place = query.limits, gathered.place
    git = git_of(gathered)
    left_out: dict[str, int] = {}

    def some(name: str, things: Sequence[Thing], limit: int) -> list[Thing]:
        if len(things) > limit:
            left_out[name] = len(things) - limit
        return list(things[:limit])

    with GitProbe(git) as look, looking(place, query.now, look) as present:
        task, scope = choose_task(settings, gathered, present, look)
        records = read_all(settings.layout, place.folders, (HANDOFFS,)).records
        stated = stated_for(task.record, records, gathered)
        handed = {session for _, session in stated if session}
        remarks = [*gathered.remarks]
        related: list[PackEdge] = []
        if not query.known_only:
            related, notes = edges_of(settings, sessions_of(task.record) | handed, query.progress)
            remarks += notes
        linked = {ref for edge in related if edge.type != "related" for ref in (edge.from_ref, edge.to_ref)}
        every = rank_sessions(task, gathered, scope, handed, linked)
        sessions = some("sessions", every, limits.sessions)
        handoffs = some("handoffs", handoffs_of(stated, sessions), limits.handoffs)
        files = some("files", _files(task.record, handoffs, sessions), limits.files)
        changed = commits_by_file(git, query, [one.path for one in files], limits.commits_per_file)
        about = " ".join(filter(None, [task.record.goal, query.focus]))
        anchors: list[PackAnchor] = []
        memory: list[MemoryEntry] = []
        if not query.known_only:
            anchors, notes = _anchors(settings, look.state, about, limits.anchors, [one.path for one in files])
            memory, more = memory_of(settings, query, about, limits.memory)
            remarks += [*notes, *more]
        remarks += git.notes
        pack = TaskPack(
            generated_at=instant(query.now, "seconds"),
            place=gathered.place_of(present),
            scope=scope,
            filters=gathered.filters,
            limits=asdict(limits),
            task=entry_of(task),
            handoffs=handoffs,
            sessions=list(map(_session, sessions)),
            related=related,
            files=[PackFile(one.path, one.reasons, one.sessions, changed.get(one.path, [])) for one in files],
            external_refs=some("external_refs", _external(task.record, sessions), _MAX_EXTERNAL),
            commits=recent_commits(git, query, limits.commits),
            map_anchors=anchors,
            memory=memory,
            notes=some("notes", _notes(settings, gathered, task.record), limits.notes),
            left_out=left_out,
            remarks=list(dict.fromkeys(remarks)),
        )
    return pack, _quoted(pack, task.record)


def _quoted(pack: TaskPack, task: WorkRecord) -> list[str]:
    """References of all that a pack quotes."""
    refs = [*task.sources, task.goal_source, *(one.ref for one in pack.sessions)]
    refs += [one.session for one in pack.handoffs if one.session]
    refs += [ref for one in pack.related for ref in (one.from_ref, one.to_ref)]
    refs += [ref for item in task.items for ref in item.evidence]
    refs += [ref for one in pack.handoffs for ref in one.refs]
    return refs + [ref for one in pack.notes for ref in one.refs]


def _session(one: ChosenSession) -> PackSession:
    facts = one.facts
    return taken_from(
        facts,
        PackSession,
        reason=one.reason,
        score=one.score,
        goal=goal_of(facts),
        summary=facts.progress.text if facts.progress else None,
        next=texts(facts.next),
        failing=texts(facts.failing),
        files=facts.edited[:_MAX_SESSION_FILES],
    )


def _files(task: WorkRecord, handoffs: Sequence[PackHandoff], sessions: Sequence[ChosenSession]) -> list[PackFile]:
    """The files inside the repository: those of the task, then those that most of the sessions edited."""
    reasons: dict[str, dict[str, None]] = {}
    edited: Counter[str] = Counter()
    for item in task.of("active_files"):
        reasons.setdefault(item.text, {})["in_task"] = None
    for one in sessions:
        edited.update(set(one.facts.edited))
        for path in one.facts.edited:
            reasons.setdefault(path, {})["edited"] = None
        for failure in one.facts.failures:
            if failure.resolved is None and failure.file in one.facts.edited:
                reasons.setdefault(failure.file, {})["failed_here"] = None
    gone = {path for one in sessions for path in one.facts.deleted} - edited.keys()
    named = [path for path in reasons if _is_inside(path) and path not in gone]
    first = {path: number for number, path in enumerate(named)}
    named.sort(
        key=lambda path: (
            "in_task" not in reasons[path],
            "failed_here" not in reasons[path],
            -edited[path],
            first[path],
        )
    )
    return [PackFile(path, list(reasons[path]), edited[path], ()) for path in named]


def _external(task: WorkRecord, sessions: Sequence[ChosenSession]) -> list[str]:
    paths = [item.text for item in task.of("active_files")]
    paths += [path for one in sessions for path in (*one.facts.edited, *one.facts.opened)]
    requests = [line.text for one in sessions for line in one.facts.pull_requests]
    return list(dict.fromkeys([*requests, *(path for path in paths if not _is_inside(path))]))


def _is_inside(path: str) -> bool:
    return not path.startswith(("/", "~", "../")) and path != ".."


def _anchors(
    settings: Settings, state: GitState, about: str, limit: int, boost: Collection[str]
) -> tuple[list[PackAnchor], list[str]]:
    from aicx.resume.files import read_structure

    _, symbols, notes = read_structure(settings.layout, state, about, limit, list(boost))
    anchors = [PackAnchor(str(Ref.of_symbol(one.path, one.line)), one.symbol, one.reasons) for one in symbols]
    return anchors, list(notes)


def _notes(settings: Settings, gathered: Gathered, task: WorkRecord) -> list[PackNote]:
    """The notes that the caller has, but what the task says itself, then those of closed tasks, the last first."""
    said = {task.goal, task.next_action, *(item.text for item in task.items)}
    found = read_all(settings.layout, gathered.place.folders, (CLOSED,)).records
    period = gathered.query.period
    closed = [
        (instant(record.updated_at, "seconds"), record)
        for record in found
        if record.kind == "thread" and record.closing_note and record.id != task.id
    ]
    return [
        *(one for one in gathered.query.notes if one.text not in said),
        *(
            PackNote("closing_note", record.closing_note, at, [record.ref])
            for at, record in closed
            if period.holds(at, at)
        ),
    ]


def edges_of(
    settings: Settings, refs: Collection[str], progress: Callable[[int, int], None] | None = None
) -> tuple[list[PackEdge], list[str]]:
    """The edges from and to these sessions, the surest first; and remarks on why there are none.

    They are worked out where `aicx store` has not done so, for which ``progress`` is told how far it is.
    """
    if not refs:
        return [], []
    from aicx.sessions.family import open_family  # imported here: a task without sessions does without

    try:
        with open_catalog(settings.layout) as opened, open_family(settings.layout, opened.catalog, progress) as family:
            ordered = sorted(refs)
            found = [*family.older(ordered), *(edge for ref in ordered for edge in family.newer(ref))]
    except NotFound:  # nothing is stored
        return [], []
    except AicxError as error:
        return [], [f"how sessions are related was not asked: {error.message}"]
    edges = sorted(dict.fromkeys(found), key=lambda edge: (-edge.confidence, edge.from_ref, edge.to_ref, edge.type))
    return [taken_from(edge, PackEdge) for edge in edges[:_MAX_EDGES]], []


# A handoff that somebody stated for the task, and its session.
StatedHandoff = tuple[WorkRecord, str | None]


def stated_for(task: WorkRecord, records: Iterable[WorkRecord], gathered: Gathered) -> list[StatedHandoff]:
    """The stated handoffs of a task, the newest first: of its sessions, or with its goal."""
    period = gathered.query.period
    found = []
    for record in records:
        at = instant(record.updated_at, "seconds")
        session = next(iter(attempts.sessions_of(record)), None)
        is_own = session is not None and session in (*task.sources, task.goal_source)
        if period.holds(at, at) and (is_own or words_of(record.goal) == words_of(task.goal)):
            found.append((record, session))
    return found


def handoffs_of(stated: Sequence[StatedHandoff], sessions: Sequence[ChosenSession]) -> list[PackHandoff]:
    """Returns stated handoffs, then derived ones of the chosen sessions that stated none; each the newest first."""
    spoken = {session for _, session in stated}
    derived = [one for one in sessions if one.facts.ref not in spoken and hands_on(one.facts)]
    derived.sort(key=lambda one: one.facts.ended_at, reverse=True)
    return [*(_stated(*one) for one in stated), *map(_derived, derived)]


def _stated(record: WorkRecord, session: str | None) -> PackHandoff:
    refs = list(dict.fromkeys(ref for item in record.items for ref in item.evidence))
    return taken_from(stated_answer(record), PackHandoff, reason="of_task", session=session, refs=refs)


def _derived(one: ChosenSession) -> PackHandoff:
    handoff, facts = handoff_of(one.facts), one.facts
    lines = (*handoff.done, *facts.failing, *facts.next, *facts.questions, *facts.decisions)
    reason = "of_task" if one.reason == "task_session" else "of_session"
    refs = list(dict.fromkeys(ref for line in lines for ref in line.refs))
    return taken_from(derived_answer(handoff), PackHandoff, reason=reason, refs=refs)
