"""Proposals: which are the same, whose they are, and that nothing in them grants trust."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.memory.policy import Policy, PolicyReason
from aicx.memory.policy_records import of_proposal
from aicx.memory.proposals import Proposal, Sighting, joined
from aicx.refs import Ref
from aicx.types import Lane

T0 = datetime(2026, 3, 1, tzinfo=UTC)


def proposal_of(statement: str, number: int = 1, lane: Lane = "primary", repository: str = "ada/orbit") -> Proposal:
    seen = Sighting(Ref("chunk", f"claude:s{number}:001"), Ref.of_session("claude", f"s{number}"), T0, lane, statement)
    moved = Sighting(seen.ref, seen.session, T0 + timedelta(days=number), lane, statement)
    origin = "subagent" if lane == "subagent" else "human"
    return Proposal(statement, "policy", "general", origin, lane, "person_stated", repository, (moved,))


def test_the_same_words_are_one_proposal_with_all_sightings() -> None:
    (found,) = joined([proposal_of("Never push to beta!", 2), proposal_of("never push to  beta", 1)])
    assert found.statement == "never push to  beta"
    assert [str(one.session) for one in found.sightings] == ["session:claude:s1", "session:claude:s2"]
    assert (found.sessions, len(found.evidence)) == (2, 2)


def test_nearly_the_same_words_are_one_proposal() -> None:
    one, other = (f"always run the linter and{each} tests before a commit" for each in (" the", ""))
    assert len(joined([proposal_of(one), proposal_of(other, 2)])) == 1


def test_a_negation_keeps_statements_apart() -> None:
    for one, other in (
        ("use tabs not spaces in all files", "use spaces not tabs in all files"),
        ("push to the beta branch on every release day", "never push to the beta branch on every release day"),
        ("Run the tests with `make test`.", "Run the tests with `make test:ci`."),
        (
            "the export service reads its retry limit from the table of the vault",
            "the export service reads its retry limit from the table of the registry",
        ),
    ):
        assert len(joined([proposal_of(one), proposal_of(other, 2)])) == 2


def test_the_same_words_in_two_repositories_are_two() -> None:
    found = joined([proposal_of("never push to beta"), proposal_of("never push to beta", repository="ada/moon")])
    assert len({one.id for one in found}) == 2


def test_a_subagent_never_speaks_for_a_primary_session() -> None:
    (found,) = joined([proposal_of("never push to beta", 1, "subagent"), proposal_of("Never push to beta", 2)])
    assert (found.statement, found.lane, found.origin, found.blocked) == (
        "Never push to beta",
        "primary",
        "human",
        False,
    )
    assert [one.lane for one in found.sightings] == ["primary", "subagent"]


def test_a_statement_that_many_subagents_repeat_stays_blocked() -> None:
    (found,) = joined(proposal_of("never push to beta", number, "subagent") for number in range(1, 11))
    assert found.blocked
    assert found.sessions == 10


def test_the_latest_places_show_it_and_a_failure_among_them() -> None:
    one = proposal_of("Run the tests with `make test`.")
    places = [
        Sighting(Ref("chunk", str(day)), Ref("session", str(day)), T0 + timedelta(days=day), "primary", "", outcome)
        for day, outcome in ((1, "failed"), (2, "passed"), (3, "passed"), (4, "passed"))
    ]
    found = Proposal(one.statement, "procedure", "test", "tool_output", "primary", one.reason, "a/b", tuple(places))
    assert [(seen.ref.value, seen.outcome) for seen in found.latest(2)] == [("4", "passed"), ("1", "failed")]


_WORDS = st.lists(st.sampled_from(["use", "tabs", "spaces", "not", "never", "in", "all", "files", "`a`"]), max_size=6)


@given(st.lists(st.tuples(_WORDS, st.integers(1, 4), st.sampled_from(["primary", "subagent"])), max_size=12))
def test_joining_loses_no_sighting_and_does_it_all_at_once(said: list[tuple[list[str], int, Lane]]) -> None:
    every = [proposal_of(" ".join(words), number, lane) for words, number, lane in said]
    found = joined(every)
    assert {sighting for one in found for sighting in one.sightings} == {one.sightings[0] for one in every}
    assert [one.id for one in joined(found)] == [one.id for one in found]
    assert [one.id for one in joined(reversed(every))] == [one.id for one in found]
    for one in found:
        assert one.blocked == all(sighting.lane == "subagent" for sighting in one.sightings)


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ({"exclude_patterns": ("in pairs",)}, "policy_pattern"),  # the statement
        ({"exclude_patterns": ("as Ada said",)}, "policy_pattern"),  # a quote
        ({"exclude_patterns": ("titan",)}, "policy_pattern"),  # a claim
        ({"exclude_sources": ("session:claude:s1",)}, "policy_source"),
        ({"exclude_sources": ("chunk:*:001",)}, "policy_source"),
        ({"exclude_paths": (("secret/",),)}, "policy_path"),  # an anchor
        ({"exclude_patterns": ("moon",)}, None),
    ],
    ids=str,
)
def test_a_policy_excludes_a_proposal_by_any_text_source_or_path(
    rules: dict[str, Any], reason: PolicyReason | None
) -> None:
    said = proposal_of("Exports are written in pairs")
    quoted = tuple(replace(one, quote="as Ada said") for one in said.sightings)
    said = replace(said, sightings=quoted, claims={"format": "titan"}, anchors=("secret/keys.py",))
    assert of_proposal(Policy(**rules), said) == reason
