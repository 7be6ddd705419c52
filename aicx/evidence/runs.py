"""A session's commands and outcomes, and the failures without a later success."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from aicx.evidence import Step
from aicx.evidence.calls import folders_of, is_edit
from aicx.evidence.fixes import end_together, ends, without_starters
from aicx.evidence.patterns import CommandRules, command_rules
from aicx.git import Roots
from aicx.shell import Simple, simple_commands
from aicx.text import shorten
from aicx.values import regex

Outcome = Literal[
    "ok",
    "failed",
    "quiet",  # it ended, the log hides how, and its output shows no failure
    "stopped",  # by a person
    "unknown",  # no answer, or the command was called wrongly
    "moot",  # it says nothing of the work: a sandbox refused it, or it ran elsewhere or while the work was set aside
]
RunKind = Literal["check", "change", "other"]

_FRESH_RUNS = 4
_FORMATS = regex(r"[\s:](?:fmt|format)\b(?!.*--check)")
# How far into an answer its own remarks on the command go.
_HEADER = 400
_COMMAND_LENGTH = 120
# The beginning of a text that is given on the lines below.
_HERE_DOCUMENT = regex(r"\s+(?:-\w+|--\w+)[ =][\"']?\$\(cat$")
_FULL_PATH = regex(r"(?:/|[A-Za-z]:[\\/])[^\s'\"`:,;()]+")
_ENTERS = regex(r"(?:^|[;&|\n(]\s*)cd [\"']?([^\s\"';&|)]+)")
_TELLING_LENGTH = 160
_REMARK = 400  # how much of a remark, up to the command that follows it, speaks of the command


class CommandRun(NamedTuple):
    """A command that was run: ``line`` as it is shown, ``parts`` the commands in it that are more than looking.

    ``began`` is False where it failed because something is missing here that the work has nothing to do with.
    ``code`` is the exit code of a program that `aicx run` started, which is the whole line.
    """

    line: str
    parts: tuple[Simple, ...]
    kind: RunKind
    at: datetime
    chunk: str
    outcome: Outcome
    telling: str = ""
    began: bool = True
    code: int | None = None


def runs_of(
    calls: Iterable[tuple[Step, Sequence[Step]]], roots: Roots | None = None, steps: Sequence[Step] = ()
) -> list[CommandRun]:
    """The commands of a session that are more than looking around, in order, each with its outcome.

    ``calls`` are a session's calls with all their answers, as `followed` gives them. What failed outside of ``roots``,
    where they are known, is moot, and so is what was to fail, as the messages ``steps`` around the calls say.
    """
    return [run for run in ran_by(list(calls), roots, steps) if run is not None]


def ran_by(
    calls: Sequence[tuple[Step, Sequence[Step]]], roots: Roots | None = None, steps: Sequence[Step] = ()
) -> list[CommandRun | None]:
    """Returns what each call ran, as in `runs_of`; None for a call that only looked around."""
    rules = command_rules()
    aside = _set_aside(calls, rules)
    awaited = _awaited(steps, rules)
    found = []
    for number, (call, answers) in enumerate(calls):
        run = _run(call, answers, rules)
        tried = run is not None and run.outcome == "ok" and rules.provoked.search(re.split("['\"]", call.command)[0])
        apart = run is not None and run.kind == "check" and run.outcome in ("ok", "quiet", "failed") and number in aside
        if run is not None and (tried or apart):
            run = run._replace(outcome="moot")
        elif run is not None and run.outcome == "failed":
            freed = _is_freed(call, calls[number + 1 :], rules)
            foreign = _is_elsewhere(call, roots) or _tells_of_a_trial(run.telling, roots)
            wanted = call in awaited or rules.expects_failure.search(call.text.replace(call.command, "", 1))
            if freed or foreign or wanted or rules.provoked.search(call.command):
                run = run._replace(outcome="moot")
        found.append(run)
    return found


def _awaited(steps: Sequence[Step], rules: CommandRules) -> Collection[Step]:
    """The calls that follow a remark of the agent's that they are to fail, or come before one that they had to."""
    found: list[Step] = []
    awaits, last = False, None
    for step in steps:
        if step.role == "assistant":
            awaits = rules.expects_failure.search(step.text[-_REMARK:]) is not None
            if last is not None and rules.failed_as_expected.search(step.text[:_REMARK]):
                found.append(last)
            last = None
        elif step.role == "user":
            awaits, last = False, None
        elif step.phase == "call" and step.command:
            found += [step] if awaits else []
            awaits, last = False, step
    return found


def _is_freed(call: Step, later: Iterable[tuple[Step, Sequence[Step]]], rules: CommandRules) -> bool:
    """Whether a command was run again outside of a sandbox, before anything was edited for it."""
    if rules.escalated.search(call.text):
        return False
    again = next((one for one, _ in later if is_edit(one) or one.command.strip() == call.command.strip()), None)
    return again is not None and not is_edit(again) and rules.escalated.search(again.text) is not None


def is_scratch(path: str, roots: Roots) -> bool:
    """Whether a path leads out of the repository, or into a folder for trials inside it."""
    if path.startswith(("/", "\\\\")) or path[1:2] == ":":
        below = roots.relative(f"{path.rstrip('/')}/x")
        return below is None or command_rules().scratch.search(below) is not None
    return command_rules().scratch.search(path) is not None


def _tells_of_a_trial(telling: str, roots: Roots | None) -> bool:
    """Whether the line that tells what failed names a file in a folder for trials inside the repository."""
    named = (roots.relative(path) for path in _FULL_PATH.findall(telling)) if roots is not None else ()
    return any(below and command_rules().scratch.search(below) for below in named)


def _is_elsewhere(call: Step, roots: Roots | None) -> bool:
    """Whether everything that a call says of where it works is outside of the repository."""
    if roots is None or not roots.folders:
        return False
    entered = {*folders_of(call), *_ENTERS.findall(call.command)}
    return bool(entered) and all(is_scratch(folder, roots) for folder in entered)


def _set_aside(calls: Sequence[tuple[Step, Sequence[Step]]], rules: CommandRules) -> set[int]:
    """The calls with a command that ran while the work was set aside, as `git stash` does until `git stash pop`."""
    found: set[int] = set()
    since: list[int] | None = None
    for number, (call, _) in enumerate(calls):
        for part in simple_commands(call.command):
            if since is not None and rules.takes_back_work.match(part.text):
                found.update(since)  # work that is never taken back was put away for good
                since = None
            elif rules.sets_aside.match(part.text):
                since = []
            elif since is not None:
                since.append(number)
    return found


def _run(call: Step, answers: Sequence[Step], rules: CommandRules) -> CommandRun | None:
    parts = [part for part in simple_commands(call.command) if not rules.look.match(part.text)]
    if not parts:
        return None
    kinds = [run_kind(part) for part in parts]
    kind: RunKind = "check" if "check" in kinds else "change" if "change" in kinds else "other"
    # What counts of a line is what it was run for.
    parts = [part for part, of in zip(parts, kinds, strict=True) if of == kind]
    result = answers[-1] if answers else None
    outcome = _outcome(result, parts, kind, rules)
    telling = _telling(result.text, rules) if outcome == "failed" and result else ""
    began = not (outcome == "failed" and result and rules.not_started.search(result.text))
    line = shorten(" && ".join(dict.fromkeys(_HERE_DOCUMENT.sub("", part.text) for part in parts)), _COMMAND_LENGTH)
    code = result.exit_code if call.tool == "run" and result else None
    if code is not None:
        line = shorten(" ".join(call.command.split()), _COMMAND_LENGTH)  # it is the whole that ended so
    return CommandRun(line, tuple(parts), kind, call.at, (result or call).chunk, outcome, telling, began, code)


def open_failures(runs: Sequence[CommandRun]) -> list[CommandRun]:
    """The failures that no later success fixed, the latest first, the same command once.

    Of a command that was run again, and of which it is not known how that ended, nothing is said.
    """
    found: list[CommandRun] = []
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
            stale = run.kind == "other" and (number >= _FRESH_RUNS or all(map(is_probe, run.parts)))
            # Of `format && lint` the last is what was run for; which of them failed is not said.
            last = run.parts[-1]
            since = [part for kind, part in later if kind == run.kind]
            over = any(ends(part, last, run.kind) for part in since) or end_together(passed, last)
            if not stale and not over and last.text not in again:
                found.append(run)
            later.append((run.kind, last))  # an earlier failure of it is the same failure
    return found


def latest_outcomes(runs: Sequence[CommandRun]) -> list[tuple[CommandRun, int]]:
    """The last run of each distinct command, the latest first, and how many of its runs ended as that one did."""
    counts: dict[tuple[str, ...], int] = {}
    last: dict[tuple[str, ...], CommandRun] = {}
    for run in reversed(runs):
        keys = tuple(part.text for part in run.parts)
        ended = last.setdefault(keys, run).outcome
        counts[keys] = counts.get(keys, 0) + (run.outcome == ended)
    return [(run, counts[keys]) for keys, run in last.items()]


def passed_checks(runs: Sequence[CommandRun]) -> list[tuple[CommandRun, int]]:
    """The checks that passed when they were run last, the latest first, and how often each passed.

    What a later one of them ran too is not told again, and that a formatter ran says nothing of the work.
    """
    found: list[tuple[CommandRun, int]] = []
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
            if running := _running(result.text, rules):
                waiting[next(filter(None, running.groups()))] = answers
    return every


def _running(text: str, rules: CommandRules) -> re.Match[str] | None:
    """What says at the beginning of an answer, or in its last line, that the command still runs, and its id."""
    return rules.running.search(text, 0, _HEADER) or rules.left_running.search(text, max(len(text) - _HEADER, 0))


def is_probe(part: Simple) -> bool:
    """Whether a command tries something out, or looks at another machine: that it fails says nothing of the work."""
    return command_rules().probe.match(part.text) is not None


def run_kind(part: Simple) -> RunKind:
    """What a command that is more than looking is run for."""
    plain, rules = without_starters(part.text), command_rules()
    if rules.check.match(plain):
        return "check"
    return "change" if rules.change.match(plain) else "other"


def _outcome(result: Step | None, parts: Sequence[Simple], kind: RunKind, rules: CommandRules) -> Outcome:
    if result is None:
        return "unknown"
    if rules.stopped.search(result.text, 0, _HEADER):
        return "stopped"
    told = result.exit_code == 0 or not rules.hidden.search(result.text)
    told = told and not any(part.masked for part in parts)
    # Where the exit code is not that of the command, a check's output is read for its verdict instead; other programs
    # may well print the word "failed".
    # What failed may be what follows on the line: then the check is known by its words alone.
    hidden = result.failed and kind == "check" and any(part.masked for part in parts)
    if hidden and rules.passed.search(result.text) and not rules.failed.search(result.text):
        return "ok" if all(part.masked for part in parts) else "unknown"
    if result.failed or (kind == "check" and not told and rules.failed.search(result.text)):
        return _failure(result.text, rules)
    if _running(result.text, rules):
        return "unknown"
    if told or (kind == "check" and rules.passed.search(result.text)):
        return "ok"
    # "No module named pytest", behind `|| true`: it never ran.
    return "unknown" if kind == "check" and rules.misuse.search(result.text) else "quiet"


def has_ended(steps: Sequence[Step]) -> bool:
    """Whether ``steps`` are those of one program that `aicx run` started, up to its end: nothing broke off then."""
    last = steps[-1] if steps else None
    return last is not None and (last.tool, last.phase) == ("run", "result") and last.exit_code is not None


def _failure(text: str, rules: CommandRules) -> Outcome:
    """How a command ended that seems to have failed and printed ``text``."""
    if rules.exists.search(text):
        return "quiet"
    if rules.misuse.search(text) or _running(text, rules):
        return "unknown"
    return "moot" if rules.sandboxed.search(text) else "failed"


def unmet(line: str, code: int, printed: str) -> str:
    """The line that says most about what went wrong in a program that ended; empty where nothing did, as far as known.

    A program may end with 0 and hide how a check in it ended.
    """
    rules = command_rules()
    at = datetime.fromtimestamp(0, UTC)
    call = Step("", at, "tool", "agent", line, "run", "call", command=line)
    result = Step("", at, "tool", "tool", printed, "run", "result", failed=code != 0, exit_code=code)
    hidden = any(
        run.kind == "check" and (run.outcome == "failed" or (run.outcome == "unknown" and rules.misuse.search(printed)))
        for run in runs_of([(call, [result])])
    )
    return _telling(printed, rules) if code or hidden else ""


def _telling(text: str, rules: CommandRules) -> str:
    """The line of a failed output that says most about what went wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not rules.chatter.search(line)]
    for pattern in rules.telling:
        for line in lines:
            if pattern.search(line):
                return shorten(line, _TELLING_LENGTH)
    return shorten(lines[0], _TELLING_LENGTH) if lines else ""
