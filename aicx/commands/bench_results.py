"""`aicx bench report`, `recommend` and `compare`: results shown again; and the answers of `aicx bench`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from aicx import console, options
from aicx.bench.results import Facts
from aicx.config import Settings, load_settings
from aicx.errors import UsageError
from aicx.fields import INLINE
from aicx.questions import Argument, Option
from aicx.storage import check_outside
from aicx.values import dataclass

if TYPE_CHECKING:
    from aicx.bench.report.comparison import Comparison
    from aicx.bench.results import BenchResult


Output = Annotated[Path | None, Option("--output", "-o", metavar="FOLDER", help="Folder for results and indexes.")]
Against = Annotated[
    str, Option("--against", metavar="NAME", help="The retriever that a report compares the others with.")
]
OneResult = Annotated[
    Path | None, Argument(metavar="[RESULT]", help="A result, or a folder, of which the newest is taken.")
]
Results = Annotated[
    list[Path] | None, Argument(metavar="[RESULT...]", help="Results, or folders, of which the newest is taken.")
]

REPORT_SCHEMA = "aicx.bench-report/1"
RECOMMENDATION_SCHEMA = "aicx.bench-recommendation/1"
COMPARISON_SCHEMA = "aicx.bench-comparison/1"
LIST_SCHEMA = "aicx.bench-list/1"


def results_folder(settings: Settings, output: Path | None) -> Path:
    """Where results are written and looked for."""
    own = settings.layout.home / "bench"
    if output is not None:
        check_outside(output, settings.corpus_folders, own)
    return (output or own).resolve()


def find_result(given: Path | None, folder: Path) -> Path:
    """The result that is given, else the newest one."""
    from aicx.bench.results import newest_result

    path = given.expanduser() if given else folder
    return newest_result(path) if path.is_dir() else path


def check_page(path: Path, settings: Settings) -> None:
    """Refuses a result whose page, which is put beside it, would be in the corpus. Raises UnsafePath."""
    check_outside(path, settings.corpus_folders, settings.layout.home / "bench")


def show_result(result: BenchResult, path: Path, against: str) -> None:
    """Prints a result as Markdown and writes its page beside it."""
    from aicx.bench.report.page import markdown, page
    from aicx.storage import replace_file

    html = path.with_suffix(".html")
    replace_file(html, page(result, against).encode())
    console.out(markdown(result, against).rstrip())
    console.notify(f"page: {html}")


def report(
    results: Results = None, output: Output = None, against: Against = "aicx", json: options.Json = False
) -> None:
    """Show a result again and write it as one HTML page.

    Several results on the same data are shown as one, whose page is put beside the first.

    Example: aicx bench report
    Example: aicx bench report ours.json peers.json
    """
    from aicx.bench.report.tables import figures
    from aicx.bench.results import join_results, read_result

    settings = load_settings()
    folder = results_folder(settings, output)
    paths = [find_result(path, folder) for path in results] if results else [find_result(None, folder)]
    if json:
        console.out_answer(REPORT_SCHEMA, figures(join_results([read_result(path) for path in paths]), against))
    else:
        check_page(paths[0], settings)
        show_result(join_results([read_result(path) for path in paths]), paths[0], against)


def recommend(result: OneResult = None, output: Output = None, json: options.Json = False) -> None:
    """List the ranking rules that an ablation supports.

    Example: aicx bench recommend
    Example: aicx bench recommend --json
    """
    from aicx.bench.report.ablations import recommendation, verdict_table
    from aicx.bench.report.page import table_lines
    from aicx.bench.results import read_result

    path = find_result(result, results_folder(load_settings(), output))
    found = read_result(path)
    if not found.facts.settings.ablate:
        raise UsageError(f"{path} is not the result of an ablation", hint="aicx bench ablate makes one")
    for ranker in found.facts.settings.rankers:
        if json:
            console.out_answer(RECOMMENDATION_SCHEMA, recommendation(found, ranker))
        else:
            console.out("\n".join(table_lines(verdict_table(found, ranker))))


def compare_results(
    before: Annotated[Path, Argument(metavar="RESULT", help="The result before.")],
    after: Annotated[Path, Argument(metavar="RESULT", help="The result after.")],
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
        console.out_answer(COMPARISON_SCHEMA, comparison)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchAnswer:
    """The whole result, as in its file. It contains ids of questions, never their text.

    After `ablate`, a ranker with a change is named by both, as in `aicx:static fused by ranks`.
    """

    facts: Facts = field(metadata=INLINE)
    path: Annotated[str, "the file"]
    rows: Annotated[
        Mapping[str, Any],
        "column → values, a row for every question put to every ranker: `dataset`, `ranker`, `query`, `part`, `type`,"
        " `MRR@10`, `nDCG@10`, `Recall@5`, `Recall@10`, `hit@1`, `hit@10` (null for a question without an answer),"
        " `evidence` (as the ranker labels its answers, `strong`, `weak` or `none`; null where it labels none),"
        " `answers` (null where the ranker failed on the question), `seconds`, `tokens`",
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchPeer:
    """Another tool that can be measured beside aicx, or why it cannot."""

    about: Annotated[str, "what it is"]
    package: Annotated[str, "the package that is installed"]
    version: Annotated[str, "the version that is measured"]
    state: Annotated[Literal["installed", "outdated", "absent", "unfit"], "`unfit` cannot be compared"]
    reason: Annotated[str | None, "why it cannot be compared, or null"]
    modes: Annotated[Mapping[str, str], "mode → what is asked of it"]
    rankers: Annotated[Sequence[str], "its modes as names of rankers"]
    install: Annotated[str | None, "the command that installs it, or null"]
    bytes: Annotated[int | None, "size on disk; null where it is not installed"]


@dataclass(frozen=True, slots=True)
class BenchList:
    """Everything that can be measured."""

    datasets: Annotated[Mapping[str, str], "name → description"]
    rankers: Annotated[Mapping[str, str], "name → description"]
    peers: Annotated[Mapping[str, BenchPeer], "as in `bench peers`"]
    quick: Annotated[Sequence[str], "the rankers that `run` takes"]
    full: Annotated[Sequence[str], "the rankers that `run` takes with `--full`"]


@dataclass(frozen=True, slots=True)
class BenchPeers:
    """Other tools measured beside aicx."""

    peers: Annotated[Mapping[str, BenchPeer], "name → the tool"]
