"""`aicx serve` where it does not get as far as serving; `tests/mcp` has what it serves."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from aicx.cli import run
from aicx.installation import install_command
from tests.parts import require

TOKEN = "a-token-for-tests-alone"


@pytest.fixture
def sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    require("mcp")
    monkeypatch.setenv("AICX_HTTP_AUTH_TOKEN", TOKEN)


def test_without_the_sdk_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("mcp", "mcp_types", "aicx.servers.mcp.server", "aicx.servers.mcp.arguments"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "aicx.servers.mcp.server")
    assert run(["serve"]) == 4
    assert install_command("mcp") in capsys.readouterr().err


@pytest.mark.usefixtures("sdk")
class TestWhoMayAsk:
    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])
    def test_others_may_not_without_a_token(self, host: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["serve", "-t", "http", "--host", host, "--no-token"]) == 2
        assert "open to other machines" in capsys.readouterr().err

    def test_others_may_not_with_a_token_that_is_none(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("AICX_HTTP_AUTH_TOKEN", "secret")
        assert run(["serve", "-t", "http", "--host", "0.0.0.0"]) == 2
        said = capsys.readouterr().err
        assert "at least 16 printable" in said
        assert "secret" not in said.replace("import secrets; print(secrets", "")

    def test_a_name_is_no_address(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["serve", "-t", "http", "--host", "example.org"]) == 2
        assert "'example.org' is not an address" in capsys.readouterr().err

    def test_an_address_of_another_machine_cannot_be_had(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["serve", "-t", "http", "--host", "192.0.2.7"]) == 1
        assert "cannot listen on 192.0.2.7, port 8044" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [["-t", "carrier-pigeon"], ["--port", "70000"], ["--port", "x"], ["--rate", "0"], ["x"]]
)
def test_what_makes_no_sense_is_exit_two(arguments: list[str]) -> None:
    assert run(["serve", *arguments]) == 2


def test_help_names_where_the_token_lies(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "mcp", "--help-all"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "AICX_HTTP_AUTH_TOKEN" in said
    assert "auth-token" in said
