"""Which task a pack is about, and which sessions belong to it, each with the reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from aicx.config import Settings
from aicx.corpus.catalog.names import find_session, match_sessions
from aicx.errors import NotFound
from aicx.git.state import GitProbe
from aicx.packs.answers import PackScope
from aicx.packs.gathering import Gathered, applied_of, goal_of, scope_of, stems_of, terms_of
from aicx.resume.run import open_work
from aicx.text import shorten
from aicx.values import dataclass
from aicx.work.files import find_task
from aicx.work.handoff import hands_on
from aicx.work.patch import NewItem, Patch, apply, new_items
from aicx.work.place import Loaded, Present, new_record
from aicx.work.record import MAX_GOAL, GitContext, Section, Status, WorkRecord, clean, title_of
from aicx.work.session_facts import SessionFacts
from aicx.work.state import OpenTasks, open_tasks

_RANKS: dict[Status, int] = {"in_progress": 0, "blocked": 1, "paused": 2, "resolved": 3, "abandoned": 4}
# What ties a session to a task that is not its own, and what each tie is worth.
_LINKED, _SAME_FILE, _TITLE, _FOCUS, _BRANCH = 6, 5, 3, 4, 2
_MAX_FILES = 6  # beyond these, one that edited everything says nothing more
_COVERED = 0.8  # of the words of a title or a question, for a session to be about it
_SESSION = "session:"
# Branches that say nothing of a task.
_TRUNKS = frozenset({"main", "master", "develop", "dev", "trunk"})


@dataclass(frozen=True, slots=True)
class ChosenSession:
    facts: SessionFacts
    reason: str
    score: int


def choose_task(settings: Settings, gathered: Gathered, present: Present, look: GitProbe) -> tuple[Loaded, PackScope]:
    """The task that is named; else the one that is worked on: by place, then by status, then the last one.

    Without one that somebody began, the latest session that was left open. Raises NotFound for none.
    """
    query, place = gathered.query, gathered.place
    if query.task is not None and query.task.startswith(_SESSION):
        return _session_as_task(gathered, present, query.task), _scope(gathered)
    if query.task is not None:
        try:
            record = find_task(settings.layout, place.folders, query.task)
        except NotFound:
            if not match_sessions(query.task, {(one.agent, one.session_id) for one in gathered.facts}):
                raise
            return _session_as_task(gathered, present, query.task), _scope(gathered)
        return Loaded(record, present.loading(record)), _scope(gathered)
    found = open_tasks(settings, place, query.now, _looked(gathered, look))
    stated = [
        one for one in [*found.active, *found.waiting] if query.scope != "workspace" or gathered.is_here(one.record)
    ]
    if stated:
        best = min(
            stated,
            key=lambda one: (
                not gathered.is_here(one.record),
                _RANKS[one.record.status],
                -max(one.record.focused, one.record.sequence),
                one.record.id,
            ),
        )
        return best, _scope(gathered)
    scope = _scope(gathered)
    derived, skipped = _left_open(settings, gathered, present, scope, found, look)
    if derived is not None:
        return derived, scope
    if skipped:
        raise NotFound(
            f"what is open was left on other branches, which are not merged here: {len(skipped)}",
            hint=f"name one, such as aicx pack task {skipped[0].record.ref}",
        )
    left = next(filter(_is_left_open, gathered.within(applied_of(scope))), None)
    if left is not None:
        raise NotFound(
            "no task is open here, and none of the last sessions was left open",
            hint=f"name an earlier one: aicx pack task {left.ref}",
        )
    raise NotFound(
        "no task is open here, and no session was left open",
        hint='name a task, or begin one: aicx task start "…"; `aicx pack family` bundles the sessions of a repository',
    )


def sessions_of(record: WorkRecord) -> set[str]:
    """The references of the sessions that a task names."""
    return {ref for ref in (*record.sources, record.goal_source) if ref.startswith(_SESSION)}


def rank_sessions(
    task: Loaded, gathered: Gathered, scope: PackScope, handed: Collection[str], linked: Collection[str] = ()
) -> list[ChosenSession]:
    """The sessions that have to do with a task, those of its own first.

    ``handed`` left a handoff to it, ``linked`` came from its sessions, or they from these.
    """
    record, query = task.record, gathered.query
    own = sessions_of(record)
    files = {item.text for item in record.of("active_files")}
    title, focus = terms_of([record.title]), terms_of([query.focus])
    branch = record.git_context.branch if record.git_context else None
    sessions = [facts for facts in gathered.within(applied_of(scope)) if facts.lane != "subagent"]
    for facts in gathered.facts if own else ():  # its own are in, wherever they were
        if facts.ref in own and facts not in sessions:
            sessions.append(facts)
    files |= {path for facts in sessions if facts.ref in own for path in facts.edited}
    found = []
    for facts in sessions:
        ref = facts.ref
        ties = _ties(facts, files, title, focus, branch, is_linked=ref in linked)
        score = sum(ties.values())
        if ref in own:
            found.append(ChosenSession(facts, "task_session", score))
        elif ref in handed:
            found.append(ChosenSession(facts, "handoff_session", score))
        elif score:
            found.append(ChosenSession(facts, max(ties, key=lambda name: ties[name]), score))
    if not found and sessions:
        newest = next(filter(hands_on, sessions), sessions[0])
        found.append(ChosenSession(newest, "newest", 0))
    order = {"task_session": 0, "handoff_session": 1}
    found.sort(key=lambda one: one.facts.ref)
    found.sort(key=lambda one: one.facts.ended_at, reverse=True)
    found.sort(key=lambda one: (order.get(one.reason, 2), -one.score if one.reason not in order else 0))
    return found


def covers(wanted: frozenset[str], texts: Sequence[str | None]) -> bool:
    """Whether texts have nearly all of the words that are wanted."""
    return bool(wanted) and len(wanted & terms_of(texts)) >= _COVERED * len(wanted)


def says_together(phrase: str, texts: Iterable[str | None]) -> bool:
    """Whether one of the texts has the words of a phrase beside each other, in whichever form each of them is."""
    stems = stems_of(phrase)
    for text in texts if len(stems) > 1 else ():
        said = stems_of(text or "")
        if any(said[at : at + len(stems)] == stems for at in range(len(said) - len(stems) + 1)):
            return True
    return False


def said_by(facts: SessionFacts) -> list[str | None]:
    """Returns the texts that tell the subject of a session: title, plans, decisions, commits, goal and files."""
    lines = [*facts.next, *facts.decisions, *facts.commits, *filter(None, (facts.goal, facts.asked, facts.progress))]
    return [facts.title, *(line.text for line in lines), *facts.edited]


def _ties(
    facts: SessionFacts,
    files: Collection[str],
    title: frozenset[str],
    focus: frozenset[str],
    branch: str | None,
    *,
    is_linked: bool,
) -> dict[str, int]:
    same = len(set(facts.edited).intersection(files))
    summary = [facts.title, facts.goal.text if facts.goal else None, facts.progress.text if facts.progress else None]
    ties = {
        "focus_query": _FOCUS * covers(focus, said_by(facts)) if focus else 0,
        "linked": _LINKED * is_linked,
        "same_files": _SAME_FILE * min(same, _MAX_FILES),
        "title_in_summary": _TITLE * (len(title) > 1 and covers(title, summary)),
        "same_branch": _BRANCH * (branch is not None and branch not in _TRUNKS and facts.branch == branch),
    }
    return {name: worth for name, worth in ties.items() if worth}


def _scope(gathered: Gathered) -> PackScope:
    return scope_of(gathered.query, bool(gathered.within("workspace")), "sessions")


def _session_as_task(gathered: Gathered, present: Present, ref: str) -> Loaded:
    """The session that a reference or the beginning of one names. Raises NotFound, UsageError for several."""
    name = find_session(ref.removeprefix(_SESSION), {(one.agent, one.session_id) for one in gathered.facts})
    facts = next(one for one in gathered.facts if (one.agent, one.session_id) == name)
    record = _record_of(gathered, present, facts)
    return Loaded(record, present.loading(record), "it was named")


def _left_open(
    settings: Settings, gathered: Gathered, present: Present, scope: PackScope, begun: OpenTasks, look: GitProbe
) -> tuple[Loaded | None, Sequence[Loaded]]:
    """The latest session that was left open, as `aicx task status` shows it or from what is known of it already.

    The second is what is open and may not be used here.
    """
    query = gathered.query
    if not query.known_only and scope.applied == "family" and query.period.begin is query.period.end is None:
        found = open_work(settings, gathered.place, query.now, _looked(gathered, look), begun)
        return next(iter(found.active), None), found.skipped
    for facts in filter(_is_left_open, gathered.within(applied_of(scope))):
        record = _record_of(gathered, present, facts)
        return Loaded(record, present.loading(record), "it was left open"), ()
    return None, begun.skipped


def _looked(gathered: Gathered, look: GitProbe) -> GitProbe | None:
    """The look at git that has begun; without git there is nothing to look at."""
    return look if gathered.place.repository.common is not None else None


def _is_left_open(facts: SessionFacts) -> bool:
    return facts.state == "active" and facts.lane != "subagent" and not facts.automated and facts.wanted is not None


def _record_of(gathered: Gathered, present: Present, facts: SessionFacts) -> WorkRecord:
    """A session that was left open, as the task that it is."""
    goal = clean(goal_of(facts) or "", MAX_GOAL)
    ref, at = facts.ref, datetime.fromisoformat(facts.ended_at)
    record = replace(
        new_record(gathered.place, "thread", "", goal, at, present.context, gathered.project),
        goal_source=ref,
        created_at=datetime.fromisoformat(facts.started_at),
        git_context=GitContext(facts.branch is not None, at, facts.branch),
    )
    said: dict[Section, Sequence[NewItem | str]] = {
        "active_files": list(facts.edited),
        "failing": new_items(facts.failing),
        "next_steps": new_items(facts.next),
        "questions": new_items(facts.questions),
        "decisions": new_items(facts.decisions),
    }
    patch = Patch(
        title=title_of(shorten(facts.title or goal, MAX_GOAL)),
        next_action=facts.next[0].text if facts.next else None,
        said=said,
        sources=[ref],
        origin="derived",
    )
    return apply(record, patch, at, lambda path: path).record
