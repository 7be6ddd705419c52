"""What a folder of reports comes out as: every file in a record or in a problem."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aicx.errors import NotFound, UsageError
from aicx.reports.scan import ReportSelection
from tests.reports.builders import harbour, meta, only, scanned, write

DAY = "ada/orbit/2026_0131/reports"


def test_files_that_share_a_stem_are_one_report(tmp_path: Path) -> None:
    reports, _ = scanned(harbour(tmp_path))
    [tides] = [report for report in reports if report.title == "Tides move the clock"]
    assert set(tides.files) == {"report", "meta", "transcript"}


def test_newest_day_comes_first(tmp_path: Path) -> None:
    reports, _ = scanned(harbour(tmp_path))
    assert [report.date for report in reports] == ["2026-02-10"] * 3 + ["2026-02-03", "2026-01-31"]


def test_folders_say_organisation_repository_day_and_lane(tmp_path: Path) -> None:
    write(tmp_path / "ada/orbit/2026_0131/marbles/reports/loop.md", "# Loop")
    report = only(tmp_path)
    assert (report.org, report.repo, report.date, report.lane) == ("ada", "orbit", "2026-01-31", "marbles/reports")


@pytest.mark.parametrize("folder", ["2026_0131", "2026-01-31", "2026_01_31", "20260131"])
def test_day_is_understood_in_every_form(folder: str, tmp_path: Path) -> None:
    write(tmp_path / "ada" / "orbit" / folder / "x.md", "# X")
    assert only(tmp_path).date == "2026-01-31"


def test_folder_that_only_looks_like_a_day_is_named(tmp_path: Path) -> None:
    write(tmp_path / "ada/orbit/2026_1399/x.md", "# X")
    reports, outcome = scanned(tmp_path)
    assert reports[0].date is None
    assert [problem.path for problem in outcome.problems] == ["ada/orbit/2026_1399"]


def test_day_of_the_file_name_counts_where_no_folder_says_one(tmp_path: Path) -> None:
    write(tmp_path / "ada/orbit/20260131_0900_tides.md", "# X")
    assert only(tmp_path).date == "2026-01-31"


def test_day_of_the_sidecar_counts_where_no_name_says_one(tmp_path: Path) -> None:
    write(tmp_path / "ada/orbit/tides.meta.json", meta(completed_at="2026-01-31T09:00:00+00:00"))
    assert only(tmp_path).date == "2026-01-31"


def test_day_is_never_that_of_the_file_system(tmp_path: Path) -> None:
    os.utime(write(tmp_path / "ada/orbit/tides.md", "# X"), (1_700_000_000, 1_700_000_000))
    assert only(tmp_path).date is None


@pytest.mark.parametrize("part", ["", "ada", "ada/orbit", "ada/orbit/2026_0131"])
def test_part_of_an_artifacts_folder_gives_the_same_report(part: str, tmp_path: Path) -> None:
    root = tmp_path / "artifacts"
    write(root / DAY / "x.md", "# X")
    report = only(root / part)
    assert (report.org, report.repo, report.id) == ("ada", "orbit", only(root).id)


def test_same_stem_in_two_folders_is_two_reports(tmp_path: Path) -> None:
    write(tmp_path / DAY / "x.md", "# One")
    write(tmp_path / "ada/orbit/2026_0131/plans/x.md", "# Two")
    reports, _ = scanned(tmp_path)
    assert len({report.id for report in reports}) == 2


def test_second_file_of_a_kind_is_named(tmp_path: Path) -> None:
    write(tmp_path / DAY / "x.log", "first")
    write(tmp_path / DAY / "x.transcript.jsonl", "{}")
    reports, outcome = scanned(tmp_path)
    assert reports[0].transcript_tail == "first"
    assert outcome.problems[0].path == f"{DAY}/x.transcript.jsonl"


def test_transcript_without_report_is_a_record(tmp_path: Path) -> None:
    write(tmp_path / DAY / "no-wind_codex.transcript.log", "starting\nno wind\n")
    report = only(tmp_path)
    assert (report.title, report.agent, report.preview) == ("no wind", "codex", "no wind")


def test_sidecar_without_report_is_a_record(tmp_path: Path) -> None:
    write(tmp_path / DAY / "x.meta.json", meta(status="launching"))
    assert only(tmp_path).status == "launching"


def test_last_message_stands_in_for_a_missing_report(tmp_path: Path) -> None:
    write(tmp_path / DAY / "x.transcript.last-message.md", "# All done\n")
    assert only(tmp_path).title == "All done"


def test_broken_sidecar_costs_only_itself(tmp_path: Path) -> None:
    reports, outcome = scanned(harbour(tmp_path))
    [tides] = [report for report in reports if report.files.get("meta", "").startswith("2026")]
    assert tides.run_id == "impl-0731-02"
    assert "20260131_0731_tides_codex.meta.json: is not JSON" in [
        f"{p.path.split('/')[-1]}: {p.reason}" for p in outcome.problems
    ]


@pytest.mark.parametrize("body", ["", "[1]", "null", '{"status": [1], "run_id": {}}', "[" * 5000, '"\\ud800"'])
def test_sidecar_of_any_shape_leaves_the_report_readable(body: str, tmp_path: Path) -> None:
    write(tmp_path / DAY / "x.md", "# X")
    write(tmp_path / DAY / "x.meta.json", body)
    assert only(tmp_path).title == "X"


def test_report_that_is_not_utf8_is_shown_and_named(tmp_path: Path) -> None:
    reports, outcome = scanned(harbour(tmp_path))
    [lamp] = [report for report in reports if report.title == "Caf\ufffd lamp"]
    assert lamp.problems
    assert any("UTF-8" in problem.reason for problem in outcome.problems)


def test_report_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / DAY / "x.md", "# X")
    whole = os.open

    def refuse(name: object, *rest: int) -> int:
        if name == path:
            raise PermissionError(13, "Permission denied", str(path))
        return whole(name, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refuse)
    reports, outcome = scanned(tmp_path)
    assert reports[0].title == "x"
    assert outcome.problems[0].reason == "cannot be read: Permission denied"


def test_link_that_leaves_the_folder_is_not_followed_and_named(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "secret.md", "# Secret")
    root = tmp_path / "root"
    write(root / DAY / "x.md", "# X")
    (root / DAY / "leak.md").symlink_to(tmp_path / "elsewhere" / "secret.md")
    (root / "ada" / "all").symlink_to(tmp_path / "elsewhere")
    reports, outcome = scanned(root)
    assert [report.title for report in reports] == ["X"]
    assert {problem.path for problem in outcome.problems} == {f"{DAY}/leak.md", "ada/all"}


def test_link_in_a_circle_ends(tmp_path: Path) -> None:
    write(tmp_path / DAY / "x.md", "# X")
    (tmp_path / DAY / "again").symlink_to(tmp_path)
    reports, outcome = scanned(tmp_path)
    assert len(reports) == 1
    assert outcome.skipped["link"] == 1


def test_pipe_is_named_and_not_opened(tmp_path: Path) -> None:
    write(tmp_path / DAY / "x.md", "# X")
    os.mkfifo(tmp_path / DAY / "pipe.md")
    reports, outcome = scanned(tmp_path)
    assert len(reports) == 1
    assert outcome.problems[0].reason == "is not a regular file"


def test_name_of_any_bytes_is_shown_as_text_on_one_line(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path / DAY)
    os.makedirs(folder)
    with open(folder + b"/odd\n\xff\x1b[31m.md", "wb") as stream:
        stream.write(b"no heading")
    report = only(tmp_path)
    assert report.path == f"{DAY}/odd ?.md"


def test_hidden_and_other_files_are_counted_not_shown(tmp_path: Path) -> None:
    write(tmp_path / DAY / "x.md", "# X")
    write(tmp_path / DAY / "launch.sh", "")
    write(tmp_path / DAY / ".draft.md", "# Draft")
    reports, outcome = scanned(tmp_path)
    assert len(reports) == 1
    assert outcome.skipped == {"hidden": 1, "other file": 1}


def test_folder_that_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        scanned(tmp_path / "nowhere")


def test_file_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        scanned(write(tmp_path / "x.md", "# X"))


def test_limit_bounds_what_comes_out_and_not_what_is_counted(tmp_path: Path) -> None:
    reports, outcome = scanned(harbour(tmp_path), limit=2)
    assert (len(reports), outcome.matched, outcome.found) == (2, 5, 5)


def test_report_outside_the_days_is_not_even_opened(tmp_path: Path) -> None:
    _, outcome = scanned(harbour(tmp_path), ReportSelection(since="2026-02-01", until="2026-02-05"))
    assert not [problem for problem in outcome.problems if problem.reason == "is not JSON"]
