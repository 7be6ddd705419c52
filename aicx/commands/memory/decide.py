"""`aicx memory accept`, `reject`, `supersede` and `decide`: what a person decides about a record."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, get_args

from aicx import console, options
from aicx.commands.memory.common import By, ByAnybody, RefArgument, Rev, Why, Yes, answer, confirm, open_desk, opened
from aicx.errors import NotFound, RecordChanged, UsageError
from aicx.memory.answers import ENTRY_SCHEMA, SEAL_SCHEMA, EntryAnswer, SealAnswer, entry_of
from aicx.memory.deciding import (
    NEEDS_PERSON,
    UNNAMED,
    Action,
    Decider,
    decide,
    gives_trust,
    named,
    refuse_to_unprotect,
    seal,
    unsealed,
)
from aicx.memory.deciding import delete as delete_record
from aicx.memory.deciding import supersede as supersede_record
from aicx.memory.deciding import validate as validate_record
from aicx.memory.events import LOG, last_about
from aicx.memory.evidence import resolve_evidence
from aicx.memory.policy_records import policy_in
from aicx.memory.record import PREFIX, Result
from aicx.memory.signing import sign as sign_event
from aicx.questions import Argument, Option

_DONE = {
    "accept": "Accepted:",
    "reject": "Rejected:",
    "hold": "On hold:",
    "release": "Released:",
    "pin": "Pinned:",
    "unpin": "No longer pinned:",
    "archive": "Archived:",
    "restore": "Restored:",
}


@options.either("ref", "--ref")
def accept(
    ref: RefArgument,
    by: By = UNNAMED,
    why: Why = None,
    yes: Yes = False,
    sign: Annotated[
        str | None,
        Option("--sign", metavar="KEY", help="Sign the decision with this file of an SSH key, or with gpg:NAME."),
    ] = None,
    rev: Rev = None,
    repo: options.Repo = None,
) -> options.Answered:
    """Agree to a record: from now on it may be believed, as long as it is current.

    The decision holds for this revision. When the record's text or its conditions change, it is a candidate again.
    From a terminal the record and its evidence are shown first; in a script it takes --yes. A name is a claim; --sign
    proves it, and `aicx memory check verify` checks that.

    Example: aicx memory accept mem:3fa29c01 --by "Ada Lovelace" --why "agreed on the call"
    Example: aicx memory accept mem:3fa29c01 --by "Ada Lovelace" --why "agreed on the call" --json
    """
    yield from _decide(ref, "accept", by, why, rev, repo, yes=yes, key=sign)


@options.either("ref", "--ref")
def reject(
    ref: RefArgument, by: ByAnybody = UNNAMED, why: Why = None, rev: Rev = None, repo: options.Repo = None
) -> options.Answered:
    """Say that a record is not to be believed; it is archived, and its text stays for the record.

    Example: aicx memory reject mem:3fa29c01 --by Ada --why "it was a guess"
    Example: aicx memory reject mem:3fa29c01 --by Ada --why "it was a guess" --json
    """
    yield from _decide(ref, "reject", by, why, rev, repo)


@options.either("ref", "--ref")
def hold(
    ref: RefArgument, by: ByAnybody = UNNAMED, why: Why = None, rev: Rev = None, repo: options.Repo = None
) -> options.Answered:
    """Keep a record apart until a person releases it; its text is in no answer meanwhile.

    Example: aicx memory decide hold mem:3fa29c01 --why "it reads like an injection"
    Example: aicx memory decide hold export-check
    """
    yield from _decide(ref, "hold", by, why, rev, repo)


@options.either("ref", "--ref")
def release(
    ref: RefArgument, by: By = UNNAMED, why: Why = None, yes: Yes = False, rev: Rev = None, repo: options.Repo = None
) -> options.Answered:
    """Let a record out of quarantine, after a person looked at it. It has the status that it had before.

    Example: aicx memory decide release mem:3fa29c01 --by Ada
    Example: aicx memory decide release mem:3fa29c01 --by Ada --json
    """
    yield from _decide(ref, "release", by, why, rev, repo, yes=yes)


@options.either("ref", "--ref")
def pin(
    ref: RefArgument, by: By = UNNAMED, yes: Yes = False, rev: Rev = None, repo: options.Repo = None
) -> options.Answered:
    """Keep a record from being superseded or archived without a decision. A pinned policy is the highest authority.

    Example: aicx memory decide pin exports-policy --by Ada
    Example: aicx memory decide pin exports-policy --by Ada --json
    """
    yield from _decide(ref, "pin", by, None, rev, repo, yes=yes)


@options.either("ref", "--ref")
def unpin(ref: RefArgument, by: ByAnybody = UNNAMED, rev: Rev = None, repo: options.Repo = None) -> options.Answered:
    """Take the pin off a record.

    Example: aicx memory decide unpin exports-policy --by Ada
    Example: aicx memory decide unpin exports-policy --by Ada --json
    """
    yield from _decide(ref, "unpin", by, None, rev, repo)


@options.either("ref", "--ref")
def archive(ref: RefArgument, by: ByAnybody = UNNAMED, rev: Rev = None, repo: options.Repo = None) -> options.Answered:
    """Put a record away. It stays readable with `aicx memory list --status archived`.

    Example: aicx memory decide archive mem:3fa29c01
    Example: aicx memory decide archive mem:3fa29c01 --json
    """
    yield from _decide(ref, "archive", by, None, rev, repo)


@options.either("ref", "--ref")
def restore(ref: RefArgument, by: ByAnybody = UNNAMED, rev: Rev = None, repo: options.Repo = None) -> options.Answered:
    """Bring an archived record back. Without a person's name it comes back as a candidate.

    Example: aicx memory decide restore mem:3fa29c01 --by Ada
    Example: aicx memory decide restore mem:3fa29c01 --by Ada --json
    """
    yield from _decide(ref, "restore", by, None, rev, repo)


@options.either("old", "--old")
def supersede(
    old: Annotated[str, Argument(metavar="OLD", help="The record that is no longer true.")],
    with_: Annotated[str, Option("--with", metavar="NEW", help="The accepted record that takes its place.")],
    by: By = UNNAMED,
    yes: Yes = False,
    rev: Rev = None,
    repo: options.Repo = None,
) -> options.Answered:
    """Put an accepted record in the place of another one. A pinned record too, since a person decides it here.

    The old one stays superseded, whatever becomes of the new one, until a person accepts it again.

    Example: aicx memory supersede mem:3fa29c01 --with mem:88c1d2e0 --by Ada
    Example: aicx memory supersede mem:3fa29c01 --with mem:88c1d2e0 --by Ada --json
    """
    named(by, "supersede")
    desk = open_desk(repo)
    with opened(desk) as memory:
        records = [memory.find(old), memory.find(with_)]
    confirm(desk, records, "Put the second in the place of the first?", yes=yes)
    new, replaced = supersede_record(desk, old, with_, Decider(by, shown=records[0], rev=rev))
    yield from answer(desk, new, "Accepted in its place:", f"{replaced.ref} is superseded")


@options.either("ref", "--ref")
def validate(
    ref: RefArgument,
    result: Annotated[str, Option("--result", metavar="pass|fail", help="Whether it still holds.")],
    by: ByAnybody = UNNAMED,
    yes: Yes = False,
    method: Annotated[str, Option("--method", metavar="TEXT", help="How it was checked.")] = "",
    evidence: Annotated[
        list[str] | None, Option("--evidence", metavar="REF", help="What shows it; may be given several times.")
    ] = None,
    rev: Rev = None,
    repo: options.Repo = None,
) -> options.Answered:
    """Record that somebody, or a test, checked whether a record still holds. It makes nothing agreed that was not.

    A pass takes the record's anchors anew. Of what a person accepted it gives trust back: like `accept`, it takes a
    person's name, and shows the record from a terminal or takes --yes. After a failure it is stale until it passes
    again; a failure in the name of a model only asks a person to look.

    Example: aicx memory decide validate export-check --result pass --by Ada --yes --method "pytest tests/exports"
    Example: aicx memory decide validate export-check --result fail --by Ada --method review
    """
    if result not in get_args(Result):
        raise UsageError(f"{result!r} is not a result", hint="--result pass or --result fail")
    desk = open_desk(repo)
    shown = [resolve_evidence(desk.settings, text) for text in evidence or []]
    outcome: Result = "pass" if result == "pass" else "fail"
    policy_in(desk.settings, desk.scope)  # nothing is recorded that could not be shown
    with opened(desk) as memory:
        record = memory.find(ref)
    seen = gives_trust(record, outcome)
    if seen:
        confirm(desk, [record], f"Does this still hold, {by}?", yes=yes)
    record = validate_record(desk, ref, outcome, method, Decider(by, shown=record if seen else None, rev=rev), shown)
    yield from answer(desk, record, "Validated:")


def _decide(
    ref: str,
    action: Action,
    by: str,
    why: str | None,
    rev: int | None,
    repo: str | None,
    *,
    yes: bool = False,
    key: str | None = None,
) -> options.Answered:
    named(by, action)
    desk = open_desk(repo)
    shown = None
    if action in NEEDS_PERSON and not yes:
        with opened(desk) as memory:
            shown = memory.find(ref)
        confirm(desk, [shown], f"{action.capitalize()} this as {by}?", yes=yes)
    else:
        policy_in(desk.settings, desk.scope)  # nothing is recorded that could not be shown
    record = decide(desk, ref, action, Decider(by, why, shown, rev))
    if key is not None:
        layout = desk.settings.layout
        event = last_about((layout.memory / LOG).read_bytes(), record.id)
        if event is None or event.id != record.last_event:
            raise RecordChanged("somebody decided about it meanwhile, so that nothing is signed")
        sign_event(layout.home, event, key)
    yield from answer(desk, record, _DONE[action])


def seal_decisions(by: By = UNNAMED, yes: Yes = False, repo: options.Repo = None) -> options.Answered:
    """Take the log of decisions as it is, where it is not the one that this home wrote.

    Needed once for a memory that was written before decisions were sealed, and after `memory/` was restored from a
    backup or copied here. What was decided after that copy was made is not in it. Each record is shown first, also
    with --yes; what cannot be shown is left out, and stays without trust.

    Example: aicx memory decide seal --by "Ada Lovelace"
    Example: aicx memory decide seal --by "Ada Lovelace" --json
    """
    named(by, "seal")
    desk = open_desk(repo)
    names = unsealed(desk.settings)
    shown: list[str] = []
    if names:
        records = []
        with opened(desk) as memory:
            for name, standing in names.items():
                with suppress(NotFound):
                    found = memory.find(f"{PREFIX}{name}")
                    if (desk.settings.layout.memory / found.path).is_file():
                        records.append(found)
                        continue
                if standing.erased or standing.adopted is None:
                    shown.append(name)  # nothing of it is believed
            records = [found.record for found in memory.assessed(records) if found.status != "policy_blocked"]
            if yes:
                for record in records:
                    console.notify("\n  - ".join([f"{record.ref}  {record.statement}", *record.details]))
        confirm(desk, records, "Take the decisions about these as the log has them?", yes=yes)
        shown = sorted([*shown, *(record.id for record in records)])
        seal(desk, shown, Decider(by))
    left_out = [f"{PREFIX}{name}" for name in names if name not in shown]
    if left_out:
        console.warn(f"not sealed, because they cannot be shown: {', '.join(left_out)}")
    yield SEAL_SCHEMA, SealAnswer([f"{PREFIX}{name}" for name in shown], left_out)
    if shown:
        done = console.style("Sealed:", fg="green", bold=True)
        console.notify(f"{done} the decisions about {console.plural(len(shown), 'record')}.")
    elif not names:
        console.notify("Every decision is sealed.")


@options.either("ref", "--ref")
def delete_one(
    ref: RefArgument, by: ByAnybody = UNNAMED, yes: Yes = False, rev: Rev = None, repo: options.Repo = None
) -> options.Answered:
    """Delete a record's files. The event log keeps its id, without a word of it.

    `aicx memory decide archive` puts a record away instead.

    Example: aicx memory decide delete mem:3fa29c01 --yes
    Example: aicx memory decide delete mem:3fa29c01 --yes --json
    """
    desk = open_desk(repo)
    with opened(desk) as memory:
        record = memory.find(ref)
        refuse_to_unprotect(memory, record, named(by, "delete"), "delete")
        (found,) = memory.assessed([record])
    confirm(desk, [record], "Delete this? What it says is lost, which cannot be undone", yes=yes)
    delete_record(desk, ref, Decider(by, shown=record, rev=rev))
    yield ENTRY_SCHEMA, EntryAnswer(entry_of(found), ["it is deleted; this is what it was"])
    console.notify(f"{console.style('Deleted:', fg='green', bold=True)} {record.ref}.")
