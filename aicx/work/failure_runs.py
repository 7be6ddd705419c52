"""The failures of one session: each mistake once, what was tried without effect, and what it took to pass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from aicx.evidence.edits import is_edit
from aicx.evidence.fixes import ends, repeats, topic_of
from aicx.evidence.given_up import PROBE
from aicx.evidence.patterns import command_rules
from aicx.evidence.runs import Run, RunKind
from aicx.evidence.transcript import Step
from aicx.git.roots import Roots
from aicx.refs import Ref
from aicx.shell import Simple, simple_commands
from aicx.text import instant, shorten
from aicx.toolchains import ErrorEvent, parse
from aicx.values import dataclass
from aicx.work.session_facts import Failure, Try

# What one run may report and one session keep; a build that breaks everything says the same many times.
MAX_EVENTS, MAX_FAILURES, MAX_ATTEMPTS, MAX_FILES, MAX_COMMANDS = 8, 100, 5, 8, 5
_MESSAGE, _COMMAND = 300, 120  # characters
# What a client puts before the output of a command.
_HEADER = re.compile(
    r"(?:(?:Script|Chunk ID:|Wall time|Process|Exit code:|Command:|Original token|Total output)[^\n]*(?:\n|\Z))*"
    r"Output:(?:\n|\Z)(?:Process running with [^\n]*(?:\n|\Z))?"
)
# A message that a tool prints beside the mistake, and that is the same for every mistake.
_SAYS_NOTHING = re.compile(
    r"^hint:|^exit code \d+$|^\^C$|\btoo many errors$|\bexited with (?:code|status) \d+\W*$"
    r"|\brun with --verbose\b|\brerun with\b|^failed to push some refs\b|\bsee \S+ for (?:the )?(?:full|more)\b",
    re.IGNORECASE,
)
# A file with a program is part of the work.
_SCRIPT = re.compile(r"(?:^|[\s/])[\w.-]+\.(?:[cm]?[jt]sx?|bash|pl|php|ps1|py|rb|sh)\b")
# Whose tests run only once everything compiles, whatever they are started with.
_COMPILED = frozenset({"c_cpp", "dotnet", "go", "java", "rust"})
_TASK_RUNNERS = frozenset({"just", "make", "mise", "moon", "task"})
_FORMATS = re.compile(r"(?:--fix|--write|\b(?:fix|fmt|format|lint-fix)\b)(?!.*--check)")


@dataclass(slots=True)
class _Open:
    """A mistake since its command failed last, and what was done since."""

    failure: Failure
    part: Simple
    kind: RunKind
    files: dict[str, None] = field(default_factory=dict)
    commands: dict[str, None] = field(default_factory=dict)

    def tried(self, at: str, ref: str) -> Try:
        return Try(tuple(self.files)[-MAX_FILES:], tuple(self.commands)[-MAX_COMMANDS:], at, ref)

    def fails_again(self, at: str, ref: str) -> None:
        attempts = self.failure.attempts
        if self.files or self.commands:
            attempts = (*attempts, self.tried(at, ref))[-MAX_ATTEMPTS:]
        self.failure = replace(
            self.failure, last_at=at, ref=ref, count=self.failure.count + 1, attempts=attempts, resolved=None
        )
        self.files.clear()
        self.commands.clear()


def failures_of(
    calls: Sequence[tuple[Step, Sequence[Step]]], runs: Sequence[Sequence[Run]], roots: Roots, folder: str | None
) -> list[Failure]:
    """The mistakes that commands of a session reported, in the order in which they came up.

    ``calls`` are a session's calls with all their answers, as `aicx.evidence.runs.followed` gives them, and ``runs``
    what each of them ran.
    """
    open_: dict[str, _Open] = {}
    done: dict[str, Failure] = {}
    for (call, answers), ran in zip(calls, runs, strict=True):
        if is_edit(call):
            if not (answers and answers[-1].failed):
                _changed(open_, [path for name in call.files if (path := roots.relative(name, folder))])
            continue
        beside = _beside(call, ran)
        for run in ran:
            _also_ran(open_, beside)
            at, ref = instant(run.at, "seconds"), str(Ref("chunk", run.chunk))
            if run.outcome == "failed":
                for event in _events(run, call, answers, folder):
                    _take(open_, done, event, run, roots, folder)
            elif run.outcome == "ok":
                _pass(open_, done, run, at, ref)
            if run.kind != "check" or _FORMATS.search(run.line):
                _also_ran(open_, [run.line])
    every = {**done, **{mark: one.failure for mark, one in open_.items()}}
    return sorted(every.values(), key=lambda one: (one.first_at, one.fingerprint))[:MAX_FAILURES]


def _events(run: Run, call: Step, answers: Sequence[Step], folder: str | None) -> Iterator[tuple[str, ErrorEvent]]:
    """The errors of a failed run, each fingerprint once, with the family of the tool."""
    if all(PROBE.match(part.text) for part in run.parts):
        return
    printed = "\n".join(
        _HEADER.sub("", answer.text, count=1) if _HEADER.match(answer.text) else answer.text for answer in answers
    )
    parsed = parse(printed, call.command, answers[-1].exit_code, folder or "")
    found = {
        event.fingerprint: event
        for event in parsed.events
        if event.severity == "error" and _tells(event, run, parsed.family)
    }
    yield from ((parsed.family, event) for event in list(found.values())[:MAX_EVENTS])


def _tells(event: ErrorEvent, run: Run, family: str) -> bool:
    """Whether an error is one of the work: what a program of somebody else says of no place is not."""
    if _SAYS_NOTHING.search(event.message):
        return False
    known = family != "generic" or event.file or event.test or event.code
    return run.kind != "other" or bool(known or _SCRIPT.search(run.line))


def _take(
    open_: dict[str, _Open],
    done: dict[str, Failure],
    found: tuple[str, ErrorEvent],
    run: Run,
    roots: Roots,
    folder: str | None,
) -> None:
    family, event = found
    at, ref = instant(run.at, "seconds"), str(Ref("chunk", run.chunk))
    if (known := open_.get(event.fingerprint)) is not None:
        known.fails_again(at, ref)
        return
    if (before := done.pop(event.fingerprint, None)) is not None:
        again = replace(before, last_at=at, ref=ref, count=before.count + 1, resolved=None)
        open_[event.fingerprint] = _Open(again, run.parts[-1], run.kind)
        return
    failure = Failure(
        fingerprint=event.fingerprint,
        family=family,
        toolchain=event.toolchain,
        phase=event.phase,
        message=shorten(event.message, _MESSAGE),
        code=event.code,
        file=(roots.relative(event.file, folder) or event.file) if event.file else None,
        line=event.line,
        test=event.test,
        command=run.line,
        exit_code=event.exit_code,
        first_at=at,
        last_at=at,
        ref=ref,
    )
    open_[event.fingerprint] = _Open(failure, run.parts[-1], run.kind)


def _pass(open_: dict[str, _Open], done: dict[str, Failure], run: Run, at: str, ref: str) -> None:
    """Ends the failures that cannot be left once this run passed."""
    for mark, one in list(open_.items()):
        if run.kind == one.kind and any(_passes(part, one) for part in run.parts):
            done[mark] = replace(one.failure, resolved=one.tried(at, ref))
            del open_[mark]


def _passes(part: Simple, one: _Open) -> bool:
    """Whether ``part`` looked at what failed: the same check or more of it, a test of it, or the same script again.

    No linter says anything of what another one found, and no tests of one language what another does not compile.
    """
    failed, program = one.part, one.part.text.split()[:2]
    if one.kind == "other":
        return repeats(part, failed) if _SCRIPT.search(" ".join(program)) else part.text == failed.text
    topic = topic_of(failed) if one.kind == "check" else None
    runners = {*program[:1], *(_TASK_RUNNERS if one.failure.family in _COMPILED else ())}
    related = topic in (None, "test") or (topic == "build" and part.text.split()[0] in runners)
    return repeats(part, failed) or (related and ends(part, failed, one.kind))


def _changed(open_: dict[str, _Open], paths: Sequence[str]) -> None:
    for one in open_.values():
        one.files |= dict.fromkeys(paths)


def _also_ran(open_: dict[str, _Open], lines: Sequence[str]) -> None:
    for one in open_.values():
        one.commands |= dict.fromkeys(line for line in lines if line != one.failure.command)


def _beside(call: Step, ran: Sequence[Run]) -> list[str]:
    """What a command line did besides that for which it was run: of `npm install left-pad && npm test` the first."""
    of_runs = {part.text for run in ran for part in run.parts}
    parts = (part.text for part in simple_commands(call.command) if not command_rules().look.match(part.text))
    return [shorten(text, _COMMAND) for text in parts if text not in of_runs]
