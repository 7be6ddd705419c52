"""`aicx bench report`: a result again, and as one HTML page."""

from __future__ import annotations

from aicx import console, options
from aicx.commands.bench.results import Against, OneResult, Output, check_page, find_result, results_folder, show_result
from aicx.config import load_settings

SCHEMA = "aicx.bench-report/1"


def command(
    result: OneResult = None, output: Output = None, against: Against = "aicx", json: options.Json = False
) -> None:
    """Show a result again and write it as one HTML page.

    Example: aicx bench report
    """
    from aicx.bench.report.figures import figures
    from aicx.bench.results import read_result
    from aicx.commands.bench.answers import BenchReport

    settings = load_settings()
    path = find_result(result, results_folder(settings, output))
    if json:
        console.out_answer(SCHEMA, BenchReport(**figures(read_result(path), against)))
    else:
        check_page(path, settings)
        show_result(read_result(path), path, against)
