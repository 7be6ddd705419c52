"""What switching a rule off is said to do, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from pathlib import Path

import pytest

from aicx.bench.dataset import Dataset, Query, text_document, with_version
from aicx.bench.measure import Measured, MeasureTask
from aicx.bench.rankers import DEFAULT_CHOICES, RankerFolders, method_of, open_ranker
from aicx.bench.report.ablations import effect_tables, effects, recommendation, recommended, verdicts
from aicx.bench.results import BenchResult, Facts, rows_frame
from aicx.bench.run import BenchPlan, run
from aicx.bench.variants import ABLATIONS, ASKED, Ablation, ablations, check_variant, variant
from aicx.errors import UsageError
from aicx.storage.typed import from_json
from aicx.types import Part
from aicx.why.ranking import Weights
from retrieval.params import DEFAULT_PARAMS, RankingParams
from tests.bench.invented import DATASET, MACHINE, SETTINGS, models, small

pytestmark = [pytest.mark.needs("bench"), pytest.mark.slow]

NOW = datetime(2026, 3, 1, tzinfo=UTC)
RANKER = "aicx:static"
QUESTIONS = 30


COST = {
    "failure": None,
    "build_seconds": 1.5,
    "index_bytes": 2_000_000,
    "base_bytes": 0,
    "peak_bytes": 0,
    "cold_seconds": [],
    "bare_seconds": [],
}


def made(
    changes: dict[str, dict[str, float]], silent: dict[str, int] | None = None, part: str = "counted"
) -> BenchResult:
    """A result by dataset and change: its value on every question of a part, where without a change it is 0.5.

    ``silent`` says by change how many of three negative questions got no answer, which are all without one.
    """
    rows = []
    for dataset, values in changes.items():
        for change, value in {"": 0.5, **values}.items():
            label = f"{RANKER} {change}".rstrip()
            common = {"dataset": dataset, "ranker": label, "part": part, "seconds": 0.1}
            judged = dict.fromkeys(("MRR@10", "nDCG@10", "Recall@5", "Recall@10", "hit@1", "hit@10"), value)
            rows += [
                {**common, "query": f"q{number}", "type": "question", "answers": 1, **judged}
                for number in range(QUESTIONS)
            ]
            quiet = (silent or {}).get(change, 3)
            rows += [
                {**common, "query": f"n{number}", "type": "negative", "answers": int(number >= quiet)}
                for number in range(3)
            ]
    labels = {(row["dataset"], row["ranker"]) for row in rows}
    facts = {
        "made_at": "2026-03-01T10:00:00+00:00",
        "commit": None,
        "machine": MACHINE,
        "versions": {},
        "settings": {**SETTINGS, "seed": 0, "rankers": [RANKER], "ablate": True},
        "datasets": [{**DATASET, "name": name, "fingerprint": name} for name in changes],
        "skipped": [],
        "rankers": [{"dataset": dataset, "ranker": label, **COST} for dataset, label in sorted(labels)],
    }
    return BenchResult(from_json(Facts, facts), rows_frame(rows))


def test_each_ablation_changes_its_own_rule_and_nothing_else() -> None:
    for ablation in (ablation for ablation in ABLATIONS if ablation.of_search):
        rules = asdict(ablation.choices.rules)
        changed = {name for name, value in asdict(DEFAULT_PARAMS).items() if rules[name] != value}
        changed |= {name for name in ASKED if getattr(ablation.choices, name) != getattr(DEFAULT_CHOICES, name)}
        # Without meaning it is out in lookups as well, and has a weight only where scores are weighted.
        with_it = {"meaning_in_lookup", "fusion"} if ablation.rule == "meaning" else set()
        assert changed - with_it == {ablation.rule}
        assert ablation.rule in changed


def test_every_rule_is_switched_off_by_some_ablation() -> None:
    assert set(asdict(RankingParams())) <= {ablation.rule for ablation in ABLATIONS}


def test_a_rule_without_effect_is_not_run() -> None:
    in_words = ablations("aicx", stored=False)
    assert "fused by ranks" not in in_words
    assert "subagents in full" not in in_words
    assert {"fused by ranks", "strong decay", "in chunks"} <= set(ablations(RANKER, stored=True))
    assert ablations("fts5", stored=True) == [""]


def test_only_the_rules_that_are_named_are_switched_off(tmp_path: Path) -> None:
    assert ablations(RANKER, ["rerank"], stored=True) == ["", "without late interaction"]
    plan = BenchPlan(["aicx"], tmp_path, tmp_path, ablate=True, rules=["luck"])
    with pytest.raises(UsageError, match="no rule 'luck'"):
        run([small()], plan, NOW, lambda done, total, at: None)


def test_signals_of_why_are_switched_off_one_by_one() -> None:
    found = ablations("why", stored=True)
    assert found == ["", *(f"without {field.name}" for field in fields(Weights) if field.name != "least")]
    assert variant("why without files")[1].why == Weights(files=0)
    assert "without files" not in ablations("aicx", stored=True)


def test_ranker_can_be_named_with_a_rule_changed() -> None:
    assert variant("aicx:static fused by ranks")[1].rules.fusion == "reciprocal"
    assert variant("aicx:static")[1] == DEFAULT_CHOICES


@pytest.mark.parametrize("name", ["aicx fused by ranks", "aicx with luck", "fts5 without headers", "why in full"])
def test_change_that_a_ranker_does_not_have_is_a_usage_error(name: str) -> None:
    with pytest.raises(UsageError, match="has no rule"):
        check_variant(name)


def test_loss_is_the_change_minus_the_rule_as_it_is() -> None:
    (effect,) = effects(made({"set": {"fused by ranks": 0.4}}))
    assert (effect.queries, effect.difference.mean) == (QUESTIONS, -0.1)
    assert effect.worse
    assert not effect.better


def test_not_spreading_is_compared_with_chunks() -> None:
    values = {"in chunks": 0.3, "in chunks, one session's not spread": 0.2}
    (effect,) = effects(made({"set": values}))
    assert effect.difference.mean == pytest.approx(-0.1)


def test_change_that_is_better_on_one_set_and_worse_on_none_takes_the_rules_place() -> None:
    found = verdicts(made({"one": {"fused by ranks": 0.6}, "two": {"fused by ranks": 0.5}}), RANKER)
    assert recommended(found).rules.fusion == "reciprocal"


def test_change_that_is_worse_on_another_set_does_not() -> None:
    found = verdicts(made({"one": {"fused by ranks": 0.9}, "two": {"fused by ranks": 0.4}}), RANKER)
    assert recommended(found) == DEFAULT_CHOICES
    assert found[0].earned


def test_change_that_answers_where_nothing_is_does_not() -> None:
    found = verdicts(made({"one": {"never silent by meaning": 0.9}}, {"never silent by meaning": 1}), RANKER)
    assert recommended(found).rules.abstain
    assert found[0].earned


def test_change_that_makes_no_difference_leaves_the_default() -> None:
    found = verdicts(made({"one": {"strong decay": 0.5}}), RANKER)
    assert recommended(found) == DEFAULT_CHOICES
    assert not found[0].earned


def test_of_two_better_changes_to_one_rule_the_better_is_recommended() -> None:
    found = verdicts(made({"one": {"gentle decay": 0.7, "strong decay": 0.6}}), RANKER)
    assert recommended(found).decay == "gentle"


def test_a_part_reported_apart_shows_the_purpose_of_a_rule() -> None:
    (found,) = verdicts(made({"one": {"not looked for word for word": 0.4}}, part="said in a log"), RANKER)
    assert found.earned
    assert list(found.sets) == ["one: said in a log"]


def test_a_part_reported_apart_does_not_speak_for_a_change() -> None:
    (found,) = verdicts(made({"one": {"fused by ranks": 0.9}}, part="said in a log"), RANKER)
    assert found.keep
    assert found.mean == 0


def test_ablation_runs_every_change_on_every_question(tmp_path: Path) -> None:
    given = small()
    apart = Query("q9", "login", {"login": 1}, part="apart")
    dataset = Dataset(given.name, [*given.queries, apart], given.corpora)
    plan = BenchPlan(["aicx"], tmp_path / "cache", tmp_path / "models", cold_runs=0, ablate=True)
    result = run([dataset], plan, NOW, lambda done, total, at: None)
    wanted = {f"aicx {name}".rstrip() for name in ablations("aicx", stored=False)}
    assert {row.ranker for row in result.facts.rankers} == wanted
    assert set(result.rows["query"]) == {"q1", "q2", "q3", "q4", "q9"}
    assert result.facts.settings.rules == asdict(DEFAULT_PARAMS)


@pytest.mark.needs("semantic")
def test_change_to_the_index_has_an_index_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cost is its own; those of the other changes are the ranker's."""
    built = models(tmp_path / "models")
    other = Ablation("twice", "index", DEFAULT_CHOICES, frozenset({"search", "meaning"}), index="+")
    monkeypatch.setattr("aicx.bench.variants.ABLATIONS", (ABLATIONS[0], other))
    assert variant(f"{RANKER} twice")[0] == f"{RANKER}+"
    seen: list[tuple[str, Sequence[str]]] = []

    def measured(task: MeasureTask) -> list[Measured]:
        seen.append((task.ranker, task.variants))
        return [Measured(failure="not run") for _ in task.names]

    monkeypatch.setattr("aicx.bench.run.measure", measured)
    run([small()], BenchPlan([RANKER], tmp_path, built, ablate=True), NOW, lambda done, total, at: None)
    assert seen == [(RANKER, [RANKER, f"{RANKER} {ABLATIONS[0].name}"]), (f"{RANKER}+", [f"{RANKER} twice"])]


def test_table_of_costs_has_the_ranker_as_it_is_and_each_change() -> None:
    found = recommendation(made({"set": {"fused by ranks": 0.4}}), RANKER).costs["set"]
    assert {name: cost.index_bytes for name, cost in found.items()} == {"": 2_000_000, "fused by ranks": 2_000_000}
    *_, costs = effect_tables(made({"set": {"fused by ranks": 0.4}}), "set")
    assert [row[:2] for row in costs.rows] == [["as it is", "2.0"], ["fused by ranks", "2.0"]]


def test_rules_reach_the_ranker(tmp_path: Path) -> None:
    """A document that is found by its header only is not found without headers."""
    document = with_version("d", "harbour board", (Part("the tide"),), {})
    place = RankerFolders(tmp_path / "indexes", tmp_path / "models")
    ranker = open_ranker("aicx", [document], place)
    assert [hit.id for hit in ranker.rank(Query("q", "harbour"), 10)] == ["d"]
    changed = variant("aicx without headers")[1]
    assert open_ranker("aicx", [document], place, changed).rank(Query("q", "harbour"), 10) == []


@pytest.mark.needs("semantic")
def test_matches_by_meaning_alone_are_left_out_over_documents_too(tmp_path: Path) -> None:
    place = RankerFolders(tmp_path / "indexes", models(tmp_path / "models"))
    documents = small().corpora["all"]
    asked = Query("q", "naïve")  # the model knows it, and no document has it
    ranker = open_ranker(RANKER, documents, place, variant(f"{RANKER} never silent by meaning")[1])
    assert ranker.rank(asked, 10)
    near = place.folder / "dense-static" / "near.txt"
    near.write_text("2.0")  # nearer than anything comes
    again = method_of(RANKER).open_ranker(RANKER, documents, place)
    assert again.rank(asked, 10) == []


def test_date_in_a_question_limits_documents_that_have_days(tmp_path: Path) -> None:
    place = RankerFolders(tmp_path / "indexes", tmp_path / "models")
    documents = [
        text_document(name, "the tide table", columns={"day": day})
        for name, day in (("early", 20260105), ("late", 20260205))
    ]
    ranker = open_ranker("aicx", documents, place)
    assert [hit.id for hit in ranker.rank(Query("q", "tide in february 2026"), 10)] == ["late"]


def test_date_in_a_question_is_a_word_where_documents_have_no_days(tmp_path: Path) -> None:
    place = RankerFolders(tmp_path / "indexes", tmp_path / "models")
    ranker = open_ranker("aicx", [text_document("d", "the tide table")], place)
    assert [hit.id for hit in ranker.rank(Query("q", "tide in february 2026"), 10)] == ["d"]
