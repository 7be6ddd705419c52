"""The lists of a family, and which owners a question is about."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aicx.packs.answers import FamilyItem, session_name
from aicx.packs.choosing import says_together
from aicx.packs.lists import Owner, chosen, focused, lists_of, owners_of
from aicx.packs.query import Period
from aicx.work.record import Item, WorkRecord
from aicx.work.session_facts import Said, SessionFacts, Try
from tests.work.facts import facts, failure, ran, said


def owner(title: str) -> Owner:
    return Owner(f"session:claude:{title}", title, "done", "2026-01-01", "2026-01-01", None)


def test_words_beside_each_other_come_before_words_apart() -> None:
    apart, together, other = map(owner, ("Tokens: mend their cache", "Caching tokens", "Print the report"))
    assert focused([apart, together, other], "cached token") == [together, apart]


@pytest.mark.parametrize(
    ("phrase", "text", "together"),
    [
        ("cached tokens", "we cache the token", True),
        ("cached tokens", "tokens are cached", False),
        ("tokens", "tokens", False),
        ("", "", False),
    ],
)
def test_words_are_compared_without_endings_and_in_their_order(phrase: str, text: str, together: bool) -> None:
    assert says_together(phrase, [None, "else", text]) == together


NOW = datetime(2026, 3, 10, tzinfo=UTC)


def session(name: str, day: int = 1, **known: Any) -> SessionFacts:
    at = {"started_at": f"2026-03-0{day}T10:00:00Z", "ended_at": f"2026-03-0{day}T11:00:00Z"}
    return facts(name, **{"goal": said(f"Goal of {name}"), "edited": (f"{name}.py",), **at, **known})


def line(text: str, day: int = 1) -> Said:
    return replace(said(text), at=f"2026-03-0{day}T10:30:00Z")


def task(name: str, *sources: str, **known: Any) -> WorkRecord:
    fields: dict[str, Any] = {
        "id": name, "kind": "thread", "title": f"Task {name}", "goal": f"Reach {name}", "repo_id": "r",
        "worktree_id": "w", "created_at": NOW - timedelta(days=9), "updated_at": NOW - timedelta(days=1),
        "sources": tuple(f"session:claude:{source}" for source in sources),
    }  # fmt: skip
    return WorkRecord(**{**fields, **known})


def lists(*sessions: SessionFacts, tasks: tuple[WorkRecord, ...] = ()) -> dict[str, list[FamilyItem]]:
    return lists_of(owners_of(tasks, sessions), NOW)


def texts(items: list[FamilyItem]) -> list[str]:
    return [item.text for item in items]


class TestOwners:
    def test_every_session_has_one_owner_that_of_the_task_changed_last(self) -> None:
        older, newer = task("old", "a", "b", updated_at=NOW - timedelta(days=3)), task("new", "b", "c")
        found = owners_of([older, newer], [session("a"), session("b"), session("c"), session("d")])
        assert {owner.ref: set(owner.sessions) for owner in found} == {
            "work:new": {"session:claude:c", "session:claude:b"},
            "work:old": {"session:claude:a"},
            "session:claude:d": {"session:claude:d"},
        }

    def test_subagents_and_sessions_that_left_nothing_own_nothing(self) -> None:
        left = owners_of([], [session("a", lane="subagent"), session("b", goal=None, edited=())])
        assert left == []

    def test_an_owner_was_last_active_with_its_last_session(self) -> None:
        (owner,) = owners_of(
            [task("t", "a", "b", updated_at=NOW - timedelta(days=9))], [session("a", 2), session("b", 4)]
        )
        assert (owner.updated_at, owner.sessions[0]) == ("2026-03-04T11:00:00Z", "session:claude:b")

    def test_open_tasks_are_named_before_open_sessions_and_these_before_the_rest(self) -> None:
        found = owners_of([task("t")], [session("done", 8), session("open", 2, state="active")])
        assert [owner.ref.rpartition(":")[2] for owner in chosen(found, 3)] == ["t", "open", "done"]

    def test_a_focus_takes_those_that_have_nearly_all_of_its_words(self) -> None:
        found = owners_of([], [session("a", progress=said("The lexer reads tokens")), session("b")])
        assert [owner.ref for owner in focused(found, "lexer tokens")] == ["session:claude:a"]
        assert list(focused(found, "lexer gasket pump")) == []


class TestLines:
    def test_what_differs_in_case_and_punctuation_is_one_line_as_it_was_said_last(self) -> None:
        found = lists(
            session("a", 1, decisions=(line("Keep the LEXER, always!", 1),)),
            session("b", 2, decisions=(line("always keep the lexer", 2),)),
        )
        (item,) = found["recurring_learnings"]
        assert (item.text, item.support.owner_count) == ("always keep the lexer", 2)
        assert item.support.source_owners == ["session:claude:b", "session:claude:a"]
        assert found["learnings"] == []

    def test_what_one_owner_says_twice_does_not_recur(self) -> None:
        twice = (line("Keep the lexer"), line("keep the lexer."))
        assert lists(session("a", decisions=twice))["recurring_learnings"] == []

    def test_age_counts_whole_days_and_is_never_negative(self) -> None:
        (item,) = lists(session("a", decisions=(line("Keep the lexer", 8),)))["learnings"]
        assert item.support.latest_age_days == 1
        (future,) = lists_of(
            owners_of([], [session("a", 8, decisions=(line("x y", 8),))]), datetime(2026, 3, 1, tzinfo=UTC)
        )["learnings"]
        assert future.support.latest_age_days == 0

    def test_a_test_that_passed_at_the_end_of_two_owners_is_known(self) -> None:
        again = lists(session("a", tests=(ran("make test"),)), session("b", tests=(ran("make test"),)))
        assert texts(again["recurring_learnings"]) == ["`make test` passed at the end"]
        red = lists(
            session("a", tests=(ran("make test"),)), session("b", tests=(ran("make test"), ran("make test", False)))
        )
        assert red["recurring_learnings"] == []

    def test_one_change_that_resolved_several_failures_is_one_line(self) -> None:
        fix = Try(("src/a.py",), (), "2026-03-01T10:30:00Z", "chunk:claude:a:001")
        both = (failure("f1", file="tests/t.py", resolved=fix), failure("f2", file="tests/u.py", resolved=fix))
        (item,) = lists(session("a", failures=both))["learnings"]
        assert item.text.startswith("Editing `src/a.py` resolved `make`:")

    def test_a_mistake_that_was_mended_where_it_was_reported_is_no_news_until_it_comes_back(self) -> None:
        fix = Try(("src/a.py",), (), "2026-03-01T10:30:00Z", "chunk:claude:a:001")
        here = failure("f", file="src/a.py", resolved=fix)
        assert lists(session("a", failures=(here,)))["learnings"] == []
        found = lists(session("a", failures=(here,)), session("b", failures=(here,)))
        assert texts(found["recurring_learnings"]) == ["Editing `src/a.py` resolved `make`: it broke in `src/a.py`"]

    def test_a_failure_of_two_owners_is_a_recurring_mistake(self) -> None:
        ended = replace(said("`make` failed"), refs=(failure("f").ref,))
        both = [session(name, failures=(failure("f"),), failing=(ended,)) for name in "ab"]
        assert texts(lists(*both)["recurring_mistakes"]) == ["`make`: it broke (still open)"]
        assert lists(*both, tasks=(task("t", "a", "b"),))["recurring_mistakes"] == []


class TestOpenWork:
    def test_a_closed_session_leaves_nothing_to_do(self) -> None:
        found = lists(session("a", next=(line("Write the rest"),), state="completed"))
        assert (found["next_work"], found["current_focus"]) == ([], [])

    def test_what_a_closed_task_left_undone_is_not_to_be_done(self) -> None:
        left = session("a", next=(line("Write the rest"),), state="active")
        assert texts(lists(left)["next_work"]) == ["Write the rest"]
        assert lists(left, tasks=(task("t", "a", status="resolved"),))["next_work"] == []
        found = lists(left, tasks=(task("t", "a", next_action="Begin"),))
        assert texts(found["current_focus"]) == ["Reach t"]
        assert set(texts(found["next_work"])) == {"Begin", "Write the rest"}

    def test_what_was_feared_of_an_open_task_is_a_risk(self) -> None:
        items = (Item("risks", "it may block", NOW), Item("uncertainties", "it may not", NOW))
        assert set(texts(lists(tasks=(task("t", items=items),))["risks"])) == {"it may block", "Uncertain: it may not"}
        assert lists(tasks=(task("t", items=items, status="resolved"),))["risks"] == []

    def test_what_failed_is_a_risk_until_its_command_passes_in_any_session(self) -> None:
        failed = session("a", failing=(line("`make test` failed: no"),), state="active")
        assert texts(lists(failed)["risks"]) == ["`make test` failed: no"]
        later = replace(ran("make test"), at="2026-03-02T10:00:00Z")
        assert lists(failed, session("b", 2, tests=(later,)))["risks"] == []
        earlier = replace(ran("make test"), at="2026-02-02T10:00:00Z")
        assert len(lists(failed, session("b", 2, tests=(earlier,)))["risks"]) == 1


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        ("session:claude:3f2a", "claude:3f2a"),
        ("session:claude:3f2a#w2", "claude:3f2a"),
        ("chunk:claude:3f2a:004", "claude:3f2a"),
        ("chunk:claude:3f2a~history:004", "claude:3f2a"),
        ("chunk:claude:a~~b~history:004", "claude:a~b"),
        ("chunk:codex:a:b:004", "codex:a:b"),
        ("commit:abc", None),
        ("stated", None),
        ("session:", None),
    ],
)
def test_a_reference_names_its_session(ref: str, name: str | None) -> None:
    assert session_name(ref) == name


@given(st.dates(), st.dates(), st.dates())
def test_a_period_holds_exactly_the_days_between_its_ends(first: Any, last: Any, day: Any) -> None:
    first, last = sorted((first, last))
    period = Period.of(first.isoformat(), last.isoformat())
    noon = f"{day.isoformat()}T12:00:00Z"
    assert period.holds(noon, noon) == (first <= day <= last)
