"""`aicx memory candidates`, `backfill` and `build`: what the history, a note or a session proposes to keep."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from aicx import console, options
from aicx.commands.memory.common import Everywhere, open_desk, opened
from aicx.config import Settings, load_settings
from aicx.errors import NotFound, UsageError
from aicx.fields import taken_from
from aicx.memory.deciding import Desk
from aicx.memory.proposals import SCHEMA as LIST_SCHEMA
from aicx.memory.proposals import CandidateItem, CandidatesAnswer, Proposal, ProposalKind
from aicx.paths import user_path
from aicx.questions import PATH, Option

if TYPE_CHECKING:
    from aicx.memory.review.building import BackfillItem, Planned
    from aicx.memory.review.states import ReviewedRecord

# Of many places that say the same, the latest show it.
_MAX_EVIDENCE = 5
_STATES = {"new": "new", "seen": "more evidence", "known": "already known"}
_DONE = {"new": "new", "seen": "more evidence", "known": "already known"}


def list_proposed(
    limit: options.Limit = 20,
    kind: Annotated[ProposalKind | None, Option("--kind", "-k", help="Only candidates of this kind.")] = None,
    repo: Annotated[
        str | None,
        Option(
            *("--repo", "-r"),
            metavar="FOLDER",
            click_type=PATH,
            help="Only candidates of the repository that this folder is in; by default of all.",
        ),
    ] = None,
    rebuild: Annotated[
        bool, Option("--rebuild", help="Read every session again, not only those that are new or changed.")
    ] = False,
) -> options.Answered:
    """List what the stored sessions propose to keep, the best first, with the words it comes from.

    Rules alone find them: what a person stated for good, checks that failed and later passed, what linters objected to
    in several sessions, and what agents concluded. None of it counts for anything until a person accepts it. No
    record is made; what each session proposes is kept beside the indexes, so that the next call reads only new and
    changed sessions.

    Example: aicx memory candidates --repo .
    Example: aicx memory candidates --kind policy --json
    """
    folder = user_path(repo) if repo else None
    answer = list_candidates(load_settings(), folder, kind, limit, anew=rebuild)
    yield LIST_SCHEMA, answer
    for item in answer.candidates:
        _print_proposed(item)
    for excluded in answer.excluded:
        console.out(f"{console.style('excluded', fg='yellow')}  {excluded.id}  {excluded.reason}")
    console.notify_notes(answer.notes)
    if not answer.candidates:
        console.notify("Nothing is proposed. `aicx store` adds new sessions.")
    elif answer.matched > answer.results:
        console.notify(f"{answer.results:,} of {answer.matched:,}; --limit {answer.matched} shows all.")
    if answer.candidates:
        console.notify("`aicx memory candidates backfill --import` makes records of them, for a person to decide.")


def list_candidates(
    settings: Settings, folder: Path | None, kind: str | None, limit: int, *, anew: bool = False
) -> CandidatesAnswer:
    """The candidates of all stored sessions, or of the repository that ``folder`` is in."""
    from aicx.memory.candidates.gather import gather_at

    found = gather_at(settings, folder, anew=anew)
    wanted = [one for one in found.proposals if kind is None or one.kind == kind]
    items = [
        taken_from(one, CandidateItem, sightings=len(one.sightings), evidence=one.latest(_MAX_EVIDENCE))
        for one in wanted[:limit]
    ]
    return CandidatesAnswer(len(items), len(wanted), items, found.excluded, found.notes)


def _print_proposed(item: CandidateItem) -> None:
    style = console.style
    console.out(f"{style(item.kind, fg='cyan')}  {style(item.statement, bold=True)}")
    facts = [item.id, item.repository, item.reason.replace("_", " ")]
    if item.sessions > 1:
        facts.append(console.plural(item.sessions, "session"))
    if item.blocked:
        facts.append(style("blocked: only subagents are behind it", fg="yellow"))
    console.out(f"  {' · '.join(facts)}")
    for one in item.evidence[:2]:
        if one.quote != item.statement:
            console.out(f"    {style('│', dim=True)} {one.quote}")
        console.out(f"    {style('│', dim=True)} {style(str(one.ref), fg='green')}  {console.when(one.at)}")


def backfill(
    import_: Annotated[bool, Option("--import", help="Make the candidates.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show them, as without --import.")] = False,
    kind: Annotated[ProposalKind | None, Option("--kind", "-k", help="Only proposals of this kind.")] = None,
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
    from aicx.memory.review.building import BACKFILL_SCHEMA, BackfillAnswer, import_backfill, plan_backfill

    desk = open_desk(repo)
    found = gather_at(desk.settings, None if everywhere else options.folder(repo), keep=import_)
    wanted = [one for one in found.proposals if kind is None or one.kind == kind][:limit]
    planned, left_out = plan_backfill(desk, wanted)
    if import_:
        import_backfill(desk, planned)
    answer = BackfillAnswer(
        not import_,
        dict(sorted(Counter(one.state for one in planned).items())),
        [_backfilled(one) for one in planned],
        [*found.excluded, *left_out],
        found.notes,
    )
    yield BACKFILL_SCHEMA, answer
    for item in answer.items:
        _print_backfilled(item)
    for left in answer.left:
        console.out(f"{console.style('left out', fg='yellow')}  {left.id}  {left.reason}")
    console.notify_notes(answer.notes)
    counts = ", ".join(f"{count:,} {_STATES[state]}" for state, count in answer.counts.items()) or "Nothing is proposed"
    console.notify(f"{counts}.")
    if not import_ and answer.counts.keys() - {"known"}:
        console.notify("Nothing is written. --import makes the candidates; a person decides about each.")
    elif import_ and answer.counts.keys() - {"known"}:
        console.notify("Next, for each that is so: aicx memory accept REF --by NAME")


def _backfilled(planned: Planned) -> BackfillItem:
    from aicx.memory.review.building import BackfillItem

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


def _print_backfilled(item: BackfillItem) -> None:
    style = console.style
    console.out(f"{style(item.ref, fg='cyan')}  {_STATES[item.state]}  {item.kind} · {item.repository or 'everywhere'}")
    blocked = style("  only subagents are behind it", fg="yellow") if item.blocked else ""
    console.out(f"  {item.statement}{blocked}")


@options.either("session")
def build_suggested(
    session: Annotated[
        str | None, Option("--session", "-s", metavar="ID", help="Of this stored session, not of the note.")
    ] = None,
    repo: options.Repo = None,
) -> options.Answered:
    """Make candidates of what the continuity note, or one session, suggests to keep.

    At most six at a time for the memory, and six for instruction files. Next steps, files and what was not tried are
    the work itself and never suggested; neither is what an instruction file says already. What a record says already
    is more evidence for it, and what others proposed stays as it was.

    Example: aicx memory candidates build
    Example: aicx memory candidates build --session claude:3eaf4091
    """
    from aicx.commands.memory.review import fields_of, print_candidate
    from aicx.memory.review.answers import BUILD_SCHEMA, BuiltItem, ReviewBuildAnswer
    from aicx.memory.review.building import build, proposals_in

    desk = open_desk(repo)
    if session is not None:
        source, proposals, notes = proposals_in(desk.settings, session)
    else:
        source, (proposals, notes) = "continuity", _noted(desk, repo)
    built, left = build(desk, proposals)
    items = [(planned, _made(desk, planned)) for planned in built]
    fields = [BuiltItem(fields_of(one) if one else None, planned.ref, planned.state) for planned, one in items]
    yield BUILD_SCHEMA, ReviewBuildAnswer(source, len(proposals), fields, left, notes)
    for planned, one in items:
        console.out(_DONE[planned.state])
        if one is not None:
            print_candidate(one)
        else:
            console.out(f"{planned.ref}  {planned.draft.statement}  (of {planned.draft.repository})")
    console.notify_notes(notes)
    if left:
        console.notify(f"Left out: {', '.join(sorted({one.reason for one in left}))}.")
    console.notify("Next: aicx memory candidates queue" if items else "Nothing is suggested.")


def _noted(desk: Desk, repo: str | None) -> tuple[list[Proposal], list[str]]:
    """Reads what the notes of the worktree suggest, and says which cannot be understood."""
    from aicx.continuity.reading import read_layers
    from aicx.continuity.suggesting import proposals_of
    from aicx.work.place import find_place

    layers = read_layers(desk.settings, find_place(desk.settings, options.folder(repo)))
    broken = ((layers.paths[layer], why) for layer, why in layers.broken.items())
    notes = [f"{path} cannot be understood, and is left as it is: {why}" for path, why in broken]
    if source := layers.merged.source:
        notes.append(f"the session it is from may suggest more: aicx memory candidates build --session {source}")
    place = desk.scope.repository or str(desk.scope.root)
    return list(proposals_of(layers.merged, place, desk.now)), notes


def _made(desk: Desk, planned: Planned) -> ReviewedRecord | None:
    from aicx.memory.review.deciding import look

    with opened(desk) as memory:
        try:
            return look(memory, planned.ref)
        except NotFound:
            return None
