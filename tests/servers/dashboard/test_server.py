"""`aicx serve page` as a process: how it begins, who may come in, and an orderly end."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.corpus.builders import Home
from tests.forked import Forked
from tests.servers.dashboard.http_client import TOKEN, get, request, serving

pytestmark = [pytest.mark.needs("web"), pytest.mark.process]

COMMAND = ("dashboard", "--port", "0", "--no-open")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_in_order(stored: Home, number: signal.Signals) -> None:
    with serving(**stored.environ) as (process, address):
        get(address, "/api/search/semantic", q="lexer")
        process.send_signal(number)
        assert process.wait(10) == 0
        assert process.stderr is not None
        assert process.stderr.read() == "Stopped.\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_as_soon_as_the_address_is_printed_ends_it_in_order(stored: Home, number: signal.Signals) -> None:
    for _ in range(2):
        with serving(**stored.environ) as (process, _):
            process.send_signal(number)
            assert process.wait(30) == 0


def test_the_address_it_prints_lets_the_page_in(stored: Home) -> None:
    environ = os.environ | stored.environ | {"AICX_HTTP_AUTH_TOKEN": TOKEN}
    with Forked(COMMAND, environ) as process:
        printed = process.stdout.readline().strip()
        address, _, token = printed.partition("/#token=")
        assert request(address, "GET", "/api/status", Authorization=f"Bearer {token}").status == 200
        process.terminate()
        assert process.wait(10) == 0


def test_each_run_has_a_token_of_its_own_where_none_is_set(stored: Home) -> None:
    environ = os.environ | stored.environ | {"AICX_HTTP_AUTH_TOKEN": ""}
    kept = stored.settings.layout.auth_token
    before = kept.read_bytes() if kept.exists() else None  # of a server that another test started on the same corpus
    tokens = []
    for _ in range(2):
        with Forked(COMMAND, environ) as process:
            address, _, token = process.stdout.readline().strip().partition("/#token=")
            tokens.append(token)
            answered = [
                request(address, "GET", "/api/status", Authorization=f"Bearer {shown}").status for shown in tokens
            ]
            process.terminate()
    assert answered == [401, 200]
    assert (kept.read_bytes() if kept.exists() else None) == before


def test_on_this_machine_alone_it_can_do_without(stored: Home) -> None:
    with serving("--no-token", **stored.environ) as (_, address):
        assert request(address, "GET", "/api/status", Authorization=None).status == 200


def test_a_further_name_is_answered_when_it_is_allowed(stored: Home) -> None:
    with serving("--allow-host", "build.example", **stored.environ) as (_, address):
        assert request(address, "GET", "/health", Host="build.example:1").status == 200
        assert request(address, "GET", "/health", Host="evil.example").status == 421


def test_a_flood_is_slowed_down(stored: Home) -> None:
    with serving("--rate", "2", **stored.environ) as (_, address):
        replies = [get(address, "/api/status") for _ in range(8)]
        assert {reply.status for reply in replies} == {200, 429}
        assert int(next(reply for reply in replies if reply.status == 429).headers["retry-after"]) >= 1
        assert {request(address, "GET", "/").status for _ in range(8)} == {200}


def test_a_browser_is_let_in_and_its_command_line_does_not_hold_the_token(stored: Home, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {shlex.quote(str(asked))}.part\nmv {asked}.part {asked}\n')
    browser.chmod(0o700)
    with serving("--open", BROWSER=f"{browser} %s", **stored.environ) as (process, address):
        for _ in range(100):
            if asked.exists():
                break
            time.sleep(0.05)
        url = asked.read_text()
        assert url.startswith("file:///")
        file = Path(urlsplit(url).path)
        assert f"url={address}/#token={TOKEN}" in file.read_text()
        process.terminate()
        process.wait(10)
        assert not file.exists()


def test_no_browser_is_opened_where_nobody_looks(stored: Home, tmp_path: Path) -> None:
    # Standard output is a pipe here, as it is under a service manager.
    marker = tmp_path / "opened"
    environ = os.environ | stored.environ | {"DISPLAY": ":9", "BROWSER": f"touch {marker}"}
    with Forked(["dashboard", "--port", "0", "--json"], environ) as process:
        process.stdout.readline()
        time.sleep(0.3)
        process.terminate()
    assert not marker.exists()


def test_a_port_that_is_taken_is_said_in_a_line(address: str, environment: Path) -> None:
    port = str(urlsplit(address).port)
    with Forked(["dashboard", "--port", port], os.environ) as process:
        out, said = process.stdout.read(), process.stderr.read()
        assert process.wait() == 1
    assert f"cannot listen on 127.0.0.1, port {port}" in said
    assert out == ""


def test_an_ipv6_address_will_do(stored: Home) -> None:
    with serving("--host", "::1", **stored.environ) as (_, address):
        assert address.startswith("http://[::1]:")
        assert get(address, "/api/status").status == 200


def test_an_address_for_everybody_is_called_by_a_name_that_works_here(stored: Home) -> None:
    with serving("--host", "0.0.0.0", **stored.environ) as (_, address):
        assert address.startswith("http://127.0.0.1:")
        assert get(address, "/api/status").status == 200


def test_it_serves_from_a_folder_with_decoys(stored: Home, tmp_path: Path) -> None:
    for name in ("indexer", "retrieval", "fastapi"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('the decoy was imported')\n")
    code = "import sys; from aicx.cli import run; sys.exit(run(['dashboard', '--port', '0', '--no-open', '--json']))"
    environ = os.environ | stored.environ | {"AICX_HTTP_AUTH_TOKEN": TOKEN}
    with subprocess.Popen(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, env=environ, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert "http://127.0.0.1" in process.stdout.readline()
            process.terminate()
            assert process.wait(30) == 0
        finally:
            process.kill()
