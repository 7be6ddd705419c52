"""`aicx bench report`: a result again, or several as one, and as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from aicx import console, options
from aicx.commands.bench.results import Against, Output, check_page, find_result, results_folder, show_result
from aicx.config import load_settings

Results = Annotated[
    list[Path] | None, typer.Argument(metavar="[RESULT...]", help="Results, or folders, of which the newest is taken.")
]

SCHEMA = "aicx.bench-report/1"


def command(
    results: Results = None, output: Output = None, against: Against = "aicx", json: options.Json = False
) -> None:
    """Show a result again and write it as one HTML page.

    Several results on the same data are shown as one, whose page is put beside the first.

    Example: aicx bench report
    Example: aicx bench report ours.json peers.json
    """
    from aicx.bench.report.figures import figures
    from aicx.bench.results import join_results, read_result

    settings = load_settings()
    folder = results_folder(settings, output)
    paths = [find_result(path, folder) for path in results] if results else [find_result(None, folder)]
    if json:
        console.out_answer(SCHEMA, figures(join_results([read_result(path) for path in paths]), against))
    else:
        check_page(paths[0], settings)
        show_result(join_results([read_result(path) for path in paths]), paths[0], against)
