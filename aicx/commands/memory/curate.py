"""`aicx memory check curate`: proposes what to do about records that need attention."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.memory.common import Everywhere, Yes, open_desk, opened, reason_line
from aicx.errors import UsageError
from aicx.memory.curator import SCHEMA, CurateAnswer, CurateProposal, Outcome, PlannedUpkeep, apply, plan

_WORDS = {
    "demote_stale": "stop believing it until somebody looks",
    "archive": "put it away",
    "deprecate": "put it away for the record that took its place",
    "revalidate": "somebody should look whether it holds",
    "skip_pinned": "leave it, because it is pinned",
    "review_quarantined": "somebody should look at it: release, edit or delete",
    "resolve_conflict": "somebody should decide between them",
}
_WHY = {"stale_proposal": "it changed meanwhile", "needs_person": "a person has to do it", "pinned": "it is pinned"}


def command(
    apply_: Annotated[bool, typer.Option("--apply", help="Do what a program may do; needs --yes.")] = False,
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
        found = plan(memory, everywhere=everywhere)
    outcomes = apply(desk, found.proposals, everywhere=everywhere) if apply_ else []
    padded: list[Outcome | None] = [*outcomes] if apply_ else [None] * len(found.proposals)
    answer = CurateAnswer(
        not apply_,
        "partial" if any(one.why == "stale_proposal" for one in outcomes) else "ok",
        [_item(one, result) for one, result in zip(found.proposals, padded, strict=True)],
        dict(sorted(Counter(one.action for one in found.proposals).items())),
        sum(one.result == "applied" for one in outcomes),
        sum(one.result == "skipped" for one in outcomes),
        found.resting,
        None if everywhere else desk.scope.repository,
    )
    yield SCHEMA, answer
    for planned, outcome in zip(found.proposals, padded, strict=True):
        _print(planned, outcome)
    if not found.proposals:
        console.notify("Nothing to propose." if found.resting == 0 else "Nothing new to propose.")
    elif apply_:
        console.notify(f"{answer.applied:,} applied, {answer.skipped:,} left.")
    if found.resting:
        console.notify(f"{console.plural(found.resting, 'record')} dealt with in the last 30 days, not listed.")


def _item(planned: PlannedUpkeep, outcome: Outcome | None) -> CurateProposal:
    record = planned.record
    return CurateProposal(
        record.ref,
        planned.action,
        planned.found.status,
        record.pinned,
        record.rev,
        [reason.code for reason in planned.reasons],
        [{"code": reason.code, **reason.data} for reason in planned.reasons if reason.data],
        list(planned.others),
        planned.would,
        planned.needs_person,
        outcome.result if outcome else None,
        outcome.why if outcome else None,
    )


def _print(planned: PlannedUpkeep, outcome: Outcome | None) -> None:
    style, record = console.style, planned.record
    result = ""
    if outcome is not None:
        done = outcome.why is None
        said = outcome.result if outcome.why is None else f"{outcome.result}: {_WHY[outcome.why]}"
        result = f"  {style(said, fg='green' if done else 'yellow')}"
    console.out(f"{style(record.ref, fg='cyan')}  {style(planned.action, bold=True)}  {planned.found.status}{result}")
    reasons = "; ".join(map(reason_line, planned.reasons))
    console.out(f"  {_WORDS[planned.action]}{style(f' ({reasons})' if reasons else '', fg='bright_black')}")
    if planned.others:
        console.out(f"  with {', '.join(planned.others)}")
