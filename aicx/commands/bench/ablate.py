"""`aicx bench ablate`: the effect of each ranking rule."""

from __future__ import annotations

from aicx import options
from aicx.commands.bench.results import Against, Output
from aicx.commands.bench.run import Data, Datasets, Home, Rankers, Repositories, Rules, Seed, Timeout, measure_and_print

# Whose rules are switched off: what a user asks, with everything on that can be.
ABLATED = ("aicx:static",)


def command(
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
