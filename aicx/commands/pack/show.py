"""`aicx pack show`: a stored pack again."""

from __future__ import annotations

from aicx import options
from aicx.commands.cas.common import Digest
from aicx.commands.pack import common
from aicx.config import load_settings


@options.either("digest", "--digest")
def command(
    digest: Digest,
    budget: common.Budget = None,
    summary: common.SummaryOption = "deterministic",
    json: options.Json = False,
) -> None:
    """Sum a stored pack up again. What it says is as it was; only the budget and the way to sum up may differ.

    Example: aicx pack show sha256:3fa29c01 --budget 4000
    """
    # Imported here: not needed for --help.
    from aicx.packs.making import show

    mode = common.mode_of(summary)
    common.answer(show(load_settings(), digest, budget=budget, mode=mode), json=json)
