"""A whole run: what is measured, what fails, what is written, and that it comes out the same again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aicx.bench import rankers
from aicx.bench.dataset import MEASURES, Dataset, Query
from aicx.bench.datasets import Skipped
from aicx.bench.measure import MeasureTask, measure, run_here
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, RankerFolders
from aicx.bench.results import BenchResult, newest_result, read_result, write_result
from aicx.bench.run import BenchPlan, run
from aicx.errors import MissingExtra, NotFound, UsageError
from aicx.fields import to_fields
from aicx.installation import install_command
from aicx.types import Candidate, Document
from aicx.values import dataclass
from tests.bench.invented import small
from tests.sampling import sample

pytestmark = [pytest.mark.needs("bench"), pytest.mark.process]

NOW = datetime(2026, 3, 1, tzinfo=UTC)
IN_MEMORY = True  # this module is a method itself: see `odd`


@dataclass
class Odd:
    """A ranker that does what its name says."""

    name: str
    folder: Path

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        if self.name == "odd:raise":
            raise RuntimeError("not today")
        if self.name == "odd:extra":
            raise MissingExtra("The dense retriever", "semantic")
        if self.name == "odd:die":
            os._exit(9)
        if self.name == "odd:sleep":
            self.folder.mkdir(parents=True)
            (self.folder / "pid").write_text(str(os.getpid()))
            time.sleep(60)
        return [Candidate("login", 1.0)]


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> None:
    pass


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    return ()


def open_ranker(
    name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
) -> Odd:
    return Odd(name, place.folder)


@dataclass(frozen=True, slots=True)
class OddDataset(Dataset):
    """Makes the measuring process know this module as a method, wherever it is unpickled."""

    def __setstate__(self, state: list[object]) -> None:
        for field, value in zip(self.__dataclass_fields__, state, strict=True):
            object.__setattr__(self, field, value)
        rankers.METHODS["odd"] = __name__  # type: ignore[index]

    def __getstate__(self) -> list[object]:
        return [getattr(self, field) for field in self.__dataclass_fields__]


def odd() -> Dataset:
    given = small()
    return OddDataset(given.name, given.queries, given.corpora)


def task(ranker: str, tmp_path: Path, dataset: Dataset | None = None, seconds: float = 60) -> MeasureTask:
    return MeasureTask(ranker, dataset or small(), tmp_path / "indexes", tmp_path / "models", 0, seconds)


def plan(tmp_path: Path, *names: str) -> BenchPlan:
    return BenchPlan(names, tmp_path / "cache", tmp_path / "models", seed=7, cold_runs=1)


def ran(tmp_path: Path, *names: str) -> BenchResult:
    return run([small()], plan(tmp_path, *names), NOW, lambda done, total, at: None)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> BenchResult:
    """What one run of two rankers found."""
    return ran(tmp_path_factory.mktemp("ran"), "grep", "fts5")


def test_ranker_is_measured_in_a_process_of_its_own(tmp_path: Path) -> None:
    measured = measure(task("fts5", tmp_path))[0]
    assert measured.failure is None
    assert measured.answers["q1"] == ["login"]
    assert measured.answers["q4"] == []
    assert set(measured.seconds) == {"q1", "q2", "q3", "q4"}
    assert measured.index_bytes > 0
    assert measured.peak_bytes >= measured.base_bytes > 0


@pytest.mark.parametrize(
    ("ranker", "failure"),
    [("odd:raise", "RuntimeError: not today"), ("odd:die", "its process died with exit code 9")],
)
def test_ranker_that_fails_is_named_with_its_reason(ranker: str, failure: str, tmp_path: Path) -> None:
    assert measure(task(ranker, tmp_path, odd()))[0].failure == failure


def test_words_of_an_error_about_a_private_set_are_kept_from_the_result(tmp_path: Path) -> None:
    private = replace(odd(), private=True)
    assert measure(task("odd:raise", tmp_path, private))[0].failure == "RuntimeError"


def test_library_that_is_lacking_is_named_of_a_private_set_too(tmp_path: Path) -> None:
    failure = measure(task("odd:extra", tmp_path, replace(odd(), private=True)))[0].failure
    assert failure is not None
    assert install_command("semantic") in failure


def test_ranker_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    assert measure(task("odd:sleep", tmp_path, odd(), seconds=2))[0].failure == "given up after 2 s"


def test_killing_the_harness_ends_what_it_measures(tmp_path: Path) -> None:
    program = (
        "from pathlib import Path\nfrom aicx.bench.measure import measure\nfrom tests.bench import test_run\n"
        f"if __name__ == '__main__': measure(test_run.task('odd:sleep', Path({str(tmp_path)!r}), test_run.odd()))"
    )
    (tmp_path / "program.py").write_text(program)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    harness = subprocess.Popen([sys.executable, str(tmp_path / "program.py")], env=environment)
    try:
        note = tmp_path / "indexes" / "all" / "pid"
        assert until(lambda: note.exists() and note.read_text() != "")
    finally:
        harness.kill()
        harness.wait()
    assert until(lambda: not Path(f"/proc/{note.read_text()}").exists())


def until(holds: Callable[[], bool], seconds: float = 20) -> bool:
    """Whether it holds before the time is up."""
    end = time.monotonic() + seconds
    while not (now := holds()) and time.monotonic() < end:
        time.sleep(0.05)
    return now


def test_ranker_that_lacks_a_library_says_how_to_get_it(tmp_path: Path) -> None:
    failure = measure(task("odd:extra", tmp_path, odd()))[0].failure
    assert failure is not None
    assert install_command("semantic") in failure


def test_tokens_are_those_of_the_documents_handed_over(tmp_path: Path) -> None:
    measured = run_here(task("fts5", tmp_path))[0]
    text = small().corpora["all"][0].parts[0].text
    assert measured.tokens["q1"] == len(text) // 4


def test_cold_start_is_measured_beside_a_bare_interpreter(tmp_path: Path) -> None:
    measured = run_here(replace(task("fts5", tmp_path), cold_runs=2))[0]
    assert len(measured.cold) == len(measured.bare) == 2
    assert min(measured.cold) > min(measured.bare) > 0


def test_row_for_every_question_and_ranker(written: BenchResult) -> None:
    rows = written.rows
    assert len(rows) == 8
    assert rows.filter(rows["query"] == "q1")["MRR@10"].to_list() == [1.0, 1.0]
    assert rows.filter(rows["type"] == "negative")["MRR@10"].to_list() == [None, None]


def test_same_seed_and_data_give_the_same_quality(tmp_path: Path) -> None:
    names = sample(("grep", "rank-bm25", "fts5", "lexical"), 1, ends=False)
    first, again = (ran(tmp_path / name, *names).rows.select("ranker", "query", *MEASURES, "answers") for name in "ab")
    assert first.equals(again)


def test_a_missing_dataset_is_skipped_by_name_and_the_rest_is_measured(tmp_path: Path) -> None:
    found = run([Skipped("cosqa", "no data"), small()], plan(tmp_path, "grep"), NOW, lambda *_: None)
    assert found.facts.skipped == [Skipped("cosqa", "no data")]
    assert [described.name for described in found.facts.datasets] == ["small"]


def test_misspelt_ranker_is_known_before_anything_is_measured(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="gerp"):
        run(iter(()), plan(tmp_path, "gerp"), NOW, lambda *_: None)


def test_private_dataset_leaves_nothing_behind(tmp_path: Path) -> None:
    run([replace(small(), private=True)], plan(tmp_path, "fts5"), NOW, lambda *_: None)
    assert not list(tmp_path.rglob("*.sqlite"))


def test_result_holds_what_it_was_made_with(written: BenchResult) -> None:
    facts = written.facts
    assert facts.made_at == "2026-03-01T00:00:00+00:00"
    assert facts.settings.seed == 7
    assert facts.versions["ir-measures"]
    assert facts.machine.cores
    assert facts.datasets[0].fingerprint == small().fingerprint()


def test_result_holds_no_text_of_questions_or_documents(written: BenchResult, tmp_path: Path) -> None:
    json_path, _ = write_result(written, tmp_path / "r")
    assert "tide" not in json_path.read_text()
    assert "login redirect" not in json_path.read_text()


def test_both_files_hold_the_same_result(written: BenchResult, tmp_path: Path) -> None:
    json_path, parquet_path = write_result(written, tmp_path / "r")
    from_json, from_parquet = read_result(json_path), read_result(parquet_path)
    assert from_json.facts == from_parquet.facts
    assert from_json.rows.drop("seconds").equals(from_parquet.rows.drop("seconds"))
    assert from_json.rows.equals(written.rows)


def test_result_from_before_labels_were_kept_is_read(written: BenchResult, tmp_path: Path) -> None:
    older = BenchResult(written.facts, written.rows.drop("evidence"))
    for path in write_result(older, tmp_path / "r"):
        assert read_result(path).rows["evidence"].to_list() == [None] * len(written.rows)


def test_result_with_fewer_fields_of_rankers_and_others_beside_is_read(written: BenchResult, tmp_path: Path) -> None:
    path, _ = write_result(written, tmp_path / "r")
    fields = json.loads(path.read_bytes())
    older = {name: value for name, value in fields["rankers"][0].items() if name not in ("failed", "notes")}
    path.write_text(json.dumps({**fields, "rankers": [older], "path": "r.json"}))
    assert to_fields(read_result(path).facts)["rankers"] == [{**older, "failed": {}, "notes": []}]


def test_facts_are_written_as_they_are_read(written: BenchResult, tmp_path: Path) -> None:
    first, parquet = write_result(written, tmp_path / "r")
    again, _ = write_result(read_result(first), tmp_path / "s")
    assert again.read_bytes() == first.read_bytes()
    assert list(json.loads(first.read_bytes())) == ["schema", *to_fields(read_result(parquet).facts), "rows"]


def test_result_of_the_same_second_overwrites_no_other(written: BenchResult, tmp_path: Path) -> None:
    first, second = (write_result(written, tmp_path / "r") for _ in range(2))
    assert not set(first) & set(second)
    assert all(path.exists() for path in (*first, *second))


def test_newest_result_of_a_folder_is_read(written: BenchResult, tmp_path: Path) -> None:
    for stem in ("20260101T000000Z-a", "20260201T000000Z-b"):
        write_result(written, tmp_path / stem)
    assert newest_result(tmp_path).name == "20260201T000000Z-b.json"


def test_folder_without_a_result_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        read_result(tmp_path)


@pytest.mark.parametrize("body", ["{", "{}", json.dumps({"schema": "aicx.bench/9", "rows": []}), "[1]"])
def test_file_that_is_no_result_is_a_usage_error(body: str, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    path.write_text(body)
    with pytest.raises(UsageError, match="not a result"):
        read_result(path)


def test_damaged_parquet_is_a_usage_error(tmp_path: Path) -> None:
    path = tmp_path / "r.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(UsageError, match="not a result"):
        read_result(path)
