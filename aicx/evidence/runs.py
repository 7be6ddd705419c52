"""A session's commands and outcomes, and the failures without a later success."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from aicx.evidence.fixes import end_together, ends
from aicx.evidence.patterns import CommandRules, command_rules
from aicx.evidence.transcript import Step
from aicx.shell import Simple, simple_commands
from aicx.text import shorten

Outcome = Literal[
    "ok",
    "failed",
    "quiet",  # it ended, the log hides how, and its output shows no failure
    "stopped",  # by a person
    "unknown",  # no answer, or the command was called wrongly
]
RunKind = Literal["check", "change", "other"]

_FRESH_RUNS = 4
_FORMATS = re.compile(r"[\s:](?:fmt|format)\b(?!.*--check)")
# How far into an answer its own remarks on the command go.
_HEADER = 400
_COMMAND_LENGTH = 120
_TELLING_LENGTH = 160


class Run(NamedTuple):
    """A command that was run: ``line`` as it is shown, ``parts`` the commands in it that are more than looking."""

    line: str
    parts: tuple[Simple, ...]
    kind: RunKind
    at: datetime
    chunk: str
    outcome: Outcome
    telling: str = ""


def runs_of(calls: Iterable[tuple[Step, Sequence[Step]]]) -> list[Run]:
    """The commands of a session that are more than looking around, in order, each with its outcome.

    ``calls`` are a session's calls with all their answers, as `followed` gives them.
    """
    rules = command_rules()
    runs = []
    for call, answers in calls:
        parts = [part for part in simple_commands(call.command) if not rules.look.match(part.text)]
        if not parts:
            continue
        kinds = [_kind(part, rules) for part in parts]
        kind: RunKind = "check" if "check" in kinds else "change" if "change" in kinds else "other"
        # What counts of a line is what it was run for.
        parts = [part for part, of in zip(parts, kinds, strict=True) if of == kind]
        result = answers[-1] if answers else None
        outcome = _outcome(result, parts, kind, rules)
        telling = _telling(result.text, rules) if outcome == "failed" and result else ""
        line = shorten(" && ".join(dict.fromkeys(part.text for part in parts)), _COMMAND_LENGTH)
        runs.append(Run(line, tuple(parts), kind, call.at, (result or call).chunk, outcome, telling))
    return runs


def open_failures(runs: Sequence[Run]) -> list[Run]:
    """The failures that no later success fixed, the latest first, the same command once.

    Of a command that was run again, and of which it is not known how that ended, nothing is said.
    """
    found: list[Run] = []
    again: set[str] = set()
    later: list[tuple[RunKind, Simple]] = []
    passed: list[Simple] = []
    for number, run in enumerate(reversed(runs)):
        if run.outcome in ("ok", "quiet"):
            later += ((run.kind, part) for part in run.parts)
            passed += run.parts
        elif run.outcome == "unknown":
            again |= {part.text for part in run.parts}
        elif run.outcome == "failed":
            # A script tried on the way tells something only while it is fresh.
            stale = run.kind == "other" and number >= _FRESH_RUNS
            # Of `format && lint` the last is what was run for; which of them failed is not said.
            last = run.parts[-1]
            since = [part for kind, part in later if kind == run.kind]
            over = any(ends(part, last, run.kind) for part in since) or end_together(passed, last)
            if not stale and not over and last.text not in again:
                found.append(run)
            later.append((run.kind, last))  # an earlier failure of it is the same failure
    return found


def latest_outcomes(runs: Sequence[Run]) -> list[tuple[Run, int]]:
    """The last run of each distinct command, the latest first, and how often it was run."""
    counts: dict[tuple[str, ...], int] = {}
    last: dict[tuple[str, ...], Run] = {}
    for run in reversed(runs):
        keys = tuple(part.text for part in run.parts)
        counts[keys] = counts.get(keys, 0) + 1
        last.setdefault(keys, run)
    return [(run, counts[keys]) for keys, run in last.items()]


def passed_checks(runs: Sequence[Run]) -> list[tuple[Run, int]]:
    """The checks that passed when they were run last, the latest first, and how often each was run.

    What a later one of them ran too is not told again, and that a formatter ran says nothing of the work.
    """
    found: list[tuple[Run, int]] = []
    told: set[str] = set()
    for run, count in latest_outcomes([run for run in runs if run.kind == "check"]):
        parts = {part.text for part in run.parts if not _FORMATS.search(part.text)}
        if run.outcome == "ok" and not parts <= told:
            found.append((run, count))
            told |= parts
    return found


def followed(calls: Iterable[tuple[Step, Step | None]]) -> list[tuple[Step, list[Step]]]:
    """Every call with all its answers: its own, and those to later calls that asked how it went on."""
    rules = command_rules()
    every: list[tuple[Step, list[Step]]] = []
    waiting: dict[str, list[Step]] = {}  # the answers so far of what still runs, by the id that later calls ask with
    for call, result in calls:
        asked = None if call.command else rules.asks.search(call.text)
        answers = waiting.get(asked[1]) if asked else None
        if answers is None:
            answers = []
            every.append((call, answers))
        if result is not None:
            answers.append(result)
            if running := rules.running.search(result.text, 0, _HEADER):
                waiting[next(filter(None, running.groups()))] = answers
    return every


def _kind(part: Simple, rules: CommandRules) -> RunKind:
    if rules.check.match(part.text):
        return "check"
    return "change" if rules.change.match(part.text) else "other"


def _outcome(result: Step | None, parts: Sequence[Simple], kind: RunKind, rules: CommandRules) -> Outcome:
    if result is None:
        return "unknown"
    if rules.stopped.search(result.text, 0, _HEADER):
        return "stopped"
    if result.failed and rules.exists.search(result.text):
        return "quiet"
    if result.failed and rules.misuse.search(result.text):
        return "unknown"
    if rules.running.search(result.text, 0, _HEADER):
        return "unknown"
    if result.failed:
        return "failed"
    told = result.exit_code == 0 or not rules.hidden.search(result.text)
    if told and not any(part.masked for part in parts):
        return "ok"
    # The exit code is not that of the command. A check's output is read for its verdict instead; other programs may
    # well print the word "failed".
    if kind == "check" and rules.failed.search(result.text):
        return "failed"
    return "ok" if kind == "check" and rules.passed.search(result.text) else "quiet"


def _telling(text: str, rules: CommandRules) -> str:
    """The line of a failed output that says most about what went wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not rules.chatter.search(line)]
    for pattern in rules.telling:
        for line in lines:
            if pattern.search(line):
                return shorten(line, _TELLING_LENGTH)
    return shorten(lines[0], _TELLING_LENGTH) if lines else ""
