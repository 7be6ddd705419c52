"""The defaults of search are the ones the committed ablation recommends."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from aicx.bench.variants import ABLATIONS, ASKED
from aicx.engine.search import SearchQuery
from aicx.filters import Filters
from retrieval.decay import PROFILES
from retrieval.params import DEFAULT_PARAMS, RankingParams
from tests.bench.invented import QUERIES

ROOT = Path(__file__).parent.parent.parent
COMMITTED = ROOT / "benchmarks" / "results" / "recommendation.json"


@pytest.fixture
def recommendation() -> dict[str, Any]:
    """The first line: the ranker whose rules are the defaults."""
    found: dict[str, Any] = json.loads(COMMITTED.read_text("utf-8").splitlines()[0])
    return found


def test_default_rules_are_the_recommended_ones(recommendation: dict[str, Any]) -> None:
    # Through JSON, which knows no tuples.
    assert json.loads(json.dumps(asdict(RankingParams()))) == recommendation["rules"]


def test_default_use_of_dates_and_age_is_the_recommended_one(recommendation: dict[str, Any]) -> None:
    asked = SearchQuery(QUERIES[0].text, QUERIES[0].now, Filters())
    assert asked.decay == PROFILES[recommendation["decay"]]
    assert (asked.lift_dates, asked.automated) == (recommendation["lift_dates"], recommendation["automated"])


def test_every_rule_was_switched_off_in_the_committed_result(recommendation: dict[str, Any]) -> None:
    switched = {line["rule"] for line in recommendation["evidence"]}
    # Windows are a property of the index.
    assert switched - {*ASKED, "windows"} == set(asdict(DEFAULT_PARAMS))
    names = {ablation.name for ablation in ABLATIONS if ablation.of_search}
    assert names <= {line["change"] for line in recommendation["evidence"]}


def test_tables_of_the_docs_are_made_from_the_committed_results() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate_benchmarks.py", "--check"], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("path", sorted(COMMITTED.parent.glob("*.json")), ids=lambda path: path.name)
def test_committed_results_name_no_place(path: Path) -> None:
    assert not re.search(r"(?<![\w.])/(?:home|tmp|root|work|Users)\b", path.read_text("utf-8"))
