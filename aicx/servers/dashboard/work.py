"""The page Work: open tasks, what sessions left, failures with their fixes, and how contracts were kept.

The page shows what earlier runs of `aicx store` read of the sessions, and says how many are not read yet. Only which
session the work goes on from is found while it waits, by the choice of `resume` and `next`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from datetime import datetime
from functools import partial
from pathlib import Path

from aicx.config import Settings
from aicx.corpus.catalog.query import Opened, open_catalog
from aicx.corpus.places.stored import chunks_of
from aicx.errors import CorpusDamaged, NotFound, UsageError
from aicx.git.branches import CURRENT
from aicx.git.state import Git, GitProbe
from aicx.lifecycle.handoffs import HandoffLink, answer_of, chain
from aicx.paths import NON_REPOSITORY, Layout
from aicx.resume.brief.json_brief import contract_answer
from aicx.resume.run import gone_on
from aicx.servers.dashboard import requests as asked
from aicx.servers.dashboard.searches import folders_of, started_in
from aicx.servers.dashboard.work_shapes import WorkContract, WorkPage, WorkRepository, WorkSession, WorkTask
from aicx.text import instant
from aicx.values import dataclass
from aicx.work.answers import entry_of
from aicx.work.attempts import contract_of, session_ref
from aicx.work.compliance import result
from aicx.work.derived import settled_tasks
from aicx.work.facts_index import facts_so_far
from aicx.work.failures import item_of, patterns
from aicx.work.files import ATTEMPTS, HANDOFFS, DamagedFile, every_folder, open_records, read_all
from aicx.work.gone_on import git_shows, left_open
from aicx.work.handoff import proofs_of
from aicx.work.left import goal_of, is_open
from aicx.work.place import Loaded, Loading, Present, WorkPlace, evaluate, find_place, looking, next_steps, project_of
from aicx.work.record import Attempt, GitContext, WorkRecord
from aicx.work.session_facts import SessionFacts

_MAX_TASKS = 200
# Git that hangs may cost the page this much for each working folder, in seconds.
_TIMEOUT, _IN_ALL = 1.0, 2.0

Known = Mapping[str, SessionFacts]  # by the reference of the session


def read_work(settings: Settings, wanted: asked.WorkRequest, now: datetime) -> WorkPage:
    """Everything that the page shows of one repository.

    Where none is named it is the one that the server was started in, or the first in the list if that has no work.
    """
    records = read_records(settings.layout)
    every = repositories(settings, records)
    names = [one.name for one in every]
    here = started_in(settings)
    name = wanted.project or (here if here in names else next(iter(names), None))
    where = find_where(settings, name, records) if name else NamedRepository("", frozenset(), {})
    facts, unread, notes = facts_of(settings, where)
    known = {one.ref: one for one in facts}
    tasks = [record for record in records.tasks if record.repo_id in where.folders]
    others = [record for record in records.others if record.repo_id in where.folders]
    handoffs = [record for record in others if record.kind == "handoff"]
    attempts = [record for record in others if record.kind == "attempt" and record.attempt is not None]
    with ExitStack() as stack:
        git = _Git(where, now, stack)
        loaded = [Loaded(record, git.loading(record)) for record in tasks[:_MAX_TASKS]]
        links, total = chain(handoffs, facts, wanted.limit, git.present)
        branch = git.present.context.branch if git.present else None
        left = _left_open(settings, where.place, now) if git.present and git.present.context.available else None
    if name and where.place is None:
        notes = ["this repository is not at hand: whether work fits what is checked out is not known", *notes]
    usable = [task for task in loaded if task.loading.loadable]
    found = patterns(facts)
    failing = [one for one in found if one.status == "open"]
    fixed = [one for one in found if one.status == "resolved"]
    return WorkPage(
        repository=name,
        at_hand=where.place is not None,
        branch=branch,
        repositories=every,
        active=_tasks(task for task in usable if task.record.status == "in_progress"),
        waiting=_tasks(task for task in usable if task.record.status != "in_progress"),
        skipped=_tasks(task for task in loaded if not task.loading.loadable),
        tasks_total=len(tasks),
        damaged=records.damaged,
        sessions=[_session(link, known, left) for link in links],
        sessions_total=total,
        failing=list(map(item_of, failing[: wanted.failures])),
        failing_total=len(failing),
        fixed=list(map(item_of, fixed[: wanted.failures])),
        fixed_total=len(fixed),
        contracts=[_contract(one, known) for one in attempts[: wanted.limit]],
        contracts_total=len(attempts),
        unread=unread,
        notes=notes,
    )


class _Git:
    """The present state of each working folder that a record was last begun in; git is asked once for each."""

    def __init__(self, where: NamedRepository, now: datetime, stack: ExitStack) -> None:
        self._where, self._now, self._stack = where, now, stack
        self._asked: dict[str, Present] = {}
        self.present = self._at(where.place.worktree_id) if where.place else None

    def loading(self, record: WorkRecord) -> Loading:
        """Whether a record may be used in its own folder, else in another one of the same repository."""
        places = self._where.places
        same = [place.worktree_id for place in places.values() if record.repo_id in place.folders]
        if record.worktree_id in places or same:
            return self._at(record.worktree_id if record.worktree_id in places else same[0]).loading(record)
        nothing = GitContext(False, self._now, reason="its folder is not at hand")
        return evaluate(record.git_context, nothing, lambda _: None)

    def _at(self, worktree: str) -> Present:
        if worktree not in self._asked:
            look = looking(self._where.places[worktree], self._now, timeout=_TIMEOUT, in_all=_IN_ALL)
            self._asked[worktree] = self._stack.enter_context(look)
        return self._asked[worktree]


def _tasks(tasks: Iterable[Loaded]) -> list[WorkTask]:
    return [
        WorkTask(entry_of(step.task), step.text, step.field, proofs_of(step.task.record))
        for step in next_steps(list(tasks))
    ]


def _left_open(settings: Settings, place: WorkPlace | None, now: datetime) -> str | None:
    """The reference of the session that `resume` goes on from in ``place``, where that leaves something open."""
    if place is None:
        return None
    with suppress(NotFound, CorpusDamaged), GitProbe(Git(place.root, _TIMEOUT, _IN_ALL)) as look:
        choice, _ = gone_on(settings, place.root, now, look, keep=False)
        settled = settled_tasks(settings, place)
        for one in choice[-1:]:
            shows = partial(git_shows, look.git, look.state)
            if one.standing in CURRENT and left_open(one, now, shows, settled) is not None:
                return one.session.ref
    return None


def _session(link: HandoffLink, known: Known, left: str | None) -> WorkSession:
    entry = answer_of(link)
    attempt = link.found.attempt if isinstance(link.found, WorkRecord) else None
    session = entry.session or _ref_of(attempt)
    facts = known.get(session or "")
    if isinstance(link.found, WorkRecord):
        left_open = link.offered and is_open(link.found)
    else:
        left_open = session is not None and session == left
    return WorkSession(entry, session, facts is not None, left_open, proofs_of(link.found))


def _contract(record: WorkRecord, known: Known) -> WorkContract:
    attempt = record.attempt
    assert attempt is not None
    session = _ref_of(attempt)
    contract = contract_of(record)
    return WorkContract(
        ref=record.ref,
        goal=goal_of(record),
        session=session,
        stored=session in known,
        agent=attempt.agent,
        at=instant(record.updated_at, "seconds"),
        outcome=attempt.outcome,
        summary=attempt.summary,
        contract=contract_answer(contract) if contract else None,
        result=result(record, known.get(session or "")),
    )


def _ref_of(attempt: Attempt | None) -> str | None:
    """The reference of an attempt's session, which may not be stored yet."""
    return session_ref(attempt) if attempt is not None and attempt.session else None


_MAX_WORKTREES = 4  # each is asked for its branch, while a page waits


@dataclass(frozen=True, slots=True)
class Records:
    """Open tasks, and handoffs and attempts, of all repositories, those written last first."""

    tasks: Sequence[WorkRecord]
    others: Sequence[WorkRecord]
    damaged: Sequence[DamagedFile]
    names: Mapping[str, str]  # folder below ``work/`` → what the corpus calls the repository, else the folder


@dataclass(frozen=True, slots=True)
class NamedRepository:
    """A repository by its name, or by its id on this machine where it has none.

    ``folders`` are names below ``work/``; ``places`` are its working folders on this machine by the ids of worktrees,
    the one to judge by first.
    """

    name: str
    folders: frozenset[str]
    places: Mapping[str, WorkPlace]

    @property
    def place(self) -> WorkPlace | None:
        return next(iter(self.places.values()), None)


def read_records(layout: Layout) -> Records:
    folders = every_folder(layout)
    tasks, others = open_records(layout, folders), read_all(layout, folders, (HANDOFFS, ATTEMPTS))
    written = sorted([*tasks.records, *others.records], key=lambda record: record.sequence)
    names = {record.repo_id: record.project or record.repo_id for record in written}
    return Records(tasks.records, others.records, [*tasks.damaged, *others.damaged], names)


def repositories(settings: Settings, records: Records) -> list[WorkRepository]:
    """Every repository with sessions or records: those with open tasks first, then the last worked in."""
    sessions: dict[str, tuple[int, str]] = {}
    with suppress(NotFound), open_catalog(settings.layout) as opened:
        rows = opened.catalog.rows(
            "SELECT project, count(DISTINCT agent || ':' || session_id) AS sessions, max(completed_at) AS last"
            " FROM chunks WHERE ignored=0 AND stream='' AND project<>? GROUP BY project",
            (NON_REPOSITORY,),
        )
        sessions = {row["project"]: (row["sessions"], row["last"]) for row in rows}
    tasks = Counter(records.names[record.repo_id] for record in records.tasks)
    names = sorted({*sessions, *records.names.values()})
    names.sort(key=lambda name: (tasks[name] > 0, sessions.get(name, (0, ""))[1]), reverse=True)
    return [WorkRepository(name, tasks[name], sessions.get(name, (0, ""))[0]) for name in names]


def find_where(settings: Settings, name: str, records: Records) -> NamedRepository:
    """Where the work of a repository is."""
    places: dict[str, WorkPlace] = {}
    for place in _places(settings, name):
        places.setdefault(place.worktree_id, place)
        if len(places) == _MAX_WORKTREES:
            break
    named = [folder for folder, called in records.names.items() if called == name]
    own = [folder for place in places.values() for folder in place.folders]
    return NamedRepository(name, frozenset([*own, *named]), places)


def facts_of(settings: Settings, where: NamedRepository) -> tuple[list[SessionFacts], int, list[str]]:
    """Returns the facts of the repository's sessions, how many are not read yet, and notes."""
    try:
        with open_catalog(settings.layout) as opened:
            sql, values = _condition(settings, opened, where)
            facts, unread = facts_so_far(settings.layout, opened.catalog, sql, values)
            return facts, unread, opened.said
    except NotFound:  # nothing is stored yet
        return [], 0, []


def _condition(settings: Settings, opened: Opened, where: NamedRepository) -> tuple[str, Sequence[str]]:
    known = opened.catalog.rows("SELECT 1 FROM chunks WHERE project=? LIMIT 1", (where.name,))
    if known or where.place is None:
        return "project=?", [where.name]
    return chunks_of(opened.catalog, settings, where.place.root)


def _places(settings: Settings, name: str) -> Iterator[WorkPlace]:
    """Working folders of the repository: the one that aicx was started in, then those of its sessions."""
    with suppress(NotFound, UsageError, OSError):
        here = find_place(settings, Path.cwd())
        if name in (project_of(settings, here), here.repo_id):
            yield here
    with suppress(NotFound, CorpusDamaged):
        for folder in folders_of(settings, name):
            with suppress(NotFound, UsageError, OSError):
                yield find_place(settings, folder)
