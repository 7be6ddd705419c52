"""`aicx status --usage` and `--recall`: what continuity did in a repository, and what hooks said unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from aicx import console, options
from aicx.config import load_settings
from aicx.questions import Option
from aicx.text import local, plural

if TYPE_CHECKING:
    from aicx.lifecycle.usage import UsageAnswer


def command(
    repo: options.Repo = None,
    contracts: Annotated[
        bool, Option("--contracts", help="List how each session kept to its contract, the newest first.")
    ] = False,
) -> options.Answered:
    """Count sessions, handoffs, contracts and how they were kept, and failures that came back in a repository.

    These are counts. What would have happened without is not known, and nothing is claimed about it.

    Example: aicx status --usage --json
    Example: aicx status --usage --contracts
    """
    from aicx.lifecycle.usage import SCHEMA, usage

    with console.count_bar("Reading sessions") as bar:
        folder = options.folder(repo)
        found = usage(load_settings(), folder, options.now(), lambda done, of: bar(done, of, ""))
    yield SCHEMA, found
    console.out_table([(console.style(name, dim=True), text) for name, text in _rows(found)], (12,))
    for one in found.contracts.each if contracts else ():
        console.out(f"{console.style(one.ref, fg='cyan')}  {console.when(one.at)}  {one.compact_summary}")
    console.notify_notes(found.notes)


def _rows(found: UsageAnswer) -> list[tuple[str, str]]:
    sessions, contracts, failures = found.sessions, found.contracts, found.failures
    kept = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in contracts.results.items())
    score = f"; mean score {contracts.mean_score:.2f}" if contracts.mean_score is not None else ""
    tasks = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in found.tasks.by_status.items())
    again = (
        f"{failures.seen_in_several_sessions:,} came back in another session, {failures.known_fix_used:,} of them were"
        " resolved in a file that had resolved them before"
    )
    return [
        ("sessions", f"{sessions.stored:,} stored; {sessions.prepared:,} prepared, {sessions.finalized:,} finalized"),
        ("handoffs", f"{sessions.handoffs_stated:,} stated, {sessions.handoffs_derived:,} derived from logs"),
        ("contracts", f"{contracts.given:,} given{': ' if kept else ''}{kept}{score}"),
        ("failures", f"{failures.patterns:,} known, {failures.open:,} open; {again}"),
        ("tasks", f"{found.tasks.total:,}{': ' if tasks else ''}{tasks}"),
        ("areas", f"{found.areas:,}"),
    ]


def show_recall(limit: options.Limit = 20) -> options.Answered:
    """Show what sessions were told unasked by hooks, when, and whether they then used it.

    Used means that the session's log names the reference afterwards, or changes a file that had mended the failure.

    Example: aicx status --recall
    Example: aicx status --recall --json
    """
    from aicx.reminders.told import SCHEMA, told

    found = told(load_settings(), limit)
    yield SCHEMA, found
    lanes = ", ".join(f"{count:,} {lane}" for lane, count in found.by_lane.items())
    console.out(f"{plural(found.said, 'reminder')}{f' ({lanes})' if lanes else ''}")
    if found.said:
        console.out(f"used {found.used:,}, not used {found.unused:,}, not known {found.unknown:,}")
    uses = {True: "used", False: "not used", None: "not known"}
    rows = [
        (f"{local(one.at):%Y-%m-%d %H:%M}", one.lane, one.kind, uses[one.used], f"{one.ref}  to {one.session}")
        for one in found.items
    ]
    console.out_table(rows, (18, 8, 9, 10))
