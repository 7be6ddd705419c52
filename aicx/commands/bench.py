"""`aicx bench`: measures retrievers, and lists those that can be measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from aicx import console, options
from aicx.bench.datasets import FORMS
from aicx.bench.rankers import METHODS
from aicx.commands.bench_results import (
    LIST_SCHEMA,
    Against,
    BenchAnswer,
    BenchList,
    Output,
    results_folder,
    show_result,
)
from aicx.config import load_settings
from aicx.errors import UsageError
from aicx.questions import PATH, Argument, Option
from aicx.text import Zone

if TYPE_CHECKING:
    from aicx.bench.results import BenchResult


SCHEMA = "aicx.bench/1"

# What is run unless asked otherwise: every kind of retriever, with the embedder that costs seconds rather than minutes.
QUICK = (
    *("grep", "rank-bm25", "fts5", "lexical", "dense:static", "rrf:static", "weighted:static"),
    *("aicx", "aicx:static"),
)
FULL = (*QUICK, "bm25-analysed", "dense:minilm", "rrf:minilm", "weighted:minilm", "aicx:minilm")

Datasets = Annotated[
    list[str] | None,
    Option(
        "--dataset",
        "-d",
        metavar="NAME[=PATH]",
        click_type=PATH,
        help="Dataset to measure on; may be given several times.",
    ),
]
Data = Annotated[
    Path | None, Option("--data", metavar="FOLDER", envvar="AICX_BENCH_DATA", help="A folder with datasets.")
]
Home = Annotated[
    Path | None,
    Option("--home", metavar="FOLDER", help="A home folder with logs, for the datasets `commits` and `why`."),
]
Repositories = Annotated[
    Path | None, Option("--repositories", metavar="FOLDER", help="Repositories of these logs, for the dataset `why`.")
]
Rankers = Annotated[
    list[str] | None, Option("--ranker", "-r", metavar="NAME", help="Retriever to measure; may be given several times.")
]
Full = Annotated[bool, Option("--full", help="Also the retrievers that take minutes to build.")]
Rules = Annotated[
    list[str] | None, Option("--rule", metavar="NAME", help="Rule to switch off; all of them by default.")
]
Seed = Annotated[int, Option("--seed", metavar="N", help="Random seed.")]
Timeout = Annotated[float, Option("--timeout", min=1, metavar="SECONDS", help="Give up one retriever after this long.")]
# Whose rules are switched off: what a user asks, with everything on that can be.
ABLATED = ("aicx:static",)


def measure(
    dataset: Datasets = None,
    data: Data = None,
    home: Home = None,
    repositories: Repositories = None,
    ranker: Rankers = None,
    full: Full = False,
    seed: Seed = 0,
    timeout: Timeout = 1800,
    output: Output = None,
    against: Against = "aicx",
    json: options.Json = False,
) -> None:
    """Measure retrievers on datasets and report how often each finds the right answer.

    Example: aicx bench run
    Example: aicx bench run --dataset own
    Example: aicx bench run --dataset locomo=locomo10.json --ranker fts5 --ranker aicx
    Example: aicx bench run --ranker aicx --ranker peer:qmd --ranker peer:txtai/dense
    """
    rankers = ranker or (FULL if full else QUICK)
    measure_and_print(
        rankers, dataset or (), data, home, repositories, seed, timeout, output, against, json, ablate=False
    )


def measure_and_print(
    rankers: Sequence[str],
    datasets: Sequence[str],
    data: Path | None,
    home: Path | None,
    repositories: Path | None,
    seed: int,
    timeout: float,
    output: Path | None,
    against: str,
    json: bool,
    *,
    ablate: bool,
    rules: Sequence[str] = (),
) -> None:
    """Measures, prints and writes the report of `run` and of `ablate`."""
    from aicx.bench.datasets import Around, in_folder, open_datasets, parse_wanted
    from aicx.bench.results import load_polars, write_result
    from aicx.bench.run import BenchPlan, run

    Zone.utc = True  # a month in a question is the same on every machine
    settings = load_settings()
    folder = results_folder(settings, output)
    load_polars()  # what is not installed is better known now than after the measuring
    wanted = [parse_wanted(name) for name in datasets]
    if not wanted:
        wanted = [parse_wanted("bundled"), *(in_folder(data) if data else ())]
    cache = folder / "cache"
    around = Around(home, cache, console.notify, settings.layout, seed, repositories)
    plan = BenchPlan(rankers, cache, settings.layout.models, seed, 2 if ablate else 5, timeout, ablate, rules)
    now = options.now()
    with console.count_bar("Measuring") as on_progress:
        result = run(open_datasets(wanted, around), plan, now, on_progress)
    path, parquet = write_result(result, folder / f"{now:%Y%m%dT%H%M%SZ}-{_label(result)}")
    console.notify(f"result: {path}")
    console.notify(f"rows:   {parquet}")
    if json:
        rows = result.rows.to_dict(as_series=False)
        console.out_answer(SCHEMA, BenchAnswer(facts=result.facts, path=str(path), rows=rows))
    else:
        show_result(result, path, against)


def _label(result: BenchResult) -> str:
    """The commit as part of a file's name."""
    return (result.facts.commit or "installed").replace("+", "-changed")


def ablate(
    dataset: Datasets = None,
    data: Data = None,
    home: Home = None,
    repositories: Repositories = None,
    ranker: Rankers = None,
    rule: Rules = None,
    seed: Seed = 0,
    timeout: Timeout = 1800,
    output: Output = None,
    against: Against = "aicx",
    json: options.Json = False,
) -> None:
    """Switch off each ranking rule in turn and show the loss.

    Example: aicx bench ablate --dataset own
    Example: aicx bench ablate --ranker aicx:minilm --rule meaning --rule fusion
    """
    chosen = ranker or ABLATED
    given = (dataset or (), data, home, repositories, seed, timeout, output, against, json)
    measure_and_print(chosen, *given, ablate=True, rules=rule or ())


def list_measurable() -> options.Answered:
    """List the datasets, retrievers and peers that can be measured.

    Example: aicx bench list
    Example: aicx bench list --json
    """
    aicx_home = load_settings().layout.home
    peers_command = load_peers()
    peers = peers_command.described(aicx_home) if peers_command else {}
    datasets = _described(FORMS)
    rankers = _described({name: path for name, path in METHODS.items() if peers_command or name != "peer"})
    yield LIST_SCHEMA, BenchList(datasets, rankers, peers, QUICK, FULL)
    for title, described in (("Datasets", datasets), ("Rankers", rankers)):
        console.out(console.style(title, bold=True))
        console.out_table([(f"  {console.style(name, fg='cyan')}", what) for name, what in described.items()], (17,))
    if peers_command:
        console.out(console.style("Peers", bold=True))
        peers_command.print_peers(peers, modes=False)


def _described(modules: Mapping[str, str]) -> dict[str, str]:
    """The first sentence of each module's docstring."""
    texts = {name: import_module(path).__doc__ or "" for name, path in modules.items()}
    return {name: text.partition("\n\n")[0].replace("\n", " ") for name, text in texts.items()}


def peers_command(
    words: Annotated[list[str] | None, Argument(metavar="[install NAME...]", help="Peers to install.")] = None,
    every: Annotated[bool, Option("--all", help="With install: every peer that can be measured.")] = False,
    torch: Annotated[
        str | None, Option("--torch", metavar="WORDS", help="With install: arguments for pip to install torch.")
    ] = None,
    json: options.Json = False,
) -> None:
    """List other tools that can be measured beside aicx, or install each into a separate environment.

    Example: aicx bench peers
    Example: aicx bench peers install qmd txtai
    """
    peers = load_peers()
    if peers is None:
        raise UsageError(
            "peers are measured from a checkout of aicx, not from an installed package",
            hint="in the checkout: make bench, then .venv/bin/aicx bench peers",
        )
    peers.peers(words or [], every, torch, load_settings().layout.home, json)


def load_peers() -> Any:
    """The module behind this command; None where aicx runs without its checkout."""
    return import_module("benchmarks.peers.command") if find_spec("benchmarks") else None
