"""`aicx bench`: which ranker is best, by how much, and at what cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.errors import UsageError

if TYPE_CHECKING:
    from aicx.bench.report.comparison import Comparison
    from aicx.bench.results import Result

SCHEMA = "aicx.bench/1"
REPORT_SCHEMA = "aicx.bench-report/1"
COMPARISON_SCHEMA = "aicx.bench-comparison/1"
LIST_SCHEMA = "aicx.bench-list/1"
RECOMMENDATION_SCHEMA = "aicx.bench-recommendation/1"

# What is run unless asked otherwise: every kind of ranker, with the embedder that costs seconds rather than minutes.
QUICK = (
    *("grep", "rank-bm25", "fts5", "lexical", "dense:static", "rrf:static", "weighted:static"),
    *("aicx", "aicx:static"),
)
# Whose rules are switched off: what a user asks, with everything on that can be.
ABLATED = ("aicx:static",)
FULL = (*QUICK, "bm25-analysed", "dense:minilm", "rrf:minilm", "weighted:minilm", "aicx:minilm")


class Action(StrEnum):
    run = "run"
    ablate = "ablate"
    recommend = "recommend"
    report = "report"
    compare = "compare"
    list = "list"
    peers = "peers"


def command(
    action: Annotated[Action, typer.Argument(help="run, ablate, recommend, report, compare, list, or peers.")],
    results: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RESULT]...",
            help="A result's file or folder: one to report, two to compare. With peers: install NAME...",
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option("--dataset", "-d", metavar="NAME[=PATH]", help="What to measure on; may be given several times."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="FOLDER", envvar="AICX_BENCH_DATA", help="A folder with datasets."),
    ] = None,
    home: Annotated[
        Path | None,
        typer.Option("--home", metavar="FOLDER", help="A home folder with the logs that `commits` asks about."),
    ] = None,
    ranker: Annotated[
        list[str] | None,
        typer.Option("--ranker", "-r", metavar="NAME", help="What to measure; may be given several times."),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Also the rankers that take minutes to build.")] = False,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="For what is drawn at random.")] = 0,
    timeout: Annotated[
        float, typer.Option("--timeout", min=1, metavar="SECONDS", help="After which one ranker is given up.")
    ] = 1800,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Where results and indexes are kept.")
    ] = None,
    against: Annotated[
        str, typer.Option("--against", metavar="RANKER", help="The ranker that a report compares the others with.")
    ] = "aicx",
    every: Annotated[bool, typer.Option("--all", help="With peers install: all that can be measured.")] = False,
    torch: Annotated[
        str | None,
        typer.Option("--torch", metavar="WORDS", help="With peers install: what pip is told to get torch."),
    ] = None,
    json: options.Json = False,
) -> None:
    """Measure which ranker finds the right answers, on public sets, on a small one that comes along, or on your own.

    `run` measures and reports. `ablate` switches each rule of ranking off in turn and shows what is lost; `recommend`
    says which rules such a result speaks for. `report` shows a result again and writes it as one HTML page. `compare`
    says what changed between two results and whether it is more than noise. `list` names datasets, rankers and peers:
    other tools that are measured beside ours once `peers install` has put them into environments of their own. Results
    are kept in AICX_HOME/bench; of your own corpus they hold figures and no text.

    Example: aicx bench run
    Example: aicx bench run --dataset own
    Example: aicx bench run --dataset locomo=locomo10.json --ranker fts5 --ranker aicx
    Example: aicx bench ablate --dataset own
    Example: aicx bench compare before.json after.json
    Example: aicx bench peers install qmd txtai
    Example: aicx bench run --ranker aicx --ranker peer:qmd --ranker peer:txtai/dense
    """
    settings = load_settings()
    folder = (output or settings.layout.home / "bench").resolve()
    given = [Path(path).expanduser() for path in results or ()]
    match action:
        case Action.run | Action.ablate:
            _no_results(given)
            ablate = action is Action.ablate
            rankers = ranker or (ABLATED if ablate else FULL if full else QUICK)
            result, path = _run(settings, folder, dataset or [], data, home, rankers, seed, timeout, ablate)
            if json:
                rows = result.rows.to_dict(as_series=False)
                console.out_json(SCHEMA, {**result.facts, "path": str(path), "rows": rows})
            else:
                _report(result, path, against)
        case Action.recommend:
            _recommend(_one_result(given, folder), json)
        case Action.report:
            from aicx.bench.report.figures import figures
            from aicx.bench.results import read_result

            path = _one_result(given, folder)
            if json:
                console.out_json(REPORT_SCHEMA, figures(read_result(path), against))
            else:
                _report(read_result(path), path, against)
        case Action.compare:
            _compare(given, json)
        case Action.list:
            _no_results(given)
            _list(settings.layout.home, json)
        case Action.peers:
            from aicx.commands.bench_peers import peers

            peers(results or [], every, torch, settings.layout.home, json)


def _run(
    settings: Settings,
    folder: Path,
    names: list[str],
    data: Path | None,
    home: Path | None,
    rankers: list[str] | tuple[str, ...],
    seed: int,
    timeout: float,
    ablate: bool,
) -> tuple[Result, Path]:
    from aicx.bench.datasets import Around, in_folder, open_datasets, parse_wanted
    from aicx.bench.results import load_polars, write_result
    from aicx.bench.run import Plan, run

    load_polars()  # what is not installed is better known now than after the measuring
    wanted = [parse_wanted(name) for name in names]
    if not wanted:
        wanted = [parse_wanted("bundled"), *(in_folder(data) if data else ())]
    cache = folder / "cache"
    around = Around(home, cache, console.say, settings.layout, seed)
    # Rules decide how an index is asked, not how it is opened: an ablation starts nothing from cold.
    plan = Plan(rankers, cache, settings.layout.models, seed, 0 if ablate else 5, timeout, ablate)
    now = options.now()
    with console.count_bar("Measuring") as tell:
        result = run(open_datasets(wanted, around), plan, now, tell)
    path, parquet = write_result(result, folder / f"{now:%Y%m%dT%H%M%SZ}-{_label(result)}")
    console.say(f"result: {path}")
    console.say(f"rows:   {parquet}")
    return result, path


def _report(result: Result, path: Path, against: str) -> None:
    from aicx.bench.report.markdown import markdown
    from aicx.bench.report.page import page
    from aicx.corpus.files.writer import write_file

    html = path.with_suffix(".html")
    write_file(html, page(result, against).encode())
    console.out(markdown(result, against).rstrip())
    console.say(f"page: {html}")


def _recommend(path: Path, json: bool) -> None:
    from aicx.bench.report.ablations import recommendation, verdict_table
    from aicx.bench.report.markdown import table_lines
    from aicx.bench.results import read_result

    result = read_result(path)
    if not result.facts["settings"]["ablate"]:
        raise UsageError(f"{path} is no result of an ablation", hint="aicx bench ablate makes one")
    for ranker in result.facts["settings"]["rankers"]:
        if json:
            console.out_json(RECOMMENDATION_SCHEMA, recommendation(result, ranker))
        else:
            console.out("\n".join(table_lines(verdict_table(result, ranker))))


def _one_result(given: list[Path], folder: Path) -> Path:
    """The result that is given, or the newest one."""
    from aicx.bench.results import newest_result

    if len(given) > 1:
        raise UsageError("one result at a time", hint="aicx bench compare takes two")
    path = given[0] if given else folder
    return newest_result(path) if path.is_dir() else path


def _compare(given: list[Path], json: bool) -> None:
    from aicx.bench.report.comparison import compare
    from aicx.bench.results import read_result

    if len(given) != 2:
        raise UsageError("two results are compared", hint="aicx bench compare BEFORE.json AFTER.json")
    comparison = compare(read_result(given[0]), read_result(given[1]))
    if json:
        console.out_json(COMPARISON_SCHEMA, comparison_fields(comparison))
        return
    _print_comparison(comparison)


def comparison_fields(comparison: Comparison) -> dict[str, Any]:
    """The comparison as `aicx bench compare --json` prints it."""
    return {
        "changes": [asdict(change) | {"clear": change.clear} for change in comparison.changes],
        "costs": [asdict(cost) | {"ratio": cost.ratio, "clear": cost.clear} for cost in comparison.costs],
        "notes": comparison.notes,
    }


def _print_comparison(comparison: Comparison) -> None:
    for change in sorted(comparison.changes, key=lambda change: (not change.clear, change.dataset, change.ranker)):
        gap = change.difference
        color = ("green" if gap.mean > 0 else "red") if change.clear else "white"
        verdict = console.style("more than noise" if change.clear else "may be noise", fg=color)
        console.out(
            f"{change.dataset:<10} {change.ranker:<16} {change.measure:<10} {change.first:.3f} -> {change.second:.3f}"
            f"  {gap.mean:+.3f} [{gap.low:+.3f}, {gap.high:+.3f}]  p {change.corrected:.3f}  {verdict}"
        )
    for cost in comparison.costs:
        if cost.clear:
            console.out(f"{cost.dataset:<10} {cost.ranker:<16} {cost.what}: {cost.ratio:.2f} times what it was")
    for note in comparison.notes:
        console.say(f"note: {note}")
    clear = sum(change.clear for change in comparison.changes)
    console.say(
        f"{console.plural(len(comparison.changes), 'figure')} changed, {clear} of them by more than noise"
        " (p below 0.05, corrected for how many were looked at)."
    )


def _list(aicx_home: Path, json: bool) -> None:
    from aicx.bench.datasets import FORMS
    from aicx.bench.rankers import METHODS
    from aicx.commands import bench_peers

    datasets, rankers, peers = _described(FORMS), _described(METHODS), bench_peers.described(aicx_home)
    if json:
        listed = {"datasets": datasets, "rankers": rankers, "peers": peers, "quick": QUICK, "full": FULL}
        console.out_json(LIST_SCHEMA, listed)
        return
    for title, described in (("Datasets", datasets), ("Rankers", rankers)):
        console.out(console.style(title, bold=True))
        for name, what in described.items():
            console.out(f"  {console.style(f'{name:<14}', fg='cyan')} {what}")
    console.out(console.style("Peers", bold=True))
    bench_peers.print_peers(peers, modes=False)


def _described(modules: Mapping[str, str]) -> dict[str, str]:
    """What each module says of itself, first of all."""
    texts = {name: import_module(path).__doc__ or "" for name, path in modules.items()}
    return {name: text.partition("\n\n")[0].replace("\n", " ") for name, text in texts.items()}


def _no_results(given: list[Path]) -> None:
    if given:
        raise UsageError(f"{given[0]} is not expected here", hint="aicx bench report RESULT")


def _label(result: Result) -> str:
    """The commit as part of a file's name."""
    return str(result.facts["commit"] or "installed").replace("+", "-changed")
