"""Shared by the actions: their options, the place they are about, showing a record, and asking."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated

from aicx import console, options
from aicx.config import load_settings
from aicx.errors import UsageError
from aicx.memory.answers import ENTRY_SCHEMA, HIDDEN, EntryAnswer, entry_of
from aicx.memory.assess import Assessment
from aicx.memory.deciding import Desk
from aicx.memory.evidence import show_evidence
from aicx.memory.policy_records import of_records, policy_in
from aicx.memory.reading import Memory, Scope, find_scope
from aicx.memory.record import REASONS, Reason, Record
from aicx.questions import Argument, Option
from aicx.text import day_bounds, local

RefArgument = Annotated[str, Argument(metavar="REF", help="A record's id, the beginning of it, or its name.")]
By = Annotated[str, Option("--by", metavar="NAME", help="The person who decides.")]
ByAnybody = Annotated[str, Option("--by", metavar="NAME", help="Who does it.")]
Why = Annotated[str | None, Option("--why", metavar="TEXT", help="The reason, kept with the decision.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask. A script needs it.")]
Rev = Annotated[int | None, Option("--rev", metavar="N", min=1, help="Only if the record is still this revision.")]
Everywhere = Annotated[bool, Option("--everywhere", help="The records of all repositories.")]
_COLORS = {"accepted": "green", "candidate": "yellow", "stale": "magenta", "quarantined": "red"}
_SPAN = re.compile(r"(\d+)\s*(s|m|h|d|w)?")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def open_desk(repo: str | None, *, everywhere: bool = False) -> Desk:
    """Where this call decides: in the repository of ``repo`` or of the current folder. Raises NotFound, UsageError."""
    settings = load_settings()
    folder = options.folder(repo)
    scope = Scope() if everywhere else find_scope(settings, folder)
    return Desk(settings, scope, options.now(), console.notify)


@contextmanager
def opened(desk: Desk) -> Iterator[Memory]:
    """The memory as it may be shown. Raises MalformedPolicy before anything is."""
    policy = of_records(policy_in(desk.settings, desk.scope), desk.settings, desk.scope)
    with Memory.open(desk.settings, desk.now, scope=desk.scope, policy=policy) as memory:
        yield memory


def answer(desk: Desk, record: Record, done: str, *notes: str) -> options.Answered:
    """Prints what a command made or changed, as it is now."""
    with opened(desk) as memory:
        (found,) = memory.assessed([memory.find(record.ref)])
    yield ENTRY_SCHEMA, EntryAnswer(entry_of(found), list(notes))
    print_record(found)
    console.notify_notes(notes)
    console.notify(f"{console.style(done, fg='green', bold=True)} {record.ref}, revision {record.rev}.")


def print_record(found: Assessment) -> None:
    """A record in two or three lines: what it is, what it says, and why it has its status."""
    record, style = found.record, console.style
    facts = [record.kind, record.topic, *([record.name] if record.name else [])]
    facts += [f"tier {found.tier}", found.usage, found.freshness, *(["pinned"] if record.pinned else [])]
    status = style(found.status, fg=_COLORS.get(found.status, "bright_black"), bold=True)
    mark = style(" agreed", fg="green") if found.baseline else ""
    hidden = found.status in HIDDEN
    facts = facts if not hidden else [record.kind, f"tier {found.tier}"]
    console.out(f"{style(record.ref, fg='cyan')}  {status}{mark}  {' · '.join(facts)}")
    console.out(f"  {'(not shown)' if hidden else record.statement}")
    if said := "; ".join(map(reason_line, found.reasons)):
        console.out(style(f"  {said}", fg="bright_black"))


def reason_line(reason: Reason) -> str:
    """A reason in words, with what it is about."""
    about = ", ".join(str(value) for value in reason.data.values())
    return f"{REASONS[reason.code]}{f' ({about})' if about else ''}"


def confirm(desk: Desk, records: list[Record], question: str, *, yes: bool) -> None:
    """From a terminal: shows the records with their evidence and asks. Raises UsageError outside a terminal."""
    if yes:
        return
    if options.wants_json() or not (sys.stdin.isatty() and sys.stdout.isatty()):  # in a file, no person would see them
        raise UsageError("a person has to confirm this", hint="add --yes if you looked at the record: aicx show REF")
    with opened(desk) as memory:
        for found in memory.assessed(records):
            print_whole(desk, found, hidden=True)
    console.confirm(question)


def print_whole(desk: Desk, found: Assessment, *, hidden: bool = False) -> None:
    """A record with its details and evidence. ``hidden`` shows also what is kept apart, to whom decides about it."""
    record = found.record
    print_record(found)
    if found.status in HIDDEN:
        if not hidden or found.status == "policy_blocked":
            return
        console.out(f"  {record.statement}")
    for detail in record.details:
        console.out(f"  - {detail}")
    for key, value in record.claims.items():
        console.out(f"  claims {key} = {value}")
    source = record.source
    said = " ".join([source.origin.replace("_", " "), *filter(None, (source.agent, source.session, source.path))])
    where = "everywhere" if record.repository is None else f"in {record.repository}"
    where += f" at {record.host}" if record.host else ""
    console.out(f"  holds {where}; stated by {said}{', a subagent' if source.lane == 'subagent' else ''}")
    if record.validity.until is not None:
        console.out(f"  until {console.when(record.validity.until)}")
    adoption = record.adoption
    if adoption.by and adoption.at:
        why = f": {adoption.why}" if adoption.why else ""
        console.out(f"  {adoption.state} by {adoption.by} on {local(adoption.at):%Y-%m-%d}{why}")
    for name in record.supersedes:
        console.out(f"  supersedes mem:{name}")
    for heading, lines in show_evidence(desk.settings, desk.scope, record):
        console.out(f"  {console.style(heading, fg='cyan')}")
        for line in lines:
            console.out(f"    {line}")


def parse_claims(texts: list[str]) -> dict[str, str]:
    """The claims of `--claim KEY=VALUE`. Raises UsageError."""
    found = {}
    for text in texts:
        key, sign, value = text.partition("=")
        if not sign or not key.strip() or not value.strip():
            raise UsageError(f"{text!r} is not a claim", hint="write --claim KEY=VALUE")
        found[key.strip()] = value.strip()
    return found


def parse_until(text: str) -> datetime:
    """The end of a day, or an instant. Raises UsageError."""
    try:
        if len(text) == len("2026-01-31"):
            return day_bounds(text)[1]
        return local(text)
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{text!r} is not a day", hint="write --valid-until 2026-12-31") from error


def parse_span(text: str) -> int:
    """Seconds of ``90d``, ``12h``, ``3600``. Raises UsageError."""
    match = _SPAN.fullmatch(text.strip().lower())
    seconds = int(match[1]) * _SECONDS[match[2] or "s"] if match else 0
    if not 0 < seconds < 10**10:
        raise UsageError(f"{text!r} is not a span of time", hint="write --ttl 90d, 12h or 3600")
    return seconds
