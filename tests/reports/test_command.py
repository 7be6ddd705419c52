"""`aicx reports` at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aicx.cli import run
from tests.reports.builders import SECRET, harbour, meta, write


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return harbour(tmp_path / "reports")


def listed(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[str, str]:
    """stdout and stderr of a call that works."""
    code = run(["reports", *map(str, arguments)])
    printed = capsys.readouterr()
    assert code == 0, printed.err
    return printed.out, printed.err


def test_list_has_a_line_a_report(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = listed(capsys, root, "--repo", "orbit")
    assert out.splitlines() == [
        "2026-02-03  failed     claude  marbles  ada/orbit  Loop 3",
        "2026-01-31  completed  codex   impl     ada/orbit  Tides move the clock",
    ]


def test_list_says_how_many_are_not_shown(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, said = listed(capsys, root, "--limit", 2)
    assert len(out.splitlines()) == 2
    assert "2 of 5 shown" in said


def test_broken_files_are_named(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, said = listed(capsys, root)
    assert "20260131_0731_tides_codex.meta.json: is not JSON" in said


def test_default_folder_is_below_the_home(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    harbour(home / ".vibecrafted" / "artifacts")
    out, _ = listed(capsys)
    assert len(out.splitlines()) == 5


def test_missing_folder_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reports"]) == 3
    assert "aicx reports FOLDER" in capsys.readouterr().err


def test_missing_folder_is_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reports", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["kind"] == "NotFound"


def test_empty_folder_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, said = listed(capsys, tmp_path)
    assert out == ""
    assert "No report lies in" in said


def test_filter_that_matches_nothing_names_what_there_is(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, said = listed(capsys, root, "--workflow", "zzz")
    assert "None of 5 reports matches workflow zzz." in said
    assert "ada/orbit, harbour/lamp" in said


def test_json_is_the_bundle(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = listed(capsys, root, "--json", "--bundle", tmp_path / "b.json")
    assert out == (tmp_path / "b.json").read_text() + "\n"
    assert len(json.loads(out)["records"]) == 5


def test_page_and_bundle_hold_the_same_reports(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed(capsys, root, "-o", tmp_path / "d.html", "--bundle", tmp_path / "b.json", "--workflow", "marbles")
    page = (tmp_path / "d.html").read_text()
    data = page.partition('type="application/json">')[2].partition("</script>")[0]
    assert json.loads(data) == json.loads((tmp_path / "b.json").read_bytes())
    assert [record["title"] for record in json.loads(data)["records"]] == ["Loop 3"]


def test_page_is_replaced_by_the_next(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listed(capsys, root, "-o", tmp_path / "d.html", "--workflow", "marbles")
    of_one = (tmp_path / "d.html").read_bytes()
    listed(capsys, root, "-o", tmp_path / "d.html")
    assert len((tmp_path / "d.html").read_bytes()) > len(of_one)


def test_file_of_somebody_else_is_kept(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = write(tmp_path / "notes.html", "mine")
    assert run(["reports", str(root), "-o", str(mine)]) == 2
    assert mine.read_text() == "mine"


def test_corpus_is_no_place_for_a_page(root: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reports", str(root), "-o", str(home / ".aicx" / "d.html")]) == 2


def test_one_file_cannot_be_page_and_bundle(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reports", str(root), "-o", str(tmp_path / "x"), "--bundle", str(tmp_path / "x")]) == 2


def test_home_of_a_person_is_not_named_in_the_bundle(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    harbour(home / "work" / "reports")
    out, _ = listed(capsys, home / "work" / "reports", "--json")
    assert json.loads(out)["folder"] == "~/work/reports"


def test_reports_are_left_as_they_are(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    listed(capsys, root, "-o", tmp_path / "d.html")
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("arguments", [[], ["--json"], ["--org", "nobody"]])
def test_no_secret_is_printed(arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / f"at-{SECRET}" / "ada" / SECRET / "2026_0131"
    write(folder / f"{SECRET}.md", f"# {SECRET}\n")
    write(folder / f"{SECRET}.meta.json", "{ " + SECRET)
    write(folder / f"broken-{SECRET}.meta.json", meta(status=SECRET))
    out, said = listed(capsys, tmp_path / f"at-{SECRET}", *arguments)
    assert SECRET not in out + said


def test_no_secret_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "in" / "ada" / "orbit" / "2026_0131" / "x.md", f"# X\n\n{SECRET}\n")
    listed(capsys, tmp_path / "in", "-o", tmp_path / "d.html", "--bundle", tmp_path / "b.json")
    assert SECRET.encode() not in (tmp_path / "d.html").read_bytes() + (tmp_path / "b.json").read_bytes()
