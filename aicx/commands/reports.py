"""`aicx reports`: the workflow reports of a folder as a list, an HTML dossier and a JSON bundle."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.errors import UsageError
from aicx.paths import user_path
from aicx.questions import PATH, Argument, Option
from aicx.reports import MARK as BUNDLE_MARK
from aicx.reports import PAGE_MARK, Write, both, embedded, frame, write_bundle
from aicx.reports.reading import clean_line, shorten
from aicx.reports.record import Report
from aicx.reports.scan import ReportSelection, ScanResult, make_selection, scan
from aicx.storage import check_outside, check_target, replacing
from aicx.text import first_of

_SHOWN = 20
_MAX_PROBLEMS = 5
_MAX_PROJECTS = 8
_WIDEST = 28
_NARROWEST_TITLE = 24
_PIPED_WIDTH = 160
_COLORS = {"completed": "green", "failed": "red", "launching": "yellow", "running": "yellow"}

Folder = Annotated[str | None, Argument(metavar="FOLDER", click_type=PATH, help="The folder with the reports.")]
Output = Annotated[
    str | None,
    Option("--output", "-o", metavar="FILE", click_type=PATH, help="Write the dossier, one HTML file, here."),
]
Bundle = Annotated[str | None, Option("--bundle", metavar="FILE", click_type=PATH, help="Write the JSON bundle here.")]
Workflow = Annotated[
    str | None,
    Option(
        "--workflow",
        "-w",
        metavar="TEXT",
        help="Reports whose workflow, lane, mode or skill code contains TEXT.",
        rich_help_panel=options.FILTERS,
    ),
]
Org = Annotated[
    str | None,
    Option("--org", metavar="NAME", help="Reports of this organisation or owner.", rich_help_panel=options.FILTERS),
]
Repo = Annotated[
    str | None,
    Option("--repo", "-r", metavar="NAME", help="Reports of this repository.", rich_help_panel=options.FILTERS),
]
Limit = Annotated[
    int | None,
    Option("--limit", "-n", min=1, metavar="N", help=f"Maximum number of reports; {_SHOWN} by default in a list."),
]
Force = Annotated[bool, Option("--force", help="Replace FILE even if it is not an earlier dossier or bundle.")]


def command(
    folder: Folder = None,
    output: Output = None,
    bundle: Bundle = None,
    workflow: Workflow = None,
    date: options.Date = None,
    since: options.Since = None,
    until: options.Until = None,
    org: Org = None,
    repo: Repo = None,
    limit: Limit = None,
    force: Force = False,
    json: options.Json = False,
) -> None:
    """List the workflow reports in a folder, or make one HTML page of them that works offline.

    FOLDER holds <org>/<repo>/<date>/… with reports (.md), their sidecars (.meta.json) and transcripts; files that share
    a stem are one report. It is ~/.vibecrafted/artifacts unless you name another. Secrets are replaced before anything
    is shown or written. The page filters and shows reports, and loads bundles from other machines; --bundle writes such
    a bundle, and --json prints it.

    Example: aicx reports --since 7d
    Example: aicx reports -o dossier.html --bundle dossier.json
    Example: aicx reports ~/artifacts --workflow review --date 2026-01-01..2026-01-31 -o review.html
    """
    settings = load_settings()
    now = options.now()
    source = user_path(folder) if folder else settings.user_home / ".vibecrafted" / "artifacts"
    selection = make_selection(now, workflow=workflow, since=since, until=until, date=date, org=org, repo=repo)
    page_target = _target(output, PAGE_MARK, settings, force=force)
    bundle_target = _target(bundle, BUNDLE_MARK, settings, force=force)
    if page_target and page_target == bundle_target:
        raise UsageError(f"{page_target} cannot be both dossier and bundle", hint="give them two names")
    outcome = ScanResult()
    writes = json or page_target is not None or bundle_target is not None
    shown = limit if writes else limit or _SHOWN
    with console.count_bar("Reading reports") as bar:
        reports = scan(source, selection, now, outcome, limit=shown, on_progress=bar)
        if writes:
            place = _short(source, settings.user_home)
            whole = partial(write_bundle, reports=reports, outcome=outcome, folder=place, selection=selection, now=now)
            _write(whole, page_target, bundle_target, to_stdout=json)
        else:
            listed = list(map(_brief, reports))
    if not writes:
        _print_list(listed)
    _print_summary(outcome, source, selection)
    for target in filter(None, (page_target, bundle_target)):
        size = console.size(target.stat().st_size)
        console.notify(f"{console.style('Wrote', fg='green', bold=True)} {clean_line(str(target))} ({size})")
    if not writes and outcome.matched:
        _say_next(outcome)


def _write(
    bundle: Callable[[Write], None], page_target: Path | None, bundle_target: Path | None, *, to_stdout: bool
) -> None:
    """Writes the bundle into every place it is wanted at once; files appear when all of it went well."""
    before, behind = frame() if page_target else (b"", b"")
    with ExitStack() as stack:
        writers: list[Write] = []
        page = stack.enter_context(replacing(page_target)) if page_target else None
        if page:
            page.write(before)
            writers.append(embedded(page.write))
        if bundle_target:
            writers.append(stack.enter_context(replacing(bundle_target)).write)
        if to_stdout:
            writers.append(console.out_bytes)
        bundle(both(writers))
        if page:
            page.write(behind)
        if to_stdout:
            console.out_bytes(b"\n")


def _brief(report: Report) -> Report:
    """Returns what a list needs of a report, so that a long list does not hold its texts."""
    return replace(report, detail="", transcript_tail="", headings=())


def _target(text: str | None, mark: bytes, settings: Settings, *, force: bool) -> Path | None:
    if text is None:
        return None
    target = user_path(text)
    check_outside(target, settings.corpus_folders)
    check_target(target, mark, command="aicx reports", force=force)
    return target


def _short(path: Path, home: Path) -> str:
    """A path as it may be passed on: without the name of whose home it is."""
    whole = path.absolute()
    return clean_line(str(Path("~", whole.relative_to(home)) if whole.is_relative_to(home) else whole))


def _print_list(reports: list[Report]) -> None:
    """A line a report: day, status, agent, workflow and project in columns, then the title."""
    rows = [
        (item.date or "no day", item.status or "-", item.agent or "-", item.workflow or "-", item.project or "-")
        for item in reports
    ]
    widths = [min(_WIDEST, max(map(len, column))) for column in zip(*rows, strict=True)]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPED_WIDTH
    lines = []
    for item, row in zip(reports, rows, strict=True):
        cells = [shorten(cell, size) for cell, size in zip(row, widths, strict=True)]
        room = max(_NARROWEST_TITLE, width - sum(widths) - 2 * len(widths))
        title = shorten(item.title, room)
        cells[0] = console.style(cells[0], fg="cyan")
        cells[1] = console.style(cells[1], fg=_COLORS.get(row[1]))
        title = console.style(title, bold=True) if "report" in item.files else console.style(title, dim=True)
        lines.append([*cells, title])
    console.out_table(lines, [0] * len(widths))


def _print_summary(outcome: ScanResult, source: Path, selection: ReportSelection) -> None:
    if not outcome.found:
        console.notify(
            f"No report lies in {clean_line(str(source))}. FOLDER holds <org>/<repo>/<date>/… with .md files."
        )
    elif not outcome.matched:
        asked = ", ".join(f"{name} {clean_line(value)}" for name, value in selection.to_json().items())
        console.notify(f"None of {console.plural(outcome.found, 'report')} matches {asked}.")
        known = sorted(outcome.projects)
        console.notify(f"There are reports of {first_of(map(clean_line, known), _MAX_PROJECTS)}.")
    elif outcome.yielded < outcome.matched:
        console.notify(f"{outcome.yielded:,} of {outcome.matched:,} shown; --limit shows more.")
    if outcome.undated:
        console.warn(f"{console.plural(outcome.undated, 'report')} without a day left out, since days were asked for")
    for problem in outcome.problems[:_MAX_PROBLEMS]:
        console.warn(f"{problem.path}: {problem.reason}")
    if len(outcome.problems) > _MAX_PROBLEMS:
        console.warn(f"and {len(outcome.problems) - _MAX_PROBLEMS:,} more; --json names them all")


def _say_next(outcome: ScanResult) -> None:
    if sys.stderr.isatty():
        console.notify(
            f"Next: aicx reports -o dossier.html makes a page of {console.plural(outcome.matched, 'report')}."
        )
