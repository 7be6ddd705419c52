"""The failures of one session: each mistake once, what was tried without effect, and what it took to pass."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, replace
from datetime import datetime

from aicx.evidence.calls import folders_of
from aicx.evidence.edits import is_edit, is_prose
from aicx.evidence.fixes import ends, repeats, topic_of, without_starters
from aicx.evidence.patterns import command_rules
from aicx.evidence.runs import Run, RunKind, is_probe, is_scratch
from aicx.evidence.transcript import Step
from aicx.git.roots import Roots
from aicx.refs import Ref
from aicx.shell import Simple, simple_commands
from aicx.text import instant, shorten
from aicx.toolchains import ErrorEvent, parse
from aicx.values import dataclass
from aicx.work.session_facts import Failure, Try

# What one run may report and one session keep; a build that breaks everything says the same many times.
MAX_EVENTS, MAX_FAILURES, MAX_ATTEMPTS, MAX_FILES, MAX_COMMANDS = 4, 100, 5, 5, 5
# Edits between two runs that may all have been made for what failed.
_FEW = 3
_MESSAGE, _COMMAND = 300, 120  # characters
# What a client puts before the output of a command.
_HEADER = re.compile(
    r"(?:(?:Script|Chunk ID:|Wall time|Process|Exit code:|Command:|Original token|Total output)[^\n]*(?:\n|\Z))*"
    r"Output:(?:\n|\Z)(?:Process running with [^\n]*(?:\n|\Z))?"
)
# A message that a tool prints beside the mistake, and that is the same for every mistake or says where it is not.
_SAYS_NOTHING = re.compile(
    r"^hint:|^exit code \d+$|^\^C$|\btoo many errors$|\bexited with (?:code|status) \d+\W*$"
    r"|\brun with --verbose\b|\brerun with\b|^failed to push some refs\b|\bsee \S+ for (?:the )?(?:full|more)\b"
    r"|\bcommand failed with exit code\b|^(?:found )?\d+ (?:errors?|issues?|problems?)\W*$|\[(?:build|setup) failed\]$",
    re.IGNORECASE,
)
# A file with a program is part of the work.
_SCRIPT = re.compile(r"(?:^|[\s/])[\w.-]+\.(?:[cm]?[jt]sx?|bash|pl|php|ps1|py|rb|sh)\b")
# Whose tests run only once everything compiles, whatever they are started with.
_COMPILED = frozenset({"c_cpp", "dotnet", "go", "java", "rust"})
_FORMATS = re.compile(r"\b(?:fmt|format|gofmt|prettier|black)\b")
_RUNS = frozenset({"test", "runtime"})
_TASK_RUNNERS = frozenset({"just", "make", "mise", "moon", "task"})
# What a merge says of each commit that it stops at, beside the files that do not fit.
_CONFLICT = "CONFLICT "
# A program's own words on what it was to do with the history; a hook of the repository names places.
_KEEPS_HISTORY = re.compile(r"(?:git|gh)\s")
# The part of a file's name that says that it holds the tests of another one.
_OF_TESTS = re.compile(r"[._-](?:tests?|spec)(?=\.)|^test_", re.IGNORECASE)
# A working tree of a repository beside others.
_TREE = re.compile(r"[/\\]\.?(?:claude[/\\])?worktrees[/\\][^/\\]+", re.IGNORECASE)


@dataclass(slots=True)
class _Open:
    """A mistake since its command failed last, and what was done since in the working tree ``tree``.

    ``parts`` are the commands of the line that failed and have not passed since: of `lint && test` it is not said which
    of them did. ``unread`` says that more may have been done.
    """

    failure: Failure
    parts: tuple[Simple, ...]
    kind: RunKind
    tree: str
    files: dict[str, None] = field(default_factory=dict)
    commands: dict[str, None] = field(default_factory=dict)
    unread: bool = False

    def tried(self, at: str, ref: str) -> Try:
        files, commands = list(self.files), tuple(self.commands)[-MAX_COMMANDS:]
        mine = [file for file in files if _is_same(file, self.failure.file)]
        if mine:  # what was edited where the mistake is says more than what was run besides
            near = [file for file in files if file not in mine and _is_near(file, mine[0])]
            files, commands = [*mine, *near], ()
        elif len(files) > _FEW:  # any of so many edits may have been for something else
            place = self.failure.file
            files = [file for file in files if place is not None and _is_near(file, place)]
        return Try(tuple(files)[:MAX_FILES], commands, at, ref, not self.unread and len(files) == len(self.files))

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
        self.unread = False


def failures_of(
    calls: Sequence[tuple[Step, Sequence[Step]]],
    runs: Sequence[Run | None],
    roots: Roots,
    folder: str | None,
    typed: Sequence[datetime] = (),
) -> list[Failure]:
    """The mistakes that commands of a session reported, in the order in which they came up.

    ``calls`` are a session's calls with all their answers, as `aicx.evidence.runs.followed` gives them, and ``runs``
    what each of them ran. Whenever a person typed something, more may have been changed than the calls say.
    """
    open_: dict[str, _Open] = {}
    done: dict[str, Failure] = {}
    said = sorted(typed)
    for (call, answers), run in zip(calls, runs, strict=True):
        while said and said[0] <= call.at:
            said.pop(0)
            _not_read(open_)
        tree = _tree_of(call, folder)
        if is_edit(call):
            if not (answers and answers[-1].failed):
                _changed(open_, call, tree, roots, folder)
            continue
        if _hides_changes(call, run):
            _not_read(open_)
        if run is None:
            continue
        _also_ran(open_, _beside(call, run), tree)
        at, ref = instant(run.at, "seconds"), str(Ref("chunk", run.chunk))
        if run.outcome == "failed":
            for event in _events(run, call, answers, roots, folder):
                _take(open_, done, event, run, tree, roots, folder)
        elif run.outcome == "ok" or (run.kind == "change" and run.outcome == "quiet" and not _stops(answers)):
            _pass(open_, done, run, tree, call, at, ref)
        _also_ran(open_, [shorten(part.text, _COMMAND) for part in run.parts if _may_help(part.text)], tree)
    every = {**done, **{mark: one.failure for mark, one in open_.items()}}
    return sorted(every.values(), key=lambda one: (one.first_at, one.fingerprint))[:MAX_FAILURES]


def _events(
    run: Run, call: Step, answers: Sequence[Step], roots: Roots, folder: str | None
) -> list[tuple[str, ErrorEvent]]:
    """The errors of a failed run, each mistake once, with the family of the tool."""
    if all(map(is_probe, run.parts)):
        return []
    printed = "\n".join(
        _HEADER.sub("", answer.text, count=1) if _HEADER.match(answer.text) else answer.text for answer in answers
    )
    parsed = parse(printed, call.command, answers[-1].exit_code, folder or "")
    errors = [
        event
        for event in parsed.events
        if event.severity == "error" and _tells(event, run, parsed.family) and not _is_foreign(event, roots)
    ]
    found = {event.fingerprint: event for event in _once(errors)}
    return [(parsed.family, event) for event in list(found.values())[:MAX_EVENTS]]


def _once(errors: Sequence[ErrorEvent]) -> list[ErrorEvent]:
    """One of the errors of each event: of a merge that stopped, of a test, of a file in which much is wrong."""
    if merge := next((one for one in errors if one.message.startswith(_CONFLICT)), None):
        return [merge]
    return list({one.test or one.file or one.fingerprint: one for one in reversed(errors)}.values())[::-1]


def _tells(event: ErrorEvent, run: Run, family: str) -> bool:
    """Whether an error is one of the work: what a program of somebody else says of no place is not, nor what it only
    says last, nor a refusal, nor trouble that passes by itself.
    """
    rules = command_rules()
    if _SAYS_NOTHING.search(event.message) or rules.sandboxed.search(event.message):
        return False
    if event.message == f"{event.test} failed":
        return False
    named = bool(event.file or event.test or event.code)
    if not named and not rules.says_wrong.search(event.message):
        return False
    if any(_KEEPS_HISTORY.match(part.text) for part in run.parts):
        return event.message.startswith(_CONFLICT) or bool(event.file and event.line)
    if run.kind == "check":
        return True
    if rules.passing.search(event.message) or rules.slip.search(event.message):
        return False
    return family != "generic" or named or _SCRIPT.search(run.line) is not None


def _is_foreign(event: ErrorEvent, roots: Roots) -> bool:
    """Whether an error is in a file outside of the repository, or in a folder for trials."""
    return event.file is not None and is_scratch(event.file, roots)


def _take(
    open_: dict[str, _Open],
    done: dict[str, Failure],
    found: tuple[str, ErrorEvent],
    run: Run,
    tree: str,
    roots: Roots,
    folder: str | None,
) -> None:
    family, event = found
    at, ref = instant(run.at, "seconds"), str(Ref("chunk", run.chunk))
    if (known := open_.get(event.fingerprint)) is not None:
        known.fails_again(run.parts, at, ref)
        return
    if (before := done.pop(event.fingerprint, None)) is not None:
        again = replace(before, last_at=at, ref=ref, count=before.count + 1, resolved=None)
        open_[event.fingerprint] = _Open(again, run.parts, run.kind, tree)
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
    open_[event.fingerprint] = _Open(failure, run.parts, run.kind, tree)


def _pass(
    open_: dict[str, _Open], done: dict[str, Failure], run: Run, tree: str, call: Step, at: str, ref: str
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
            if not any(rules.takes_no_end.search(part.text) for part in run.parts):
                done[mark] = replace(one.failure, resolved=one.tried(at, ref))
            del open_[mark]


def _covers(part: Simple, failed: Simple, one: _Open) -> bool:
    """Whether ``part`` looked at what ``failed``: the same check or more of it, a test of it, or the same script again.

    No linter says anything of what another one found, and no tests of one language what another does not compile.
    """
    program = failed.text.split()[:2]
    if one.kind == "other":
        return repeats(part, failed) if _SCRIPT.search(" ".join(program)) else part.text == failed.text
    topic = topic_of(failed) if one.kind == "check" else None
    runners = {*program[:1], *(_TASK_RUNNERS if one.failure.family in _COMPILED else ())}
    related = topic in (None, "test") or (topic == "build" and part.text.split()[0] in runners)
    return repeats(part, failed) or (related and ends(part, failed, one.kind))


def _changed(open_: dict[str, _Open], call: Step, tree: str, roots: Roots, folder: str | None) -> None:
    """Notes the files of an edit for the mistakes of the same working tree."""
    if not call.files:
        _not_read(open_)
    for name in call.files:
        path, of = roots.relative(name, folder), _tree(name) if _is_full(name) else tree
        for one in open_.values():
            if path is not None and of == one.tree and not _is_aside(path, one.failure):
                one.files[path] = None


def _stops(answers: Sequence[Step]) -> bool:
    """Whether an output says that a merge stopped."""
    return any(command_rules().conflict.search(answer.text) for answer in answers)


def _is_same(file: str, other: str | None) -> bool:
    """Whether two names, of which a tool may have given one from the folder of a package, can be one file's."""
    return other is not None and (file == other or file.endswith(f"/{other}") or other.endswith(f"/{file}"))


def _is_near(file: str, other: str) -> bool:
    """Whether two files are next to each other, or called alike, as a module and its tests."""
    folder, _, name = file.rpartition("/")
    other_folder, _, other_name = other.rpartition("/")
    stem, other_stem = (_OF_TESTS.sub("", part).partition(".")[0] for part in (name, other_name))
    return stem == other_stem or bool(other_folder and f"/{folder}".endswith(f"/{other_folder}"))


def _is_aside(path: str, failure: Failure) -> bool:
    """Whether a file is only read by people, and the mistake is not in such a file."""
    return is_prose(path) and not is_prose(failure.file or "")


def _also_ran(open_: dict[str, _Open], lines: Sequence[str], tree: str) -> None:
    for one in open_.values():
        # How code is laid out makes no test pass.
        useless = _FORMATS if one.failure.phase in _RUNS else None
        if tree == one.tree:
            told = (line for line in lines if line != one.failure.command and not (useless and useless.search(line)))
            one.commands |= dict.fromkeys(told)


def _not_read(open_: dict[str, _Open]) -> None:
    for one in open_.values():
        one.unread = True


def _hides_changes(call: Step, run: Run | None) -> bool:
    """Whether a call may have changed what it does not name: another tool, a subagent, a line that writes a file."""
    rules = command_rules()
    if not call.command:
        return rules.reads.search(call.tool or "") is None
    if rules.writes.search(call.command) or (run is not None and run.outcome not in ("ok", "failed", "quiet", "moot")):
        return True
    parts = run.parts if run is not None and run.kind == "other" else ()
    return not all(is_probe(part) or _may_help(part.text) for part in parts)


def _beside(call: Step, run: Run) -> list[str]:
    """What a command line did besides that for which it was run: of `npm install left-pad && npm test` the first."""
    of_run = {part.text for part in run.parts}
    parts = (part.text for part in simple_commands(call.command) if not command_rules().look.match(part.text))
    return [shorten(text, _COMMAND) for text in parts if text not in of_run and _may_help(text)]


def _may_help(command: str) -> bool:
    """Whether a command can be the reason why another one passes."""
    return command_rules().helps.match(without_starters(command)) is not None


def _tree_of(call: Step, folder: str | None) -> str:
    """The working tree that a call works in, where that lies beside others; empty for the repository's own folder."""
    return next(filter(None, map(_tree, sorted(folders_of(call)))), "" if folders_of(call) else _tree(folder or ""))


def _tree(path: str) -> str:
    found = _TREE.search(path)
    return found[0].replace("\\", "/").lower() if found else ""


def _is_full(path: str) -> bool:
    return path.startswith(("/", "\\\\")) or path[1:2] == ":"
