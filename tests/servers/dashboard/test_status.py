"""How the corpus is doing, as the page says it."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from aicx.config import Settings, load_settings
from aicx.engine.lexical_index import refresh_lexical
from aicx.fields import to_fields
from aicx.servers.dashboard import status as module
from aicx.servers.dashboard.status import StatusReader, status_of
from aicx.storage.lock import writer_lock
from tests.corpus.builders import OTHER, SESSION, ClaudeLog, CodexLog, Home
from tests.engine.search_helpers import embed

NOW = datetime(2026, 3, 5, 12, 0, tzinfo=UTC)
TOKEN = "ghp_" + "a1B2" * 9


class Asked(StatusReader):
    def fields(self, now: datetime) -> dict[str, Any]:
        return to_fields(self.read(now))


def asked(settings: Settings, now: datetime) -> dict[str, Any]:
    return to_fields(status_of(settings, now))


@pytest.fixture
def user(tmp_path: Path) -> Home:
    user = Home(tmp_path)
    user.claude(ClaudeLog(SESSION).prompt(f"Use {TOKEN} and {TOKEN[:-1]}9", 0).answer("No.", 1))
    user.codex(CodexLog(OTHER).prompt("Hello", 5).answer("Hello yourself", 6))
    user.store()
    return user


def stats(user: Home) -> dict[str, Any]:
    found: dict[str, Any] = asked(user.settings, NOW)["stats"]
    return found


def test_what_is_stored_is_counted(user: Home) -> None:
    found = stats(user)
    assert found | {"bytes": 0} == {
        "chunks": 2,
        "sessions": 2,
        "projects": 1,
        "agents": 2,
        "messages": 4,
        "bytes": 0,
        "first": "2026-03-01T10:00:00.000Z",
        "last": "2026-03-01T10:00:06.000Z",
    }
    assert found["bytes"] == sum(len(body) for path, body in user.files().items() if path.endswith(".md"))


def test_nothing_stored_is_no_failure(home: Path) -> None:
    found = asked(load_settings(), NOW)
    assert (found["stats"]["chunks"], found["stats"]["first"], found["index"]["dense"]) == (0, None, None)
    assert "nothing is stored" in found["assumptions"][0]


def test_redactions_are_counted_by_kind(user: Home) -> None:
    found = asked(user.settings, NOW)["redactions"]
    assert found == {"total": 2, "by_kind": {"github-token": 2}}


def test_only_new_sidecars_are_read_for_that(user: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    status = Asked(user.settings)
    status.fields(NOW)
    log = ClaudeLog("another").prompt(f"And {TOKEN[:-2]}zz", 100).answer("No!", 101)
    user.claude(log)
    user.store()
    read = []
    whole = module.load_sidecar
    monkeypatch.setattr(module, "load_sidecar", lambda layout, path: read.append(path) or whole(layout, path))
    assert status.fields(NOW)["redactions"]["total"] == 3
    assert len(read) == 1


def test_a_change_of_the_corpus_is_seen_at_once(user: Home) -> None:
    status = Asked(user.settings)
    assert status.fields(NOW)["stats"]["sessions"] == 2
    user.claude(ClaudeLog("another").prompt("More", 100).answer("Yes", 101))
    user.store()
    assert status.fields(NOW)["stats"]["sessions"] == 3


def test_what_is_ignored_is_not_counted_and_that_is_said(user: Home) -> None:
    status = Asked(user.settings)
    status.fields(NOW)
    (user.corpus / ".aicxignore").write_text("**/codex/**\n")
    found = status.fields(NOW)
    assert found["stats"]["chunks"] == 1
    assert found["assumptions"] == ["not counted: 1 chunk that .aicxignore hides"]


def test_a_missing_catalogue_is_said(user: Home) -> None:
    (user.corpus / "catalog.sqlite").unlink()
    found = asked(user.settings, NOW)
    assert found["stats"]["chunks"] == 2
    assert "every sidecar was read" in found["assumptions"][0]


def test_the_index_says_whether_it_is_there_and_how_far_behind(user: Home) -> None:
    assert asked(user.settings, NOW)["index"]["lexical"]["exists"] is False
    status = Asked(user.settings)
    status.fields(NOW)
    refresh_lexical(user.settings, lambda _: None)
    assert status.fields(NOW)["index"]["lexical"]["behind"] == 0
    user.claude(ClaudeLog("another").prompt("More", 100).answer("Yes", 101))
    user.store()
    assert status.fields(NOW)["index"]["lexical"]["behind"] == 1


@pytest.mark.slow
def test_a_vector_index_says_what_it_was_made_with(user: Home) -> None:
    status = Asked(user.settings)
    assert status.fields(NOW)["index"]["dense"] is None
    embed(user)
    found = status.fields(NOW)["index"]["dense"]
    assert (found["embedder"], found["chunks"], found["behind"]) == ("test", 2, 0)
    assert found["passages"] >= 2
    assert found["bytes"] > 0


def aged(user: Home, days: float) -> None:
    for path in user.root.rglob("*.jsonl"):
        at = (NOW - timedelta(days=days)).timestamp()
        os.utime(path, (at, at))


@pytest.mark.parametrize(("days", "alarm"), [(1, None), (24, "warning"), (29.5, "critical")])
def test_logs_about_to_be_lost_ring_an_alarm(user: Home, days: float, alarm: str | None) -> None:
    user.claude(ClaudeLog("another").prompt("Not stored yet", 100))
    aged(user, days)
    [claude, codex] = asked(user.settings, NOW)["retention"]
    assert (claude["agent"], claude["logs"], claude["alarm"]) == ("claude", 2, alarm)
    assert (codex["agent"], codex["alarm"]) == ("codex", None)


def test_logs_are_listed_once_a_minute_and_after_each_run(user: Home) -> None:
    status = Asked(user.settings)

    def logs(seconds: float) -> int:
        count: int = status.fields(NOW + timedelta(seconds=seconds))["retention"][0]["logs"]
        return count

    assert logs(0) == 1
    user.claude(ClaudeLog("another").prompt("More", 100))
    assert (logs(59), logs(60)) == (1, 2)
    user.claude(ClaudeLog("a-third").prompt("More", 200))
    status.stored_anew()
    assert logs(61) == 3


def test_a_writer_at_work_is_seen(user: Home) -> None:
    assert asked(user.settings, NOW)["rebuilding"] is False
    with writer_lock(user.settings.layout.locks, 1, lambda _: None):
        assert asked(user.settings, NOW)["rebuilding"] is True


def test_secrets_kept_as_they_are_are_no_secret(user: Home) -> None:
    found = asked(replace(user.settings, redact_secrets=False), NOW)
    assert "secrets are stored as they are" in found["assumptions"][0]
