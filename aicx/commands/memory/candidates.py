"""`aicx memory candidates`: lists what the history proposes to keep."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.fields import taken_from
from aicx.memory.proposals import SCHEMA, CandidateItem, CandidatesAnswer, ProposalKind
from aicx.paths import user_path

# Of many places that say the same, the latest show it.
_MAX_EVIDENCE = 5


def command(
    limit: options.Limit = 20,
    kind: Annotated[ProposalKind | None, typer.Option("--kind", "-k", help="Only candidates of this kind.")] = None,
    repo: Annotated[
        str | None,
        typer.Option(
            *("--repo", "-r"),
            metavar="FOLDER",
            click_type=options.PATH,
            help="Only candidates of the repository that this folder is in; by default of all.",
        ),
    ] = None,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Read every session again, not only those that are new or changed.")
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
    yield SCHEMA, answer
    for item in answer.candidates:
        _print(item)
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


def _print(item: CandidateItem) -> None:
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
