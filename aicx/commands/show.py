"""`aicx show`: one chunk with where it came from, one session, or what has to do with a file or a commit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from shutil import get_terminal_size
from textwrap import wrap
from typing import Annotated

from aicx import console, options
from aicx.config import load_settings
from aicx.corpus.files.read import ALTERED
from aicx.corpus.views.show import (
    HEADING,
    SCHEMA,
    ChunkFound,
    ListFound,
    SessionFound,
    SessionHead,
    Shown,
    WholeChunk,
    show,
)
from aicx.errors import CorpusDamaged
from aicx.opening import Kind, lines_of_place, open_ref
from aicx.paths import NON_REPOSITORY, Layout
from aicx.questions import PATH, Argument, Option
from aicx.text import first_of, local, shorten, time_span

_MAX_LINES = 5
# How much of a prompt and of an outcome is shown; whoever wants all of it opens its chunk.
_PROMPT_ROWS, _OUTCOME_ROWS = 6, 16
_FAILURE_LENGTH = 160
_REASONS = 2  # why a folder belongs to a repository; --json has all
_STATE_COLORS = {"unchanged": "green", "there": "green", "changed": "yellow"}

Ref = Annotated[
    str,
    Argument(
        metavar="REF",
        click_type=PATH,
        help="A chunk's id or path, a session or the beginning of its id, file:…, commit:…, or any other reference.",
    ),
]
Full = Annotated[bool, Option("--full", help="Print all of a session, chunk by chunk, shared text once.")]
Verify = Annotated[bool, Option("--verify", help="Check whether the logs still contain the stored records.")]
Limit = Annotated[
    int,
    Option("--limit", "-n", min=1, max=10_000, metavar="N", help="For file: and commit:, maximum number of chunks."),
]


@options.either("ref", "--ref")
def command(
    ref: Ref,
    full: Full = False,
    verify: Verify = False,
    limit: Limit = 20,
    repo: options.Repo = None,
    utc: options.Utc = False,
    no_pager: options.NoPager = False,
    json: options.Json = False,
) -> int:
    """Show one stored chunk and where it came from, or one session as a conversation.

    Of a session it prints what was asked, what the agent said in the end, and what failed; --full prints all of it.

    REF is a chunk's id or path, a session's id or the beginning of one, file:PATH for the chunks that touched a file,
    or commit:HASH for those that began at a commit or name it. A chunk goes to stdout as it is stored, between
    fences where that is no terminal, and exactly as it is in --json; facts about it go to stderr. mem:ID or a name
    shows a record of the memory, live:… what an instruction file says, work:ID or words of its title a task of this
    repository, failure:ID what failed, sha256:DIGEST a kept object, such as a pack, map:PATH:LINE a place in the
    repository, and session:AGENT:ID#w2 what a context window of a session came to.
    Exit code 7 if a chunk whose text is shown was altered after it was stored.

    Example: aicx show claude:1b2c3d4e-0000-4000-8000-000000000000:003 --verify
    Example: aicx show 1b2c3d4e:003
    Example: aicx show 1b2c3d4e --full
    Example: aicx show file:src/parser.py
    Example: aicx show commit:1a2b3c4
    """
    layout = load_settings().layout
    show_stored = partial(_show_stored, layout, limit, full=full, verify=verify, no_pager=no_pager, json=json)
    return open_ref(ref, layout, show_stored, printers(repo, json=json)) or 0


def _show_stored(
    layout: Layout, limit: int, ref: str, *, full: bool, verify: bool, no_pager: bool, json: bool
) -> int | None:
    """Prints what the corpus has. Raises NotFound."""
    shown = show(layout, ref, limit, full=full, verify=verify)
    if json:
        console.out_answer(SCHEMA, shown)
        return _code(shown.what)
    with console.paged(wanted=not no_pager):
        match shown.what:
            case ChunkFound():
                console.out_bytes(shown.what.chunk.body)
            case SessionFound():
                shown.notes.extend(_print_session(layout, shown.what, full=full))
            case ListFound():
                _print_list(shown.what)
    match shown.what:
        case ChunkFound():
            _tell_provenance(shown.what.chunk)
        case SessionFound():
            _tell_states(shown.what)
            console.say_zone()
        case ListFound():
            if shown.what.matched > len(shown.what.items):
                console.notify(f"{len(shown.what.items)} of {shown.what.matched} shown; --limit shows more.")
            console.say_zone()
    if shown.fallback_reason:
        console.warn(shown.fallback_reason)
    console.notify_notes(shown.notes)
    return _code(shown.what)


def _code(what: Shown) -> int:
    """The exit code: whether the text of an altered chunk was shown."""
    match what:
        case ChunkFound():
            altered = what.chunk.altered
        case SessionFound():
            altered = any(part.altered for part in what.chunks)
        case ListFound():
            altered = False
    return CorpusDamaged.exit_code if altered else 0


def _warn_altered(chunk_id: str) -> None:
    console.warn(f"{chunk_id} was {ALTERED}; `aicx doctor --fix` restores it where its log is still there")


def _tell_provenance(chunk: WholeChunk) -> None:
    if chunk.altered:
        _warn_altered(chunk.id)
    notify, style, fields = console.notify, console.style, chunk.sidecar
    notify(style(chunk.id, fg="green") + f"  {console.link(chunk.path, chunk.path)}")
    notify(f"  {console.place(fields['project'], fields.get('cwd'))}; the times in it are UTC")
    for source in chunk.sources:
        there = "there" if source["is_there"] else "gone"
        spans = source.get("spans") or []
        state = source.get("state", there)
        facts = [_state(state), str(source.get("format")), console.plural(len(spans), "span")]
        if spans:
            facts.append(f"{spans[0][0]} to {spans[-1][1]}")
        notify(f"  source: {console.link(source['path'], source['path'])} ({', '.join(facts)})")
    if fields["redactions"]:
        notify("  redacted: " + ", ".join(f"{rule} {count}" for rule, count in fields["redactions"].items()))
    copies = fields.get("duplicates") or []
    for copy in copies[:_MAX_LINES]:
        notify(
            f"  copy: {copy['agent']}:{copy['session_id']} in {copy['path']}, {copy['span'][0]} to {copy['span'][1]}"
        )
    if len(copies) > _MAX_LINES:
        notify(f"  and {len(copies) - _MAX_LINES} more copies; --json lists them all")
    notify(f"  before: {chunk.previous or 'nothing, it is the first'}")
    notify(f"  after: {chunk.next or 'nothing, it is the last'}")
    if chunk.ignored:
        notify("  .aicxignore hides it from every other command")


def _print_session(layout: Layout, found: SessionFound, *, full: bool) -> list[str]:
    """Prints a session; returns notes on what of it could not be read."""
    style, session = console.style, found.head
    # The chunks are the data when they are asked for; then what is said about them is talk.
    on_progress = console.notify if full else console.out
    on_progress(style(session.title or "Untitled session", bold=True))
    places = dict.fromkeys(console.place(project, session.cwd) for project in session.projects)
    name = f"{session.agent}:{session.session_id}"
    stored = found.chunks[0].path if found.chunks else None
    on_progress(f"  {' · '.join((console.link(name, stored) if stored else name, *places))}")
    on_progress(f"  {time_span(local(session.started_at), local(session.completed_at))}")
    why: dict[str, list[str]] = {}  # a worktree and its folders are filed for the same reasons
    for place in session.places:
        told = f"{place.repository or 'in no repository'}: {first_of(place.reason.split('; '), _REASONS)}"
        why.setdefault(told, []).append(console.place(NON_REPOSITORY, place.folder))
    for told, folders in why.items():
        on_progress(f"  {first_of(folders, 1)} {'is' if len(folders) == 1 else 'are'} {told}")
    if session.parent_session:
        what = "subagent of" if session.lane == "subagent" else "continues"
        on_progress(f"  {what} {session.parent_session}{'' if session.parent_stored else ' (not stored)'}")
    elif session.lane == "subagent":
        on_progress("  subagent of an unknown session")
    for child in session.children:
        on_progress(f"  led to {child}")
    on_progress(f"  {_reopening(session)}")
    if not full:
        return _print_turns(layout, found)
    for part in found.chunks:
        if part.altered:
            _warn_altered(part.id)
        if part.body is not None and HEADING in part.body:
            console.out_bytes(part.body)
            console.out()
    return []


def _print_turns(layout: Layout, found: SessionFound) -> list[str]:
    """The conversation: prompts, what came of them, and what failed."""
    # Imported here: it takes as long as all the rest, and a single chunk needs none of it.
    from aicx.evidence import read_steps
    from aicx.evidence.conversation import conversation

    paths = [str(Path(part.path).relative_to(layout.home)) for part in found.chunks]
    steps, notes = read_steps(layout, paths)
    refs = {part.id: part.ref for part in found.chunks}
    style, day = console.style, local(found.head.started_at).date()
    turns = conversation(steps)
    for turn in turns:
        failed = [f"failed: {failure}" for failure in turn.failures]
        calls = [console.plural(turn.calls, "tool call")] if turn.calls else []
        for said, who, limit, facts in (
            (turn.prompt, "user", _PROMPT_ROWS, []),
            (turn.outcome, found.head.agent, _OUTCOME_ROWS, calls),
        ):
            if said is None:
                continue
            at = local(said.at)
            stamp = f"{at:%H:%M}" if at.date() == day else console.when(at)
            day = at.date()
            head = " · ".join((who, *facts, style(refs[said.chunk], fg="green")))
            console.out(f"\n{style(stamp, fg='cyan')}  {style(head, bold=who == 'user')}")
            _print_text(said.text, limit, refs[said.chunk])
        for line in failed:
            console.out(f"  {style(shorten(line, _FAILURE_LENGTH), fg='red')}")
    return notes


def _print_text(text: str, limit: int, ref: str) -> None:
    """The first ``limit`` rows of a text, and how to read the rest."""
    width = get_terminal_size().columns - 2
    lines = [line.rstrip() for line in text.splitlines()]
    rows = [row for line in lines if line for row in wrap(line, width, break_on_hyphens=False) or [""]]
    kept = rows if len(rows) <= limit + 1 else rows[:limit]
    for row in kept:
        console.out(f"  {row}")
    if len(kept) < len(rows):
        console.out(console.style(f"  … {len(rows) - limit} more lines: aicx show {ref}", dim=True))


def _tell_states(session: SessionFound) -> None:
    for part in session.chunks:
        if part.source_states:
            console.notify(f"  {part.id}: {', '.join(map(_state, part.source_states))}")


def _reopening(session: SessionHead) -> str:
    if session.reopen is None:
        return f"{session.agent} has no command to reopen it"
    place = f"   (in {session.cwd})" if session.cwd else ""
    gone = "" if session.log_is_there else "; its log is gone, so this may find nothing"
    return f"reopen: {console.style(session.reopen, bold=True)}{place}{gone}"


def _print_list(listed: ListFound) -> None:
    style = console.style
    for item in listed.items:
        title = console.title(item)
        facts = [console.place(item["project"], item.get("cwd")), item["agent"], item["kind"]]
        if item.get("branch"):
            facts.append(f"branch {item['branch']}")
        if found_in := item.get("found_in"):
            facts.append("the session began there" if found_in == "commit" else f"named in its {found_in}")
        console.out(f"{style(console.when(item['started_at']), fg='cyan')}  {style(title, bold=True)}")
        if item.get("altered"):
            facts.append("altered on disk")
        console.out(f"  {' · '.join(facts)} · {style(item['id'], fg='green')}")
        console.out(f"  {console.link(style(item['path'], dim=True), item['path'])}")


def _state(state: str) -> str:
    return console.style(state, fg=_STATE_COLORS.get(state, "red"))


def printers(repo: str | None, *, json: bool) -> Mapping[Kind, Callable[[str], None]]:
    """Returns the printer of each kind of thing. Its command is imported when needed: together they take long."""

    def record(ref: str) -> None:
        from aicx.commands.memory.reading import get

        get(ref, repo=repo, json=json)

    def task(ref: str) -> None:
        from aicx.commands.task.showing import show

        show(ref, repo=repo, json=json)

    def failure(ref: str) -> None:
        from aicx.commands.failures import show_failure

        show_failure(ref, json=json)

    def kept(ref: str) -> None:
        from aicx.commands.cas import get

        get(ref, json=json)

    def window(ref: str) -> None:
        from aicx.commands.sessions.summarize import summarize_session

        summarize_session(ref, json=json)

    def session(ref: str) -> None:
        from aicx.commands.sessions.showing import show

        show(ref, repo=repo, json=json)

    return {
        "record": record,
        "task": task,
        "failure": failure,
        "object": kept,
        "window": window,
        "session": session,
        "place": lambda ref: _print_place(ref, repo, json=json),
    }


def _print_place(ref: str, repo: str | None, *, json: bool) -> None:
    from aicx.corpus.views.show import SCHEMA, ListFound

    first, answer = lines_of_place(ref, options.folder(repo))
    if json:
        console.out_answer(SCHEMA, answer)
        return
    assert isinstance(answer.what, ListFound)
    with console.paged():
        for at, line in enumerate(answer.what.lines or (), first):
            console.out(f"{console.style(f'{at:>5}', dim=True)}  {line}")
    console.notify_notes(answer.notes)
