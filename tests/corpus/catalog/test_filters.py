"""What each filter lets through, how the user may write it, and what it must never do."""

from __future__ import annotations

import time
from dataclasses import fields as fields_of_class
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.chunks import put_chunk
from aicx.corpus.catalog.filters import conditions, parse_date_range, parse_filters, parse_instant, parse_kind
from aicx.corpus.catalog.names import match_projects
from aicx.errors import UsageError
from aicx.filters import FILTERS, Filters
from aicx.paths import NON_REPOSITORY
from aicx.text import Zone, day_bounds
from tests.corpus.builders import OTHER, SESSION, THIRD, catalog_of, fields_of

NOW = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)


def found(catalog: Catalog, filters: Filters) -> list[int]:
    """The numbers of the chunks that pass, in order."""
    where, values, _ = conditions(filters, catalog)
    return [row["number"] for row in catalog.rows(f"SELECT number FROM chunks WHERE {where} ORDER BY number", values)]


def notes(catalog: Catalog, filters: Filters) -> list[str]:
    return conditions(filters, catalog)[2]


def catalog_by(name: str, *values: object, **more: object) -> Catalog:
    """Chunks 1, 2, 3 … that differ in one field."""
    return catalog_of(*(fields_of(number, **{name: value}, **more) for number, value in enumerate(values, 1)))


class TestExactFields:
    @pytest.mark.parametrize("name", ["run_id", "prompt_id"])
    @pytest.mark.parametrize(("wanted", "numbers"), [("r-1", [1]), ("r-", []), ("R-1", []), ("r-10", [2]), ("", [])])
    def test_an_id_of_a_run_matches_as_a_whole(self, name, wanted, numbers):
        assert found(catalog_by(name, "r-1", "r-10", None), Filters(**{name: wanted})) == numbers

    def test_an_agent_is_matched_in_any_case(self):
        catalog = catalog_by("agent", "claude", "codex", "gemini-antigravity")
        assert found(catalog, Filters(agent="Codex")) == [2]
        assert found(catalog, Filters(agent="gemini")) == []

    def test_an_agent_that_nothing_is_of_is_mentioned_with_those_there_are(self):
        assert notes(catalog_by("agent", "claude", "codex"), Filters(agent="clippy")) == [
            "nothing is stored of an agent 'clippy'; known: claude, codex"
        ]

    @pytest.mark.parametrize("word", ["plan", "plans", "Plans", "PLAN"])
    def test_a_kind_is_understood_in_either_number_and_any_case(self, word):
        assert found(catalog_by("kind", "conversations", "plans"), Filters(kind=word)) == [2]

    def test_an_unknown_kind_is_an_error_that_names_the_known(self):
        with pytest.raises(UsageError) as error:
            parse_kind("poems")
        assert error.value.hint == "kinds: conversations, plans, reports, other"

    def test_an_ignored_chunk_passes_no_filter(self):
        catalog = catalog_by("kind", "plans", "plans")
        catalog.connection.execute("UPDATE chunks SET ignored=1 WHERE number=1")
        assert found(catalog, Filters()) == [2]


class TestSeveral:
    """Of several values of one filter any lets a chunk through."""

    @pytest.mark.parametrize(
        ("name", "stored", "wanted"),
        [
            ("project", ["ada/api", "bob/api", "ada/orbit"], ("ada/api", "orbit")),
            ("agent", ["claude", "codex", "gemini"], ("Claude", "gemini")),
            ("kind", ["plans", "other", "reports"], ("plan", "report")),
            ("session_id", [SESSION, OTHER, THIRD], (SESSION[:6], THIRD)),
            ("lane", ["primary", None, "subagent"], ("subagent", "primary")),
            ("run_id", ["r-1", None, "r-2"], ("r-1", "r-2")),
            ("prompt_id", ["p-1", None, "p-2"], ("p-1", "p-2")),
            ("branch", ["main", "dev", "fix/a"], ("main", "fix/*")),
            ("files", [["src/a.py"], ["b.py"], ["c/d.js"]], ("src/", "*.js")),
            ("model", ["claude-opus-4", "gpt-5", "sonnet"], ("Opus", "sonnet")),
            ("tools", [{"Bash": 1}, {"Edit": 2}, {"mcp__x__y": 1}], ("bash", "mcp__*")),
            ("workflow_phase", ["plan", None, "review"], ("plan", "rev*")),
            ("mode", ["deep", "fast", "deeper"], ("deep", "deeper")),
            ("skill_code", ["s-1", "s-2", "t-1"], ("s-1", "t-?")),
        ],
    )
    def test_any_of_them_passes(self, name, stored, wanted):
        filter_name = {"session_id": "session", "files": "file", "tools": "tool", "mode": "frontmatter_mode"}
        numbers = [1, 2, 3] if name == "lane" else [1, 3]
        assert found(catalog_by(name, *stored), Filters(**{filter_name.get(name, name): wanted})) == numbers

    def test_sessions_can_be_left_out_by_the_beginning_of_their_ids(self):
        catalog = catalog_by("session_id", SESSION, OTHER, THIRD)
        assert found(catalog, Filters(exclude_session=(SESSION[:4], THIRD))) == [2]
        assert found(catalog, Filters(exclude_session="")) == [1, 2, 3]


class TestTools:
    def test_a_failed_tool_is_known_by_its_message(self):
        result = {"name": "Bash", "phase": "result", "failed": True}
        message = {"key": "0" * 16, "text_key": "0" * 16, "at": "2026-03-01T10:00:00Z", "role": "tool"}
        catalog = catalog_by("messages", [message | {"tool": result}], [message | {"tool": result | {"failed": False}}])
        assert found(catalog, Filters(failed=True)) == [1]
        assert found(catalog, Filters(tool="bash")) == [1, 2]

    def test_a_sidecar_without_the_facts_of_tools_has_its_list_of_errors(self):
        assert found(catalog_by("errors", ["it broke"], None), Filters(failed=True)) == [1]

    def test_a_tool_of_a_chunk_that_was_replaced_is_forgotten(self):
        catalog = catalog_by("tools", {"Bash": 1})
        put_chunk(catalog, fields_of(1, tools={"Edit": 1}), "store/again.md", "0" * 64, b"")
        assert found(catalog, Filters(tool="Bash")) == []


class TestCounts:
    @pytest.mark.parametrize("name", ["token_usage", "findings_count"])
    def test_a_least_count_lets_it_and_more_through(self, name):
        catalog = catalog_by(name, 4, 5, 60, None)
        assert found(catalog, Filters(**{f"min_{name}": 5})) == [2, 3]


def test_an_unknown_lane_is_an_error_that_names_the_known():
    with pytest.raises(UsageError) as error:
        parse_filters(NOW, lane=["main"])
    assert error.value.hint == "lanes: primary, subagent"


def test_hours_count_back_from_now():
    assert parse_filters(NOW, hours=36.0).hours == NOW - timedelta(hours=36)
    assert parse_filters(NOW, hours=0.0) == Filters()


class TestSessions:
    def test_a_beginning_of_no_id_is_named(self):
        _, _, notes = conditions(Filters(session=(SESSION[:4], "0f0f")), catalog_by("session_id", SESSION))
        assert notes == ["no session's id begins with '0f0f'; `aicx sessions` lists them"]

    @pytest.mark.parametrize("wanted", [SESSION, SESSION[:8], SESSION[:1]])
    def test_the_beginning_of_an_id_is_enough(self, wanted):
        assert found(catalog_by("session_id", SESSION, OTHER), Filters(session=wanted)) == [1]

    @pytest.mark.parametrize("wanted", [SESSION[1:], f"{SESSION}0", "%", "_", "*", "?"])
    def test_nothing_else_is(self, wanted):
        assert found(catalog_by("session_id", SESSION, OTHER), Filters(session=wanted)) == []

    def test_a_session_brings_its_children(self):
        catalog = catalog_of(fields_of(1), fields_of(2, session_id="agent-7", parent_session=SESSION))
        assert found(catalog, Filters(session=SESSION)) == [1, 2]


class TestTimes:
    def catalog(self) -> Catalog:
        days = ["2026-03-01", "2026-03-02", "2026-03-03"]
        return catalog_of(
            *(
                fields_of(number, date=day, started_at=f"{day}T10:00:00.000Z", completed_at=f"{day}T11:00:00.000Z")
                for number, day in enumerate(days, 1)
            )
        )

    @pytest.mark.parametrize(
        ("text", "numbers"),
        [
            ("2026-03-02", [2]),
            ("2026-03-01..2026-03-02", [1, 2]),
            ("2026-03-02..", [2, 3]),
            ("..2026-03-02", [1, 2]),
            ("..", [1, 2, 3]),
            ("2026-03", [1, 2, 3]),
            ("2026-02", []),
        ],
    )
    def test_both_ends_of_a_range_of_days_belong_to_it(self, text, numbers):
        assert found(self.catalog(), Filters(date=parse_date_range(text, NOW))) == numbers

    @pytest.mark.parametrize("text", ["2026-03-03..2026-03-01", "2026-13", "2026-02-30"])
    def test_days_that_cannot_be_are_refused(self, text):
        with pytest.raises(UsageError):
            parse_date_range(text, NOW)

    def test_a_day_may_be_named_from_today(self):
        now = datetime(2026, 3, 3, 0, 30, tzinfo=UTC)
        assert parse_date_range("yesterday", now) == ("2026-03-02", "2026-03-02")
        assert parse_date_range("yesterday..today", now) == ("2026-03-02", "2026-03-03")

    def test_until_yesterday_includes_all_of_it(self):
        now = datetime(2026, 3, 3, 0, 30, tzinfo=UTC)
        assert found(self.catalog(), Filters(until=parse_instant("yesterday", now, end_of_day=True))) == [1, 2]

    def test_an_end_before_the_beginning_is_refused(self):
        with pytest.raises(UsageError, match="until '2026-03-01' is before since '2026-03-02'"):
            parse_filters(NOW, since="2026-03-02", until="2026-03-01")

    def test_one_day_is_no_end_before_its_beginning(self):
        assert parse_filters(NOW, since="2026-03-02", until="2026-03-02").since is not None

    def test_since_takes_what_ended_at_or_after_it(self):
        at = datetime(2026, 3, 2, 11, 0, tzinfo=UTC)
        assert found(self.catalog(), Filters(since=at)) == [2, 3]
        assert found(self.catalog(), Filters(since=at + timedelta(milliseconds=1))) == [3]

    def test_until_takes_what_began_at_or_before_it(self):
        at = datetime(2026, 3, 2, 10, 0, tzinfo=UTC)
        assert found(self.catalog(), Filters(until=at)) == [1, 2]
        assert found(self.catalog(), Filters(until=at - timedelta(milliseconds=1))) == [1]

    @pytest.mark.parametrize("text", ["2026-03-02", "20260302", "2026-W10-1"])
    def test_until_a_day_includes_the_day(self, text):
        assert found(self.catalog(), Filters(until=parse_instant(text, NOW, end_of_day=True))) == [1, 2]

    @pytest.mark.parametrize(
        ("text", "at"),
        [
            ("2026-03-02", datetime(2026, 3, 2, tzinfo=UTC)),
            ("2026-03-02T14:00", datetime(2026, 3, 2, 14, tzinfo=UTC)),
            ("2026-03-02T14:00+02:00", datetime(2026, 3, 2, 12, tzinfo=UTC)),
            ("2026-03-02T14:00Z", datetime(2026, 3, 2, 14, tzinfo=UTC)),
            ("36h", NOW - timedelta(hours=36)),
            ("7d", NOW - timedelta(days=7)),
            (" 2W ", NOW - timedelta(weeks=2)),
            ("today", datetime(NOW.year, NOW.month, NOW.day, tzinfo=UTC)),
            ("Yesterday", datetime(NOW.year, NOW.month, NOW.day, tzinfo=UTC) - timedelta(days=1)),
        ],
    )
    def test_a_point_in_time_may_be_written_so(self, text, at):
        assert parse_instant(text, NOW) == at

    @pytest.mark.parametrize(
        "text",
        ["", "tomorrow", "7", "7m", "-7d", "2026-13-01", "99999999999d", f"{'9' * 400}h", "0001-01-01T00:00+10:00"],
    )
    def test_a_wrong_point_in_time_is_an_error_with_a_hint(self, text):
        with pytest.raises(UsageError) as error:
            parse_instant(text, NOW)
        assert error.value.hint

    @pytest.mark.parametrize(
        "text", ["", "2026-3-1", "2026-02-30", "tomorrow", "20260301", "2026-03-01...", "2026-03-01..x"]
    )
    def test_a_wrong_day_is_an_error_with_a_hint(self, text):
        with pytest.raises(UsageError) as error:
            parse_date_range(text, NOW)
        assert error.value.hint


class TestBranches:
    BRANCHES = ("main", "feature/lexer", "feature/parser", None)

    @pytest.mark.parametrize(
        ("wanted", "numbers"),
        [
            ("main", [1]),
            ("mai", []),
            ("feature/*", [2, 3]),
            ("*/parser", [3]),
            ("?ain", [1]),
            ("Main", []),
            ("*", [1, 2, 3]),
        ],
    )
    def test_a_branch_matches_as_a_whole_or_as_in_a_shell(self, wanted, numbers):
        assert found(catalog_by("branch", *self.BRANCHES), Filters(branch=wanted)) == numbers


class TestFiles:
    FILES = (
        ["src/parser.py", "README.md"],
        ["/srv/ada/orbit/src/lexer.py"],
        ["app/[id]/page.tsx"],
        ["src/parser.pyc"],
        [],
    )

    @pytest.mark.parametrize(
        ("wanted", "numbers"),
        [
            ("src/parser.py", [1, 4]),
            ("parser", [1, 4]),
            ("README.md", [1]),
            ("readme", []),
            ("*.py", [1, 2]),
            ("src/*.py", [1, 2]),
            ("*/lexer.p?", [2]),
            ("app/[id]/page.tsx", [3]),
            ("app/[id]/*", [3]),
            ("app/i/page.tsx", []),
        ],
    )
    def test_a_part_of_a_path_matches_or_all_of_it_as_in_a_shell(self, wanted, numbers):
        assert found(catalog_by("files", *self.FILES), Filters(file=wanted)) == numbers


class TestProjects:
    PROJECTS = ("ada/api", "ada/apiary", "bob/api", "ada.tools/orbit")

    @pytest.mark.parametrize(
        ("wanted", "numbers"),
        [
            ("ada/api", [1]),
            ("api", [1, 3]),
            ("/api", [1, 3]),
            ("API", [1, 3]),
            ("ada/", [1, 2]),
            ("ada/*", [1, 2]),
            ("*/api", [1, 3]),
            ("api*", [1, 2, 3]),
            ("apiar", [2]),
            ("tools", [4]),
            ("ada/ap", [1, 2]),
            ("nothing", []),
        ],
    )
    def test_whole_names_come_before_parts_of_names(self, wanted, numbers):
        assert found(catalog_by("project", *self.PROJECTS), Filters(project=wanted)) == numbers

    def test_a_part_of_a_name_is_mentioned(self):
        assert notes(catalog_by("project", *self.PROJECTS), Filters(project="apiar")) == [
            "no project is named 'apiar'; taken as a part of ada/apiary"
        ]

    def test_a_name_that_nothing_has_is_mentioned_with_those_there_are(self):
        assert notes(catalog_by("project", "ada/api"), Filters(project="zzz")) == [
            "no project or folder matches 'zzz'; known: ada/api"
        ]

    def test_a_whole_name_needs_no_word(self):
        assert notes(catalog_by("project", *self.PROJECTS), Filters(project="api")) == []

    def test_work_outside_repositories_is_found_by_its_folder(self):
        catalog = catalog_by("cwd", "/home/ada/notes", "/home/ada/other", project=NON_REPOSITORY)
        assert found(catalog, Filters(project="notes")) == [1]
        assert found(catalog, Filters(project="/home/ada")) == [1, 2]

    def test_all_work_outside_repositories_has_a_name(self):
        catalog = catalog_of(fields_of(1), fields_of(2, project=NON_REPOSITORY, cwd="/x"))
        assert found(catalog, Filters(project=NON_REPOSITORY)) == [2]

    def test_a_repository_is_not_found_by_the_folder_it_lies_in(self):
        catalog = catalog_of(fields_of(1, cwd="/home/ada/notes"))
        assert found(catalog, Filters(project="notes")) == []

    def test_an_ignored_project_is_not_named_in_a_note(self):
        catalog = catalog_by("project", "ada/api", "ada/hidden")
        catalog.connection.execute("UPDATE chunks SET ignored=1 WHERE number=2")
        assert notes(catalog, Filters(project="zzz")) == ["no project or folder matches 'zzz'; known: ada/api"]


TEXTS = [row.name for row in FILTERS if row.repeatable and row.name not in ("kind", "lane", "exclude_session")]
HOSTILE = [
    "'",
    "' OR '1'='1",
    "%",
    "_",
    "x'; DROP TABLE chunks; --",
    "\\",
    '"',
    "[",
    "[!a]",
    "]",
    "**",
    "\0",
    "🙂",
    "a" * 5000,
]


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("value", HOSTILE)
def test_no_value_breaks_out_of_its_condition(name, value):
    """Every chunk is still there afterwards, and none of them matched."""
    catalog = catalog_of(fields_of(1, run_id="r", prompt_id="p", branch="main", files=["src/a.py"], tools={"Bash": 1}))
    if value != "**":
        assert found(catalog, Filters(**{name: value})) == []
    else:
        found(catalog, Filters(**{name: value}))
    assert found(catalog, Filters()) == [1]


NAMES = st.sampled_from(["ada/api", "ada/apiary", "bob/api", NON_REPOSITORY])
CHUNKS = st.lists(
    st.builds(
        dict,
        project=NAMES,
        agent=st.sampled_from(["claude", "codex"]),
        kind=st.sampled_from(["plans", "conversations"]),
        branch=st.sampled_from(["main", "fix/a", None]),
        cwd=st.sampled_from(["/srv/api", "/home/notes", None]),
        run_id=st.sampled_from(["r", None]),
        files=st.sampled_from([["a/b.py"], ["c.py"], []]),
        started_at=st.sampled_from(["2026-03-01T10:00:00.000Z", "2026-03-02T10:00:00.000Z"]),
    ),
    max_size=6,
)
FILTERS = st.builds(
    Filters,
    project=st.sampled_from([None, "api", "ada/", "apiar", "notes", "/home", NON_REPOSITORY, "zzz"]),
    agent=st.sampled_from([None, "codex"]),
    kind=st.sampled_from([None, "plan"]),
    branch=st.sampled_from([None, "fix/*", "main"]),
    file=st.sampled_from([None, "*.py", "b"]),
    run_id=st.sampled_from([None, "r"]),
    since=st.sampled_from([None, datetime(2026, 3, 2, tzinfo=UTC)]),
)


@given(CHUNKS, FILTERS)
@settings(max_examples=40, deadline=None)
@pytest.mark.slow
def test_filtering_twice_changes_nothing(chunks, filters):
    numbered = [fields_of(number, **chunk) for number, chunk in enumerate(chunks, 1)]
    once = found(catalog_of(*numbered), filters)
    assert found(catalog_of(*(numbered[number - 1] for number in once)), filters) == once


@given(CHUNKS, FILTERS, st.sampled_from([field.name for field in fields_of_class(Filters)]))
@settings(max_examples=40, deadline=None)
def test_one_filter_less_never_hides_anything(chunks, filters, name):
    catalog = catalog_of(*(fields_of(number, **chunk) for number, chunk in enumerate(chunks, 1)))
    assert set(found(catalog, filters)) <= set(found(catalog, replace(filters, **{name: None})))


@given(
    st.text(max_size=12), st.lists(st.sampled_from(["ada/api", "/home/ada/api", "ada/apiary", "x.y/z"]), unique=True)
)
def test_matches_are_among_the_given_texts(wanted, candidates):
    matched, _ = match_projects(wanted, candidates)
    assert set(matched) <= set(candidates)


class TestDaysOfAPerson:
    """Berlin is two hours before UTC in summer, so that its days begin at 22:00."""

    @pytest.fixture(autouse=True)
    def _berlin(self, monkeypatch):
        monkeypatch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        yield
        monkeypatch.undo()
        time.tzset()

    def catalog(self):
        hours = [("2026-07-01T21", "2026-07-01"), ("2026-07-01T23", "2026-07-01"), ("2026-07-02T22", "2026-07-02")]
        return catalog_of(
            *(
                fields_of(number, date=day, started_at=f"{hour}:10:00.000Z", completed_at=f"{hour}:20:00.000Z")
                for number, (hour, day) in enumerate(hours, 1)
            )
        )

    def test_a_day_is_the_one_on_the_wall(self):
        assert found(self.catalog(), Filters(date=("2026-07-01", "2026-07-01"))) == [1]
        assert found(self.catalog(), Filters(date=("2026-07-02", "2026-07-02"))) == [2]
        assert found(self.catalog(), Filters(date=("2026-07-03", None))) == [3]

    def test_a_chunk_that_ran_past_midnight_is_of_both_days(self):
        late = fields_of(1, started_at="2026-07-01T21:50:00.000Z", completed_at="2026-07-01T22:10:00.000Z")
        catalog = catalog_of(late)
        assert [found(catalog, Filters(date=(day, day))) for day in ("2026-07-01", "2026-07-02")] == [[1], [1]]

    def test_today_begins_at_midnight_here(self):
        before, after = datetime(2026, 7, 1, 21, 59, tzinfo=UTC), datetime(2026, 7, 1, 22, 1, tzinfo=UTC)
        assert parse_date_range("today", before) == ("2026-07-01", "2026-07-01")
        assert parse_date_range("today", after) == ("2026-07-02", "2026-07-02")

    def test_since_and_until_are_of_the_same_days(self):
        assert parse_instant("2026-07-01", NOW) == datetime(2026, 6, 30, 22, tzinfo=UTC)
        last = parse_instant("2026-07-01", NOW, end_of_day=True)
        assert last == datetime(2026, 7, 1, 22, tzinfo=UTC) - timedelta(microseconds=1)
        assert parse_instant("2026-07-01T14:00", NOW) == datetime(2026, 7, 1, 12, tzinfo=UTC)

    def test_utc_days_can_be_asked_for(self, monkeypatch):
        monkeypatch.setattr(Zone, "utc", True)
        assert found(self.catalog(), Filters(date=("2026-07-01", "2026-07-01"))) == [1, 2]
        assert parse_date_range("today", datetime(2026, 7, 1, 23, tzinfo=UTC)) == ("2026-07-01", "2026-07-01")


@pytest.mark.parametrize(
    ("written", "first", "last"),
    [
        ("last week", "2026-03-02", "2026-03-08"),
        ("last month", "2026-02-01", "2026-02-28"),
        ("february", "2026-02-01", "2026-02-28"),
        ("3 days ago", "2026-03-07", "2026-03-07"),
        ("monday", "2026-03-09", "2026-03-09"),
    ],
)
def test_days_may_be_said_as_in_a_question(written: str, first: str, last: str) -> None:
    assert parse_date_range(written, NOW) == (first, last)
    assert parse_instant(written, NOW) == parse_instant(first, NOW)
    assert parse_instant(written, NOW, end_of_day=True) == parse_instant(last, NOW, end_of_day=True)


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "America/Los_Angeles"])
@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_the_ends_of_the_calendar_are_days_too(day: str, zone: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        begin, end = day_bounds(day)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert begin < end


@pytest.mark.parametrize(
    "wanted",
    ["src/color/x.go", "src\\color\\x.go", "D:\\orbit\\src\\color\\x.go", "d:/Orbit/src/color/X.go", "src\\*\\x.go"],
)
@pytest.mark.parametrize("stored", ["src/color/x.go", "D:\\orbit\\src\\color\\x.go"])
def test_a_file_of_windows_is_found_by_any_of_its_names(wanted, stored):
    catalog = catalog_of(fields_of(1, cwd="D:\\orbit", files=[stored]), fields_of(2, cwd="D:\\orbit", files=["x.go"]))
    assert found(catalog, Filters(file=(wanted,))) == [1]


def test_a_whole_path_finds_what_was_named_from_the_working_folder():
    catalog = catalog_of(fields_of(1, cwd="/srv/orbit", files=["a.py"]), fields_of(2, cwd="/srv/lamp", files=["a.py"]))
    assert found(catalog, Filters(file=("/srv/orbit/a.py",))) == [1]
