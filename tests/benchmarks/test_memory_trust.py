"""The tables of trust: which cells are marked, and that the kept ones are of today's script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.memory_trust import RESULTS, table
from tests.fixtures.memory_trust import VARIANTS

KEPT: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))


def test_what_is_trusted_and_must_not_be_is_bold_and_so_is_the_reverse() -> None:
    rows = [
        {"demonstration": "stale", "variant": "moved", "holds": True, "one": {"trust": "shown", "said": ""}},
        {"demonstration": "stale", "variant": "gone", "holds": False, "one": {"trust": "agreed", "said": "why"}},
        {"demonstration": "stale", "variant": "both", "holds": True, "one": {"trust": "agreed", "said": ""}},
        {"demonstration": "false", "variant": "other", "holds": False, "one": {"trust": "absent", "said": ""}},
    ]
    assert table(rows, "stale", ["one"]) == [
        "| Stale memory: what comes | one |",
        "|---|---|",
        "| moved | **shown, not trusted** |",
        "| gone | **trusted** (why) |",
        "| both | trusted |",
    ]


def test_the_kept_result_is_of_every_variant_and_ours_holds() -> None:
    rows = KEPT["rows"]
    assert [row["variant"] for row in rows] == [variant.name for variant in VARIANTS]
    assert all(
        (row["aicx"]["trust"] == "agreed") == variant.agreed for row, variant in zip(rows, VARIANTS, strict=True)
    )


@pytest.mark.parametrize("demonstration", ["false", "stale"])
def test_the_page_has_the_kept_tables(demonstration: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "memory.md").read_text("utf-8")
    assert "\n".join(table(KEPT["rows"], demonstration, list(KEPT["versions"]))) in page
