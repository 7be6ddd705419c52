"""`aicx reports --raw`: one log, or one session of an agent, as a report; the corpus stays as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import Annotated

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.corpus.views.extraction import Extract, LogSelection, extract_log, extract_session
from aicx.corpus.views.report import (
    EntryList,
    MessageList,
    encode_report,
    entry_list,
    for_terminal,
    message_list,
    render_markdown,
)
from aicx.errors import UnsafePath, UsageError
from aicx.fields import INLINE, taken_from
from aicx.paths import user_path
from aicx.questions import PATH, Argument, Option
from aicx.sources import SOURCES
from aicx.sources.items import BadRecord
from aicx.storage import check_outside, replace_file
from aicx.terminal import invisible, without_controls
from aicx.values import dataclass

SCHEMA = "aicx.extract/1"


@dataclass(frozen=True, slots=True)
class ExtractAnswer:
    """A log's entries; with `--conversation` its messages instead."""

    generated_at: str
    title: str
    format: Annotated[str, "the format of the log"]
    source_paths: Annotated[list[str], "the logs"]
    problems: list[BadRecord]
    skipped: Annotated[dict[str, int], "reason → records left out on purpose"]
    notes: list[str]
    what: EntryList | MessageList = field(metadata=INLINE)


def extract_answer(found: Extract, selection: LogSelection, now: datetime) -> ExtractAnswer:
    return taken_from(
        found,
        ExtractAnswer,
        generated_at=now.isoformat(timespec="seconds"),
        source_paths=found.paths,
        what=message_list(found.entries, found.projects) if selection.conversation else entry_list(found.entries),
    )


_MAX_PROBLEMS = 10
_ID = re.compile(r"[\w:-]+")

Input = Annotated[
    str | None,
    Argument(metavar="INPUT", click_type=PATH, help="A log file, an Antigravity brain folder, or a session."),
]
Format = Annotated[str | None, Option("--format", metavar="AGENT", help=f"Whose log it is: {', '.join(SOURCES)}.")]
Output = Annotated[
    str | None,
    Option(
        "--output", "-o", metavar="FILE", click_type=PATH, help="Write to this file; JSON if its name ends in .json."
    ),
]
SessionId = Annotated[
    str | None, Option("--session", "-s", metavar="ID", help="Instead of INPUT: a session, or the beginning of its id.")
]
UserOnly = Annotated[bool, Option("--user-only", help="Only text typed by people.")]
Conversation = Annotated[bool, Option("--conversation", help="Only messages of people and the agent, never shortened.")]
MaxChars = Annotated[
    int, Option("--max-message-chars", min=0, metavar="N", help="Shorten longer messages; 0 means never.")
]
Force = Annotated[bool, Option("--force", help="Replace FILE if it exists.")]


def command(
    input: Input = None,
    format: Format = None,
    output: Output = None,
    session: SessionId = None,
    user_only: UserOnly = False,
    conversation: Conversation = False,
    max_message_chars: MaxChars = 0,
    force: Force = False,
    no_redact_secrets: options.NoRedact = False,
    utc: options.Utc = False,
    json: options.Json = False,
) -> None:
    """Turn one log, or one session, into a readable report without storing anything.

    INPUT is a log file, the brain folder of an Antigravity conversation, or a session where no file has its name. The
    agent is recognised from the content. Secrets are replaced. Unreadable records are skipped and listed on stderr.

    Example: aicx reports --raw ~/.codex/sessions/2026/01/31/rollout-2026-01-31T10-00-00-ID.jsonl
    Example: aicx reports --raw --session 1b2c3d4e --conversation -o talk.json
    Example: aicx reports --raw --format gemini-antigravity ~/.gemini/antigravity/conversations/ID.pb
    """
    settings = load_settings()
    if (input is None) == (session is None):
        raise UsageError("name one log or one session", hint="aicx reports --raw --help")
    path = user_path(input) if input else None
    if input and path and _ID.fullmatch(input) and not path.exists():
        path, session = None, input
    selection = LogSelection(
        user_only, conversation, max_message_chars, settings.redact_secrets and not no_redact_secrets
    )
    if no_redact_secrets:
        console.warn("secrets are shown as they are")
    target = user_path(output) if output else None
    if target is not None:
        _check_target(target, settings, force=force)
    if path is not None:
        found = extract_log(settings, path, format, selection)
    else:
        found = extract_session(settings, session or "", format, selection)
    as_json = json or (target is not None and target.suffix.lower() == ".json")
    if target is not None:
        _check_not_source(target, found.logs)
        answer = extract_answer(found, selection, options.now()) if as_json else None
        replace_file(target, encode_report(SCHEMA, answer) if answer else _page(found))
    elif as_json:
        console.out_answer(SCHEMA, extract_answer(found, selection, options.now()))
    else:
        page = for_terminal(_page(found).decode(), redact_secrets=selection.redact_secrets)
        console.out_bytes(page.encode())
    _print_summary(found, target)


def _page(found: Extract) -> bytes:
    return render_markdown(found.entries, found.title).encode("utf-8", "replace")


def _check_target(target: Path, settings: Settings, *, force: bool) -> None:
    check_outside(target, settings.corpus_folders)
    if target.is_dir():
        raise UsageError(f"{target} is a folder", hint="name the file to write")
    if target.exists() and not force:
        raise UsageError(f"{target} exists already", hint="--force replaces it; what it holds now is lost")


def _check_not_source(target: Path, logs: Sequence[Path]) -> None:
    """`--force` is for reports: a log of an agent is never written to."""
    whole = target.absolute().resolve()
    for log in logs:
        source = log.resolve()
        if whole == source or source in whole.parents:
            raise UnsafePath(f"{target} is the log itself", hint="choose another place")


def _plain(text: str) -> str:
    """A name from a log, or of one, on one line and with nothing in it that a terminal obeys or does not show."""
    return " ".join(without_controls(text).translate(invisible()).split())


def _print_summary(found: Extract, target: Path | None) -> None:
    shown = console.plural(len(found.entries), "message")
    left = f" of {found.total:,}" if len(found.entries) != found.total else ""
    console.notify(f"{shown}{left} from {', '.join(map(_plain, found.paths))} ({found.format})")
    if not found.entries:
        console.warn("the log has messages, but none that you asked for")
    for note in found.notes:
        console.warn(note)
    if found.problems:
        console.warn(f"{console.plural(len(found.problems), 'record')} could not be read; the rest is here")
    for problem in found.problems[:_MAX_PROBLEMS]:
        where = problem.path if problem.line is None else f"{problem.path}, line {problem.line}"
        console.notify(f"  {_plain(where)}: {_plain(problem.reason)}")
    if len(found.problems) > _MAX_PROBLEMS:
        console.notify(f"  and {len(found.problems) - _MAX_PROBLEMS} more; --json lists them all")
    if target is not None:
        console.notify(f"report: {target}")
