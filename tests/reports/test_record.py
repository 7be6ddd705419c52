"""What the files of one report say together."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from aicx.reports.record import DETAIL_CHARS, Report
from tests.reports.builders import SECRET, meta, only, write

pytestmark = pytest.mark.slow

PLACE = "ada/orbit/2026_0131/reports/x"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path


def report_of(
    root: Path, text: str | bytes = "# X\n", sidecar: str | None = None, log: str | bytes | None = None
) -> Report:
    write(root / f"{PLACE}.md", text)
    if sidecar is not None:
        write(root / f"{PLACE}.meta.json", sidecar)
    if log is not None:
        write(root / f"{PLACE}.transcript.log", log)
    return only(root)


def test_block_of_the_report_says_what_the_sidecar_does_not(root: Path) -> None:
    report = report_of(root, "---\nrun_id: r-1\nskill: impl\nagent: Codex\n---\n# X\n", '{"run_id": "r-2"}')
    assert (report.run_id, report.skill_code, report.agent) == ("r-2", "impl", "codex")


def test_block_is_no_part_of_the_detail(root: Path) -> None:
    assert report_of(root, "---\nrun_id: r-1\n---\n# X\n\nText.\n").detail == "# X\n\nText.\n"


def test_value_that_says_nothing_is_absent(root: Path) -> None:
    assert "model" not in report_of(root, sidecar=meta(model="unknown")).to_json()


def test_status_of_a_launcher_that_died_gives_way_to_the_report(root: Path) -> None:
    report = report_of(root, "---\nstatus: completed\nrun_id: r\n---\n", meta(status="launching"))
    assert report.status == "completed"


def test_status_of_a_launcher_that_saw_the_end_holds(root: Path) -> None:
    report = report_of(root, "---\nstatus: completed\nrun_id: r\n---\n", meta(status="failed"))
    assert report.status == "failed"


@pytest.mark.parametrize(
    ("sidecar", "workflow"),
    [
        ('{"workflow": "nightly", "mode": "review"}', "nightly"),
        ('{"mode": "review"}', "review"),
        ('{"skill_code": "rvw"}', "rvw"),
        ("{}", None),
    ],
)
def test_workflow_is_what_is_said_then_the_mode_then_the_skill(sidecar: str, workflow: str | None, root: Path) -> None:
    assert report_of(root, sidecar=sidecar).workflow == workflow


def test_workflow_is_the_lane_where_nothing_else_says_it(root: Path) -> None:
    write(root / "ada/orbit/2026_0131/marbles/reports/x.md", "# X")
    assert only(root).workflow == "marbles"


def test_instants_are_utc(root: Path) -> None:
    report = report_of(root, sidecar=meta(started_at="2026-01-31T10:00:00+02:00"))
    assert report.started_at == "2026-01-31T08:00:00Z"


def test_exit_code_zero_is_kept(root: Path) -> None:
    assert report_of(root, sidecar=meta(exit_code=0)).to_json()["exit_code"] == 0


def test_line_of_marks_only_is_read_in_no_time(root: Path) -> None:
    began = time.process_time()
    report_of(root, "# " + "#" * 500_000 + "x\n" + "- " * 250_000 + "x\n" + " " * 500_000 + "x")
    assert time.process_time() - began < 3


def test_headings_in_code_are_none(root: Path) -> None:
    report = report_of(root, "# One\n```sh\n# not one\n```\n## Two ##\n")
    assert [(heading.level, heading.text) for heading in report.headings] == [(1, "One"), (2, "Two")]


def test_title_is_the_first_heading_of_the_highest_level(root: Path) -> None:
    assert report_of(root, "## Before\n\n# The title\n").title == "The title"


def test_title_without_heading_is_the_name_without_stamps_and_agent(tmp_path: Path) -> None:
    write(tmp_path / "ada/orbit/2026_0131/20260131_135025_20260131_1350_mend-the-clock_codex.md", "Text.")
    assert only(tmp_path).title == "mend the clock"


def test_preview_is_the_first_prose_without_marks(root: Path) -> None:
    report = report_of(root, "# X\n\n```\ncode\n```\n\n- [x] The **clock** is `late`.\n\n---\nNext.\n")
    assert report.preview == "The clock is late. Next."


def test_detail_is_at_most_48000_characters_and_says_that_it_is_cut(root: Path) -> None:
    report = report_of(root, "tide " * 20_000)
    assert len(report.detail) == DETAIL_CHARS == 48_000
    assert report.detail_cut


def test_transcript_tail_is_at_most_48_kib_and_begins_with_a_line(root: Path) -> None:
    report = report_of(root, log="".join(f"{number} žluť\n" for number in range(90_000)))
    assert len(report.transcript_tail.encode()) <= 48 * 1024
    assert report.transcript_tail.endswith("\n89999 žluť\n")
    assert report.transcript_tail.split(" ")[0].isdigit()


def test_colours_of_a_terminal_are_left_out(root: Path) -> None:
    assert report_of(root, log="\x1b[32mgreen\x1b[0m\x07\r\nnext").transcript_tail == "green\nnext"


# No secret gets through ----------------------------------------------------------------------------------------------


def test_no_text_of_a_record_holds_a_secret(tmp_path: Path) -> None:
    folder = tmp_path / "ada" / f"orbit-{SECRET}" / "2026_0131" / SECRET
    write(folder / f"{SECRET}.md", f"---\nrun_id: {SECRET}\n---\n# About {SECRET}\n\nThe token {SECRET} is here.\n")
    write(folder / f"{SECRET}.meta.json", meta(model=SECRET, session_id=SECRET, status=SECRET, workflow=f"w {SECRET}"))
    write(folder / f"{SECRET}.transcript.log", f"using {SECRET}\n")
    assert SECRET not in str(only(tmp_path).to_json())


def test_secret_across_the_end_of_the_detail_leaves_nothing_behind(root: Path) -> None:
    report = report_of(root, "x" * (DETAIL_CHARS - 10) + f" {SECRET} and more\n")
    assert "ghp_" not in report.detail


def test_secret_across_the_start_of_the_tail_leaves_nothing_behind(root: Path) -> None:
    rest = "y" * (48 * 1024 - 12)
    report = report_of(root, log=f"{'x' * 5000} {SECRET}\n{rest}\n")
    assert SECRET[-8:] not in report.transcript_tail


@pytest.mark.parametrize("shift", [4, 20, 36])
def test_secret_across_the_window_of_a_huge_transcript_leaves_nothing_behind(shift: int, root: Path) -> None:
    window = 192 * 1024
    rest = "y" * (window - shift - 1) + "\n"
    report = report_of(root, log=f"{'x' * 9000} {SECRET}{rest}")
    assert SECRET[-4:] not in report.transcript_tail


@pytest.mark.parametrize("shift", [4, 20, 36])
def test_secret_across_the_window_of_a_huge_report_leaves_nothing_behind(shift: int, root: Path) -> None:
    # A title is left out, so that the window's own end would be within the detail.
    title = b"\x1b]0;" + b"t" * 1000 + b"\x07"
    whole, rest = divmod(4 * 1024 * 1024 - shift - 4, len(title))
    body = b"# X\n" + title * whole + bytes(rest) + SECRET.encode() + b" end"
    assert "ghp_" not in report_of(root, body).detail


def test_secret_with_marks_in_it_is_not_put_together_again(root: Path) -> None:
    report = report_of(root, f"# {SECRET[:9]}**{SECRET[9:]}**\n\n{SECRET[:9]}`{SECRET[9:]}`\n")
    assert SECRET not in f"{report.title} {report.headings} {report.preview}"


@pytest.mark.parametrize("sign", ["\x1b[1m", "\x00", "\u202e", "\x1b]0;title\x07"])
def test_secret_with_unseen_signs_in_it_is_found(sign: str, root: Path) -> None:
    report = report_of(root, log=f"{SECRET[:12]}{sign}{SECRET[12:]}\n")
    assert SECRET[12:] not in report.transcript_tail


@pytest.mark.parametrize("sign", ["\x1b[1m", "\x00", "\u202e", "\x1b]0;title\x07"])
def test_secret_between_unseen_signs_is_found(sign: str, root: Path) -> None:
    report = report_of(root, log=f"token{sign}{SECRET}{sign}end\n")
    assert SECRET[4:] not in report.transcript_tail


def test_transcript_that_is_mostly_drawing_still_has_a_tail(root: Path) -> None:
    report = report_of(root, log="\x1b[2K\x1b[1;1H\x1b[38;5;240m\x1b[0m.\n" * 120_000)
    assert len(report.transcript_tail) > 40_000


# Files of any size ---------------------------------------------------------------------------------------------------


def test_huge_files_are_read_in_part(root: Path) -> None:
    write(root / f"{PLACE}.md", "# X\n")
    with (root / f"{PLACE}.transcript.log").open("wb") as stream:
        stream.truncate(1 << 40)
        stream.seek(0, 2)
        stream.write(b"tide\n" * 200_000 + b"Done.\n")
    report = only(root)
    assert report.transcript_bytes == (1 << 40) + 1_000_006
    assert report.transcript_tail.endswith("Done.\n")


def test_report_that_is_read_in_part_says_so(root: Path) -> None:
    report = report_of(root, "# X\n" + ("tide " * 200 + "\n") * 4500)
    assert report.detail_cut
    assert "bytes were read" in report.problems[0]


def test_sidecar_beyond_all_measure_is_named(root: Path) -> None:
    report = report_of(root, sidecar='{"run_id": "' + "r" * 4_200_000 + '"}')
    assert report.problems == ("x.meta.json is larger than 4,194,304 bytes",)
