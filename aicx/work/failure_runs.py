"""The failures of one session: each mistake once, what was tried without effect, and what it took to pass."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import field, replace
from datetime import datetime

from aicx.evidence import Step
from aicx.evidence.calls import folders_of, is_edit, is_prose
from aicx.evidence.fixes import ends, is_special, repeats, topic_of, without_starters
from aicx.evidence.patterns import command_rules
from aicx.evidence.runs import CommandRun, RunKind, is_probe, run_kind
from aicx.folders import is_absolute
from aicx.git import Roots
from aicx.refs import Ref
from aicx.shell import Simple, simple_commands
from aicx.text import instant, shorten
from aicx.toolchains.parsing import ErrorEvent
from aicx.values import dataclass
from aicx.work.failure_events import (
    SCRIPT,
    came_first,
    is_called_alike,
    is_near,
    is_same_file,
    is_test_file,
    known_as,
    mistakes_of,
    names_file,
    once_an_event,
)
from aicx.work.session_facts import Failure, Try

# What one session keeps.
MAX_FAILURES, MAX_ATTEMPTS, MAX_FILES, MAX_COMMANDS = 100, 5, 5, 5
# Mistakes that are mended where they are.
_IN_PLACE = frozenset({"build", "lint", "syntax", "type"})
# What keeps a program from being looked at, or run.
_BEFORE_TESTS = frozenset({"build", "setup", "syntax", "type"})
# Edits between two runs that may all have been made for what failed.
_FEW, _FEW_COMMANDS, _TYPED = 3, 2, 2
_MESSAGE, _COMMAND = 300, 120  # characters
# Whose tests run only once everything compiles, whatever they are started with.
_COMPILED = frozenset({"c_cpp", "dotnet", "go", "java", "rust"})
_TASK_RUNNERS = frozenset({"just", "make", "mise", "moon", "task"})


@dataclass(slots=True)
class _Open:
    """A mistake since its command failed last, and what was done since in the working tree ``tree``.

    ``parts`` are the commands of the line that failed and have not passed since: of `lint && test` it is not said which
    of them did. ``unread`` says that more may have been done, ``gone`` when and where a run no longer reported it,
    without passing: what comes after that was for something else.
    """

    failure: Failure
    parts: tuple[Simple, ...]
    kind: RunKind
    tree: str
    files: dict[str, None] = field(default_factory=dict)
    commands: dict[str, None] = field(default_factory=dict)
    unread: bool = False
    gone: tuple[str, str] | None = None

    def tried(self, at: str, ref: str) -> Try:
        """What of all that was done since can have been done for it: what names its file, else the little there is."""
        failure, files = self.failure, list(self.files)
        commands: tuple[str, ...] = ()
        mine = [file for file in files if is_same_file(file, failure.file) or names_file(failure.command, file)]
        if mine:
            # A linter's finding is mended where it is, a type that does not fit on either side, a test in its subject.
            code = [file for file in files if not is_test_file(file)] if all(map(is_test_file, mine)) else []
            either = failure.phase == "type" and len(files) <= _TYPED
            alike = [one for one in files if either or is_called_alike(one, mine[0])] if failure.phase != "lint" else []
            files = list(dict.fromkeys((*(code if failure.test and len(code) <= _FEW else ()), *mine, *alike)))
            commands = tuple(
                one for one in self.commands if command_rules().restores.match(one) and names_file(one, failure.file)
            )
        elif naming := [line for line in self.commands if names_file(line, failure.file)]:
            files, commands = [], tuple(naming)
        elif (
            failure.file is not None
            and failure.phase != "lint"
            and (near := [file for file in files if is_near(file, failure.file or "")])
        ):
            files = near
        elif len(files) > _FEW or self.unread or (failure.file is not None and failure.phase in _IN_PLACE):
            files = []
        if not files and not commands and len(self.commands) <= _FEW_COMMANDS:
            commands = tuple(self.commands)
        shown = tuple(shorten(line, _COMMAND) for line in commands[-MAX_COMMANDS:])
        at, ref = self.gone or (at, ref)
        return Try(tuple(files)[:MAX_FILES], shown, at, ref, not self.unread and len(files) == len(self.files))

    def fails_again(self, parts: tuple[Simple, ...], at: str, ref: str) -> None:
        attempts = self.failure.attempts
        if self.files or self.commands:
            attempts = (*attempts, self.tried(at, ref))[-MAX_ATTEMPTS:]
        self.failure = replace(
            self.failure, last_at=at, ref=ref, count=self.failure.count + 1, attempts=attempts, resolved=None
        )
        self.parts = parts
        self.files.clear()
        self.commands.clear()
        self.unread, self.gone = False, None


def failures_of(
    calls: Sequence[tuple[Step, Sequence[Step]]],
    runs: Sequence[CommandRun | None],
    roots: Roots,
    folder: str | None,
    typed: Sequence[datetime] = (),
    gone: Collection[str] = (),
    before: Sequence[Failure] = (),
) -> list[Failure]:
    """The mistakes that commands of a session reported, in the order in which they came up.

    ``calls`` are a session's calls with all their answers, as `aicx.evidence.runs.followed` gives them, and ``runs``
    what each of them ran. Whenever a person typed something, more may have been changed than the calls say. ``gone``
    are the files that the session deleted, and ``before`` what was found in the calls before these.
    """
    open_: dict[str, _Open] = {}
    done: dict[str, Failure] = {}
    for known in before:
        parts = tuple(simple_commands(known.command))
        if known.resolved is None and parts:
            open_[known.fingerprint] = _Open(known, parts, run_kind(parts[-1]), _tree(folder or ""), unread=True)
        else:
            done[known.fingerprint] = known
    said, kept = sorted(typed), frozenset(done)
    for (call, answers), run in zip(calls, runs, strict=True):
        while said and said[0] <= call.at:
            said.pop(0)
            _not_read(open_)
        tree = _tree_of(call, folder)
        if is_edit(call):
            if not (answers and answers[-1].failed):
                _changed(open_, call.files, tree, roots, folder)
            continue
        if written := command_rules().here_document.findall(call.command):
            _changed(open_, written, tree, roots, folder)
        if _hides_changes(call, run):
            _not_read(open_)
        if run is None:
            continue
        if answers and run.outcome == "unknown":
            continue  # what was called wrongly changed nothing, and what comes behind it did not run
        if run.outcome != "failed" and _fell_back(call, answers):
            continue
        if run.outcome != "failed" or run.kind == "check":
            _discarded(open_, done, call, tree, kept)
        _also_ran(open_, _beside(call, run), tree)
        at, ref = instant(run.at, "seconds"), str(Ref("chunk", run.chunk))
        if run.outcome == "failed":
            earlier = [*(one.failure for one in open_.values()), *done.values()]
            mistakes = mistakes_of(run, call, answers, roots, folder)
            found = [(family, known_as(event, earlier)) for family, event in mistakes]
            for one in found:
                _take(open_, done, one, run, tree, roots, folder)
            if found:
                _ran_again(open_, run, tree, (at, ref), [event for _, event in found])
        elif run.kind == "check" and (run.outcome == "quiet" or not answers):
            _ran_again(open_, run, tree, (at, ref))
        elif run.outcome == "ok" or (run.kind == "change" and run.outcome == "quiet"):
            _pass(open_, done, run, tree, call, at, ref)
        ran = run.parts[:1] if run.outcome == "failed" else run.parts
        _also_ran(open_, [part.text for part in ran if _may_help(part)], tree)
        if run.outcome != "failed" and any(command_rules().commits.match(part.text) for part in run.parts):
            kept = frozenset(done)
    every = {**done, **{mark: one.failure for mark, one in open_.items()}}
    # A mistake in a file that the session itself deleted was made for trying something.
    told = [
        one for one in every.values() if not (came_first(one) or any(is_same_file(file, one.file) for file in gone))
    ]
    return once_an_event(sorted(told, key=lambda one: (one.first_at, one.fingerprint)))[:MAX_FAILURES]


def _take(
    open_: dict[str, _Open],
    done: dict[str, Failure],
    found: tuple[str, ErrorEvent],
    run: CommandRun,
    tree: str,
    roots: Roots,
    folder: str | None,
) -> None:
    family, event = found
    at, ref = instant(run.at, "seconds"), str(Ref("chunk", run.chunk))
    parts = _blamed(run, event)
    known = open_.get(event.fingerprint)
    if known is None and (before := done.pop(event.fingerprint, None)):
        open_[event.fingerprint] = known = _Open(before, parts, run.kind, tree)
    if known is not None:
        known.fails_again(parts, at, ref)
        return
    failure = Failure(
        fingerprint=event.fingerprint,
        family=family,
        toolchain=event.toolchain,
        phase=event.phase,
        message=shorten(event.message, _MESSAGE),
        code=event.code,
        file=(roots.relative(event.file, folder) or event.file) if event.file and not event.file.isdigit() else None,
        line=event.line,
        test=event.test,
        command=run.line,
        exit_code=event.exit_code,
        first_at=at,
        last_at=at,
        ref=ref,
    )
    open_[event.fingerprint] = _Open(failure, parts, run.kind, tree)


def _blamed(run: CommandRun, event: ErrorEvent) -> tuple[Simple, ...]:
    """The commands of a line that can have reported a mistake: no formatter, and of a test or a finding those of it."""
    parts = [part for part in run.parts if not command_rules().formats.search(part.text)] or list(run.parts)
    phase = "test" if event.test else event.phase
    return tuple([part for part in parts if topic_of(part) == phase] or parts)


def _pass(
    open_: dict[str, _Open], done: dict[str, Failure], run: CommandRun, tree: str, call: Step, at: str, ref: str
) -> None:
    """Ends the failures that cannot be left once this run passed."""
    rules = command_rules()
    if rules.past_hooks.search(call.command):
        return
    for mark, one in list(open_.items()):
        if run.kind != one.kind or tree != one.tree:
            continue
        one.parts = tuple(failed for failed in one.parts if not any(_covers(part, failed, one) for part in run.parts))
        if not one.parts:
            done[mark] = replace(one.failure, resolved=one.tried(at, ref))
            del open_[mark]


def _ran_again(
    open_: dict[str, _Open], run: CommandRun, tree: str, now: tuple[str, str], events: Sequence[ErrorEvent] = ()
) -> None:
    """Notes which failures a run did not report although it came as far, without passing: what is done after it is for
    others. Where it is not known what a run printed, neither is what it took to pass.
    """
    reported = {event.fingerprint for event in events}
    came_far = all(event.phase not in _BEFORE_TESTS for event in events)
    for mark, one in list(open_.items()):
        if mark in reported or run.kind != one.kind or tree != one.tree:
            continue
        again = all(any(repeats(part, failed) for part in run.parts) for failed in one.parts)
        if again and run.outcome not in ("failed", "quiet"):
            del open_[mark]
        elif again and (came_far or one.failure.phase in _BEFORE_TESTS):
            one.gone = one.gone or now


def _covers(part: Simple, failed: Simple, one: _Open) -> bool:
    """Whether ``part`` looked at what ``failed``: the same check or more of it, a test of it, or the same script again.

    No linter says anything of what another one found, and no tests of one language what another does not compile.
    """
    program = failed.text.split()[:2]
    if one.kind == "other":
        return repeats(part, failed) if SCRIPT.search(" ".join(program)) else part.text == failed.text
    if repeats(part, failed):
        return True
    topic = topic_of(failed) if one.kind == "check" else None
    runners = {*program[:1], *(_TASK_RUNNERS if one.failure.family in _COMPILED else ())}
    related = topic in (None, "test") or (topic == "build" and part.text.split()[0] in runners)
    return related and not is_special(part) and ends(part, failed, one.kind)


def _changed(open_: dict[str, _Open], names: Sequence[str], tree: str, roots: Roots, folder: str | None) -> None:
    """Notes the files of an edit for the mistakes of the same working tree."""
    if not names:
        _not_read(open_)
    for name in names:
        path, of = roots.relative(name, folder), _tree(name) if is_absolute(name) else tree
        for one in open_.values():
            if path is None or of != one.tree or (is_prose(path) and not is_prose(one.failure.file or "")):
                continue
            if one.gone:
                one.unread = True
            else:
                one.files[path] = None


def _discarded(open_: dict[str, _Open], done: dict[str, Failure], call: Step, tree: str, kept: Collection[str]) -> None:
    """Takes back what is told of edits that git threw away: they were no fix. The ends of ``kept`` are committed."""
    for part in simple_commands(call.command):
        if not command_rules().discards.match(part.text):
            continue
        every = command_rules().discards_all.search(part.text) is not None
        for one in open_.values():
            named = (*one.files, one.failure.file) if one.tree == tree else ()
            lost = {file for file in named if every or names_file(part.text, file)}
            one.files = {file: None for file in one.files if file not in lost}
            one.gone = None if one.failure.file in lost else one.gone
        for mark, end in [(mark, one.resolved) for mark, one in done.items() if mark not in kept]:
            if end and end.files and all(every or names_file(part.text, file) for file in end.files):
                del done[mark]


def _fell_back(call: Step, answers: Sequence[Step]) -> bool:
    """Whether what a command line says where it fails, `git checkout FILE || echo "no such file"`, was said."""
    printed = answers[-1].text if answers else ""
    return any(said.strip() in printed for said in command_rules().else_says.findall(call.command))


def _also_ran(open_: dict[str, _Open], lines: Sequence[str], tree: str) -> None:
    for one in open_.values():
        # How code is laid out makes no test pass, and no program compile.
        useless = None if one.failure.phase == "lint" else command_rules().tidies
        if tree == one.tree and not one.gone:
            told = (line for line in lines if line != one.failure.command and not (useless and useless.search(line)))
            one.commands |= dict.fromkeys(told)


def _not_read(open_: dict[str, _Open]) -> None:
    for one in open_.values():
        one.unread = True


def _hides_changes(call: Step, run: CommandRun | None) -> bool:
    """Whether a call may have changed what it does not name: another tool, a subagent, a line that writes a file."""
    rules = command_rules()
    if not call.command:
        return rules.reads.search(call.tool or "") is None
    if rules.writes.search(call.command) or (run is not None and run.outcome not in ("ok", "failed", "quiet", "moot")):
        return True
    parts = run.parts if run is not None and run.kind == "other" else ()
    return not all(is_probe(part) or _may_help(part) for part in parts)


def _beside(call: Step, run: CommandRun) -> list[str]:
    """Returns what a command line did besides its purpose: of `npm install left-pad && npm test` the first."""
    of_run = {part.text for part in run.parts}
    parts = (part for part in simple_commands(call.command) if not command_rules().look.match(part.text))
    return [part.text for part in parts if part.text not in of_run and _may_help(part)]


def _may_help(command: Simple) -> bool:
    """Whether a command can be the reason why another one passes; of `A || B` it is not said that B ran."""
    return not command.otherwise and command_rules().helps.match(without_starters(command.text)) is not None


def _tree_of(call: Step, folder: str | None) -> str:
    """The working tree that a call works in, where that lies beside others; empty for the repository's own folder."""
    return next(filter(None, map(_tree, sorted(folders_of(call)))), "" if folders_of(call) else _tree(folder or ""))


def _tree(path: str) -> str:
    found = command_rules().tree.search(path)
    return found[0].replace("\\", "/").lower() if found else ""
