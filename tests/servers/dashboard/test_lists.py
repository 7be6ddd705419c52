"""Lists of sessions, and the corpus at a glance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from aicx.corpus.catalog.sessions import browse
from aicx.errors import NotFound
from aicx.fields import to_fields
from aicx.filters import Filters
from aicx.paths import Layout
from aicx.servers.dashboard.overview import overview
from tests.corpus.builders import OTHER, SESSION, THIRD, ClaudeLog, Home, when

EVERYTHING = Filters()
DAY = 86_400


def glance(layout: Layout, filters: Filters, **bounds: int) -> dict[str, Any]:
    return to_fields(overview(layout, filters, **bounds))


@pytest.fixture
def user(tmp_path: Path) -> Home:
    """Two projects; one session works in both, on two days and in two weeks (2026-03-01 is a Sunday)."""
    user = Home(tmp_path)
    orbit, apiary = (user.repository(name, f"git@x.org:ada/{name}.git") for name in ("orbit", "apiary"))
    both = ClaudeLog(SESSION, orbit).prompt("In orbit", 0).answer("Yes.", 1)
    both.cwd, both.branch = apiary, "hive"
    user.claude(both.prompt("In the apiary", DAY).answer("Yes, too.", DAY + 1).title("Bees in orbit"))
    user.claude(ClaudeLog(OTHER, apiary).prompt("Honey", 2 * DAY).answer("Sweet.", 2 * DAY + 1))
    user.claude(ClaudeLog(THIRD, orbit).prompt("Sun", 3 * DAY).answer("Hot.", 3 * DAY + 1))
    user.store()
    return user


def listed(
    user: Home, filters: Filters = EVERYTHING, sort: str = "newest", limit: int = 50, offset: int = 0
) -> list[str]:
    found = browse(user.settings.layout, filters, sort, limit, offset)  # type: ignore[arg-type]
    return [item.session_id for item in found.items]


def test_sessions_come_newest_first(user: Home) -> None:
    assert listed(user) == [THIRD, OTHER, SESSION]


def test_sessions_come_in_the_order_that_is_asked_for(user: Home) -> None:
    assert listed(user, sort="oldest") == [SESSION, OTHER, THIRD]
    assert listed(user, sort="size")[0] == SESSION


def test_a_page_of_sessions_is_a_part_of_all(user: Home) -> None:
    assert listed(user, limit=2) + listed(user, limit=2, offset=2) == listed(user)
    assert browse(user.settings.layout, EVERYTHING, "newest", 1, 0).matched == 3
    assert listed(user, offset=1_000_000) == []


def test_a_session_says_what_it_is(user: Home) -> None:
    [_, _, item] = browse(user.settings.layout, EVERYTHING, "newest", 50, 0).items
    assert (item.title, item.project, item.projects) == (
        "Bees in orbit",
        "ada/orbit",
        ["ada/orbit", "ada/apiary"],
    )
    assert (item.branch, item.lane, item.chunks, item.messages) == ("hive", "primary", 2, 4)


def test_a_filter_chooses_sessions_and_leaves_them_whole(user: Home) -> None:
    found = browse(user.settings.layout, Filters(project="orbit", until=when(DAY / 2)), "newest", 50, 0)
    assert [(item.session_id, item.chunks) for item in found.items] == [(SESSION, 2)]


def test_a_filter_that_matches_nothing_says_so(user: Home) -> None:
    found = browse(user.settings.layout, Filters(project="nowhere"), "newest", 50, 0)
    assert (found.matched, found.items) == (0, [])
    assert "no project or folder matches 'nowhere'" in found.notes[0]


def test_nothing_stored_is_not_found(home: Path) -> None:
    from aicx.config import load_settings

    with pytest.raises(NotFound, match="nothing is stored"):
        browse(load_settings().layout, EVERYTHING, "newest", 50, 0)


def test_what_is_ignored_is_in_no_list(user: Home) -> None:
    (user.corpus / ".aicxignore").write_text("**/apiary/**\n")
    assert listed(user) == [THIRD, SESSION]
    assert [row["project"] for row in glance(user.settings.layout, EVERYTHING)["projects"]] == ["ada/orbit"]


def test_projects_agents_and_kinds_are_counted(user: Home) -> None:
    found = glance(user.settings.layout, EVERYTHING)
    latest = [row.pop("latest") for row in found["projects"]]
    # To the second, so that a page need not count from midnight.
    assert [(instant[:10], len(instant) > 10) for instant in latest] == [("2026-03-04", True), ("2026-03-03", True)]
    assert found["projects"] == [
        {"project": "ada/orbit", "sessions": 2, "chunks": 2, "first": "2026-03-01", "last": "2026-03-04"},
        {"project": "ada/apiary", "sessions": 2, "chunks": 2, "first": "2026-03-02", "last": "2026-03-03"},
    ]
    assert found["agents"] == [{"agent": "claude", "sessions": 3, "chunks": 4}]
    assert found["kinds"] == [{"kind": "conversations", "sessions": 3, "chunks": 4}]


def test_weeks_begin_on_mondays(user: Home) -> None:
    found = glance(user.settings.layout, EVERYTHING)["weeks"]
    assert [(row["week"], row["project"], row["chunks"]) for row in found] == [
        ("2026-02-23", "ada/orbit", 1),
        ("2026-03-02", "ada/apiary", 2),
        ("2026-03-02", "ada/orbit", 1),
    ]


def test_a_session_in_two_projects_is_one_session_of_its_agent(tmp_path: Path) -> None:
    user = Home(tmp_path)
    orbit, apiary = (user.repository(name, f"git@x.org:ada/{name}.git") for name in ("orbit", "apiary"))
    log = ClaudeLog(SESSION, orbit).prompt("In orbit", 0).answer("Yes.", 1)
    log.cwd = apiary
    user.claude(log.prompt("In the apiary", 60).answer("Yes, too.", 61))
    user.store()
    found = glance(user.settings.layout, EVERYTHING)
    assert [row["sessions"] for row in found["weeks"]] == [1, 1]
    assert [row["sessions"] for row in found["agent_weeks"]] == [1]


def test_small_projects_share_a_place_in_the_plot(user: Home) -> None:
    found = glance(user.settings.layout, EVERYTHING, most_in_plot=1)
    assert {row["project"] for row in found["weeks"]} == {"ada/apiary", "others"}
    assert len(found["projects"]) == 2


def test_an_overview_has_filters(user: Home) -> None:
    found = glance(user.settings.layout, Filters(project="apiary"))
    assert [row["project"] for row in found["projects"]] == ["ada/apiary"]


def test_an_overview_of_nothing_is_empty(home: Path) -> None:
    from aicx.config import load_settings

    found = glance(load_settings().layout, EVERYTHING)
    assert all(found[name] == [] for name in ("projects", "agents", "kinds", "weeks", "agent_weeks"))


def test_a_date_that_somebody_broke_costs_no_overview(user: Home) -> None:
    path = next(user.corpus.rglob("*.meta.json"))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"date": "soon"}))
    (user.corpus / "catalog.sqlite").unlink()
    assert "soon" in [row["week"] for row in glance(user.settings.layout, EVERYTHING)["weeks"]]
