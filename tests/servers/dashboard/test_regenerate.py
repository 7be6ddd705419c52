"""Bringing the corpus up to date from the page: one run at a time, and what became of it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aicx.storage.lock import writer_lock
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, Home
from tests.servers.dashboard.http_client import Reply, get, request, serving

pytestmark = [pytest.mark.needs("web"), pytest.mark.slow]

REGENERATE = "/api/regenerate"


@pytest.fixture
def user(tmp_path: Path) -> Home:
    user = Home(tmp_path)
    user.claude(ClaudeLog(SESSION).prompt("The first question", 0).answer("Its answer.", 1))
    return user


@pytest.fixture
def own(user: Home) -> Iterator[str]:
    """A server of a corpus that may be changed; nothing is stored yet."""
    with serving(**user.environ) as (_, address):
        yield address


def ask_for(address: str, action: str | None = "regenerate") -> Reply:
    return request(address, "POST", REGENERATE, X_Aicx_Action=action)


def when_done(address: str) -> dict[str, Any]:
    """The status once nothing is being written any more."""
    for _ in range(200):
        status: dict[str, Any] = get(address, "/api/status").fields
        if not status["rebuilding"]:
            return status
        time.sleep(0.05)
    raise AssertionError(f"still running: {status}")


def test_a_run_stores_what_is_new_and_makes_it_found(user: Home, own: str) -> None:
    assert get(own, "/api/search/semantic", q="first question").status == 404
    assert ask_for(own)[:2] == (202, {"ok": True, "rebuilding": True})
    status = when_done(own)
    assert (status["build_count"], status["last_error"], status["stats"]["sessions"]) == (1, None, 1)
    assert get(own, "/api/search/semantic", q="first question").fields["results"] == 1
    user.claude(ClaudeLog(OTHER).prompt("A second quokka", 100).answer("Found.", 101))
    ask_for(own)
    assert when_done(own)["build_count"] == 2
    assert get(own, "/api/search/fuzzy", q="quokka").fields["results"][0]["agent"] == "claude"


def test_there_is_one_run_at_a_time(own: str) -> None:
    assert [ask_for(own).status, ask_for(own).status] == [202, 409]
    when_done(own)
    assert ask_for(own).status == 202


def test_a_run_waits_for_nobody_who_is_writing(user: Home, own: str) -> None:
    user.store()
    with writer_lock(user.settings.layout.locks, 1, lambda _: None):
        status, fields, _ = ask_for(own)
        assert status == 409
        assert "another aicx" in fields["error"]
        assert get(own, "/api/status").fields["rebuilding"] is True
    assert ask_for(own).status == 202


@pytest.mark.parametrize("action", [None, "", "store", "Regenerate"])
def test_without_its_header_nothing_runs(user: Home, own: str, action: str | None) -> None:
    assert ask_for(own, action).status == 400
    assert get(own, "/api/status").fields["rebuilding"] is False
    assert not user.chunks()


def test_without_the_token_nothing_runs(user: Home, own: str) -> None:
    assert request(own, "POST", REGENERATE, X_Aicx_Action="regenerate", Authorization=None).status == 401
    assert not user.chunks()


def test_a_page_of_another_site_is_not_even_told_why(own: str) -> None:
    # What a browser asks before it sends a header of one's own; without a word of consent it sends nothing.
    asked = {"Origin": "http://localhost:3000", "Access_Control_Request_Method": "POST"}
    reply = request(own, "OPTIONS", REGENERATE, Access_Control_Request_Headers="x-aicx-action", **asked)
    assert reply.status in (401, 405)
    assert not [name for name in reply.headers if name.startswith("access-control")]


def test_looking_does_not_start_a_run(own: str) -> None:
    status, _, headers = request(own, "GET", REGENERATE, X_Aicx_Action="regenerate")
    assert (status, headers["allow"]) == (405, "POST")


def test_a_run_that_fails_says_why_and_the_next_may_succeed(user: Home, own: str) -> None:
    user.corpus.mkdir(exist_ok=True)
    config = user.corpus / "config.toml"
    config.write_text("no_such_setting = 1\n")
    assert ask_for(own).status == 202
    status = when_done(own)
    assert status["build_count"] == 0
    assert "unknown setting 'no_such_setting'" in status["last_error"]
    assert str(user.corpus) not in status["last_error"]
    config.unlink()
    ask_for(own)
    assert when_done(own)["last_error"] is None


def test_a_run_ends_with_its_server(user: Home) -> None:
    with serving(**user.environ) as (process, address):
        ask_for(address)
        process.terminate()
        assert process.wait(10) == 0
    # Whoever writes holds the lock, and nobody does.
    with writer_lock(user.settings.layout.locks, 0, lambda _: None):
        pass
    user.store()
    assert len(user.chunks()) == 1


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
def test_every_process_of_a_server_tells_of_a_run(user: Home) -> None:
    with serving("--workers", "2", **user.environ) as (_, address):
        ask_for(address)
        when_done(address)
        user.claude(ClaudeLog(OTHER).prompt("A second quokka", 100).answer("Found.", 101))
        ask_for(address)
        when_done(address)
        told = [get(address, "/api/status").fields for _ in range(12)]
        assert {(one["rebuilding"], one["build_count"], one["stats"]["sessions"]) for one in told} == {(False, 2, 2)}
        found = [get(address, "/api/search/fuzzy", q="quokka").fields["results"] for _ in range(12)]
        assert found == found[:1] * 12


@pytest.mark.process
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a system that can fork")
def test_a_run_is_refused_by_every_process_while_one_goes_on(user: Home) -> None:
    with serving("--workers", "2", **user.environ) as (_, address):
        codes = [ask_for(address).status for _ in range(3)]
        assert codes == [202, 409, 409]
        when_done(address)
