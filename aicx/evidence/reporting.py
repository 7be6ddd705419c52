"""Reports of an agent about its work: at the ends of its turns, and what its plans have left."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

import orjson

from aicx.evidence import Statement, Step, statement_in
from aicx.evidence.calls import is_edit
from aicx.evidence.patterns import command_rules, statement_rules
from aicx.evidence.statements import (
    COMPACTION,
    STATEMENT_LENGTH,
    MessageStatement,
    announces,
    conclusion,
    is_announcement,
    left_open,
    reports,
    reports_something,
    requests,
    telling,
)
from aicx.evidence.texts import sentences, summary_line, without_lessons, words
from aicx.refs import Ref
from aicx.shell import simple_commands
from aicx.text import shorten
from aicx.titles import PLANS
from aicx.types import PROMPTS
from aicx.values import regex

# Fewer signs report nothing.
_MIN_LENGTH = 12
# Calls that keep an agent's own list of steps: they may follow its last words.
_KEEPS_PLAN = regex(r"(?:Todo\w*|Task(?:Create|Update|List)|update_plan|write_todos)")


# The agent's last words of a turn, and whether it changed something before: a file, the history, a request.
TurnEnd = tuple[Step, bool]


def turns_of(steps: Sequence[Step]) -> list[TurnEnd]:
    """The turns that the agent of a session ended with words of its own, in order."""
    found: list[TurnEnd] = []
    words: Step | None = None
    worked = False
    for step in steps:
        if step.role == "user":
            if words is not None:
                found.append((words, worked))
            words, worked = None, worked and step.origin not in PROMPTS
        elif step.role == "assistant":
            words = step if _says_something(step) else words
        elif step.phase == "call" and not _KEEPS_PLAN.fullmatch(step.tool or ""):
            words = None
            worked = worked or _changes(step)
    if words is not None and not goes_on(words):
        found.append((words, worked))
    return found


def _says_something(step: Step) -> bool:
    return len(without_lessons(step.text).strip()) >= _MIN_LENGTH


def _changes(call: Step) -> bool:
    return is_edit(call) or any(command_rules().change.match(part.text) for part in simple_commands(call.command))


def goes_on(step: Step) -> bool:
    """Whether a message ends with what the agent does next: the log stops in the middle of a turn.

    A report may well end with what goes on by itself, as checks of a pull request.
    """
    *_, last = ["", *(sentence.text for sentence in sentences(telling(step.text)))]
    return bool(statement_rules().announcements.search(last)) or (is_announcement(last) and not reports(step))


def is_unanswered_call(step: Step) -> bool:
    """Whether a message at the end of a log is a call of a tool that was still at work, and waited for no person."""
    waits = step.tool == "AskUserQuestion" or step.tool in PLANS or _KEEPS_PLAN.fullmatch(step.tool or "")
    return step.phase == "call" and not waits


_PROGRESS_LENGTH = 360
_LATELY = 4  # turns
_BRIEF = 200  # a longer word of the agent's says enough by itself


def progress_of(steps: Sequence[Step], last: Step, is_over: Callable[[str], bool]) -> Statement | None:
    """Returns what the last word reports. Where that is little, as an answer to "commit", earlier reports lead.

    A sentence of which ``is_over`` holds is left out: it held when it was said. None where that is all there is.
    """
    said = telling(last.text)
    every = [sentence.text for sentence in sentences(said)]
    only_ahead = all(map(is_announcement, every))
    for text in every:
        if is_over(text) or (not only_ahead and is_announcement(text)):
            said = said.replace(text, "")
    text = summary_line(said, _PROGRESS_LENGTH, is_announcement)
    if not words(text):
        return None
    before = _reported_before(steps, last) if len(text) <= _BRIEF else None
    if before is None:
        return statement_in(text, last)
    earlier = summary_line(telling(before.text), _PROGRESS_LENGTH - len(text), is_announcement)
    text = f"{earlier} / then: {text}"
    return Statement(text, last.at, tuple(dict.fromkeys(str(Ref("chunk", step.chunk)) for step in (before, last))))


def reported_in(steps: Sequence[Step], turns: Sequence[TurnEnd], is_over: Callable[[str], bool]) -> Statement | None:
    """Returns what the agent reported last; where it only answered since it last worked, the earlier report leads."""
    if not turns:
        return None
    last, _ = turns[-1]
    if announces(last) or _is_overruled(last, steps):
        return None
    if (now := _at_work_since(steps, last)) is not None:
        # What was reported before a request that the log breaks off in is not all that there is to tell.
        return _then(progress_of(steps, last, is_over), now)
    of_work = end_of_work(steps, turns) or last
    lately = [words for words, _ in reversed(turns[-_LATELY:])]
    if all(words is not of_work for words in lately):  # others may have worked for it since
        of_work = next(filter(reports, lately), of_work)
    told = progress_of(steps, of_work, is_over)
    if of_work is last or told is None:
        return told if of_work is last else progress_of(steps, last, is_over)
    then = summary_line(telling(last.text), _PROGRESS_LENGTH - _BRIEF, is_announcement)
    if not words(then):
        return told
    return _then(told, statement_in(then, last))


def end_of_work(steps: Sequence[Step], turns: Sequence[TurnEnd]) -> Step | None:
    """The report of the last turn in which something was changed, where no person refused it."""
    found = next((words for words, worked in reversed(turns) if worked), None)
    return None if found is None or _is_overruled(found, steps) else found


def _then(before: Statement | None, last: Statement) -> Statement:
    if before is None:
        return last
    text = f"{shorten(before.text, _BRIEF)} / then: {shorten(last.text, _PROGRESS_LENGTH - _BRIEF)}"
    return Statement(text, last.at, tuple(dict.fromkeys((*before.refs, *last.refs))))


def _at_work_since(steps: Sequence[Step], report: Step) -> Statement | None:
    """The last word of a turn that was begun after a report and never ended, where it reports something itself."""
    later = after(steps, report)
    asked = next((number for number, step in enumerate(later) if requests([step])), len(later))
    for step in reversed(later[asked:]):
        if step.role == "assistant" and _says_something(step):
            told = " ".join(said.text for said in sentences(step.text) if not is_announcement(said.text))
            if reports_something(told):
                return statement_in(summary_line(told, _BRIEF), step)
    return None


def _is_overruled(report: Step, steps: Sequence[Step]) -> bool:
    """Whether a person refused what an agent reported, or asked on and got more edits, or another plan."""
    later = after(steps, report)
    asked = next((number for number, step in enumerate(later) if requests([step])), None)
    if asked is None:
        return False
    if statement_rules().refusals.search(later[asked].text):
        return True
    return any(step.phase == "call" and (is_edit(step) or step.tool in PLANS) for step in later[asked:])


def _reported_before(steps: Sequence[Step], last: Step) -> Step | None:
    """What was reported before the order that leans on it and that ``last`` answers, or in a request's course where
    ``last`` itself reports nothing.
    """
    until = _place(steps, last)
    asked = next((number for number in reversed(range(until)) if requests([steps[number]])), None)
    if asked is None:
        return None
    if requests([steps[asked]])[0][0].level == 1:
        found = conclusion(steps[:asked])
        return found if found is not None and reports(found) else None
    if reports(last):
        return None
    return next((step for step in reversed(steps[asked:until]) if reports(step) and not announces(step)), None)


def after(steps: Sequence[Step], step: Step) -> Sequence[Step]:
    """The messages that came after ``step``."""
    return steps[_place(steps, step) + 1 :]


def _place(steps: Sequence[Step], wanted: Step) -> int:
    return next(number for number, step in enumerate(steps) if step is wanted)


# After so many remarks of the agent a plan that it no longer touched says little of what is left.
_LATEST_REMARKS = 25
_PLAN_LINE = regex(r"^- \[(\w+)\] (.+)$", re.MULTILINE)
_PLAN_JSON = regex(r"^todos: (\[.*\])\s*$", re.MULTILINE | re.DOTALL)
_OPEN_STATES = frozenset({"pending", "in_progress", "todo", "open", "not_started"})
_TASK_FIELD = regex(r"^(taskId|subject|status): (.+)$", re.MULTILINE)


def open_plan(steps: Sequence[Step], committed: Sequence[datetime] = ()) -> list[MessageStatement]:
    """The items of the last plan that are not ticked off; none where the session has gone past it since.

    It has where it ``committed`` something after it kept the plan last, or ended its turn with a report that leaves
    nothing open: few plans are ticked off to the end.
    """
    tasks: dict[str, tuple[str, str, Step]] = {}
    plan: list[MessageStatement] = []
    last = 0
    for number, step in enumerate(steps):
        if step.phase != "call" or step.tool is None:
            continue
        if step.tool in ("TaskCreate", "TaskUpdate"):
            _take_task(step, tasks)
            plan = [MessageStatement(text, at) for text, state, at in tasks.values() if state in _OPEN_STATES]
            last = number
        elif (items := _plan_items(step)) is not None:
            plan = [
                MessageStatement(shorten(text, STATEMENT_LENGTH), step)
                for state, text in items
                if state in _OPEN_STATES
            ]
            last = number
    if not plan or _is_past(steps[last + 1 :]) or any(at >= steps[last].at for at in committed):
        return []
    ended = [words for words, _ in turns_of(steps[last + 1 :]) if reports(words)]
    return [] if ended and not any(left_open(ended[-1])) else plan


def pending(steps: Sequence[Step]) -> list[MessageStatement]:
    """Returns what the last summary of a session that outgrew its context names as still to be done.

    Nothing where the session has gone past it since.
    """
    last = next((number for number in reversed(range(len(steps))) if steps[number].origin == COMPACTION), None)
    if last is None or _is_past(steps[last + 1 :]) or any(map(reports, steps[last + 1 :])):
        return []
    return left_open(steps[last])[0]


def summarized_request(steps: Sequence[Step]) -> MessageStatement | None:
    """Returns what was wanted, as the summary says with which a session begins that goes on from a full context."""
    first = next((step for step in steps if step.origin == COMPACTION or requests([step])), None)
    if first is None or first.origin != COMPACTION:
        return None
    wanted = statement_rules().wanted_headings
    said = next((said.text for said in sentences(first.text) if said.heading and wanted.search(said.heading)), None)
    return MessageStatement(said, first) if said else None


def _is_past(steps: Sequence[Step]) -> bool:
    """Whether what followed a plan shows that it is no longer kept: another request was answered, or much was said.

    Few plans are ticked off to the end.
    """
    asked = next((number for number, step in enumerate(steps) if requests([step])), len(steps))
    answered = any(step.role == "assistant" for step in steps[asked:])
    return answered or sum(step.role == "assistant" for step in steps) > _LATEST_REMARKS


def _plan_items(step: Step) -> list[tuple[str, str]] | None:
    """(state, text) of each item of a plan; None where a call holds none."""
    if step.tool == "update_plan":
        return _PLAN_LINE.findall(step.text)
    if not (found := _PLAN_JSON.search(step.text)):
        return None
    try:
        items = orjson.loads(found[1])
    except orjson.JSONDecodeError:
        return None  # shortened when it was stored
    return [
        (str(item.get("status")), str(item.get("content") or item.get("description") or ""))
        for item in items
        if isinstance(item, dict)
    ]


def _take_task(step: Step, tasks: dict[str, tuple[str, str, Step]]) -> None:
    fields = dict(_TASK_FIELD.findall(step.text))
    if step.tool == "TaskCreate" and "subject" in fields:
        # The client numbers tasks from 1 in the order of their creation.
        tasks[str(len(tasks) + 1)] = (shorten(fields["subject"], STATEMENT_LENGTH), "pending", step)
    elif (known := tasks.get(fields.get("taskId", ""))) and "status" in fields:
        tasks[fields["taskId"]] = (known[0], fields["status"], step)
