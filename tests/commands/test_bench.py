"""`aicx bench` through the real command line."""

from __future__ import annotations

import json
import re
import sys
from contextlib import redirect_stdout
from dataclasses import asdict
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.installation import install_command
from retrieval.params import RankingParams
from tests.bench.invented import write_lines

pytestmark = [pytest.mark.needs("bench"), pytest.mark.slow]

RANKERS = ("--ranker", "grep", "--ranker", "fts5")


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with one judged collection, one of its lines broken off."""
    folder = tmp_path_factory.mktemp("data") / "harbour"
    write_lines(folder / "documents.jsonl", [{"id": "d1", "text": "tide tables"}, {"id": "d2", "text": "crew rota"}])
    write_lines(folder / "queries.jsonl", [{"id": "q1", "text": "tide"}, {"id": "q2", "text": "nothing like it"}])
    (folder / "qrels.txt").write_text("q1 0 d1 1\nq2 0 gone 1\n")
    return folder


@pytest.fixture(scope="module")
def results(collection: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """The folder of the results with one of that collection, and what it holds."""
    folder = tmp_path_factory.mktemp("results")
    names = ("-d", f"trec={collection}", "-d", "locomo=/no/such.json", "-d", "commits")
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(TextIOWrapper(BytesIO())) as printed:
        patch.setenv("HOME", str(folder))
        patch.setenv("AICX_HOME", str(folder / ".aicx"))
        assert run(["bench", "run", "-o", str(folder), *RANKERS, *names, "--json"]) == 0
    printed.flush()
    return folder, json.loads(printed.buffer.getvalue())  # type: ignore[attr-defined]


def bench(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["bench", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_run_skips_by_name_what_is_not_there(results: tuple[Path, dict[str, Any]]) -> None:
    found = results[1]
    assert found["schema"] == "aicx.bench/1"
    assert [row["name"] for row in found["skipped"]] == ["locomo", "commits"]
    assert [described["name"] for described in found["datasets"]] == ["harbour"]


def test_run_measures_the_bundled_set_and_what_the_data_folder_holds_and_writes_a_page(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AICX_BENCH_DATA", str(collection.parent))
    code, out, err = bench(capsys, "run", "-o", str(tmp_path), "-r", "fts5")
    assert code == 0
    assert re.findall(r"^## (bundled|harbour)", out, re.MULTILINE) == ["bundled", "harbour"]
    assert "| fts5 | 1.000 [1.000, 1.000] |" in out
    (page,) = tmp_path.glob("*.html")
    assert str(page) in err.replace("\n", "")
    (written,) = tmp_path.glob("*.json")
    assert len(json.loads(written.read_bytes())["rows"]["query"]) == 20 + 1


def test_report_shows_the_newest_result(
    capsys: pytest.CaptureFixture[str], results: tuple[Path, dict[str, Any]]
) -> None:
    code, out, _ = bench(capsys, "report", "--output", str(results[0]), "--against", "grep")
    assert code == 0
    assert "MRR@10 against grep" in out


def test_report_without_a_result_says_what_makes_one(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = bench(capsys, "report")
    assert code == 3
    assert "aicx bench run" in err


def test_compare_takes_two_results(capsys: pytest.CaptureFixture[str], results: tuple[Path, dict[str, Any]]) -> None:
    path = results[1]["path"]
    code, out, _ = bench(capsys, "compare", path, path, "--json")
    found = json.loads(out)
    assert (code, found["schema"], found["changes"]) == (0, "aicx.bench-comparison/1", [])
    code, _, err = bench(capsys, "compare", path)
    assert code == 2
    assert "Missing argument 'RESULT'" in err


def test_compare_says_in_words_whether_it_is_noise(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, results: tuple[Path, dict[str, Any]]
) -> None:
    found = results[1]
    worse = {**found, "rows": {**found["rows"], "MRR@10": [0.0] * len(found["rows"]["MRR@10"])}}
    other = tmp_path / "other.json"
    other.write_text(json.dumps(worse))
    code, out, err = bench(capsys, "compare", found["path"], str(other))
    assert code == 0
    assert "1.000 -> 0.000" in out
    assert "may be noise" in out  # there is but one question
    assert "0 of them by more than noise" in err


def test_list_names_datasets_and_rankers(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = bench(capsys, "list", "--json")
    found = json.loads(out)
    assert code == 0
    assert {"bundled", "own", "commits", "why", "locomo", "cosqa", "trec", "memory"} == set(found["datasets"])
    assert all(found["datasets"].values())
    assert "fts5" in found["rankers"]


def test_unknown_dataset_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = bench(capsys, "run", "--dataset", "lokomo=x")
    assert code == 2
    assert "locomo" in err


def test_missing_library_is_named_before_anything_is_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "polars", None)
    code, _, err = bench(capsys, "run")
    assert code == 4
    assert install_command("bench") in err


def test_ablate_switches_rules_off_and_recommend_says_what_follows(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, collection: Path
) -> None:
    folder = ("--output", str(tmp_path / "out"))
    code, out, _ = bench(capsys, "ablate", "-d", f"trec={collection}", "-r", "aicx", *folder)
    assert code == 0
    assert "| without headers | fields | +0.000 [+0.000, +0.000] |" in out
    code, out, _ = bench(capsys, "recommend", *folder)
    assert code == 0
    assert "kept, not shown to matter" in out
    code, out, _ = bench(capsys, "recommend", *folder, "--json")
    found = json.loads(out)
    assert (code, found["schema"]) == (0, "aicx.bench-recommendation/1")
    assert found["rules"] == json.loads(json.dumps(asdict(RankingParams())))
    assert not any(line["earned"] for line in found["evidence"])


def test_recommend_needs_an_ablation(capsys: pytest.CaptureFixture[str], results: tuple[Path, dict[str, Any]]) -> None:
    code, _, err = bench(capsys, "recommend", results[1]["path"])
    assert code == 2
    assert "aicx bench ablate" in err


def test_report_as_json_has_figures_and_no_questions(
    capsys: pytest.CaptureFixture[str], collection: Path, results: tuple[Path, dict[str, Any]]
) -> None:
    code, out, _ = bench(capsys, "report", results[1]["path"], "--against", "grep", "--json")
    found = json.loads(out)
    assert (code, found["schema"]) == (0, "aicx.bench-report/1")
    (described,) = found["datasets"]
    assert described["quality"]["counted"]["fts5"]["MRR@10"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert set(described["against"]) == {"fts5"}
    assert "tide" not in out
    assert str(collection.parent) not in out
    assert str(results[0]) not in out
