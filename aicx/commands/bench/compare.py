"""`aicx bench compare`: the changes between two results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aicx import console, options

if TYPE_CHECKING:
    from aicx.bench.report.comparison import Comparison

SCHEMA = "aicx.bench-comparison/1"


def command(
    before: Annotated[Path, typer.Argument(metavar="RESULT", help="The result before.")],
    after: Annotated[Path, typer.Argument(metavar="RESULT", help="The result after.")],
    json: options.Json = False,
) -> None:
    """Compare two results: the changes, and whether they are more than noise.

    Example: aicx bench compare before.json after.json
    Example: aicx bench compare before.json after.json --json
    """
    from aicx.bench.report.comparison import compare
    from aicx.bench.results import read_result

    comparison = compare(read_result(before.expanduser()), read_result(after.expanduser()))
    if json:
        console.out_answer(SCHEMA, comparison)
    else:
        _print_comparison(comparison)


def _print_comparison(comparison: Comparison) -> None:
    rows = []
    for change in sorted(comparison.changes, key=lambda change: (not change.clear, change.dataset, change.ranker)):
        gap = change.difference
        color = ("green" if gap.mean > 0 else "red") if change.clear else "white"
        verdict = console.style("more than noise" if change.clear else "may be noise", fg=color)
        figures = (
            f"{change.first:.3f} -> {change.second:.3f}"
            f"  {gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]  p {change.corrected:.3f}  {verdict}"
        )
        rows.append((change.dataset, change.ranker, change.measure, figures))
    console.out_table(rows, (11, 17, 11))
    costs = [one for one in comparison.costs if one.clear]
    console.out_table(
        [(one.dataset, one.ranker, f"{one.what}: {one.ratio:.2f} times what it was") for one in costs], (11, 17)
    )
    console.notify_notes(comparison.notes)
    clear = sum(change.clear for change in comparison.changes)
    console.notify(
        f"{console.plural(len(comparison.changes), 'figure')} changed, {clear} of them by more than noise"
        " (p below 0.05, corrected for how many were looked at)."
    )
