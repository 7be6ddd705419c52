"""`aicx memory check`: lint, curate, eval, audit and verify, which look whether what is remembered holds together."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import orjson

from aicx import console, options
from aicx.commands.memory.common import Everywhere, Yes, open_desk, opened, reason_line
from aicx.errors import NotFound, UsageError
from aicx.fields import taken_from
from aicx.memory.answers import VERIFY_SCHEMA, VerifiedDecision, VerifyAnswer
from aicx.memory.assess import Assessment
from aicx.memory.checks import (
    AUDIT_SCHEMA,
    EVAL_SCHEMA,
    LINT_SCHEMA,
    EvalAnswer,
    LintAnswer,
    Retrieval,
    Verdict,
    audit,
    judge,
    lint,
    retrieval_in,
    retrieval_of,
)
from aicx.memory.curator import SCHEMA as CURATE_SCHEMA
from aicx.memory.curator import CurateAnswer, CurateProposal, PlannedUpkeep, apply, plan
from aicx.memory.deciding import Desk
from aicx.memory.events import Event
from aicx.memory.files import read_log
from aicx.memory.record import PREFIX
from aicx.memory.seal import decisions_in
from aicx.memory.signing import allowed_signers_of_git, name_of_git, verify
from aicx.paths import user_path
from aicx.questions import PATH, Argument, Option
from aicx.text import day_bounds, instant, local

_FINDINGS = {
    "duplicate": "says what another record says",
    "possible_secret": "holds what looks like a secret",
    "too_long": "is too long",
    "low_information": "says too little",
    "no_evidence": "rests on nothing: no evidence, no anchor, and no decision",
}
_SEVERITIES = {"error": "red", "warning": "yellow", "info": "bright_black"}
_UPKEEP = {
    "demote_stale": "stop believing it until somebody looks",
    "archive": "put it away",
    "deprecate": "put it away for the record that took its place",
    "revalidate": "somebody should look whether it holds",
    "skip_pinned": "leave it, because it is pinned",
    "review_quarantined": "somebody should look at it: release, edit or delete",
    "resolve_conflict": "somebody should decide between them",
}
_LEFT = {"stale_proposal": "it changed meanwhile", "needs_person": "a person has to do it", "pinned": "it is pinned"}
_MAX_BYTES = 16 << 20
_VERDICTS = {"pass": "green", "warn": "yellow", "fail": "red"}
_Argument = Argument(metavar="[FILE]...", click_type=PATH, help="A file; several times.")
Files = Annotated[list[str] | None, _Argument]
_PROOF_COLORS = {"signed": "green", "unsigned": "yellow", "unknown_key": "yellow", "invalid": "red"}
_PROOFS = {
    "signed": "signed by {signer}",
    "unsigned": "not signed: the name is a claim",
    "unknown_key": "signed with a key that is not known here: the name is a claim",
    "invalid": "the signature is not of this decision",
}


def lint_records(everywhere: Everywhere = False, repo: options.Repo = None, json: options.Json = False) -> None:
    """Find records that repeat another, hold a secret, are too long, say too little, or rest on nothing.

    Duplicates and secrets are errors: recall leaves them out, and the exit code is 1. Changes nothing.

    Example: aicx memory check lint
    Example: aicx memory check lint --json
    """
    desk = open_desk(repo)
    with opened(desk) as memory:
        assessed = memory.assessed(memory.records(everywhere=everywhere))
        found = list(lint(assessed))
    answer = LintAnswer(
        len(assessed),
        dict(sorted(Counter(one.code for one in found).items())),
        found,
        None if everywhere else desk.scope.repository,
    )
    if json:
        console.out_answer(LINT_SCHEMA, answer)
    else:
        for one in answer.findings:
            severity = console.style(f"{one.severity:8}", fg=_SEVERITIES[one.severity])
            console.out(f"{severity}{one.ref}  {_FINDINGS[one.code]}{f': {one.other}' if one.other else ''}")
        console.notify(f"{console.plural(answer.checked, 'record')}, {console.plural(len(found), 'finding')}.")
    if any(one.severity == "error" for one in found):
        raise options.Ended(1)


def curate(
    apply_: Annotated[bool, Option("--apply", help="Do what a program may do; needs --yes.")] = False,
    yes: Yes = False,
    everywhere: Everywhere = False,
    repo: options.Repo = None,
) -> options.Answered:
    """Propose what to do about records that are stale, superseded, unconfirmed, in conflict or kept apart.

    Shows it only; --apply --yes does what a program may do, which is to stop believing something and to put it away.
    Nothing is ever believed by it. What it dealt with rests for 30 days, unless somebody decides about it or edits it.

    Example: aicx memory check curate
    Example: aicx memory check curate --apply --yes
    """
    if apply_ and not yes:
        raise UsageError("--apply changes records", hint="look at the proposals first, then add --yes")
    desk = open_desk(repo)
    with opened(desk) as memory:
        proposals, resting = plan(memory, everywhere=everywhere)
    if apply_:
        proposals = apply(desk, proposals, everywhere=everywhere)
    answer = CurateAnswer(
        not apply_,
        "partial" if any(one.why == "stale_proposal" for one in proposals) else "ok",
        list(map(_proposal, proposals)),
        dict(sorted(Counter(one.action for one in proposals).items())),
        sum(one.result == "applied" for one in proposals),
        sum(one.result == "skipped" for one in proposals),
        resting,
        None if everywhere else desk.scope.repository,
    )
    yield CURATE_SCHEMA, answer
    for planned in proposals:
        _print_proposal(planned)
    if not proposals:
        console.notify("Nothing to propose." if resting == 0 else "Nothing new to propose.")
    elif apply_:
        console.notify(f"{answer.applied:,} applied, {answer.skipped:,} left.")
    if resting:
        console.notify(f"{console.plural(resting, 'record')} dealt with in the last 30 days, not listed.")


def _proposal(planned: PlannedUpkeep) -> CurateProposal:
    record = planned.record
    return taken_from(
        planned,
        CurateProposal,
        ref=record.ref,
        status=planned.found.status,
        pinned=record.pinned,
        rev=record.rev,
        reasons=[reason.code for reason in planned.reasons],
        because=[{"code": reason.code, **reason.data} for reason in planned.reasons if reason.data],
    )


def _print_proposal(planned: PlannedUpkeep) -> None:
    style, record = console.style, planned.record
    result = ""
    if planned.result is not None:
        said = planned.result if planned.why is None else f"{planned.result}: {_LEFT[planned.why]}"
        result = f"  {style(said, fg='green' if planned.why is None else 'yellow')}"
    console.out(f"{style(record.ref, fg='cyan')}  {style(planned.action, bold=True)}  {planned.found.status}{result}")
    reasons = "; ".join(map(reason_line, planned.reasons))
    console.out(f"  {_UPKEEP[planned.action]}{style(f' ({reasons})' if reasons else '', fg='bright_black')}")
    if planned.others:
        console.out(f"  with {', '.join(planned.others)}")


def evaluate(
    files: Files = None,
    since: Annotated[
        str | None, Option("--since", metavar="DAY", help="Only retrievals recorded from this day on.")
    ] = None,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Judge what recall handed out by what may be believed now. Exit code 1 where something of it is not.

    Looks at every retrieval that was recorded (`aicx search --in memory --record`), or at FILEs with the JSON of
    recall. Each begins with 100 points; a record that is superseded, stale, put away, kept apart or gone takes 40 and
    fails it.

    Example: aicx memory check eval
    Example: aicx memory check eval answer.json --json
    """
    desk = open_desk(repo)
    known = _everything(desk)
    if files:
        retrievals = [_saved(path) for path in files]
    else:
        start = day_bounds(_day(since))[0] if since else None
        log = read_log(desk.settings.layout.memory)
        recorded = [one for one in log.events if one.type == "manifest.recorded" and (start is None or one.at >= start)]
        retrievals = [retrieval_of(one) for one in recorded]
    judged = [judge(one, known) for one in retrievals]
    verdicts = [one.status for one in judged]
    worst: Verdict = "fail" if "fail" in verdicts else "warn" if "warn" in verdicts else "pass"
    answer = EvalAnswer(worst, dict(sorted(Counter(verdicts).items())), judged)
    if json:
        console.out_answer(EVAL_SCHEMA, answer)
    else:
        for one in answer.retrievals:
            status = console.style(f"{one.status:5}", fg=_VERDICTS[one.status])
            console.out(f"{status}{one.points:>4}  {one.name}  {console.plural(one.entries, 'record')}")
            for issue in one.issues:
                console.out(f"           {issue.code}  {issue.ref or ''}")
        if not judged:
            console.notify("No retrieval is recorded. `aicx search --in memory QUESTION --record` records one.")
    if worst == "fail":
        raise options.Ended(1)


def audit_texts(files: Files = None, repo: options.Repo = None, json: options.Json = False) -> None:
    """Find where a text relies on what is not agreed: a review, a brief, an answer. Exit code 1 where it does.

    FILE is Markdown or JSON; without one, or with -, standard input. A text relies on a record by citing its reference
    or by repeating its words. A reference beside its status ("mem:3fa29c01 candidate") only names it.

    Example: aicx memory check audit review.md
    Example: aicx resume | aicx memory check audit
    """
    desk = open_desk(repo)
    known = _everything(desk)
    answer = audit(((path, _read_text(path)) for path in files or ["-"]), known)
    if json:
        console.out_answer(AUDIT_SCHEMA, answer)
    else:
        for one in answer.untrusted:
            place = one.file if one.line is None else f"{one.file}:{one.line}"
            quoted = "  its words are repeated" if one.quoted else ""
            console.out(f"{console.style(one.status, fg='red')}  {one.ref}  {place}{quoted}")
        relied, untrusted = console.plural(answer.relied, "record"), len(answer.untrusted)
        console.notify(f"{relied} relied on, {untrusted:,} not agreed: contamination {answer.contamination:.0%}.")
    if answer.untrusted:
        raise options.Ended(1)


def _everything(desk: Desk) -> Mapping[str, Assessment]:
    with opened(desk) as memory:
        return {found.record.ref: found for found in memory.assessed(memory.records(everywhere=True))}


def _saved(path: str) -> Retrieval:
    try:
        fields = orjson.loads(_read_text(path))
        if not isinstance(fields, dict):
            raise ValueError("it is no object")
        return retrieval_in(path, fields)
    except ValueError as error:
        raise UsageError(f"{path} is no answer of recall", hint="aicx search --in memory … --json > FILE") from error


def _read_text(path: str) -> str:
    if path == "-":
        return sys.stdin.buffer.read(_MAX_BYTES).decode("utf-8", "replace")
    place: Path = user_path(path)
    if not place.is_file():
        raise NotFound(f"there is no file {path}")
    if place.stat().st_size > _MAX_BYTES:
        raise UsageError(f"{path} is larger than {_MAX_BYTES:,} bytes")
    return place.read_text("utf-8", "replace")


def _day(text: str) -> str:
    try:
        return f"{local(text):%Y-%m-%d}"
    except (ValueError, OverflowError) as error:
        raise UsageError(f"{text!r} is no day", hint="write --since 2026-01-31") from error


@options.either("ref", "--ref")
def verify_decisions(
    ref: Annotated[str | None, Argument(metavar="[REF]", help="A record; by default all accepted ones.")] = None,
    allowed_signers: Annotated[
        str | None,
        Option(
            "--allowed-signers",
            metavar="FILE",
            click_type=PATH,
            help="Who has which SSH key, as ssh-keygen reads it; by default gpg.ssh.allowedSignersFile of your git.",
        ),
    ] = None,
    repo: options.Repo = None,
    json: options.Json = False,
) -> None:
    """Check who accepted each record: by a signature, or by a name that was only typed.

    A name is a claim: any program with your rights can type it. `aicx memory accept --sign KEY` signs the decision with
    your SSH or GPG key. Exit code 1 where a signature is not of its decision, or the log is not as this home wrote it.

    Example: aicx memory check verify --allowed-signers ~/.ssh/allowed_signers
    Example: aicx memory check verify
    """
    file = user_path(allowed_signers) if allowed_signers else allowed_signers_of_git()
    if allowed_signers and not (file and file.is_file()):
        raise NotFound(f"there is no file {allowed_signers}")
    desk = open_desk(repo)
    layout = desk.settings.layout
    with opened(desk) as memory:
        wanted = {memory.find(ref).id} if ref else None
        own = {record.id for record in memory.records(everywhere=True)}
    decided, log = decisions_in(layout.memory)
    last: dict[str, Event] = {}
    for event in log.events:
        if event.type == "memory.accepted" and event.refs[0] in (own if wanted is None else wanted):
            last[event.refs[0]] = event
    git_name = name_of_git()
    rows = []
    for name, event in sorted(last.items()):
        if decided[name].adopted is None or decided[name].adopted_at != event.at:
            continue  # it was taken back since
        proof, signer = verify(layout.home, event, file)
        sealed = not decided[name].unsealed
        rows.append(
            VerifiedDecision(
                f"{PREFIX}{name}", event.by, instant(event.at), proof, signer, sealed, event.by == git_name
            )
        )
    failed = any(one.proof == "invalid" or not one.sealed for one in rows)
    if json:
        console.out_answer(VERIFY_SCHEMA, VerifyAnswer(not failed, rows))
    for one in () if json else rows:
        words = _PROOFS[one.proof].format(signer=one.signer)
        known = ", the name in your git settings" if one.git_name else ""
        seal = "" if one.sealed else "  not written by this home"
        console.out(f"{one.ref}  accepted by {one.by}{known} on {local(one.at):%Y-%m-%d}")
        console.out(f"  {console.style(words, fg=_PROOF_COLORS[one.proof])}{console.style(seal, fg='red')}")
    if not json and not rows:
        console.notify("Nothing is accepted.")
    if failed:
        raise options.Ended(1)
