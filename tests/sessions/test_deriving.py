"""Which session goes on with which, told from what both did."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.evidence import Step
from aicx.sessions.deriving import Sketch, decode, derive_edges, sketch_of
from aicx.sessions.stated import IDLE, Life, standing_of
from aicx.text import instant
from tests.work.facts import facts, said

T0 = datetime(2026, 3, 1, 10, 0, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def sketch(session: str, start: timedelta = timedelta(), length: timedelta = HOUR, **given: Any) -> Sketch:
    """A session that says nothing but what is given."""
    fields: dict[str, Any] = {
        "agent": "claude",
        "session_id": session,
        "project": "ada/orbit",
        "started_at": instant(T0 + start, "seconds"),
        "ended_at": instant(T0 + start + length, "seconds"),
        "alone": False,
        "is_open": False,
        **dict.fromkeys(("branches", "files", "words", "asked", "made", "commits", "named"), ()),
    }
    return Sketch(**{**fields, **given})


def others(count: int = 8) -> list[Sketch]:
    """Sessions of the same repository with other work, long before."""
    return [
        sketch(f"other{number}", -100 * DAY + number * DAY, files=(f"f{number}.py",), words=(f"word{number}", "the"))
        for number in range(count)
    ]


def edges(*sketches: Sketch) -> list[tuple[str, str, str]]:
    return [(one.from_ref[-1], one.type, one.to_ref[-1]) for one in derive_edges([*others(), *sketches])]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({"branches": ("topic/gasket",)}, {"branches": ("topic/gasket",)}),
        ({}, {"named": ("a",)}),
        ({"commits": ("3fa29c0",)}, {"named": ("3fa29c0",)}),
        ({"made": ("ada/orbit#12",)}, {"asked": ("ada/orbit#12",)}),
        ({"asked": ("ada/orbit#12",)}, {"asked": ("ada/orbit#12",)}),
        ({"is_open": True, "words": ("gasket", "leak")}, {"words": ("gasket", "leak")}),
    ],
    ids=["branch", "named", "commit", "pull request", "issue", "goal of what was left open"],
)
def test_a_session_continues_what_it_takes_up(older: dict[str, Any], newer: dict[str, Any]) -> None:
    assert edges(sketch("a", **older), sketch("b", 3 * HOUR, **newer)) == [("b", "continues", "a")]


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ({"words": ("gasket", "leak")}, {"words": ("gasket", "leak")}),
        ({"words": ("gasket", "leak"), "files": ("x.py",)}, {"words": ("gasket", "leak"), "files": ("x.py",)}),
    ],
)
def test_the_same_request_of_what_was_done_begins_anew(older: dict[str, Any], newer: dict[str, Any]) -> None:
    assert edges(sketch("a", **older), sketch("b", 3 * HOUR, **newer)) == [("b", "related", "a")]


def test_two_at_work_at_the_same_time_are_related() -> None:
    both = {"branches": ("topic/gasket",)}
    assert edges(sketch("a", length=5 * HOUR, **both), sketch("b", 3 * HOUR, **both)) == [("b", "related", "a")]


@pytest.mark.parametrize("left", ["older", "newer"])
def test_a_branch_that_one_of_them_left_links_nothing(left: str) -> None:
    stayed, moved = ("topic/gasket",), ("topic/gasket", "topic/pump")
    older, newer = (moved, stayed) if left == "older" else (stayed, moved)
    assert edges(sketch("a", branches=older), sketch("b", HOUR * 3, branches=newer)) == []


@pytest.mark.parametrize(
    ("shared", "later"),
    [
        ({"files": ("x.py",)}, HOUR),
        ({"branches": ("topic/gasket",)}, 90 * DAY),
        ({"words": ("the",)}, HOUR),
        ({"words": ("continu",)}, HOUR),
    ],
    ids=["a file", "a branch of three months ago", "a word that all have", "a word that only two have"],
)
def test_too_little_in_common_is_no_edge(shared: dict[str, Any], later: timedelta) -> None:
    assert edges(sketch("a", **shared), sketch("b", HOUR + later, **shared)) == []


def test_subagents_and_runs_of_programs_continue_nothing() -> None:
    both = {"branches": ("topic/gasket",)}
    assert edges(sketch("a", **both), sketch("b", 3 * HOUR, alone=True, **both)) == []


def test_of_several_the_latest_is_continued_and_the_others_are_its_ancestors() -> None:
    both = {"branches": ("topic/gasket",)}
    found = edges(*(sketch(name, number * 3 * HOUR, **both) for number, name in enumerate("abcd")))
    assert found == [("b", "continues", "a"), ("c", "continues", "b"), ("d", "continues", "c")]


def test_a_reason_says_what_they_share_and_how_sure_it_is() -> None:
    both = {"branches": ("topic/gasket",), "files": ("x.py", "y.py")}
    (edge,) = derive_edges([*others(), sketch("a", is_open=True, **both), sketch("b", 3 * HOUR, **both)])
    assert edge.reason == (
        "both were on branch topic/gasket; 2 files edited in both; that one was left open;"
        " it began 2 hours after that one ended"
    )
    assert (edge.origin, edge.confidence) == ("derived", 0.9)
    assert edge.at == "2026-03-01T13:00:00Z"


names = st.sampled_from(["topic/a", "topic/b", "x.py", "y.py", "ada/orbit#1", "3fa29c0", "s1", "s2"])
few = st.lists(names, max_size=3, unique=True).map(tuple)  # as a sketch has them


@given(
    st.lists(
        st.tuples(st.integers(0, 500), st.integers(0, 30), st.booleans(), *[few] * 6),
        max_size=12,
    ),
    st.randoms(),
)
def test_edges_lead_back_in_time_and_follow_from_the_sessions_alone(rows: list[tuple[Any, ...]], random: Any) -> None:
    sessions = [
        sketch(
            f"s{number}",
            start * HOUR,
            length * HOUR,
            is_open=is_open,
            **dict(zip(("branches", "files", "words", "asked", "commits", "named"), given, strict=True)),
        )
        for number, (start, length, is_open, *given) in enumerate(rows)
    ]
    found = derive_edges(sessions)
    shuffled = random.sample(sessions, len(sessions))
    assert derive_edges(shuffled) == found
    began = {one.ref: (one.started_at, one.session_id) for one in sessions}
    assert all(began[edge.to_ref] < began[edge.from_ref] for edge in found)
    assert all(0 < edge.confidence <= 1 for edge in found)
    continued = [edge.from_ref for edge in found if edge.type == "continues"]
    assert len(continued) == len(set(continued))


def test_a_sketch_is_made_of_facts_and_opening_prompts() -> None:
    found = sketch_of(
        facts(
            "s1",
            goal=said("Fix https://github.com/ada/orbit/pull/12 and PR 14"),
            commits=(replace(said("Seal the gasket"), refs=("commit:3fa29c0dd1",)),),
            pull_requests=(said("https://github.com/ada/orbit/pull/15"),),
            project="ada/orbit",
        ),
        [
            Step("c", T0, "user", "typed", "Go on with 0b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d4e after 3fa29c0, see #3"),
            Step("c", T0, "system", "injected", "run: claude -r 1c8d2e7f-4e63-4b9f-8b4d-6a1b2c3d4e5f"),
        ],
        ["main", "topic/a", "topic/b", "topic/a", "HEAD"],
    )
    assert found.branches == ("topic/b", "topic/a")
    assert set(found.asked) == {"ada/orbit#12", "ada/orbit#14", "ada/orbit#3"}
    assert found.made == ("ada/orbit#15",)
    assert found.commits == ("3fa29c0",)
    assert found.named == ("0b7c1f6e-3d52-4a8e-9a3c-5f0a1b2c3d4e", "3fa29c0")
    assert decode(found.encode()) == found


class TestClosing:
    def test_what_is_stated_counts_until_the_session_goes_on(self) -> None:
        life = Life(closed_at=T0, outcome="error")
        for last, wanted in ((None, "closed"), (T0 + timedelta(minutes=9), "closed"), (T0 + HOUR, "open")):
            found = standing_of(life, last, T0 + 2 * HOUR, followed=False)
            assert found.state == wanted
            assert found.outcome == ("error" if wanted == "closed" else None)

    def test_a_silent_session_is_closed_by_inference_and_never_with_an_outcome(self) -> None:
        for gap, state, why in ((IDLE, "open", None), (IDLE + HOUR, "closed", "idle")):
            found = standing_of(Life(), T0, T0 + gap, followed=False)
            assert (found.state, found.close_inferred, found.outcome) == (state, why, None)

    def test_a_session_that_another_continues_is_closed(self) -> None:
        found = standing_of(Life(), T0, T0, followed=True)
        assert (found.state, found.close_inferred, found.outcome) == ("closed", "successor", None)
