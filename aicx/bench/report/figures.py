"""A result's figures as JSON has them: small enough to be kept with the code, and without a question or a document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from aicx.api.fields import to_fields
from aicx.bench.facts import DatasetFacts
from aicx.bench.report.cells import rounded
from aicx.bench.report.tables import DEFAULT_REFERENCE
from aicx.bench.results import Result
from aicx.bench.summary import (
    Quality,
    abstentions_of,
    against,
    costs_of,
    parts_of,
    quality_of,
    rankers_of,
    types_of,
)


def figures(result: Result, reference: str = DEFAULT_REFERENCE) -> dict[str, Any]:
    """What `aicx bench report --json` prints, and what docs/benchmarks.md is made from."""
    facts = result.facts
    return {
        "made_at": facts.made_at,
        "commit": facts.commit,
        "machine": replace(facts.machine, release=None),
        "versions": facts.versions,
        "settings": facts.settings,
        "reference": reference,
        "skipped": [row.name for row in facts.skipped],
        "datasets": [_dataset(result, described, reference) for described in facts.datasets],
    }


def _dataset(result: Result, described: DatasetFacts, reference: str) -> dict[str, Any]:
    name = described.name
    parts = parts_of(result, name)
    gaps = against(result, name, reference) if reference in rankers_of(result, name) and parts else []
    return {
        **to_fields(described),
        "failures": {row.ranker: row.failure for row in result.facts.costs(name) if row.failure},
        "quality": {part: _quality(quality_of(result, name, part)) for part in parts},
        "types": {kind: _quality(quality_of(result, name, type=kind)) for kind in types_of(result, name)},
        "against": {gap.ranker: _rounded(asdict(gap.difference) | {"corrected": gap.corrected}) for gap in gaps},
        "abstention": {line.ranker: _rounded(asdict(line)) for line in abstentions_of(result, name)},
        "costs": {line.ranker: _rounded(asdict(line)) for line in costs_of(result, name)},
    }


def _quality(lines: Sequence[Quality]) -> dict[str, Any]:
    return {
        line.ranker: {
            "queries": line.queries,
            **{measure: _rounded(asdict(around)) for measure, around in line.measures.items()},
        }
        for line in lines
    }


def _rounded(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Without the ranker, which is its key, and to as many digits as a reader needs."""
    return {name: rounded(value) for name, value in fields.items() if name != "ranker"}
