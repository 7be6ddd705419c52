"""`aicx serve page` where it does not get as far as serving; `tests/web` has what it serves."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from aicx.cli import run
from aicx.filters import Filters
from aicx.installation import install_command
from tests.parts import require

TOKEN = "a-token-for-tests-alone"


def test_without_its_extra_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("fastapi", "aicx.servers.dashboard.app"):
        monkeypatch.setitem(sys.modules, name, None)
    assert run(["dashboard"]) == 4
    assert install_command("web") in capsys.readouterr().err


class TestWhoMayAsk:
    @pytest.fixture(autouse=True)
    def extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        require("web")
        monkeypatch.setenv("AICX_HTTP_AUTH_TOKEN", TOKEN)

    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])
    def test_others_may_not_without_a_token(self, host: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["dashboard", "--host", host, "--no-token"]) == 2
        assert "open to other machines" in capsys.readouterr().err

    def test_others_may_not_with_a_token_that_is_none(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("AICX_HTTP_AUTH_TOKEN", "secret")
        assert run(["dashboard", "--host", "0.0.0.0"]) == 2
        assert "at least 16 printable" in capsys.readouterr().err

    def test_an_address_of_another_machine_cannot_be_had(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["dashboard", "--host", "192.0.2.7", "--no-open"]) == 1
        said = capsys.readouterr()
        assert "cannot listen on 192.0.2.7, port 9478" in said.err
        assert TOKEN not in said.out + said.err

    def test_filters_are_for_a_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["dashboard", "-p", "orbit"]) == 2
        assert "filters are for -o" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["--port", "70000"], ["--port", "x"], ["--rate", "0"], ["x"], ["--since", "soon"]]
)
def test_what_makes_no_sense_is_exit_two(arguments: list[str]) -> None:
    assert run(["dashboard", *arguments]) == 2


class TestFile:
    @pytest.fixture
    def asked(self, monkeypatch: pytest.MonkeyPatch) -> list[Filters]:
        """What the page was to be written with; what stands in it has tests of its own."""
        from aicx.servers.dashboard import export

        found: list[Filters] = []

        def write(_: Any, path: Path, *, now: Any, filters: Filters) -> tuple[int, int, int, int]:
            found.append(filters)
            return 6_000, 2, 5, 7

        monkeypatch.setattr(export, "write_page", write)
        return found

    def test_a_file_is_written_and_named(
        self, asked: list[Filters], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "history.html"
        assert run(["dashboard", "-o", str(path), "-p", "orbit", "-k", "plans", "-b", "main"]) == 0
        said = capsys.readouterr()
        assert said.out == f"{path}\n"
        assert "2 sessions in 5 chunks, 6.0 KB" in said.err
        assert "7 older chunks had no room" in said.err
        assert asked == [Filters(project="orbit", kind="plans", branch="main")]

    def test_a_file_of_somebody_elses_is_not_replaced(
        self, asked: list[Filters], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "mine.txt"
        path.write_text("mine")
        assert run(["dashboard", "-o", str(path)]) == 2
        assert "--force" in capsys.readouterr().err
        assert (path.read_text(), asked) == ("mine", [])
        assert run(["dashboard", "-o", str(path), "--force"]) == 0

    def test_json_says_where_it_is(
        self, asked: list[Filters], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "history.html"
        assert run(["dashboard", "-o", str(path), "--json"]) == 0
        assert json.loads(capsys.readouterr().out) == {
            "schema": "aicx.dashboard/1",
            "path": str(path),
            "bytes": 6_000,
            "sessions": 2,
            "chunks": 5,
            "chunks_left_out": 7,
        }

    def test_no_server_is_needed_for_it(
        self, asked: list[Filters], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(sys.modules, "fastapi", None)
        monkeypatch.setitem(sys.modules, "uvicorn", None)
        assert run(["dashboard", "-o", str(tmp_path / "history.html")]) == 0


def test_help_says_where_the_token_is_from(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "page", "--help-all"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "AICX_HTTP_AUTH_TOKEN" in said
    assert "works offline" in said
