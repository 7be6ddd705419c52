"""`aicx bench recommend`: the rules that an ablation supports."""

from __future__ import annotations

from aicx import console, options
from aicx.commands.bench.results import OneResult, Output, find_result, results_folder
from aicx.config import load_settings
from aicx.errors import UsageError

SCHEMA = "aicx.bench-recommendation/1"


def command(result: OneResult = None, output: Output = None, json: options.Json = False) -> None:
    """List the ranking rules that an ablation supports.

    Example: aicx bench recommend
    """
    from aicx.bench.report.ablations import verdict_table
    from aicx.bench.report.markdown import table_lines
    from aicx.bench.report.recommendation import recommendation
    from aicx.bench.results import read_result

    path = find_result(result, results_folder(load_settings(), output))
    found = read_result(path)
    if not found.facts.settings.ablate:
        raise UsageError(f"{path} is not the result of an ablation", hint="aicx bench ablate makes one")
    for ranker in found.facts.settings.rankers:
        if json:
            console.out_answer(SCHEMA, recommendation(found, ranker))
        else:
            console.out("\n".join(table_lines(verdict_table(found, ranker))))
