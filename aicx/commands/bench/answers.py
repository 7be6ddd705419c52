"""The answers of `aicx bench`, one class an action; those of `report` and `recommend` are in `aicx.bench.report`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Annotated, Any, Literal

from aicx.bench.results import Facts
from aicx.fields import INLINE
from aicx.values import dataclass


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
    """What can be measured."""

    datasets: Annotated[Mapping[str, str], "name → description"]
    rankers: Annotated[Mapping[str, str], "name → description"]
    peers: Annotated[Mapping[str, BenchPeer], "as in `bench peers`"]
    quick: Annotated[Sequence[str], "the rankers that `run` takes"]
    full: Annotated[Sequence[str], "the rankers that `run` takes with `--full`"]


@dataclass(frozen=True, slots=True)
class BenchPeers:
    """Other tools measured beside aicx."""

    peers: Annotated[Mapping[str, BenchPeer], "name → the tool"]
