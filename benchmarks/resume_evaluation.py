"""How well a brief names what the next session really went on from, asked of the corpus's own sessions.

A question is a session that continues earlier work: among the sessions of its repository that were over before it
began, one changed at least a share of the files that it changed. Its first meaningful prompt is the task, its beginning
is the clock. The answers are that predecessor, and the files it changed.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from aicx.corpus.catalog import Catalog
from aicx.evidence import read_steps
from aicx.evidence.calls import answered_calls, edits_of
from aicx.evidence.sessions import RepositoryScope, SessionRow, chunk_paths, known_folders, list_sessions
from aicx.evidence.statements import requests
from aicx.git import Roots, repository_of
from aicx.paths import NON_REPOSITORY, Layout

_MAX_TASK_LENGTH = 4000


@dataclass(frozen=True, slots=True)
class Question:
    """One session as a question. ``predecessors`` share the most with it; several where they tie."""

    session: str
    task: str
    now: datetime
    project: str | None
    folder: str
    branch: str | None
    files: frozenset[str]
    predecessors: frozenset[str]
    earlier: tuple[str, ...]  # every session of the repository that was over by then, the latest first


@dataclass(frozen=True, slots=True)
class Answer:
    """What a method gives: sessions and files, best first."""

    sessions: Sequence[str]
    files: Sequence[str]


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over all questions: a predecessor among the first 1 and 3, and the part of the files in the first 10."""

    questions: int
    predecessor_at_1: float
    predecessor_at_3: float
    files_at_10: float


@dataclass(frozen=True, slots=True)
class _Known:
    facts: SessionRow
    task: str | None
    changed: tuple[str, ...]
    began_on: str | None
    ended: datetime


def questions(layout: Layout, catalog: Catalog, now: datetime, least_share: float = 0.3) -> list[Question]:
    """Every session of the corpus that continues an earlier one of its repository, as a question.

    ``least_share`` is the share of its files that the earlier session must have changed.
    """
    return [
        question
        for project, folder in _repositories(catalog)
        for question in _of_repository(layout, catalog, project, folder, now, least_share)
    ]


def score(asked: Sequence[Question], method: Callable[[Question], Answer]) -> Scores:
    """How well a method answers."""
    first = third = files = 0.0
    for question in asked:
        answer = method(question)
        first += bool(question.predecessors & set(answer.sessions[:1]))
        third += bool(question.predecessors & set(answer.sessions[:3]))
        files += len(question.files & set(answer.files[:10])) / len(question.files)
    count = max(1, len(asked))
    return Scores(len(asked), first / count, third / count, files / count)


def latest_session(layout: Layout, catalog: Catalog) -> Callable[[Question], Answer]:
    """The baseline that goes on from whatever was last, and from the files that it changed."""

    def method(question: Question) -> Answer:
        files = changed_by(layout, catalog, question, question.earlier[0]) if question.earlier else ()
        return Answer(question.earlier, files)

    return method


def changed_by(layout: Layout, catalog: Catalog, question: Question, ref: str) -> tuple[str, ...]:
    """The files that one session changed, the last changed first."""
    scope = _scope(question.project, question.folder)
    sessions = list_sessions(catalog, scope, question.now, limit=None)
    found = next((session for session in sessions if session.ref == ref), None)
    return _known(layout, catalog, found, question.now, _roots(catalog, scope)).changed if found else ()


def _repositories(catalog: Catalog) -> Iterator[tuple[str | None, str]]:
    """(project, folder) of each repository; those without a known project by the folder they worked in."""
    rows = catalog.rows("SELECT DISTINCT project, cwd FROM chunks WHERE ignored=0 AND stream='' ORDER BY 1, 2")
    seen: set[str] = set()
    for row in rows:
        project = row["project"] if row["project"] != NON_REPOSITORY else None
        folder = repository_of(row["cwd"]) if row["cwd"] else None
        name = project or folder
        if name and name not in seen and not any(name.startswith(f"{other}/") for other in seen):
            seen.add(name)
            yield project, folder or ""


def _of_repository(
    layout: Layout, catalog: Catalog, project: str | None, folder: str, now: datetime, least_share: float
) -> Iterator[Question]:
    scope = _scope(project, folder)
    sessions = list_sessions(catalog, scope, now, limit=None)
    roots = _roots(catalog, scope)
    known = [
        _known(layout, catalog, session, now, roots)
        for session in sorted(sessions, key=lambda item: item.started_at)
        if session.lane == "primary"
    ]
    for item in known:
        earlier = [other for other in known if other.ended <= item.facts.started_at]
        if not item.task or not item.changed or not earlier:
            continue
        best = _predecessors(item, earlier)
        shared = max((len(set(other.changed) & set(item.changed)) for other in best), default=0)
        if not shared or shared / len(item.changed) < least_share:
            continue
        by_end = sorted(earlier, key=lambda other: (other.ended, other.facts.ref), reverse=True)
        yield Question(
            session=item.facts.ref,
            task=item.task[:_MAX_TASK_LENGTH],
            now=item.facts.started_at,
            project=project,
            folder=item.facts.cwd or folder,
            branch=item.began_on,
            files=frozenset(item.changed),
            predecessors=frozenset(other.facts.ref for other in best),
            earlier=tuple(other.facts.ref for other in by_end),
        )


def _predecessors(item: _Known, earlier: Sequence[_Known]) -> list[_Known]:
    """The earlier sessions that share most with this one; a file that everybody changes counts little."""
    spread = Counter(path for other in earlier for path in other.changed)
    worth: Mapping[str, float] = {path: math.log1p(len(earlier) / count) for path, count in spread.items()}
    shares = {other.facts.ref: sum(worth[path] for path in set(other.changed) & set(item.changed)) for other in earlier}
    most = max(shares.values())
    return [other for other in earlier if most > 0 and shares[other.facts.ref] > most - 1e-9]


def _known(layout: Layout, catalog: Catalog, session: SessionRow, now: datetime, roots: Roots) -> _Known:
    steps, _ = read_steps(layout, chunk_paths(catalog, session, now), now)
    edits = edits_of(answered_calls(steps), roots, session.cwd)
    wanted = requests(steps)
    first = catalog.rows(
        "SELECT branch FROM chunks WHERE agent=? AND session_id=? AND stream='' ORDER BY number LIMIT 1",
        [session.agent, session.session_id],
    )
    return _Known(
        session,
        wanted[0][0].text if wanted else None,
        tuple(edit.path for edit in edits),
        first[0]["branch"] if first else None,
        max((step.at for step in steps), default=session.completed_at),
    )


def _scope(project: str | None, folder: str) -> RepositoryScope:
    return RepositoryScope(project) if project else RepositoryScope(None, (repository_of(folder),))


def _roots(catalog: Catalog, scope: RepositoryScope) -> Roots:
    return Roots.of([*scope.folders, *known_folders(catalog, scope)])
