"""From candidates to one order, with arithmetic worked by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.types import Candidate
from retrieval.params import RankingParams
from retrieval.ranking import RankedAnswer, Scale, above_noise, diversified, rank, scales_of, unfold

RULES = RankingParams(session_shares=(1.0, 0.5), session_nearness=0.0)
HALVES = {"lexical": 0.5, "dense": 0.5}


def candidates(**scores: float) -> list[Candidate]:
    return [Candidate(name, score) for name, score in sorted(scores.items(), key=lambda item: -item[1])]


def groups(*given: Any, **options: Any) -> list[RankedAnswer]:
    return list(rank(*given, **options)[0])


def session_of(chunk: str) -> str:
    return chunk[0]


def order(answers: Sequence[RankedAnswer]) -> list[str]:
    return [answer.group for answer in answers]


def scores(answers: Sequence[RankedAnswer]) -> dict[str, float]:
    return {answer.group: answer.score for answer in answers}


def of(
    rankings: Mapping[str, Sequence[Candidate]], weights: Mapping[str, float] = HALVES, rules: RankingParams = RULES
) -> dict[str, float]:
    return scores(groups(rankings, weights, rules))


# One ranker, several rankers ------------------------------------------------------------------------------------------


def test_with_one_ranker_the_order_is_its_own():
    assert order(groups({"lexical": candidates(a=9, b=4, c=1)}, HALVES, RULES)) == ["a", "b", "c"]


def test_weights_say_what_a_vote_is_worth():
    found = {"lexical": candidates(a=8, b=2), "dense": candidates(b=0.9, a=0.1)}
    # The best of each ranker has its whole weight, the last a twentieth of it.
    assert of(found, {"lexical": 0.7, "dense": 0.3}) == pytest.approx({"a": 0.7 + 0.05 * 0.3, "b": 0.3 + 0.05 * 0.7})


def test_a_ranker_that_found_nothing_leaves_its_weight_to_the_others():
    assert of({"lexical": candidates(a=8, b=2), "dense": []}) == pytest.approx({"a": 1.0, "b": 0.05})


def test_what_one_ranker_does_not_name_gets_nothing_from_it():
    assert of({"lexical": candidates(a=3, b=1), "dense": candidates(c=0.8)}) == pytest.approx(
        {"a": 0.5, "b": 0.025, "c": 0.5}
    )


def test_equal_scores_come_in_the_order_of_names():
    assert order(groups({"lexical": candidates(b=1, a=1, c=1)}, HALVES, RULES)) == ["a", "b", "c"]


def test_reciprocal_ranks_count_places_and_not_scores():
    found = of(
        {"lexical": candidates(a=1000, b=1), "dense": candidates(b=0.5)}, rules=RankingParams(fusion="reciprocal")
    )
    assert found == pytest.approx({"a": 0.5 / 61, "b": 0.5 / 62 + 0.5 / 61})


def test_every_vote_is_kept_with_its_rank_and_score():
    (answer,) = groups({"lexical": candidates(a=7), "dense": candidates(a=0.25)}, HALVES, RULES)
    votes = {name: (vote.rank, vote.score, vote.worth) for name, vote in answer.votes.items()}
    assert votes == {"lexical": (1, 7, 0.5), "dense": (1, 0.25, 0.5)}


def test_nothing_found_is_no_answer():
    assert groups({"lexical": [], "dense": []}, HALVES, RULES) == []


# Groups ---------------------------------------------------------------------------------------------------------------


def test_a_group_has_the_sum_of_its_best_documents_times_their_shares():
    # x: 6 + 5 / 2 = 8.5 beats y's single 8, and z is last with 1.
    found = groups({"lexical": candidates(y1=8, x1=6, x2=5, x3=5, z1=1)}, HALVES, RULES, group_of=session_of)
    assert scores(found) == pytest.approx({"x": 1.0, "y": 0.05 + 0.95 * (8 - 1) / (8.5 - 1), "z": 0.05})


def test_weak_documents_of_a_group_do_not_beat_a_good_one():
    # x: 6 + 5 / 2 * (5 / 8) = 7.6 is behind y's 8.
    rules = replace(RULES, session_nearness=1.0)
    found = groups({"lexical": candidates(y1=8, x1=6, x2=5, z1=1)}, HALVES, rules, group_of=session_of)
    assert scores(found) == pytest.approx({"y": 1.0, "x": 0.05 + 0.95 * (7.5625 - 1) / (8 - 1), "z": 0.05})


def test_a_group_is_shown_by_its_best_document():
    rankings = {"lexical": candidates(x1=9, x2=8, y1=1), "dense": candidates(x2=0.9, x1=0.2, y1=0.1)}
    (first, _) = groups(rankings, {"lexical": 0.4, "dense": 0.6}, RULES, group_of=session_of)
    assert (first.group, first.best) == ("x", "x2")


def test_a_group_counts_every_document_any_ranker_named():
    rankings = {"lexical": candidates(x1=9, x2=8), "dense": candidates(x2=0.9, x3=0.2, y1=0.1)}
    found = groups(rankings, HALVES, RULES, group_of=session_of)
    assert {answer.group: answer.documents for answer in found} == {"x": 3, "y": 1}


def test_groups_of_one_are_ranked_as_documents_are():
    rankings = {"lexical": candidates(a=9, b=4, c=1), "dense": candidates(c=0.9, b=0.3)}
    alone = groups(rankings, HALVES, RULES)
    assert groups(rankings, HALVES, RULES, group_of=lambda chunk: chunk) == alone


# Factors and diversity ------------------------------------------------------------------------------------------------


def test_a_factor_is_multiplied_before_scores_are_compared():
    # 10 * 0.5 falls behind 8; of the three, 1 is the lowest.
    found = groups(
        {"lexical": candidates(a=10, b=8, c=1)}, HALVES, RULES, factor_of=lambda chunk: 0.5 if chunk == "a" else 1
    )
    assert scores(found) == pytest.approx({"b": 1.0, "a": 0.05 + 0.95 * (5 - 1) / (8 - 1), "c": 0.05})


@given(st.floats(-1, 0), st.floats(-1, 0), st.floats(0.01, 1))
def test_a_factor_never_lifts_a_negative_score(one, other, factor):
    rankings = {"dense": candidates(a=one, b=other)}
    free = order(groups(rankings, HALVES, RULES))
    assert order(groups(rankings, HALVES, RULES, factor_of=lambda chunk: factor)) == free


@given(st.floats(-1, 1), st.floats(-1, 1), st.floats(0.01, 1))
def test_a_factor_below_one_never_lifts_a_document(one, other, factor):
    rankings = {"dense": candidates(a=one, b=other)}

    def place(factor: float) -> int:
        return order(groups(rankings, HALVES, RULES, factor_of=lambda chunk: factor if chunk == "b" else 1.0)).index(
            "b"
        )

    assert place(factor) >= place(1.0)


def test_each_further_document_of_a_group_counts_less():
    answers = [
        RankedAnswer(name, name, score, {}) for name, score in (("x1", 1.0), ("x2", 0.9), ("x3", 0.8), ("y1", 0.7))
    ]
    assert scores(diversified(answers, session_of, 0.8)) == pytest.approx(
        {"x1": 1.0, "x2": 0.9 * 0.8, "x3": 0.8 * 0.64, "y1": 0.7}
    )
    assert order(diversified(answers, session_of, 0.7)) == ["x1", "y1", "x2", "x3"]


def test_without_diversity_nothing_changes():
    answers = [RankedAnswer(name, name, score, {}) for name, score in (("x1", 1.0), ("x2", 0.9), ("y1", 0.7))]
    assert diversified(answers, session_of, 1.0) == answers


# Laws -----------------------------------------------------------------------------------------------------------------

ONE_RANKING = st.dictionaries(
    st.sampled_from([f"{session}{number}" for session in "xyz" for number in range(4)]),
    st.floats(-1, 30, allow_nan=False).map(lambda score: round(score, 3)),
    max_size=8,
).map(lambda scores: candidates(**scores))
RANKINGS = st.fixed_dictionaries({"dense": ONE_RANKING, "lexical": ONE_RANKING, "scan": ONE_RANKING})
WEIGHTS = {"lexical": 0.7, "dense": 0.3, "scan": 0.7}


@given(
    RANKINGS, st.permutations(["dense", "lexical", "scan"]), st.booleans(), st.sampled_from(["weighted", "reciprocal"])
)
def test_the_order_of_rankers_decides_nothing(rankings, names, grouped, fusion):
    rules = RankingParams(fusion=fusion)
    group_of = session_of if grouped else str
    shuffled = {name: rankings[name] for name in names}
    assert groups(shuffled, WEIGHTS, rules, group_of=group_of) == groups(rankings, WEIGHTS, rules, group_of=group_of)


@given(RANKINGS)
def test_whoever_any_ranker_names_is_an_answer_once(rankings):
    named = {item.id for found in rankings.values() for item in found}
    answers = order(groups(rankings, WEIGHTS, RULES))
    assert sorted(answers) == sorted(named)


@given(RANKINGS, st.booleans())
def test_scores_fall(rankings, grouped):
    found = groups(rankings, WEIGHTS, RULES, group_of=session_of if grouped else str)
    assert [answer.score for answer in found] == sorted((answer.score for answer in found), reverse=True)


@given(RANKINGS)
def test_the_best_document_of_a_group_belongs_to_it(rankings):
    for answer in groups(rankings, WEIGHTS, RULES, group_of=session_of):
        assert session_of(answer.best) == answer.group


@given(RANKINGS, st.floats(0.1, 1))
@pytest.mark.slow
def test_diversity_removes_nothing(rankings, factor):
    answers = groups(rankings, WEIGHTS, RULES)
    assert sorted(order(diversified(answers, session_of, factor))) == sorted(order(answers))


# Scores on scales, and the documents of groups ------------------------------------------------------------------------

SCALES = {"lexical": Scale(0.0, 10.0), "dense": Scale(0.2, 0.1)}
WORTH = {"lexical": 10.0, "dense": 1.0}


def test_a_group_has_its_best_documents_words_and_its_nearest_passage():
    # By words x has 6 + 5 / 2 = 8.5; by meaning 0.6, which is 4 deviations, and not a second time 0.5.
    rankings = {"lexical": candidates(x1=6, x2=5), "dense": candidates(x2=0.6, x1=0.5)}
    (answer,) = groups(rankings, WORTH, RULES, scales=SCALES, group_of=session_of)
    assert answer.score == pytest.approx(8.5 + 4)


def test_the_best_document_is_one_of_the_best_group():
    rankings = {"lexical": candidates(y1=8, x1=6, x2=5, x3=5), "dense": candidates(y1=0.3, x1=0.3, x2=0.3, x3=0.3)}
    groups, chunks = rank(rankings, WORTH, RULES, scales=SCALES, group_of=session_of)
    documents = unfold(groups, chunks)
    assert documents[0].group == groups[0].best == "x1"
    assert documents[0].score == pytest.approx(groups[0].score)
    assert [answer.score for answer in documents] == sorted((answer.score for answer in documents), reverse=True)


def test_a_factor_lowers_also_what_is_below_the_mean():
    found = {"lexical": [], "dense": candidates(a=0.15, b=0.15)}
    groups, _ = rank(found, WORTH, RULES, scales=SCALES, factor_of=lambda name: 0.5 if name == "a" else 1.0)
    assert [answer.group for answer in groups] == ["b", "a"]
    assert all(answer.score > 0 for answer in groups)


def test_the_best_score_of_a_question_decides_what_words_count():
    found = {"lexical": candidates(a=2), "dense": candidates(a=0.3)}
    scales = scales_of(found, RULES, 20.0, Scale(0.2, 0.1))
    assert scales is not None
    assert scales["lexical"].worth(2) == pytest.approx(0.1)
    off = scales_of(found, replace(RULES, share=False), 20.0, Scale(0.2, 0.1))
    assert off is not None
    assert off["lexical"].worth(2) == pytest.approx(0.5)


@pytest.mark.parametrize("rules", [replace(RULES, fusion="weighted"), replace(RULES, fusion="reciprocal")])
def test_other_rules_have_no_scales(rules: RankingParams) -> None:
    assert scales_of({"dense": candidates(a=1)}, rules, 1.0, Scale(0.2, 0.1)) is None


def test_a_ranker_without_a_spread_leaves_all_without_scales():
    assert scales_of({"dense": candidates(a=1)}, RULES, 1.0, None) is None


def test_the_noise_threshold_counts_where_words_found_nothing_and_for_what_is_looked_up():
    found = {"lexical": [], "dense": [Candidate("near", 0.5), Candidate("far", 0.2)]}
    assert above_noise(found, 0.4, lookup=False)["dense"] == found["dense"][:1]
    beside = found | {"lexical": [Candidate("other", 3.0)]}
    assert above_noise(beside, 0.4, lookup=False) == beside
    assert above_noise(beside, 0.4, lookup=True)["dense"] == found["dense"][:1]


def test_what_words_found_too_is_no_noise():
    both = {"lexical": [Candidate("far", 3.0)], "dense": [Candidate("near", 0.5), Candidate("far", 0.2)]}
    assert above_noise(both, 0.4, lookup=True) == both
