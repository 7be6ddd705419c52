"""What a result looks like as Markdown and as a page, and what two results have to say of each other."""

from __future__ import annotations

from dataclasses import asdict, replace
from html.parser import HTMLParser
from typing import Any

import pytest

from aicx.bench.dataset import MEASURES
from aicx.bench.report.comparison import compare
from aicx.bench.report.page import markdown
from aicx.bench.results import BenchResult, Facts, join_results, rows_frame
from aicx.bench.summary import _milliseconds as milliseconds
from aicx.bench.summary import abstentions_of, against, costs_of, quality_of
from aicx.errors import UsageError
from aicx.storage.typed import from_json
from tests.bench.invented import DATASET, MACHINE, SETTINGS

pytestmark = [pytest.mark.needs("bench"), pytest.mark.slow]


QUESTIONS = 40


def rows(ranker: str, value: float, every: int = 1, seconds: float = 0.001) -> list[dict[str, Any]]:
    """A row for each question, ``value`` for every ``every``-th and 0 for the others; one negative question."""
    found = [
        {
            "dataset": "set",
            "ranker": ranker,
            "query": f"q{number:02d}",
            "part": "counted" if number < QUESTIONS else "apart",
            "type": "question" if number % 2 else "identifier",
            **dict.fromkeys(MEASURES, value if number % every == 0 else 0.0),
            "answers": 10,
            "seconds": seconds * (number + 1),
            "tokens": 100,
        }
        for number in range(QUESTIONS + 2)
    ]
    silent = ranker == "aicx"
    return [
        *found,
        {**found[0], "query": "n1", "type": "negative", **dict.fromkeys(MEASURES), "answers": 0 if silent else 3},
    ]


def result(*given: list[dict[str, Any]], **facts: Any) -> BenchResult:
    names = [rows[0]["ranker"] for rows in given]
    cost: dict[str, Any] = {
        "build_seconds": 1.5,
        "index_bytes": 2_000_000,
        "base_bytes": 10**7,
        "peak_bytes": 3 * 10**7,
    }
    cost |= {"failure": None, "cold_seconds": [0.3, 0.1, 0.2], "bare_seconds": [0.02]}
    found = {
        "made_at": "2026-03-01T10:00:00+00:00",
        "commit": "abc",
        "machine": MACHINE,
        "versions": {"aicx": "1"},
        "settings": {**SETTINGS, "rankers": names, "ablate": False},
        "skipped": [{"name": "cosqa", "reason": "no <data>"}],
        "datasets": [
            {
                **DATASET,
                "name": "set",
                "fingerprint": "f1",
                "queries": {"counted": {"question": 20, "identifier": 20, "negative": 1}, "apart": {"question": 2}},
                "documents": 12_345,
                "answers": 12_345,
                "notes": ["3 questions left out"],
            }
        ],
        "rankers": [
            *({"dataset": "set", "ranker": name, **cost} for name in names),
            {"dataset": "set", "ranker": "dense:lost", "failure": "no model"},
        ],
    }
    return BenchResult(from_json(Facts, found | facts), rows_frame([row for some in given for row in some]))


def pair() -> BenchResult:
    return result(rows("fts5", 1.0, every=4), rows("aicx", 1.0, every=2))


def test_quality_is_the_mean_over_the_questions_that_count() -> None:
    fts5, aicx = quality_of(pair(), "set")
    assert (fts5.queries, fts5.measures["MRR@10"].mean) == (QUESTIONS, 0.25)
    assert aicx.measures["hit@1"].mean == 0.5


def test_quality_by_type_takes_that_type_alone() -> None:
    (line, _) = quality_of(pair(), "set", type="question")
    assert (line.queries, line.measures["MRR@10"].mean) == (20, 0.0)


def test_difference_is_from_the_reference_on_the_same_questions() -> None:
    (line,) = against(pair(), "set", "aicx")
    assert (line.ranker, line.difference.mean) == ("fts5", -0.25)
    assert line.corrected < 0.05


def test_silence_is_precise_when_only_what_nothing_answers_gets_none() -> None:
    fts5, aicx = abstentions_of(pair(), "set")
    assert (fts5.abstained, fts5.negatives, fts5.precision) == (0, 1, None)
    assert (aicx.abstained, aicx.precision) == (1, 1.0)


def labelled(**evidence: str) -> BenchResult:
    """Rows of a ranker that labels every answer as strong, except where ``evidence`` says otherwise by question."""
    found = rows("aicx:static", 1.0)
    return result([{**row, "evidence": evidence.get(row["query"], "strong")} for row in found])


def test_answer_that_is_labelled_weak_is_right_where_nothing_answers_and_wrong_elsewhere() -> None:
    (line,) = abstentions_of(labelled(n1="weak", q03="weak", q04="none"), "set")
    assert (line.abstained, line.weak, line.quiet, line.labels) == (0, 1, 1, True)
    assert (line.answerable, line.doubted, line.lost) == (QUESTIONS + 2, 1, 1)
    assert line.precision == pytest.approx(1 / 3)
    table = "| aicx:static | 1 of 1 | 0 | 1 | 2 of 42 | 0.33 |"
    assert table in markdown(labelled(n1="weak", q03="weak", q04="none"))


def test_question_that_a_ranker_failed_on_is_not_silence() -> None:
    found = [{**row, "answers": None} if row["query"] == "n1" else row for row in rows("fts5", 1.0)]
    (line,) = abstentions_of(result(found), "set")
    assert (line.negatives, line.quiet, line.labels) == (1, 0, False)


def test_results_on_the_same_data_are_reported_as_one() -> None:
    first, second = result(rows("aicx", 1.0, every=2)), result(rows("aicx", 0.0), rows("fts5", 1.0, every=4))
    joined = join_results([first, second])
    assert [row.ranker for row in joined.facts.rankers] == ["aicx", "dense:lost", "fts5"]
    assert len(joined.rows) == len(pair().rows)
    assert [line.measures["MRR@10"].mean for line in quality_of(joined, "set")] == [0.5, 0.25]  # the first aicx
    (line,) = against(joined, "set", "aicx")
    assert line.difference.mean == -0.25


def test_results_on_other_data_are_not_one() -> None:
    (other,) = pair().facts.datasets
    with pytest.raises(UsageError, match="other data called set"):
        join_results([pair(), result(rows("fts5", 1.0), datasets=[asdict(replace(other, fingerprint="f2"))])])


def test_percentiles_are_of_the_single_questions() -> None:
    (line,) = costs_of(result(rows("aicx", 1.0, seconds=0.001)), "set")
    # 1 to 42 ms and the negative question's 1 ms: the median is 21 ms, and 95 % are at most 41 ms.
    assert (round(line.warm_p50, 6), round(line.warm_p95, 6)) == (21.0, 40.0)


@pytest.mark.parametrize(
    ("count", "share", "found"),
    [(100, 0.95, 95), (100, 0.5, 50), (20, 0.95, 19), (2, 0.5, 1), (1, 0.95, 1), (0, 0.5, None)],
)
def test_percentile_is_of_the_nearest_rank(count: int, share: float, found: float | None) -> None:
    assert milliseconds([number / 1000 for number in range(1, count + 1)], share) == found


def test_cold_start_is_a_multiple_of_a_bare_interpreter() -> None:
    line = costs_of(pair(), "set")[0]
    assert (line.cold_p50, line.cold_ratio) == (200.0, 10.0)


def test_markdown_names_set_size_intervals_and_what_is_missing() -> None:
    text = markdown(pair())
    assert "12,345 documents" in text
    assert "n = 40." in text
    assert "| fts5 | 0.250 [0.1" in text
    assert "dense:lost is missing: no model" in text
    assert "Not measured: cosqa, since no <data>." in text
    assert "### Apart: apart" in text


def test_markdown_table_has_as_many_cells_in_every_row() -> None:
    tables: list[set[int]] = []
    inside = False
    for line in markdown(pair()).splitlines():
        if line.startswith("|"):
            if not inside:
                tables.append(set())
            tables[-1].add(line.replace("\\|", "").count("|"))
        inside = line.startswith("|")
    assert tables
    assert all(len(widths) == 1 for widths in tables)


class Page(HTMLParser):
    """Collects what a page would fetch, and whether its elements are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name in ("src", "href", "xlink:href") and value and not value.startswith("#"):
                self.fetched.append(value)


def test_page_needs_nothing_from_anywhere() -> None:
    from aicx.bench.report.page import page

    text = page(pair())
    found = Page()
    found.feed(text)
    assert found.fetched == []
    assert not {"script", "link", "img", "iframe"} & set(found.tags)
    assert "url(http" not in text
    assert "@import" not in text


def test_page_shows_quality_over_latency_for_every_ranker() -> None:
    from aicx.bench.report.page import page

    svg = page(pair()).partition("<svg")[2].partition("</svg>")[0]
    assert "fts5" in svg
    assert "aicx" in svg
    assert "warm latency" in svg


def test_page_escapes_what_it_quotes() -> None:
    from aicx.bench.report.page import page

    assert "no &lt;data&gt;" in page(pair())


@pytest.mark.slow
def test_page_of_the_same_result_is_the_same() -> None:
    from aicx.bench.report.page import page

    assert page(pair()) == page(pair())


def test_change_of_many_questions_is_more_than_noise() -> None:
    found = compare(result(rows("aicx", 1.0, every=2)), result(rows("aicx", 1.0)))
    change = next(change for change in found.changes if change.measure == "MRR@10")
    assert (change.first, change.second, change.difference.mean) == (0.5, 1.0, 0.5)
    assert change.clear


def test_change_of_one_question_may_be_noise() -> None:
    after = rows("aicx", 1.0)
    after[3] = {**after[3], "MRR@10": 0.5}
    (change,) = compare(result(rows("aicx", 1.0)), result(after)).changes
    assert not change.clear


def test_equal_results_have_no_change() -> None:
    found = compare(pair(), pair())
    assert found.changes == []
    assert not any(cost.clear for cost in found.costs)


def test_other_data_are_named_and_not_compared() -> None:
    other = pair()
    changed = replace(other.facts, datasets=[replace(other.facts.datasets[0], fingerprint="f2")])
    found = compare(pair(), BenchResult(changed, other.rows))
    assert found.changes == []
    assert found.notes == ["set: the data differ, so nothing is compared"]


def test_ranker_of_one_result_only_is_named() -> None:
    assert "set: fts5 is in one result only" in compare(pair(), result(rows("aicx", 1.0, every=2))).notes


def test_latency_that_doubles_is_more_than_noise() -> None:
    found = compare(result(rows("aicx", 1.0)), result(rows("aicx", 1.0, seconds=0.002)))
    cost = next(cost for cost in found.costs if cost.what == "warm_p50")
    assert (round(cost.ratio, 6), cost.clear) == (2.0, True)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (0.2, "aicx is better than fts5."),
        (0.9, "aicx is worse than fts5."),
        (0.6, "aicx is not told apart from fts5."),
    ],
)
def test_a_result_ends_with_what_to_conclude(other: float, said: str) -> None:
    last = markdown(result(rows("aicx", 0.6), rows("fts5", other))).splitlines()[-1]
    assert last == f"**On these {QUESTIONS} questions, by MRR@10, {said}**"


def test_one_ranker_alone_allows_no_conclusion() -> None:
    assert "On these" not in markdown(result(rows("aicx", 0.6)))


def test_aicx_is_explained_beside_its_name() -> None:
    table = markdown(result(rows("aicx", 0.6), rows("aicx:static", 0.5), rows("fts5", 0.4)))
    assert "| aicx (aicx search, words) | 0.6" in table
    assert "| aicx:static (aicx search, words and static vectors) | 0.5" in table


def test_an_installed_aicx_is_named_by_its_version() -> None:
    assert "UTC with aicx 1, installed, on 2 cores" in markdown(result(rows("aicx", 0.6), commit=None))
