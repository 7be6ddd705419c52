"""When the pager is used, and which."""

from __future__ import annotations

import sys
from pathlib import Path
from shlex import quote

import pytest

from aicx import console, pager

CAT = f"{quote(sys.executable)} -c 'import sys; open(sys.argv[1], \"w\").write(sys.stdin.read())'"


@pytest.mark.parametrize(
    ("environ", "command"),
    [
        ({"AICX_PAGER": "sh -c x", "PAGER": "true"}, ["sh", "-c", "x"]),
        ({"PAGER": "true -R"}, ["true", "-R"]),
        ({"PAGER": ""}, []),
        ({"AICX_PAGER": "", "PAGER": "true"}, []),
        ({"PAGER": "cat"}, []),
        ({"PAGER": "no-such-pager-anywhere"}, []),
        ({"PAGER": "'unbalanced"}, []),
        ({"PAGER": "true", "TERM": "dumb"}, []),
    ],
)
def test_the_pager_is_the_one_that_was_chosen(environ: dict[str, str], command: list[str]) -> None:
    assert pager.pager_command(environ) == command


def test_lines_that_are_wrapped_count_as_several() -> None:
    assert pager.fits(["x" * 10] * 2, columns=10, rows=3)
    assert not pager.fits(["x" * 11] * 2, columns=10, rows=4)
    assert pager.fits(["\x1b[31mred\x1b[0m"], columns=3, rows=2)


@pytest.mark.parametrize(("count", "paged"), [(3, False), (50, True)])
def test_only_what_does_not_fit_is_paged(
    count: int, paged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "paged"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("AICX_PAGER", f"{CAT} {target}")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("LINES", "24")
    with console.paged():
        for number in range(count):
            console.out(f"line {number}")
    text = "".join(f"line {number}\n" for number in range(count))
    assert (target.exists(), capsys.readouterr().out) == (paged, "" if paged else text)
    if paged:
        assert target.read_text() == text


def test_nothing_is_paged_where_that_is_not_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("AICX_PAGER", f"{CAT} {tmp_path / 'paged'}")
    with console.paged(wanted=False):
        console.out("line\n" * 50)
    assert "line" in capsys.readouterr().out


def test_what_was_printed_before_a_failure_is_still_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("AICX_PAGER", "true")

    def fail() -> None:
        with console.paged():
            console.out("first")
            raise ValueError("later")

    with pytest.raises(ValueError, match="later"):
        fail()
    assert capsys.readouterr().out == "first\n"
