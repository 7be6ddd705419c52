"""`aicx failures parse` through the real command line."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from aicx.cli import run

pytestmark = pytest.mark.slow

_OUTPUT = "src/a.py:4: error: Missing return statement  [return]\nFound 1 error in 1 file (checked 2 source files)\n"


@pytest.fixture
def output(tmp_path: Path) -> str:
    path = tmp_path / "mypy.txt"
    path.write_text(_OUTPUT, "utf-8")
    return str(path)


def test_events_of_a_file_as_json(output: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["failures", "parse", output, "--command", "mypy src", "--exit-code", "1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["schema"], answer["family"], answer["failed"]) == ("aicx.failures-parse/1", "python_types", True)
    (event,) = answer["events"]
    assert event.pop("fingerprint")
    assert event == {
        "toolchain": "mypy",
        "phase": "type",
        "severity": "error",
        "message": "Missing return statement",
        "code": "return",
        "file": "src/a.py",
        "line": 4,
        "column": None,
        "test": None,
        "command": "mypy src",
        "exit_code": 1,
    }


def test_standard_input_is_read_without_a_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stdin = SimpleNamespace(buffer=io.BytesIO(_OUTPUT.encode() + b"\xff\n"), isatty=lambda: False)
    monkeypatch.setattr("sys.stdin", stdin)
    assert run(["failures", "parse"]) == 0
    printed = capsys.readouterr()
    assert "src/a.py:4  return  Missing return statement" in printed.out
    assert "python_types: failed, 1 event." in printed.err


def test_a_passing_command_has_no_events(output: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["failures", "parse", output, "--command", "cat mypy.txt", "--exit-code", "0"]) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "none: did not fail, 0 events." in printed.err


def test_a_file_that_is_missing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["failures", "parse", str(tmp_path / "gone.txt")]) != 0
    assert "there is no file" in capsys.readouterr().err


def test_a_terminal_is_not_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    assert run(["failures", "parse"]) != 0
    assert "no output to read" in capsys.readouterr().err


def test_of_a_huge_file_the_ends_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "huge.txt"
    path.write_text("first.py:1: error: One  [misc]\n" + "quiet\n" * 750_000 + _OUTPUT, "utf-8")
    assert run(["failures", "parse", str(path), "--command", "mypy ."]) == 0
    assert [line.split()[2] for line in capsys.readouterr().out.splitlines()] == ["first.py:1", "src/a.py:4"]
