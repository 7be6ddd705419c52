"""Which reports a filter holds."""

from __future__ import annotations

from pathlib import Path

import pytest

from aicx.errors import UsageError
from aicx.reports.scan import ReportSelection, make_selection
from tests.reports.builders import NOW, harbour, meta, scanned, write


def titles(root: Path, **limits: str) -> list[str]:
    reports, _ = scanned(root, ReportSelection(**limits))
    return [report.title for report in reports]


def chosen(**limits: str | None) -> ReportSelection:
    names = ("workflow", "since", "until", "date", "org", "repo")
    return make_selection(NOW, **{name: limits.get(name) for name in names})


def test_workflow_is_found_by_a_part_in_any_case(tmp_path: Path) -> None:
    assert titles(harbour(tmp_path), workflow="MARB") == ["Loop 3"]


def test_workflow_is_found_by_skill_code(tmp_path: Path) -> None:
    assert titles(harbour(tmp_path), workflow="impl") == ["Tides move the clock"]


def test_workflow_is_not_found_by_the_title(tmp_path: Path) -> None:
    assert titles(harbour(tmp_path), workflow="clock") == []


@pytest.mark.parametrize(
    ("since", "until", "count"),
    [("2026-01-31", "2026-01-31", 1), ("2026-02-01", "2026-02-03", 1), ("2026-02-03", "2026-02-10", 4)],
)
def test_both_days_are_included(since: str, until: str, count: int, tmp_path: Path) -> None:
    assert len(titles(harbour(tmp_path), since=since, until=until)) == count


def test_report_without_a_day_is_left_out_of_days_and_counted(tmp_path: Path) -> None:
    write(tmp_path / "ada/orbit/x.md", "# X")
    reports, outcome = scanned(tmp_path, ReportSelection(since="2026-01-01"))
    assert (reports, outcome.undated) == ([], 1)


def test_report_without_a_day_is_there_where_no_days_are_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "ada/orbit/x.md", "# X")
    assert titles(tmp_path, repo="orbit") == ["X"]


def test_day_known_only_to_the_sidecar_is_filtered_too(tmp_path: Path) -> None:
    write(tmp_path / "ada/orbit/x.meta.json", meta(completed_at="2026-01-31T09:00:00Z"))
    assert titles(tmp_path, since="2026-02-01") == []


@pytest.mark.parametrize("repo", ["lamp", "LAMP", "harbour/lamp"])
def test_repository_is_a_name_or_both_names(repo: str, tmp_path: Path) -> None:
    assert len(titles(harbour(tmp_path), repo=repo)) == 3


def test_organisation_is_a_whole_name(tmp_path: Path) -> None:
    assert titles(harbour(tmp_path), org="ad") == []


def test_date_and_since_hold_together() -> None:
    selection = chosen(date="2026-01-01..2026-01-31", since="2026-01-20")
    assert (selection.since, selection.until) == ("2026-01-20", "2026-01-31")


def test_one_day_is_from_and_to() -> None:
    selection = chosen(date="2026-01-05")
    assert (selection.since, selection.until) == ("2026-01-05", "2026-01-05")


def test_how_long_ago_counts_from_the_clock() -> None:
    assert chosen(since="7d").since == "2026-02-22"


def test_end_of_a_day_is_that_day() -> None:
    assert chosen(until="2026-01-31").until == "2026-01-31"


def test_a_wrong_day_is_refused() -> None:
    with pytest.raises(UsageError):
        chosen(since="yesterday-ish")
