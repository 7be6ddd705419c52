"""`aicx bench report` and `recommend`: a result again, or several as one, and the rules that an ablation supports."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from aicx import console, options
from aicx.config import Settings, load_settings
from aicx.errors import UsageError
from aicx.output import check_outside

if TYPE_CHECKING:
    from aicx.bench.results import BenchResult

Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Folder for results and indexes.")
]
Against = Annotated[
    str, typer.Option("--against", metavar="NAME", help="The retriever that a report compares the others with.")
]
OneResult = Annotated[
    Path | None, typer.Argument(metavar="[RESULT]", help="A result, or a folder, of which the newest is taken.")
]
Results = Annotated[
    list[Path] | None, typer.Argument(metavar="[RESULT...]", help="Results, or folders, of which the newest is taken.")
]

REPORT_SCHEMA = "aicx.bench-report/1"
RECOMMENDATION_SCHEMA = "aicx.bench-recommendation/1"


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
    from aicx.storage.atomic import replace_file

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
