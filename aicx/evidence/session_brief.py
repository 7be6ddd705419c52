"""One session in brief: goal, results, failures, open points and decisions, each line with its evidence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Literal, NamedTuple

from aicx.evidence import Statement, Step, statement_in
from aicx.evidence.calls import (
    Answered,
    FileEdit,
    OtherRepositories,
    answered_calls,
    broke_off_landing,
    commits_of,
    edits_of,
    is_edit,
    merged_requests,
    number_of,
    pull_requests_of,
)
from aicx.evidence.fixes import topic_of
from aicx.evidence.patterns import command_rules, note_rules, statement_rules
from aicx.evidence.reporting import (
    TurnEnd,
    after,
    goes_on,
    is_unanswered_call,
    open_plan,
    pending,
    progress_of,
    reported_in,
    summarized_request,
    turns_of,
)
from aicx.evidence.runs import CommandRun, followed, has_ended, open_failures, passed_checks, runs_of
from aicx.evidence.since import Since
from aicx.evidence.statements import (
    PASTED,
    MessageStatement,
    Weight,
    announces,
    asks_for_something,
    conclusion,
    decisions,
    is_done,
    is_step,
    left_open,
    names_failure,
    names_its_subject,
    reports,
    requests,
    says_failed_before,
    says_finished,
    says_passing,
    says_resolved,
    tells_unpushed,
)
from aicx.evidence.texts import sentences, summary_line, words
from aicx.git import Roots
from aicx.refs import Ref
from aicx.telling import URL, count_telling, prose_lines
from aicx.text import shorten
from aicx.titles import subjects_of
from aicx.types import INTERRUPTED, PROMPTS
from aicx.values import dataclass, regex

State = Literal["active", "completed", "unknown"]
Ending = Literal["open", "broke off"]
StateReason = Literal[
    "failure_open",  # a command failed and nothing fixed it
    "question_open",  # the agent asked and got no answer
    "interrupted",  # a person's prompt, or the agent's announcement, was the last word
    "plan_open",  # the last plan has items left
    "said_next",  # the agent said what is still to be done
    "said_done",
    "nothing_said",
]

_REQUEST_LENGTH = 280
# A request in fewer telling words goes on with what was asked before.
_TELLING, _LEANS = 4, 3
_HANDED_OVER = regex(r"[^\n]{1,120}:\s*\n\s*#{1,3}[ \t]+(?:plan:[ \t]*)?(?P<title>[^\n]+)\n?", re.IGNORECASE)
# What a program is to do stands below all that it is told of its role, of which every run has the same.
_TASK = regex(
    r"\W*(?:#+ *context\b|you are\b|your (?:name|role) is\b).*^#{1,4} *(?:\w+ )?(?:task|request|goal)s?:? *\n",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
)
# What somebody writes above a paste, and signs of one.
_LOGGED = regex(r"\d\d:\d\d:\d\d|\berror\b", re.IGNORECASE)
_LEADS = regex(r"\A[^\n]{1,80}:[ \t]*\n\s*(?=\S)")
_CLOSES = regex(r"\s*/?(?:exit|quit|logout)\s*", re.IGNORECASE)
# A line of whose words so many are in another one says the same.
_SAME = 0.8
# A session that was silent for less may be in the middle of a call.
_AT_WORK = timedelta(minutes=10)
_MAX_CHECKS, _MAX_TESTS, _MAX_FAILURES, _MAX_NEXT, MAX_DECISIONS = 6, 3, 5, 6, 8
MERGED = " (merged)"  # behind the address of a pull request


class OpenLine(NamedTuple):
    """A line of a brief that says what is left to do, the step that it makes, and why it counts as open."""

    line: Statement
    step: str
    reason: StateReason


@dataclass(frozen=True, slots=True)
class SessionBrief:
    """A session as a new one needs it. ``goal`` is the first request that says something, ``asked`` the last.

    ``turned_to`` is the last request for which files were changed, where that is another, ``unanswered`` the last
    one where the session broke off before it was done. ``progress`` is what the agent said last, ``reported`` what it
    said at the end of its work: of the last turn in which something was changed, and after it. ``passed`` are the
    checks that passed when they were run last, and ``tests`` the commands of the tests among them, the latest first.
    ``broken`` are those of the ``failures`` that are of checks, with nothing committed after them, and ``failing``
    those of them that are of what the session had changed, and a program that `aicx run` started and that failed.
    ``committed_since`` says that a later session in its place committed, ``in_midst`` that the log ends in the middle
    of something.
    """

    goal: Statement | None
    asked: Statement | None
    turned_to: Statement | None
    unanswered: Statement | None
    progress: Statement | None
    reported: Statement | None
    checks: tuple[Statement, ...]
    commits: tuple[Statement, ...]
    pull_requests: tuple[Statement, ...]
    failures: tuple[Statement, ...]
    failing: tuple[Statement, ...]
    broken: tuple[Statement, ...]
    ahead: tuple[Statement, ...]
    questions: tuple[Statement, ...]
    decisions: tuple[Statement, ...]
    edits: tuple[FileEdit, ...]
    tested: Statement | None
    passed: tuple[CommandRun, ...]
    tests: tuple[str, ...]
    state: State
    state_reason: StateReason
    ended_at: datetime | None
    committed_since: bool = False
    in_midst: bool = False

    def may_be_at_work(self, now: datetime) -> bool:
        """Whether the log stopped so lately, in the middle of something, that the session may go on."""
        return self.in_midst and self.ended_at is not None and now - self.ended_at < _AT_WORK

    def open_at(self, now: datetime) -> tuple[OpenLine, ...]:
        """Returns what the session leaves to do, the first thing first, without what is not sure to be open.

        Nothing of a session that may still be at work on what it was asked.
        """
        if self.state != "active" or self.may_be_at_work(now):
            return ()
        said: StateReason = "plan_open" if self.state_reason == "plan_open" else "said_next"
        unanswered = (self.unanswered,) if self.unanswered else ()
        left: tuple[tuple[StateReason, str, Sequence[Statement], Callable[[str], bool]], ...] = (
            (said, "{}", self.ahead, is_step),
            ("interrupted", "Finish what was asked last: {}", unanswered, _can_be_finished),
            (
                "failure_open",
                "Fix what fails: {}",
                self.failing,
                lambda text: not statement_rules().no_mistake.search(text),
            ),
            ("question_open", "Answer: {}", self.questions, names_its_subject),
        )
        return tuple(
            OpenLine(line, how.format(line.text), reason)
            for reason, how, lines, holds in left
            for line in lines
            if holds(line.text)
        )


def read_brief(
    steps: Sequence[Step],
    roots: Roots,
    folder: str | None = None,
    elsewhere: OtherRepositories | None = None,
    runs: Sequence[CommandRun] | None = None,
    answered: Answered | None = None,
) -> Callable[[Since], SessionBrief]:
    """Reads one session's messages, by rules alone, and gives its brief for whatever was done since, at little cost.

    ``roots`` and ``folder``, where the session worked, tell which files lie in the repository, ``elsewhere`` what is
    known of others. ``runs`` and ``answered`` are what `runs_of` and `followed` give, where that is known already.
    """
    calls = answered_calls(steps)
    answered = followed(calls) if answered is None else answered
    runs = runs_of(answered, roots, steps) if runs is None else runs
    turns = turns_of(steps)
    edits = edits_of(calls, roots, folder)
    edited_at = edits[0].at if edits else None
    left = (run for run in open_failures(runs) if run.began and not _is_outlived(run, steps, turns, edited_at))
    failed = [run for run in left if not _is_said_to_pass(run, steps)]
    if not edits:  # that something does not build is no failure of a session that changed nothing
        failed = [run for run in failed if run.kind != "check" or topic_of(run.parts[-1]) != "build"]
    wanted = requests(steps)
    last = conclusion(steps)
    opened = pull_requests_of(answered)
    merged_here = merged_requests(steps, answered)
    own = {number_of(trace.text) for trace in opened}
    commits = commits_of(answered, elsewhere or OtherRepositories(None, roots))
    committed = [trace.at for trace in commits]
    landing = broke_off_landing(steps)
    said_left = left_open(last) if last and not landing else ([], [])
    planned = open_plan(steps, committed) or pending(steps)
    done = last is not None and is_done(last)
    interrupted = _is_interrupted(steps, last)
    ended_with = _said_since_last_request(steps, wanted)
    passed = passed_checks(runs)
    tests = [run for run, _ in passed if topic_of(run.parts[-1]) == "test"]
    goal, asked = _requests(wanted)
    if (summarized := summarized_request(steps)) is not None:
        goal, asked = _said(summarized), asked or goal
    told = (goal, statement_in(summary_line(wanted[-1][0].text, _REQUEST_LENGTH), wanted[-1][1]) if wanted else None)
    settled = tuple(line for line in map(_said, decisions(steps, MAX_DECISIONS)) if not _is_in(line, *told))
    turned_to = _turned_to(steps, wanted) or _taken_back(steps, wanted)

    def brief(since: Since) -> SessionBrief:
        failures = [run for run in failed if not since.passes(run)]

        def is_over(text: str) -> bool:
            """Whether a sentence speaks of what is to be done with requests that are merged, or of a push that was, or
            only asks for a commit that there is.
            """
            if since.has_finished(text, own) and statement_rules().waiting.search(text):
                return True
            if since.pushed and tells_unpushed(text):
                return True
            if not since.landed or (text.endswith("?") and not names_its_subject(text)):
                return since.landed
            return statement_rules().uncommitted.search(text) is not None or since.may_have_done(text)

        def is_left(item: MessageStatement) -> bool:
            over = since.has_finished(item.text, own, merged_here)
            over = over or since.has_committed(item.text, item.step.at, committed)
            return not (over or since.has_done(item.text) or since.has_landed(item.text))

        ahead, questions = (list(filter(is_left, found)) for found in said_left)
        # A plan that was never ticked off says nothing once the agent reported the work done.
        plan = [] if done else list(filter(is_left, planned))
        broke_off = interrupted and not since.may_have_done(ended_with)
        questions = [] if broke_off else questions
        uncommitted = [run for run in failures if not any(at > run.at for at in committed)]
        broken = [run for run in uncommitted if run.kind == "check" and run in failures[:_MAX_FAILURES]]
        programs = [run for run in uncommitted if run.code is not None]
        state, reason = _state(bool(failures), bool(questions), broke_off, bool(plan), bool(ahead), done)
        return SessionBrief(
            goal=goal,
            asked=asked,
            turned_to=turned_to,
            unanswered=_unanswered(steps, wanted, since, last) if reason == "interrupted" and not landing else None,
            progress=progress_of(steps, last, is_over) if last else None,
            reported=reported_in(steps, turns, is_over) or _landing(landing),
            checks=tuple(_check(run, count) for run, count in passed[:_MAX_CHECKS]),
            commits=tuple(commits),
            pull_requests=tuple(
                one._replace(text=one.text + MERGED) if since.has_merged(number_of(one.text), merged_here) else one
                for one in opened
            ),
            failures=tuple(_failure(run, edits) for run in failures[:_MAX_FAILURES]),
            failing=tuple(
                _failure(run, edits)
                for run in dict.fromkeys((*broken, *programs))
                if run in programs or any(edit.at <= run.at for edit in edits)
            ),
            broken=tuple(_failure(run, edits) for run in broken),
            ahead=tuple(_said(item) for item in (*ahead, *plan)[:_MAX_NEXT]),
            questions=tuple(map(_said, questions)),
            decisions=settled,
            edits=tuple(edits),
            tested=_tested(tests[:_MAX_TESTS]),
            passed=tuple(dict.fromkeys((*(run for run, _ in passed), *(run for run in runs if run.code == 0)))),
            tests=tuple(run.parts[-1].text for run in tests),
            state=state,
            state_reason=reason,
            ended_at=max((step.at for step in steps), default=None),
            committed_since=since.is_committed,
            in_midst=_is_in_midst(steps, broke_off),
        )

    return brief


def _landing(call: Step | None) -> Statement | None:
    """What a log that ends at a commit tells of the work, where nothing was reported of it."""
    subject = next(iter(subjects_of(call.command)), None) if call else None
    return statement_in(f"The log ends while it commits: {subject}", call) if call and subject else None


def _can_be_finished(request: str) -> bool:
    """Whether a request asks for something, and is no question that only its conversation explains."""
    return asks_for_something(request) and (not request.endswith("?") or names_its_subject(request))


def _state(
    failing: bool, asking: bool, broke_off: bool, planned: bool, ahead: bool, done: bool
) -> tuple[State, StateReason]:
    rules: tuple[tuple[bool, StateReason], ...] = (
        (failing, "failure_open"),
        (broke_off, "interrupted"),
        (asking, "question_open"),
        (planned, "plan_open"),
        (ahead, "said_next"),
    )
    if found := next((reason for holds, reason in rules if holds), None):
        return "active", found
    return ("completed", "said_done") if done else ("unknown", "nothing_said")


def ending(steps: Sequence[Step]) -> Ending | None:
    """How a session ended whose last messages ``steps`` are, as far as they say; None where nothing seems open."""
    last = conclusion(steps)
    if _is_interrupted(steps, last):
        return "broke off"
    return "open" if last and any(left_open(last)) else None


def _is_interrupted(steps: Sequence[Step], last: Step | None) -> bool:
    """Whether a person's request came after the agent's last word, or tools were at work when the log ended."""
    if has_ended(steps):
        return False
    if last is None:
        return bool(steps) and steps[-1].role != "assistant"
    if steps[-1].role == "assistant" and is_done(steps[-1]):
        return False  # "Done.", though it says too little to be quoted
    later = after(steps, last)
    if bool(requests(later)) or any(map(announces, later)) or sum(step.phase == "call" for step in later) > 1:
        return True
    # The log of an agent that is still at work ends with what it does next, or in a call that nothing has answered.
    at_work = is_unanswered_call(later[-1]) and not reports(last) if later else goes_on(last)
    return at_work and not any(left_open(last))


def _is_in_midst(steps: Sequence[Step], broke_off: bool) -> bool:
    """Whether a log ends at a tool or broke off, and no person closed the client."""
    place = next((n for n, step in reversed(list(enumerate(steps))) if step.role in ("user", "assistant")), None)
    if place is None or has_ended(steps) or (steps[place].role == "user" and _CLOSES.fullmatch(steps[place].text)):
        return False
    return broke_off or any(step.phase == "call" for step in steps[place:])


def _requests(wanted: Sequence[tuple[Weight, Step]]) -> tuple[Statement | None, Statement | None]:
    weighed = [(weight.level, weight.text, step) for weight, step in wanted]
    if not weighed:
        return None, None
    telling = [item for item in weighed if item[0] > 1] or weighed
    first, last = telling[0], weighed[-1]
    goal = statement_in(_wish(first[1]), first[2])
    if last[2] is first[2]:
        return goal, None
    text = _wish(last[1])
    before = next((item for item in telling[::-1] if item is not last and count_telling(item[1]) >= _LEANS), first)
    leans = last[0] == 1 or (before in telling[-2:-1] and count_telling(text) < _LEANS and not URL.search(text))
    if leans and before[2] is not first[2]:
        # "make a pr" says what was to be done with something: with this.
        text = f"{shorten(summary_line(before[1], _REQUEST_LENGTH), _REQUEST_LENGTH - 60)} / then: {shorten(text, 60)}"
    return goal, statement_in(text, last[2])


def _said_since_last_request(steps: Sequence[Step], wanted: Sequence[tuple[Weight, Step]]) -> str:
    """The last request and what the agent said of it, as far as it tells what is wanted."""
    if not wanted:
        return ""
    weight, asked = wanted[-1]
    said = " ".join(step.text for step in steps if step.role == "assistant" and step.at > asked.at)
    return f"{weight.text[:_REQUEST_LENGTH]} {said[:_REQUEST_LENGTH]}"


def _unanswered(
    steps: Sequence[Step], wanted: Sequence[tuple[Weight, Step]], since: Since, last: Step | None
) -> Statement | None:
    """The last prompt, where it says what is wanted; "yes, do that" leans on what the agent offered.

    "commit" says what was to be done with something, and is told with what that is. Where a turn ended with ``last``,
    the prompt was answered, and something else, as a program at work, woke the agent.
    """
    prompt = next((step for step in reversed(steps) if step.role == "user" and step.origin in PROMPTS), None)
    if prompt is None or not wanted or wanted[-1][1] is not prompt:
        return None
    if last is not None and last.at > prompt.at and any(step.phase == "result" for step in after(steps, last)[:1]):
        return None
    text = _wish(wanted[-1][0].text)
    # "ok, push it and make a pr" is done where the work is in the head.
    if since.has_done(text) or (since.landed and wanted[-1][0].level == 1) or since.has_landed(text):
        return None
    if wanted[-1][0].level == 1 and (about := next((one for one, _ in reversed(wanted) if one.level > 1), None)):
        what, then = shorten(_wish(about.text), _REQUEST_LENGTH - 60), shorten(text, 60)
        reported = last is not None and last.at < prompt.at and is_done(last)
        text = f"{then} (after: {what})" if reported else f"{what} / then: {then}"
    # A bare address does not say what is wanted of it.
    return statement_in(text, prompt) if words(URL.sub(" ", text)) else None


def _turned_to(steps: Sequence[Step], wanted: Sequence[tuple[Weight, Step]]) -> Statement | None:
    """The last request but the first that says much by itself and in whose course files were changed."""
    telling_ones = [(weight.text, step) for weight, step in wanted if weight.level > 1]
    begins = {id(step) for _, step in telling_ones}
    places = [number for number, step in enumerate(steps) if id(step) in begins]
    courses = [steps[begin:end] for begin, end in pairwise((*places, len(steps)))]
    # A first request for which nothing was done, as "do you have access to the tracker?", only leads to the next one.
    enough = _TELLING if courses and any(one.phase == "call" for one in courses[0]) else 1
    for (said, step), course in list(zip(telling_ones, courses, strict=True))[:0:-1]:
        # The prompt may begin with what was pasted along.
        text = _wish(said if _HANDED_OVER.match(said) else "\n".join(prose_lines(said)))
        if count_telling(text) >= enough and any(one.phase == "call" and is_edit(one) for one in course):
            return statement_in(text, step)
    return None


def _taken_back(steps: Sequence[Step], wanted: Sequence[tuple[Weight, Step]]) -> Statement | None:
    """The last request with which a person who stopped the agent took back something that was asked before."""
    stopped = {id(after) for before, after in pairwise(steps) if before.text.startswith(INTERRUPTED)}
    told = ((one.text, step) for one, step in wanted[:0:-1] if id(step) in stopped and "?" not in one.text)
    return next((statement_in(one, step) for one, step in told if statement_rules().refusals.search(one)), None)


def _wish(text: str) -> str:
    """Returns what a request wants. One that hands over a plan, as "Implement this plan:", wants the plan's name."""
    found = _HANDED_OVER.match(text.strip())
    if found is None:
        below = _TASK.match(text)
        text = (text[below.end() :] if below else text).strip()
        # What a person says of what is pasted below it, "this is not correct:", is the request.
        led = None if note_rules().leaning.match(text) else _LEADS.match(text)
        lead = f"{' '.join(led[0].split())} " if led else ""
        told = lead + summary_line(text[led.end() :] if led else text, _REQUEST_LENGTH - len(lead))
        rules = statement_rules()
        if "?" in told or rules.asks_for.search(told) or URL.match(told.rpartition(" ")[2]) or _LOGGED.search(told):
            return told
        # What only tells how something is leads to what is asked for after it.
        later = (said.text for said in sentences(text[:PASTED]) if rules.asks_for.match(said.text) and not said.item)
        asked = next((said for said in later if said[:40] not in told), "")
        return f"{shorten(told, 150)} {shorten(asked, 129)}" if asked else told
    said = summary_line(text.strip()[found.end() :], _REQUEST_LENGTH)
    return shorten(f"{found['title'].strip()}: {said}" if said else found["title"].strip(), _REQUEST_LENGTH)


def _check(run: CommandRun, count: int) -> Statement:
    times = f" ({count} times)" if count > 1 else ""
    return Statement(f"`{run.line}` passed{times}", run.at, (_ref(run),))


def _tested(tests: Sequence[CommandRun]) -> Statement | None:
    """The tests that passed last: that code was formatted, linted or built tells nobody what works."""
    told = f"passed: {', '.join(f'`{run.line}`' for run in tests)}"
    return Statement(told, tests[0].at, (_ref(tests[0]),)) if tests else None


def _ref(run: CommandRun) -> str:
    return str(Ref("chunk", run.chunk))


def _failure(run: CommandRun, edits: Sequence[FileEdit]) -> Statement:
    telling = f": {run.telling}" if run.telling else ""
    # Whether what was changed since mended it is not known.
    again = ", and was not run again" if any(edit.at > run.at for edit in edits) else ""
    how = f"ended with exit code {run.code}" if run.code else "failed"
    return Statement(f"`{run.line}` {how}{again}{telling}", run.at, (_ref(run),))


def _is_outlived(run: CommandRun, steps: Sequence[Step], turns: Sequence[TurnEnd], edited_at: datetime | None) -> bool:
    """Whether the agent said that what fails did so before, or went on from it and ended with the work done and no word
    of what fails.
    """
    if run.kind == "change":
        return False
    if run.kind == "check" and any(step.at > run.at and says_failed_before(step) for step in steps):
        return True
    if run.kind == "check" and (edited_at is None or edited_at <= run.at):
        return False
    ended = turns[-1][0] if turns else None
    return ended is not None and ended.at > run.at and says_finished(ended) and not names_failure(ended)


def _is_said_to_pass(run: CommandRun, steps: Sequence[Step]) -> bool:
    """Whether the agent said later that all checks of its kind pass, or that the conflicts of a merge are resolved."""
    if command_rules().merges.search(run.parts[-1].text):
        return any(step.at > run.at and says_resolved(step) for step in steps)
    topic = topic_of(run.parts[-1]) if run.kind == "check" else None
    return topic is not None and any(step.at > run.at and says_passing(step, topic) for step in steps)


def _is_in(line: Statement, *told: Statement | None) -> bool:
    """Whether most words of a line are in one of those that are told too."""
    said = words(line.text)
    return any(
        sum(word in known for word in said) >= _SAME * len(said)
        for known in (set(words(one.text)) for one in told if one)
    )


def _said(statement: MessageStatement) -> Statement:
    return statement_in(statement.text, statement.step)


def with_later(since: Since, briefs: Sequence[SessionBrief], elsewhere: Sequence[SessionBrief]) -> Since:
    """``since`` with what later sessions did in the same place, and ``elsewhere`` in the repository."""
    lines = [line for brief in (*briefs, *elsewhere) for line in (*brief.commits, brief.goal, brief.asked) if line]
    return replace(
        since,
        passed=tuple(run for brief in briefs for run in brief.passed),
        committed_at=max((line.at for brief in briefs for line in brief.commits), default=None),
        done=(*since.done, *(line.text for line in lines)),
    )
