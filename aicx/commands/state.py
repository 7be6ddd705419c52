"""`aicx status`, its `--logs` and `--projects`: what is stored and kept, and resetting what makes re-runs free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Annotated, Literal

from aicx import console, options
from aicx.commands.results import notify_nothing
from aicx.config import Settings, load_settings
from aicx.corpus.catalog.overview import SCHEMA as PROJECTS_SCHEMA
from aicx.corpus.catalog.overview import (
    LogsReset,
    ProjectSummary,
    RefsAnswer,
    State,
    forget_watermarks,
    list_chunk_paths,
    list_logs,
    list_projects,
    state_of,
)
from aicx.errors import AicxError, NotFound, plainly
from aicx.fields import INLINE, OPTIONAL
from aicx.filters import EVERYTHING, Filters
from aicx.paths import NON_REPOSITORY
from aicx.questions import Option
from aicx.storage.lock import writer_lock
from aicx.text import local
from aicx.values import dataclass

SCHEMA = "aicx.state/1"

_LABELS = {
    "home": "corpus",
    "chunks": "chunks",
    "sessions": "sessions",
    "messages": "messages",
    "redactions": "secrets redacted",
    "corpus_bytes": "size",
    "ignored_chunks": "hidden by .aicxignore",
    "chunks_without_tool_facts": "without tool facts",
    "first": "first message",
    "last": "last message",
    "logs_read": "logs read",
    "log_bytes_read": "size of logs read",
    "logs_with_bad_records": "logs with bad records",
}
LOGS_SCHEMA = "aicx.list/1"
_MAX_FOLDERS = 8


@dataclass(frozen=True, slots=True)
class StatusView:
    """A line on something that is kept beside the chunks, and the command that says more."""

    view: Annotated[str, "`index`, `memory`, `work`, `recall` or `share`"]
    said: Annotated[str, "in a few words"]
    more: Annotated[str, "the command that shows it whole"]
    waits: Annotated[str | None, "what of it needs a person, and how to do it"] = None


@dataclass(frozen=True, slots=True)
class StatusAnswer:
    """Counters of the corpus and its catalogue, and the rest in a line each."""

    state: State = field(metadata=INLINE)
    views: Annotated[list[StatusView] | None, "left out where one agent's logs are asked for"] = field(
        default=None, metadata=OPTIONAL
    )


def command(
    agent: options.Agents = None,
    reset: Annotated[
        bool, Option("--reset", help="Read all logs again at the next store; stored chunks stay.")
    ] = False,
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """Show what is stored, the index, memory, work, recall and share, and what needs a person.

    The counters are of the whole corpus, or of the logs of an agent alone; memory and work are those of this
    repository. Each line names the option or the command that shows all of it.

    Example: aicx status
    Example: aicx status -a claude --json
    Example: aicx status --reset -a codex   then the next `aicx store` reads every Codex log again
    """
    settings = load_settings()
    if reset:
        with writer_lock(settings.layout.locks, settings.lock_wait_seconds, console.notify):
            count = forget_watermarks(settings.layout, tuple(agent or ()))
        if json:
            console.out_answer(SCHEMA, LogsReset(count))
        else:
            console.notify(f"{console.plural(count, 'log')} will be read again by the next `aicx store`.")
        return
    state = state_of(settings.layout, tuple(agent or ()))
    views = None if agent else [_view(name, more, look, settings) for name, (more, look) in _VIEWS.items()]
    if json:
        console.out_answer(SCHEMA, StatusAnswer(state, views))
        return
    rows = []
    for name, label in _LABELS.items():
        value = getattr(state, name)
        if name in ("first", "last") and value:
            value = console.when(value)
        text = console.size(value) if "_bytes" in name else "none" if value is None else value
        rows.append((label, f"  {text:,}" if isinstance(text, int) else f"  {text}"))
    console.out_table([*rows, *_rows_of(views or [])], (22,), right=(0,))
    if state.first:
        console.say_zone()
    if state.fallback_reason:
        console.warn(state.fallback_reason)
    for note in state.notes:
        console.notify(note)


def _rows_of(views: list[StatusView]) -> list[tuple[str, str]]:
    """A label and its value each, as of the counters: scripts read them so."""
    rows = [(one.view, f"  {one.said}{console.style(f'   {one.more}', dim=True)}") for one in views]
    waits = [console.style(one.waits, fg="yellow") for one in views if one.waits]
    return rows + [("needs you", f"  {text}") for text in waits or (["nothing"] if views else [])]


def _view(name: str, more: str, look: Callable[[Settings], tuple[str, str | None]], settings: Settings) -> StatusView:
    try:
        said, waits = look(settings)
    except (AicxError, OSError) as error:  # what is wrong with one part is its line; the others are shown all the same
        said = plainly(error)
        waits = f"{said}: {getattr(error, 'hint', None) or more}"
    return StatusView(name, said, more, waits)


def _index(settings: Settings) -> tuple[str, None]:
    from aicx.engine.index_manifest import index_state
    from aicx.engine.vector_state import lexical_state, vector_state
    from aicx.errors import MissingExtra, NotFound

    words = lexical_state(settings)
    try:
        behind = vector_state(settings).behind
        meaning = index_state(exists=True, behind=behind)
    except NotFound:
        meaning = "none"
    except MissingExtra:
        meaning = "not installed"
    return f"words {index_state(exists=words.exists, behind=words.behind)}, meaning {meaning}", None


def _memory(_: Settings) -> tuple[str, str | None]:
    from aicx.commands.memory.common import open_desk, opened
    from aicx.memory.review.states import waiting

    with opened(open_desk(None)) as memory:
        assessed = memory.assessed(memory.records())
        queue = len(waiting(memory, assessed))
    said = f"{console.plural(len(assessed), 'record')}, {sum(found.baseline for found in assessed):,} agreed"
    return said, f"{console.plural(queue, 'record')} to decide about: aicx memory candidates queue" if queue else None


def _work(settings: Settings) -> tuple[str, None]:
    from aicx.commands.desk import open_desk
    from aicx.work.answers import list_tasks

    found = list_tasks(settings, open_desk(None).place, options.now(), limit=1)
    last = f", the last changed “{found.tasks[0].title}”" if found.tasks else ""
    return f"{console.plural(found.total, 'open task')}{last}", None


def _recall(settings: Settings) -> tuple[str, None]:
    import os

    from aicx.reminders.ledger import read

    said = read(os.fspath(settings.layout.agents))
    return (f"{console.plural(len(said), 'reminder')} to sessions" if said else "no reminder to a session", None)


def _share(settings: Settings) -> tuple[str, None]:
    from aicx.share.membership import find_membership

    found = find_membership(settings.layout)
    if found is None:
        return "with nobody", None
    return f"{found.address}, {', '.join(found.projects) or 'no project chosen'}", None


_VIEWS: dict[str, tuple[str, Callable[[Settings], tuple[str, str | None]]]] = {
    "index": ("aicx status --vectors", _index),
    "memory": ("aicx status --memory", _memory),
    "work": ("aicx task list", _work),
    "recall": ("aicx status --recall", _recall),
    "share": ("aicx share status", _share),
}


def list_agents_logs(agent: options.Agents = None) -> options.Answered:
    """List the raw logs of every agent with counts and sizes, and how many of them are stored.

    Example: aicx status --logs
    Example: aicx status --logs -a codex --json
    """
    found = list_logs(load_settings(), tuple(agent or ()))
    groups = found.sources
    yield LOGS_SCHEMA, found
    rows = []
    for group in groups:
        waiting = group.logs - group.stored
        stored = (
            console.style("all stored", fg="green")
            if not waiting
            else console.style(f"{waiting} to store", fg="yellow")
        )
        sizes = (console.plural(group.logs, "log"), console.size(group.size))
        rows.append((console.style(group.agent, bold=True), group.format, *sizes, f"  {stored}"))
    console.out_table(rows, (0, 22, 13, 11), right=(2, 3))
    for problem in found.problems:
        console.warn(f"{problem.path}: {problem.reason}")
    if not groups:
        console.notify("No agent logs found. CLAUDE_CONFIG_DIR and CODEX_HOME say where else to look.")
    elif any(group.logs > group.stored for group in groups):
        console.notify("Next: aicx store")


@options.filtered("project", "agent", "hours")
def list_stored_projects(
    filters: Filters = EVERYTHING,
    emit: Annotated[
        Literal["summary", "paths"], Option("--emit", help="One line per project, or the path of every chunk.")
    ] = "summary",
    strict: Annotated[bool, Option("--strict", help="Fail (exit 3) when nothing matches.")] = False,
    json: options.Json = False,
) -> None:
    """List the stored projects with their dates, agents and sizes, most recently active first.

    Example: aicx status --projects -H 48
    Example: aicx status --projects -p myrepo --emit paths
    """
    layout = load_settings().layout
    if emit == "paths" and not json:
        paths = list_chunk_paths(layout, filters)
        _require(paths, strict)
        for path in paths:
            console.out(str(layout.home / path))
        return
    found, notes = list_projects(layout, filters)
    _require(found, strict)
    if json:
        console.out_answer(PROJECTS_SCHEMA, RefsAnswer(found, notes))
        return
    for item in found:
        _print_project(item)
    if found:
        console.say_zone()
    console.notify_notes(notes)


def _require(found: Sequence[object], strict: bool) -> None:
    if found:
        return
    if strict:
        raise NotFound("nothing stored matches", hint="aicx status --projects without filters lists what there is")
    notify_nothing("Nothing matches. `aicx status --projects` without filters lists what is stored.")


def _print_project(item: ProjectSummary) -> None:
    agents = ", ".join(f"{name} {count}" for name, count in item.agents.items())
    name = "no repository" if item.project == NON_REPOSITORY else item.project
    days = dict.fromkeys(f"{local(at):%Y-%m-%d}" for at in (item.first, item.latest))
    console.out(f"{console.style(name, bold=True)}  {' to '.join(days)}")
    sizes = f"{console.plural(item.sessions, 'session')}, {console.plural(item.chunks, 'chunk')}"
    console.out(f"  {sizes}, {console.size(item.size)}: {agents}")
    for folder, sessions in list(item.folders.items())[:_MAX_FOLDERS]:
        console.out(f"  {console.place(NON_REPOSITORY, folder)}: {console.plural(sessions, 'session')}")
    if len(item.folders) > _MAX_FOLDERS:
        console.out(f"  and {console.plural(len(item.folders) - _MAX_FOLDERS, 'more folder')}; --json lists them all")
