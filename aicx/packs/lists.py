"""The lists of a family, from what owners say: each line once, with all owners that say it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime

from aicx.packs.answers import FamilyItem, Support
from aicx.packs.choosing import covers, said_by, says_together
from aicx.packs.gathering import goal_of, terms_of
from aicx.text import first_of, instant, shorten
from aicx.values import dataclass
from aicx.work.failures import Pattern, patterns
from aicx.work.handoff import hands_on
from aicx.work.record import MAX_TEXT, MAX_TITLE, WorkRecord
from aicx.work.session_facts import Said, SessionFacts

_OPEN = frozenset({"in_progress", "paused", "blocked", "active"})


@dataclass(slots=True)
class Owner:
    """A task with its sessions, or one session. ``parts`` are its sessions, the newest first."""

    ref: str
    title: str
    status: str
    started_at: str
    updated_at: str
    branch: str | None
    task: WorkRecord | None = None
    parts: list[SessionFacts] = field(default_factory=list)

    @property
    def is_open(self) -> bool:
        return self.status in _OPEN

    @property
    def sessions(self) -> list[str]:
        return [facts.ref for facts in self.parts]


def owners_of(tasks: Iterable[WorkRecord], facts: Sequence[SessionFacts]) -> list[Owner]:
    """The owners, the last active first. A session that several tasks name belongs to the one that changed last.

    Subagents, and sessions that left nothing, own nothing.
    """
    owners: list[Owner] = []
    taken: dict[str, Owner] = {}
    for task in sorted(tasks, key=lambda one: (-one.updated_at.timestamp(), one.id)):
        owner = _of_task(task)
        owners.append(owner)
        for ref in (*task.sources, task.goal_source):
            if ref.startswith("session:"):
                taken.setdefault(ref, owner)
    for one in facts:
        ref = one.ref
        known = taken.get(ref)
        if known is not None:
            known.parts.append(one)
            known.started_at = min(known.started_at, one.started_at)
            known.updated_at = max(known.updated_at, one.ended_at)
            known.branch = known.branch or one.branch
        elif hands_on(one):
            owner = _of_session(ref, one)
            taken[ref] = owner  # its part in another folder of the repository is the same session
            owners.append(owner)
    for owner in owners:
        owner.parts.sort(key=lambda one: one.ended_at, reverse=True)
    owners.sort(key=lambda owner: owner.ref)
    return sorted(owners, key=lambda owner: owner.updated_at, reverse=True)


def focused(owners: Iterable[Owner], focus: str) -> list[Owner]:
    """The owners that have to do with a question, those that say its words beside each other first."""
    wanted = terms_of([focus])
    found = []
    for owner in owners:
        said = [text for facts in owner.parts for text in said_by(facts)]
        if owner.task is not None:
            said += [owner.task.goal, owner.task.next_action, *(item.text for item in owner.task.items)]
        texts = [owner.title, *said]
        if covers(wanted, texts):
            found.append((not says_together(focus, texts), owner))
    return [owner for _, owner in sorted(found, key=lambda pair: pair[0])]


def chosen(owners: Sequence[Owner], count: int) -> list[Owner]:
    """The owners that a summary is about: open tasks, then sessions left open, then the last active."""
    ordered = sorted(owners, key=lambda owner: (not (owner.task and owner.is_open), not owner.is_open))
    return ordered[:count]


def _of_task(task: WorkRecord) -> Owner:
    branch = task.git_context.branch if task.git_context else None
    begun, changed = instant(task.created_at, "seconds"), instant(task.updated_at, "seconds")
    return Owner(task.ref, task.title, task.status, begun, changed, branch, task)


def _of_session(ref: str, facts: SessionFacts) -> Owner:
    title = facts.title or shorten(goal_of(facts) or "", MAX_TITLE) or "a session without a goal"
    return Owner(ref, title, facts.state, facts.started_at, facts.ended_at, facts.branch, None, [facts])


_MAX_SOURCES, _MAX_REFS = 10, 5
_SEVERAL = 2  # owners from which something recurs
_OFTEN = 3  # owners from which a command that fails in many ways recurs
_MAX_NAMED = 2


@dataclass(slots=True)
class _PackLine:
    text: str
    at: str
    origin: str
    refs: dict[str, None] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)  # reference -> when it said so last


class Lines:
    """Lines of one list. What differs in case, order or little words only is one, as it was said last."""

    def __init__(self) -> None:
        self._lines: dict[object, _PackLine] = {}

    def add(
        self, owner: str, text: str, at: str, refs: Iterable[str] = (), origin: str = "derived", key: object = None
    ) -> None:
        text = shorten(text, MAX_TEXT)
        if not text:
            return
        key = key or terms_of([text]) or text
        line = self._lines.setdefault(key, _PackLine(text, at, origin))
        if at > line.at:
            line.text, line.at = text, at
        if origin == "stated":
            line.origin = origin
        line.refs |= dict.fromkeys(refs)
        line.owners[owner] = max(at, line.owners.get(owner, ""))

    def items(self, now: datetime, *, least: int = 1, most: int | None = None) -> list[FamilyItem]:
        """The lines of at least ``least`` and at most ``most`` owners, the latest first."""
        fitting = [line for line in self._lines.values() if least <= len(line.owners) <= (most or len(line.owners))]
        fitting.sort(key=lambda line: line.text)
        fitting.sort(key=lambda line: line.at, reverse=True)
        return [_item(line, now) for line in fitting]


def lists_of(owners: Sequence[Owner], now: datetime) -> dict[str, list[FamilyItem]]:
    """Every list by its name, without a limit."""
    found = {name: Lines() for name in ("current_focus", "recent_changes", "learnings", "risks", "next_work")}
    for owner in owners:
        _add_task(owner, found)
        for facts in owner.parts:
            _add_session(owner, facts, found)
    names = {facts.ref: owner.ref for owner in owners for facts in owner.parts}
    every = [facts for owner in owners for facts in owner.parts]
    known = patterns(every)
    _add_failures(every, names, found["risks"])
    resolved, proofs = _resolutions(known, names), _proofs(owners)
    learnings = found["learnings"]
    return {
        "current_focus": found["current_focus"].items(now),
        "recent_changes": found["recent_changes"].items(now),
        "learnings": sorted(
            [*learnings.items(now, most=1), *resolved.items(now, most=1)],
            key=lambda item: (item.origin == "stated", item.support.latest_updated_at),
            reverse=True,
        ),
        "recurring_learnings": _most_first(
            learnings.items(now, least=_SEVERAL), proofs.items(now, least=_SEVERAL), resolved.items(now, least=_SEVERAL)
        ),
        "risks": found["risks"].items(now),
        "next_work": found["next_work"].items(now),
        "recurring_mistakes": _most_first(
            _mistakes(known, names).items(now, least=_SEVERAL), _failing_commands(known, names).items(now, least=_OFTEN)
        ),
    }


def _most_first(*lists: Iterable[FamilyItem]) -> list[FamilyItem]:
    """All of them, those of the most owners first."""
    return sorted((item for items in lists for item in items), key=lambda item: -item.support.owner_count)


def _add_task(owner: Owner, found: Mapping[str, Lines]) -> None:
    task = owner.task
    if task is None:
        return
    at = instant(task.updated_at, "seconds")
    stated = [task.ref]

    def add(name: str, *sections: str) -> None:
        for item in task.items:
            if item.section in sections:
                found[name].add(owner.ref, item.text, instant(item.at, "seconds"), item.evidence or stated, item.origin)

    if task.is_open:
        goal = task.goal if task.status == "in_progress" else f"{task.goal} ({task.status})"
        found["current_focus"].add(owner.ref, goal, at, stated, "stated")
        if task.next_action:
            found["next_work"].add(owner.ref, task.next_action, at, stated, "stated")
        add("next_work", "next_steps", "questions")
        add("risks", "risks", "failing", "blocked")
        for item in task.of("uncertainties"):
            found["risks"].add(owner.ref, f"Uncertain: {item.text}", instant(item.at, "seconds"), stated, item.origin)
    elif task.closing_note:
        found["recent_changes"].add(owner.ref, f"{task.title}: {task.closing_note}", at, stated, "stated")
    add("learnings", "verified", "decisions")
    for item in task.of("discarded_paths"):
        found["learnings"].add(
            owner.ref, f"Given up: {item.text}", instant(item.at, "seconds"), item.evidence or stated, item.origin
        )
    add("recent_changes", "commits")


def _add_session(owner: Owner, facts: SessionFacts, found: Mapping[str, Lines]) -> None:
    def add(name: str, lines: Iterable[Said], before: str = "") -> None:
        for line in lines:
            found[name].add(owner.ref, f"{before}{line.text}", line.at, line.refs)

    add("recent_changes", facts.commits)
    add("recent_changes", facts.pull_requests, "Pull request ")
    add("learnings", facts.decisions)
    # What a closed task left undone was let go with it.
    if facts.state == "active" and (owner.task is None or owner.task.is_open):
        if owner.task is None and (goal := goal_of(facts)):
            found["current_focus"].add(owner.ref, goal, facts.ended_at, [facts.ref])
        add("next_work", facts.next)
        add("next_work", facts.questions, "To be answered: ")


def _add_failures(sessions: Sequence[SessionFacts], names: Mapping[str, str], risks: Lines) -> None:
    """Lists the failures at the end of a session whose command did not pass later in any session."""
    passed: dict[str, str] = {}
    for facts in sessions:
        for run in facts.tests:
            if run.passed:
                passed[f"`{run.command}`"] = max(run.at, passed.get(f"`{run.command}`", ""))
    for facts in sessions:
        for line in facts.failing:
            if not any(at > line.at and line.text.startswith(command) for command, at in passed.items()):
                risks.add(names[facts.ref], line.text, line.at, line.refs)


def _resolutions(known: Iterable[Pattern], names: Mapping[str, str]) -> Lines:
    """Lists resolutions. Those that one change resolved in one session are one line; what came back is another.

    That a mistake was mended where the tool reported it is no news, unless it came back.
    """
    found = Lines()
    for pattern in known:
        again = len({names[one.session] for one in pattern.resolutions}) >= _SEVERAL
        for one in pattern.resolutions:
            by = one.by
            elsewhere = bool(by.files) and pattern.last.file is not None and pattern.last.file not in by.files
            if not (elsewhere or (again and (by.files or by.commands))):
                continue
            files = first_of((f"`{path}`" for path in by.files), _MAX_NAMED)
            done = f"Editing {files}" if by.files else f"`{_command(by.commands[-1])}`"
            key = pattern.id if again else (one.session, by.files)
            text = f"{done} resolved {_failed(pattern)}"
            found.add(names[one.session], text, by.at, [by.ref, pattern.id], key=key)
    return found


def _proofs(owners: Iterable[Owner]) -> Lines:
    """The tests that passed at the end of what owners did."""
    found = Lines()
    for owner in owners:
        last: dict[str, tuple[bool | None, str, str]] = {}
        for facts in reversed(owner.parts):
            last |= {run.command: (run.passed, run.at, run.ref) for run in facts.tests}
        for command, (passed, at, ref) in last.items():
            if passed:
                found.add(owner.ref, f"`{_command(command)}` passed at the end", at, [ref], key=command)
    return found


def _mistakes(known: Iterable[Pattern], names: Mapping[str, str]) -> Lines:
    found = Lines()
    for pattern in known:
        now = "resolved last" if pattern.status == "resolved" else "still open"
        text = f"{_failed(pattern)} ({now})"
        for session in pattern.sessions:
            found.add(names[session], text, pattern.last.last_at, [pattern.last.ref, pattern.id], key=pattern.id)
    return found


def _failing_commands(known: Iterable[Pattern], names: Mapping[str, str]) -> Lines:
    """Commands that failed in one way or another, the last of them named."""
    found = Lines()
    ways = Counter(pattern.last.command for pattern in known if len(pattern.sessions) < _SEVERAL)
    for pattern in known:
        command = pattern.last.command
        if ways[command] < _OFTEN:
            continue
        text = f"`{_command(command)}` failed in {ways[command]} ways, last: {_message(pattern, 160)}"
        for session in pattern.sessions:
            found.add(names[session], text, pattern.last.last_at, [pattern.last.ref], key=("command", command))
    return found


def _failed(pattern: Pattern) -> str:
    last = pattern.last
    where = f" in `{last.file}`" if last.file else ""
    return f"`{_command(last.command)}`: {_message(pattern, 200)}{where}"


def _command(command: str) -> str:
    return shorten(command, 80)


def _message(pattern: Pattern, limit: int) -> str:
    return shorten(pattern.last.message, limit).lstrip(" :#")


def _item(line: _PackLine, now: datetime) -> FamilyItem:
    newest = sorted(line.owners, key=lambda ref: (line.owners[ref], ref), reverse=True)
    age = max(0, (now - datetime.fromisoformat(line.at)).days)
    support = Support(len(line.owners), line.at, age, newest[:_MAX_SOURCES])
    return FamilyItem(line.text, line.origin, list(line.refs)[:_MAX_REFS], support)
