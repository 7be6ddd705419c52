"""Reads one stored session and works out its facts, by rules alone: what it did, what it said, and what failed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from aicx.evidence import Statement, Step
from aicx.evidence.calls import OtherRepositories, answered_calls, is_edit
from aicx.evidence.fixes import topic_of
from aicx.evidence.given_up import MAX_GIVEN_UP, given_up
from aicx.evidence.patterns import command_rules
from aicx.evidence.runs import Outcome, followed, ran_by
from aicx.evidence.session_brief import MAX_DECISIONS, MERGED, read_brief
from aicx.evidence.since import Since
from aicx.fields import taken_from
from aicx.git import Roots
from aicx.refs import Ref
from aicx.shell import Simple, simple_commands
from aicx.telling import count_telling, telling_words
from aicx.text import instant
from aicx.types import PROMPTS
from aicx.values import regex
from aicx.work.failure_runs import failures_of
from aicx.work.session_facts import MAX_COMMANDS, MAX_FILES, Observed, Ran, Said, SessionFacts, SessionPart

_JOINTS = regex(r"[-_./]")
_ENOUGH = 5  # telling words
_NUMBER = regex(r"\b\d{2,}\b")
_PASSED: dict[Outcome, bool] = {"ok": True, "failed": False}


def derive(
    part: SessionPart, steps: Sequence[Step], elsewhere: OtherRepositories, before: SessionFacts | None = None
) -> SessionFacts | None:
    """The facts of a session from its messages; None where there are none.

    ``elsewhere`` has the roots of the repository that they are told of. With ``before``, the facts of all messages
    before ``steps``, those of them all: what was done is added up, and how it stands is told by ``steps``.
    """
    if not steps:
        return before
    roots = elsewhere.roots
    calls = followed(answered_calls(steps))
    each = ran_by(calls, roots, steps)
    runs = [run for run in each if run is not None]
    brief = read_brief(steps, roots, part.folder, elsewhere, runs, calls)(Since())
    seen = observe(steps, roots, part.folder, before)
    removed = {*seen.deleted} - {*seen.moved}
    typed = [step.at for step in steps if step.role == "user" and step.origin in PROMPTS]
    # What nothing in the session bears out is no title of it, where the request itself says what is wanted.
    says_enough = brief.goal is not None and count_telling(brief.goal.text) >= _ENOUGH
    told = _told_words(step.text for step in steps if step.role == "user" and step.origin in PROMPTS)
    told |= _told_words((*(one.text for one in brief.commits), *(edit.path for edit in brief.edits)))
    tests = [
        Ran(run.parts[-1].text, _PASSED.get(run.outcome), instant(run.at, "seconds"), str(Ref("chunk", run.chunk)))
        for run in runs
        if run.kind == "check" and topic_of(run.parts[-1]) == "test"
    ]
    facts = taken_from(
        part,
        SessionFacts,
        started_at=instant(min(step.at for step in steps), "seconds"),
        ended_at=instant(max(step.at for step in steps), "seconds"),
        goal=_said(brief.goal) if brief.goal else None,
        asked=_said(brief.asked) if brief.asked else None,
        turned_to=_said(brief.turned_to) if brief.turned_to else None,
        unanswered=_said(brief.unanswered) if brief.unanswered else None,
        progress=_said(brief.progress) if brief.progress else None,
        reported=_said(brief.reported) if brief.reported else None,
        commits=tuple(map(_said, brief.commits)),
        pull_requests=tuple(map(_said, brief.pull_requests)),
        failing=tuple(map(_said, brief.broken)),
        given_up=tuple(map(_said, given_up(steps, calls, runs))),
        next=tuple(map(_said, brief.ahead)),
        questions=tuple(map(_said, brief.questions)),
        decisions=tuple(map(_said, brief.decisions)),
        opened=seen.opened[:MAX_FILES],
        edited=seen.edited[:MAX_FILES],
        deleted=seen.deleted[:MAX_FILES],
        commands=seen.commands[-MAX_COMMANDS:],
        tests=tuple(tests[-MAX_COMMANDS:]),
        orientation=seen.orientation[:MAX_COMMANDS],
        failures=tuple(failures_of(calls, each, roots, part.folder, typed, removed, before.failures if before else ())),
        title=None if says_enough and _is_unfounded(part.title or "", told) else part.title,
        finalized=seen.finalized,
        state=brief.state,
        state_reason=brief.state_reason,
    )
    return _added_up(before, facts) if before else facts


def _told_words(texts: Iterable[str]) -> frozenset[str]:
    """The words and numbers of texts that tell something, also those that a name is made of."""
    plain = _JOINTS.sub(" ", " ".join(texts))
    return telling_words(plain) | frozenset(_NUMBER.findall(plain))


def _is_unfounded(title: str, told: frozenset[str]) -> bool:
    """Whether a title has no word that was ``told``, or a number that was not."""
    return _told_words([title]).isdisjoint(told) or not told.issuperset(_NUMBER.findall(title))


def _added_up(before: SessionFacts, now: SessionFacts) -> SessionFacts:
    """``now``, of the later messages of a session, with what those before say."""
    return replace(
        now,
        title=now.title or before.title,
        started_at=min(before.started_at, now.started_at),
        ended_at=max(before.ended_at, now.ended_at),
        goal=before.goal or now.goal,
        asked=now.asked or (now.goal if before.goal else None) or before.asked,
        turned_to=now.turned_to or before.turned_to,
        progress=now.progress or before.progress,
        reported=now.reported or before.reported,
        commits=_each_once(now.commits, before.commits),
        pull_requests=_each_once(now.pull_requests, before.pull_requests),
        given_up=_each_once(now.given_up, before.given_up)[:MAX_GIVEN_UP],
        decisions=_each_once(now.decisions, before.decisions)[:MAX_DECISIONS],
        tests=(*before.tests, *now.tests)[-MAX_COMMANDS:],
    )


def _each_once(now: Sequence[Said], before: Sequence[Said]) -> tuple[Said, ...]:
    found: dict[str, Said] = {}
    for line in (*now, *before):
        found.setdefault(line.text.removesuffix(MERGED), line)
    return tuple(found.values())


def _said(line: Statement) -> Said:
    return Said(line.text, instant(line.at, "seconds"), line.refs)


# Programs that print the files they are given.
_READERS = frozenset({"bat", "cat", "head", "less", "more", "nl", "sed", "tail"})
_PATH = regex(r"(?:[A-Za-z]:)?[\w@.+-]*(?:/[\w@.+-]+)+|[\w@+-]+\.[A-Za-z]\w{0,9}|Makefile|Dockerfile")
_DELETES = regex(r"(?:git rm|rm|unlink|trash)\s(?P<rest>.*)", re.DOTALL)
_MOVES = regex(r"(?:git )?mv\s(?P<rest>.*)", re.DOTALL)
_DELETED_BY_PATCH = regex(r"^\*\*\* (?:Delete File: (.+)$|Update File: (.+)\n\*\*\* Move to: )", re.MULTILINE)
_FINALIZES = regex(r"(?<![^\W_])aicx[_ ]finalize\b")


def observe(
    steps: Sequence[Step], roots: Roots, folder: str | None = None, before: SessionFacts | None = None
) -> Observed:
    """What the session of ``steps`` did, and did ``before`` them. ``folder`` is where it worked.

    How it ended is for others to say.
    """
    opened = dict.fromkeys(before.opened if before else ())
    edited = dict.fromkeys(before.edited if before else ())
    commands = list(before.commands if before else ())
    tests: list[str] = []
    orientation = list(before.orientation if before else ())
    deleted = dict.fromkeys(before.deleted if before else ())
    moved: list[str] = []
    finalized = before is not None and before.finalized
    for call, result in answered_calls(steps):
        finalized = finalized or _FINALIZES.search(f"{call.tool} {call.command}") is not None
        paths = _relative(call.files, roots, folder)
        if is_edit(call):
            if result is None or not result.failed:
                edited |= dict.fromkeys(paths)
                found = _DELETED_BY_PATCH.findall(call.text.replace("\\n", "\n"))
                gone = _relative(map("".join, found), roots, folder)
                deleted = {path: None for path in (*deleted, *gone) if path in gone or path not in paths}
            continue
        opened |= dict.fromkeys(paths)
        for part in (parts := simple_commands(call.command)):
            read = dict.fromkeys(_relative(_read_by(part), roots, folder))
            opened |= read
            # Of several commands it is the last that failed, unless another one complained.
            complaint = f"{part.text.partition(' ')[0]}: " if part is not parts[-1] else ""
            if result is None or not result.failed or (complaint and complaint not in result.text):
                removes, moves = _DELETES.match(part.text), _MOVES.match(part.text)
                gone = _relative(_named_in((removes or moves or {"rest": ""})["rest"]), roots, folder)
                if moves and gone and edited.keys() & set(gone[:-1]):
                    edited[gone[-1]] = None
                deleted |= dict.fromkeys(gone[: -1 if moves else None])
                moved += gone[:-1] if moves else ()
            if not (opened or edited) and command_rules().look.match(part.text):
                orientation.append(part.text)
            if not command_rules().look.match(part.text):
                commands.append(part.text)
                tests += [part.text] if topic_of(part) == "test" else []
    return Observed(
        tuple(opened),
        tuple(edited),
        tuple(commands),
        tuple(tests),
        tuple(orientation),
        finalized=finalized,
        deleted=tuple(deleted),
        moved=tuple(moved),
    )


def _read_by(command: Simple) -> Iterator[str]:
    program, _, rest = command.text.partition(" ")
    if program in _READERS:
        yield from _named_in(rest)


def _named_in(arguments: str) -> Iterator[str]:
    """The arguments that look like paths."""
    yield from (word for word in arguments.replace('"', " ").replace("'", " ").split() if _PATH.fullmatch(word))


def _relative(paths: Iterable[str], roots: Roots, folder: str | None) -> list[str]:
    return [path for name in paths if (path := roots.relative(name, folder))]
