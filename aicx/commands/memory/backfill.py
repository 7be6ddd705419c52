"""`aicx memory candidates backfill`: makes candidates of what the history proposes."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.memory.common import Everywhere, open_desk
from aicx.errors import UsageError
from aicx.memory.backfill import (
    SCHEMA,
    BackfillAnswer,
    BackfillItem,
    Planned,
    import_backfill,
    plan_backfill,
)
from aicx.memory.proposals import ProposalKind

_STATES = {"new": "new", "seen": "more evidence", "known": "already known"}


def command(
    import_: Annotated[bool, typer.Option("--import", help="Make the candidates.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show them, as without --import.")] = False,
    kind: Annotated[ProposalKind | None, typer.Option("--kind", "-k", help="Only proposals of this kind.")] = None,
    limit: options.Limit = 10_000,
    everywhere: Everywhere = False,
    repo: options.Repo = None,
) -> options.Answered:
    """Make candidates of what the stored sessions propose. Shows them first; --import makes them.

    Every one is a candidate: nothing is believed before a person accepts it. What a record says already is more
    evidence for that record, and the same evidence counts once, so that a second run changes nothing. What only
    subagents said is marked so. What was deleted is not made again.

    Example: aicx memory candidates backfill
    Example: aicx memory candidates backfill --import --kind policy
    """
    if import_ and dry_run:
        raise UsageError("--dry-run and --import exclude each other", hint="leave one of them out")
    from aicx.memory.candidates.gather import gather_at

    desk = open_desk(repo)
    found = gather_at(desk.settings, None if everywhere else options.folder(repo), keep=import_)
    wanted = [one for one in found.proposals if kind is None or one.kind == kind][:limit]
    backfill = plan_backfill(desk, wanted)
    if import_:
        import_backfill(desk, backfill)
    answer = BackfillAnswer(
        not import_,
        dict(sorted(Counter(one.state for one in backfill.planned).items())),
        [_item(one) for one in backfill.planned],
        [*found.excluded, *backfill.left],
        found.notes,
    )
    yield SCHEMA, answer
    for item in answer.items:
        _print(item)
    for left in answer.left:
        console.out(f"{console.style('left out', fg='yellow')}  {left.id}  {left.reason}")
    console.notify_notes(answer.notes)
    counts = ", ".join(f"{count:,} {_STATES[state]}" for state, count in answer.counts.items()) or "Nothing is proposed"
    console.notify(f"{counts}.")
    if not import_ and answer.counts.keys() - {"known"}:
        console.notify("Nothing is written. --import makes the candidates; a person decides about each.")
    elif import_ and answer.counts.keys() - {"known"}:
        console.notify("Next, for each that is so: aicx memory accept REF --by NAME")


def _item(planned: Planned) -> BackfillItem:
    one, draft = planned.proposal, planned.draft
    return BackfillItem(
        planned.ref,
        planned.state,
        draft.kind,
        draft.topic,
        draft.statement,
        draft.repository,
        one.lane,
        one.blocked,
        len(one.sightings),
        list(draft.evidence),
    )


def _print(item: BackfillItem) -> None:
    style = console.style
    console.out(f"{style(item.ref, fg='cyan')}  {_STATES[item.state]}  {item.kind} · {item.repository or 'everywhere'}")
    blocked = style("  only subagents are behind it", fg="yellow") if item.blocked else ""
    console.out(f"  {item.statement}{blocked}")
