"""The JSON bundle and the frame of the page: whole, escaped, the same for the same input."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from dataclasses import fields
from pathlib import Path

import pytest

from aicx.errors import StoreUnwritable, UsageError
from aicx.reports import MARK, PAGE_MARK, SCHEMA, both, embedded, frame, write_bundle
from aicx.reports.listing import ENDINGS
from aicx.reports.record import Report
from aicx.reports.scan import ReportSelection, ScanResult, scan
from aicx.storage import check_target, replacing
from tests.reports.builders import NOW, harbour, write


def bundle_of(root: Path) -> bytes:
    pieces: list[bytes] = []
    outcome = ScanResult()
    reports = scan(root, ReportSelection(), NOW, outcome)
    write_bundle(pieces.append, reports, outcome, folder="~/reports", selection=ReportSelection(), now=NOW)
    return b"".join(pieces)


def test_bundle_is_one_json_object_with_everything(tmp_path: Path) -> None:
    bundle = json.loads(bundle_of(harbour(tmp_path)))
    assert bundle["schema"] == SCHEMA
    assert len(bundle["records"]) == bundle["matched"] == bundle["found"] == 5
    assert {problem["reason"] for problem in bundle["problems"]} >= {"is not JSON"}


def test_bundle_of_an_empty_folder_is_json(tmp_path: Path) -> None:
    assert json.loads(bundle_of(tmp_path))["records"] == []


def test_same_folder_gives_the_same_bytes(tmp_path: Path) -> None:
    harbour(tmp_path)
    assert bundle_of(tmp_path) == bundle_of(tmp_path)


def test_bundle_begins_with_the_mark_by_which_it_is_known(tmp_path: Path) -> None:
    assert bundle_of(tmp_path).startswith(MARK)


def test_reports_are_written_as_they_come(tmp_path: Path) -> None:
    harbour(tmp_path)
    outcome = ScanResult()
    written: list[int] = []
    reports = scan(tmp_path, ReportSelection(), NOW, outcome)
    write_bundle(
        lambda _: written.append(outcome.yielded), reports, outcome, folder="", selection=ReportSelection(), now=NOW
    )
    assert set(range(6)) <= set(written)


def test_embedded_bundle_cannot_end_its_element() -> None:
    pieces: list[bytes] = []
    embedded(pieces.append)(b'"</script><!--"')
    assert b"<" not in pieces[0]
    assert json.loads(pieces[0]) == "</script><!--"


def test_both_writes_to_each() -> None:
    one: list[bytes] = []
    other: list[bytes] = []
    both([one.append, other.append])(b"x")
    assert one == other == [b"x"]


def test_page_allows_its_own_script_and_style_by_hash_and_nothing_else() -> None:
    before, behind = (part.decode() for part in frame())
    script = behind.partition("<script>")[2].rpartition("</script>")[0]
    style = before.partition("<style>")[2].partition("</style>")[0]
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', before)
    assert found
    policy = dict(part.split(" ", 1) for part in found[1].split("; "))
    hashed = [f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in (script, style)]
    assert policy == {
        "default-src": "'none'",
        "script-src": hashed[0],
        "style-src": hashed[1],
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_page_names_no_other_place() -> None:
    whole = b"".join(frame()).decode()
    assert set(re.findall(r"\w+://[^\s\"'`]+", whole)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(?:fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|innerHTML|eval)\b", whole)


def test_page_is_known_by_its_mark() -> None:
    assert PAGE_MARK in frame()[0][:4096]


# Files ---------------------------------------------------------------------------------------------------------------


def test_file_is_readable_by_its_owner_only(tmp_path: Path) -> None:
    with replacing(tmp_path / "x") as stream:
        stream.write(b"x")
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o600


def test_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    write(tmp_path / "x", "old")
    with pytest.raises(ZeroDivisionError), replacing(tmp_path / "x") as stream:
        stream.write(b"n" * (1 // 0))
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert (tmp_path / "x").read_text() == "old"


def test_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    write(tmp_path / "file", "")
    with pytest.raises(StoreUnwritable), replacing(tmp_path / "file" / "x"):
        pass


def test_file_of_somebody_else_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not written by aicx"):
        check_target(write(tmp_path / "x", "mine"), MARK, command="aicx reports", force=False)


def test_earlier_bundle_is_replaced(tmp_path: Path) -> None:
    check_target(write(tmp_path / "x", bundle_of(tmp_path)), MARK, command="aicx reports", force=False)


def test_force_replaces_a_file(tmp_path: Path) -> None:
    check_target(write(tmp_path / "x", "mine"), MARK, command="aicx reports", force=True)


def test_folder_is_never_replaced(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        check_target(tmp_path, MARK, command="aicx reports", force=True)


# Documentation --------------------------------------------------------------------------------------------------------


def test_every_field_is_documented(tmp_path: Path) -> None:
    documented = set(re.findall(r"`([^`\n]+)`", (Path(__file__).parents[2] / "docs" / "json.md").read_text("utf-8")))
    bundle = json.loads(bundle_of(harbour(tmp_path)))
    assert {field.name for field in fields(Report)} | set(bundle) <= documented


def test_every_ending_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reports.md").read_text("utf-8")
    assert not [ending for ending, _ in ENDINGS if f"`{ending}`" not in page]
