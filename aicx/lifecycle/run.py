"""Runs a program as a session: its context before, the record of what it did afterwards, and nothing else changed."""

from __future__ import annotations

import os
import re
import secrets
import shlex
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from aicx.caller import Caller
from aicx.config import Settings
from aicx.errors import AicxError
from aicx.git.history import list_hashes, read_changes
from aicx.git.state import Git, GitProbe, GitState
from aicx.lifecycle.identity import Asker
from aicx.lifecycle.prepare import prepare
from aicx.lifecycle.run_log import Recorder
from aicx.resume.brief.banner import opening
from aicx.resume.brief.output import markdown_brief
from aicx.sources import RUN, load_source
from aicx.sources.items import BadRecord
from aicx.storage import replace_file
from aicx.system import HAS_TERMINALS
from aicx.text import estimate_tokens, instant, plural, shorten
from aicx.toolchains.parsing import is_tool
from aicx.values import dataclass
from aicx.work.attempts import attempts_in, begin, end
from aicx.work.place import find_place
from aicx.work.record import MAX_LISTED, Attempt, Stated, WorkRecord, clean, stored

if HAS_TERMINALS:
    from aicx.lifecycle.program import hold_signals, obey_held, run_program
else:
    from aicx.lifecycle.plain import hold_signals, obey_held, run_program

_MAX_COMMITS = 50
_Stamp = tuple[int, int] | None


class Before(NamedTuple):
    """A repository before: its state, and what its changed files looked like."""

    folder: Path
    at: datetime
    state: GitState
    stamps: dict[str, _Stamp]


def look(folder: Path, now: datetime) -> Before:
    with GitProbe(Git(folder)) as probe:
        state = probe.state
    stamps = {path: _stamp(Path(state.root or "", path)) for path in state.changed}
    return Before(folder, now, state, stamps)


def changes_since(before: Before, now: datetime) -> tuple[list[str], tuple[str, ...]]:
    """Paths from the repository's root that differ from ``before``, and hashes of the commits made since, newest first.

    Both are empty where git says nothing.
    """
    after = look(before.folder, now)
    if not (before.state.usable and after.state.usable):
        return [], ()
    git = Git(before.folder)
    made = []
    if after.state.head and after.state.head != before.state.head:
        since = (f"^{before.state.head}",) if before.state.head else ()
        hashes = list_hashes(git, _MAX_COMMITS, *since, after.state.head)
        began = before.at - timedelta(seconds=1)  # git keeps whole seconds
        made = [change for change in read_changes(git, hashes) if change.committed_at >= began]
    committed = {path for change in made for path in change.files}
    # A file that was changed before and is not now was taken back, unless it was committed.
    names = {*before.stamps, *after.stamps}
    touched = {path for path in names if before.stamps.get(path, ()) != after.stamps.get(path, ())}
    return sorted(committed | touched), tuple(change.hash for change in made)


def _stamp(path: Path) -> _Stamp:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


CONTEXT_SCHEMA = "aicx.run-context/1"
_TOKENS = 2000  # of the banner and the brief
_CONTEXTS = 100  # runs whose context is kept
_LOCK_WAIT = 10.0  # seconds that the end of a program may be kept waiting
_NOT_FOUND, _NOT_RUNNABLE = 127, 126  # as shells have it
# Programs that keep logs of their own, which `aicx store` reads, by what starts them.
_WITH_LOGS = {
    "claude": "claude", "@anthropic-ai/claude-code": "claude",
    "codex": "codex", "@openai/codex": "codex",
    "gemini": "gemini", "@google/gemini-cli": "gemini",
}  # fmt: skip
_STARTERS = frozenset({"npx", "bunx", "pnpx", "pnpm", "npm", "yarn", "bun", "dlx", "exec", "env", "nice", "sudo"})
_UNPLAIN = re.compile(r"[^a-z0-9.]+")
_NAME = 30  # characters

Warn = Callable[[str], None]
Clock = Callable[[], datetime]


@dataclass(frozen=True, slots=True)
class RunRequest:
    """``agent`` is the name of the program's agent, where it is not that of the program."""

    command: Sequence[str]
    folder: Path
    task: str = ""
    agent: str | None = None


def run(settings: Settings, request: RunRequest, caller: Caller, clock: Clock, warn: Warn) -> int:
    """The program's exit code. Whatever of aicx fails, the program runs: ``warn`` is told what is missing."""
    words, began = request.command, clock()
    if shutil.which(words[0], path=caller.environment.get("PATH")) is None:
        warn(f"{words[0]}: command not found")
        return _NOT_FOUND
    mask = hold_signals()
    known = program_with_logs(words, request.agent)
    called = clean(request.agent or Path(words[0]).name).lower()
    name = _UNPLAIN.sub("-", called).strip("-.")[:_NAME] or "program"
    session = f"{name}-{began:%Y%m%dt%H%M%S}-{secrets.token_hex(3)}"
    environ = {**caller.environment, "AICX_SESSION_ID": session}
    attempt, context = _prepare(settings, request, Asker(known or RUN, session), name, began, warn)
    environ.pop("AICX_CONTEXT_FILE", None)
    if context is not None:
        environ["AICX_CONTEXT_FILE"] = str(context)
    before = look(request.folder, began)
    line = _line(words)
    recorder = None
    if known is None:
        folder, branch = _text(str(request.folder)), before.state.branch
        recorder = Recorder(settings, session, clock, whole=is_tool(line))
        recorder.begin(began, {"command": line, "cwd": folder, "branch": branch, "task": request.task})
    obey_held(mask)
    try:
        code = run_program(words, environ, mask, caller.umask, recorder.hear if recorder else None)
        started = True
    except OSError as error:
        warn(f"{words[0]}: cannot be run: {error.strerror or error}")
        code, started = _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_RUNNABLE, False
    if recorder is not None:
        recorder.end(code if started else None)
        if recorder.problem:
            warn(f"what {words[0]} printed is not kept: {recorder.problem}")
    if attempt is not None:
        errors = _errors(line, code, recorder.ending) if recorder is not None and started else ()
        _record(settings, attempt, known, line, code, errors, before, clock, warn)
    return code


def program_with_logs(words: Sequence[str], agent: str | None = None) -> str | None:
    """The agent whose own logs `aicx store` reads, where ``words`` start one; None for any other program."""
    if agent in _WITH_LOGS.values():
        return agent
    for word in words:
        name = Path(word).name if not word.startswith("@") else f"@{word[1:].partition('@')[0]}"
        if name in _WITH_LOGS:
            return _WITH_LOGS[name]
        if name not in _STARTERS and not word.startswith("-") and "=" not in word:
            return None
    return None


def _text(text: str) -> str:
    """Words of a command line as text: bytes that are not UTF-8 become question marks, as nowhere else."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _line(words: Sequence[str]) -> str:
    """A command line that gives these words, as a person would quote them."""
    return _text(" ".join(map(_quoted, words)))


def _quoted(word: str) -> str:
    plain = "'" in word and not set('"$`\\!') & set(word)
    return f'"{word}"' if plain else shlex.quote(word)


def _prepare(
    settings: Settings, request: RunRequest, asker: Asker, name: str, now: datetime, warn: Warn
) -> tuple[WorkRecord | None, Path | None]:
    """The record that a session began, and the file with what it should know."""
    prepared = None
    try:
        prepared = prepare(settings, request.folder, asker, now, task=request.task, source="run", name=name)
        banner = f"{opening(stored(prepared.banner))}\n\n".encode()
        brief = markdown_brief(settings, prepared.report, _TOKENS - estimate_tokens(banner))
        body = banner + brief.text
        manifest: dict[str, Any] = {
            "schema": CONTEXT_SCHEMA,
            "session": f"{asker.agent}:{asker.session}",
            "task": clean(request.task),
            "command": clean(_line(request.command)),
            "prepared_at": instant(now),
            "context": f"{asker.session}.md",
            "sha256": sha256(body).hexdigest(),
            "attempt": prepared.attempt.ref if prepared.attempt else None,
            "selection": brief.manifest(),
        }
        return prepared.attempt, _write_context(settings, asker.session or name, body, manifest)
    except Exception as error:  # noqa: BLE001 - whatever fails here, the program runs
        warn(f"{name} runs without its context: {_reason(error)}")
        return prepared.attempt if prepared else _begin(settings, request, asker, now), None


def _begin(settings: Settings, request: RunRequest, asker: Asker, now: datetime) -> WorkRecord | None:
    """The record that a session began of which no brief could be made; None where it cannot be kept either."""
    try:
        place = find_place(settings, request.folder)
        return begin(settings, place, request.task, Attempt(asker.agent, asker.session), now, source="run")
    except (AicxError, OSError):  # what fails here has been told of the brief
        return None


def _write_context(settings: Settings, session: str, body: bytes, manifest: dict[str, Any]) -> Path:
    """The file with the brief, its manifest beside it. Those of older runs go."""
    folder = settings.layout.run_contexts
    context = folder / f"{session}.md"
    replace_file(context, body)
    replace_file(folder / f"{session}.json", orjson.dumps(manifest, option=orjson.OPT_INDENT_2))
    kept = sorted(folder.glob("*.md"), key=lambda path: path.lstat().st_mtime)
    for path in kept[:-_CONTEXTS]:
        for old in (path, path.with_suffix(".json")):
            with suppress(OSError):  # another run was faster
                old.unlink()
    return context


def own_session(settings: Settings, agent: str, since: datetime) -> str | None:
    """The id of the session whose log the agent wrote since then; None where there is none, or more than one."""
    source = load_source(agent)
    found: dict[str, datetime | None] = {}
    for log in source.discover(settings.homes):
        if isinstance(log, BadRecord) or _written(log.path) < since.timestamp():
            continue
        identity = source.identify(log)
        if identity.session_id is not None and identity.lane == "primary":
            found[identity.session_id] = identity.started_at
    begun = [name for name, at in found.items() if at is not None and at >= since]
    names = begun or list(found)
    return names[0] if len(names) == 1 else None


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _record(
    settings: Settings,
    attempt: WorkRecord,
    agent: str | None,
    line: str,
    code: int,
    errors: tuple[str, ...],
    before: Before,
    clock: Clock,
    warn: Warn,
) -> None:
    """Ends the attempt. What the program said of its own end by `aicx finalize` stays; this adds to it."""
    settings = replace(settings, lock_wait_seconds=min(settings.lock_wait_seconds, _LOCK_WAIT))
    now = clock()
    try:
        files, commits = changes_since(before, now)
        session = own_session(settings, agent, before.at) if agent else None
        every = attempts_in(settings, (attempt.repo_id,))
        known = next((one for one in every if one.id == attempt.id), attempt)
        assert known.attempt is not None
        if any(one.attempt and one.attempt.session == session for one in every):
            session = None  # a hook of the agent has recorded it
        said = known.attempt.outcome
        end(
            settings,
            known,
            said or ("success" if code == 0 else "failure"),
            "" if said else _summary(line, code, files, commits),
            Stated(edited=tuple(map(clean, files[:MAX_LISTED])), commands=(clean(line),), errors=errors),
            now,
            source="run",
            exit_code=code,
            commits=commits,
            session=session,
        )
    except Exception as error:  # noqa: BLE001 - the exit code is the program's
        warn(f"the run is not recorded: {_reason(error)}")


def _errors(line: str, code: int, printed: str) -> tuple[str, ...]:
    """The line that tells what failed: of a program, or of a check in it whose exit code it hides."""
    from aicx.evidence.runs import unmet  # imported here: the program has ended, and nothing waits for it

    told = unmet(line, code, printed)
    return (clean(told),) if told else ()


def _reason(error: Exception) -> str:
    return error.message if isinstance(error, AicxError) else f"{type(error).__name__}: {error}"


def _summary(line: str, code: int, files: Sequence[str], commits: Sequence[str]) -> str:
    did = [plural(len(one), noun) for one, noun in ((files, "changed file"), (commits, "commit")) if one]
    return f"`{shorten(line, 200)}` ended with exit code {code}{': ' if did else ''}{', '.join(did)}"


def current_folder(environ: dict[str, str]) -> Path:
    """Where the program runs, by the name that its user has for it."""
    named = environ.get("PWD", "")
    with suppress(OSError):
        if named and Path(named).samefile("."):
            return Path(named)
        return Path.cwd()
    return Path(named or "/")  # it was deleted; the program may not mind
