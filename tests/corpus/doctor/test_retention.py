"""What the agents' clean-up is about to delete, with a clock that stands still."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from aicx.corpus.doctor.retention import Retention, retention
from aicx.sources.items import LogFile
from aicx.sources.records import stat_log
from aicx.types import AgentHomes

NOW = datetime(2026, 3, 31, 12, tzinfo=UTC)


class Logs:
    """Agents' homes with logs of a given age, all of them known or not."""

    def __init__(self, root: Path) -> None:
        self.homes = AgentHomes(root / ".claude", root / ".codex", root / ".gemini")
        self._logs: list[LogFile] = []
        self._known: dict[str, str] = {}

    def claude(self, days: float, *, stored: bool = False, name: str = "") -> LogFile:
        path = self.homes.claude / "projects" / "-work" / (name or f"s{len(self._logs)}.jsonl")
        return self._add("claude", "claude-jsonl", path, days, stored)

    def gemini(self, days: float, *, stored: bool = False) -> LogFile:
        path = self.homes.gemini / "tmp" / "hash" / "chats" / f"session-{len(self._logs)}.json"
        return self._add("gemini", "gemini-json", path, days, stored)

    def codex(self, days: float) -> LogFile:
        path = self.homes.codex / "sessions" / f"rollout-{len(self._logs)}.jsonl"
        return self._add("codex", "codex-rollout", path, days, stored=False)

    def history(self, days: float) -> LogFile:
        return self._add("claude", "claude-history", self.homes.claude / "history.jsonl", days, stored=False)

    def _add(self, agent: str, format: str, path: Path, days: float, stored: bool) -> LogFile:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{ not even JSON\n")
        at = (NOW - timedelta(days=days)).timestamp()
        os.utime(path, (at, at))
        log = stat_log(agent, format, path)
        assert isinstance(log, LogFile)
        self._logs.append(log)
        if stored:
            self._known[str(path)] = log.fingerprint
        return log

    def settings(self, agent: str, body: str | dict[str, Any], name: str = "settings.json") -> None:
        folder = self.homes.claude if agent == "claude" else self.homes.gemini
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(body if isinstance(body, str) else json.dumps(body))

    def outlook(self, agent: str) -> Retention:
        return next(item for item in retention(self.homes, self._logs, self._known, NOW) if item.agent == agent)


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    return Logs(tmp_path)


def test_claude_keeps_logs_for_thirty_days_unless_told(logs: Logs) -> None:
    logs.claude(days=22.9)
    logs.claude(days=23.1)
    outlook = logs.outlook("claude")
    assert (outlook.logs, outlook.due_soon) == (2, 1)
    assert outlook.policy.days == 30


def test_only_logs_that_are_not_stored_are_a_worry(logs: Logs) -> None:
    logs.claude(days=25, stored=True)
    logs.claude(days=25)
    outlook = logs.outlook("claude")
    assert (outlook.due_soon, outlook.unstored_soon) == (2, 1)


def test_a_log_that_changed_since_it_was_stored_is_not_stored(logs: Logs) -> None:
    log = logs.claude(days=25, stored=True)
    log.path.write_text("{ longer than it was before\n")
    at = (NOW - timedelta(days=25)).timestamp()
    os.utime(log.path, (at, at))
    changed = stat_log("claude", "claude-jsonl", log.path)
    assert isinstance(changed, LogFile)
    found = retention(logs.homes, [changed], {str(log.path): log.fingerprint}, NOW)
    assert found[0].unstored_soon == 1


def test_a_pipe_in_the_place_of_the_settings_is_named_and_not_read(logs: Logs) -> None:
    logs.claude(days=1)
    os.mkfifo(logs.homes.claude / "settings.json")
    policy = logs.outlook("claude").policy
    assert (policy.days, "is not a regular file" in (policy.problem or "")) == (30, True)


def test_logs_that_go_within_a_day_are_urgent(logs: Logs) -> None:
    logs.claude(days=28.9)
    logs.claude(days=29.1)
    assert logs.outlook("claude").unstored_urgent == 1


def test_logs_that_should_be_gone_already_are_urgent(logs: Logs) -> None:
    logs.claude(days=90)
    assert logs.outlook("claude").unstored_urgent == 1


def test_a_setting_is_taken_from_claudes_settings(logs: Logs) -> None:
    logs.settings("claude", {"cleanupPeriodDays": 99999})
    logs.claude(days=400)
    assert logs.outlook("claude").due_soon == 0


def test_a_setting_beyond_the_calendar_means_never(logs: Logs) -> None:
    logs.settings("claude", {"cleanupPeriodDays": 9999999999})
    logs.claude(days=400)
    assert logs.outlook("claude").due_soon == 0


def test_the_shorter_of_two_settings_counts(logs: Logs) -> None:
    logs.settings("claude", {"cleanupPeriodDays": 365})
    logs.settings("claude", {"cleanupPeriodDays": 10}, "settings.local.json")
    logs.claude(days=5)
    assert logs.outlook("claude").policy.days == 10
    assert logs.outlook("claude").due_soon == 1


def test_zero_days_may_take_everything_at_the_next_start(logs: Logs) -> None:
    logs.settings("claude", {"cleanupPeriodDays": 0})
    logs.claude(days=0)
    assert logs.outlook("claude").unstored_urgent == 1


@pytest.mark.parametrize("body", ["{", "[]", '{"cleanupPeriodDays": "ten"}', '{"cleanupPeriodDays": -3}', "\x00"])
def test_damaged_settings_are_reported_and_the_default_is_taken(logs: Logs, body: str) -> None:
    logs.settings("claude", body)
    logs.claude(days=25)
    outlook = logs.outlook("claude")
    assert outlook.policy.problem is not None
    assert outlook.policy.days == 30
    assert outlook.due_soon == 1


def test_settings_may_hold_comments(logs: Logs) -> None:
    logs.settings("claude", '{ // see https://example.org\n "url": "http://x/*y*/", /* so */ "cleanupPeriodDays": 60 }')
    logs.claude(days=25)
    assert logs.outlook("claude").policy.days == 60


def test_the_prompt_history_is_not_cleaned(logs: Logs) -> None:
    logs.history(days=400)
    assert logs.outlook("claude").due_soon == 0


def test_gemini_deletes_after_thirty_days_unless_told(logs: Logs) -> None:
    logs.gemini(days=25)
    assert logs.outlook("gemini").unstored_soon == 1


@pytest.mark.parametrize(
    ("rules", "due"),
    [
        ({"enabled": False}, 0),
        ({"enabled": True, "maxAge": "52w"}, 0),
        ({"enabled": True, "maxAge": "2m"}, 0),
        ({"enabled": True, "maxAge": "24h"}, 1),
        ({"enabled": True, "maxCount": 50}, 0),
    ],
)
def test_gemini_follows_its_settings(logs: Logs, rules: dict[str, Any], due: int) -> None:
    logs.settings("gemini", {"general": {"sessionRetention": rules}})
    logs.gemini(days=25)
    assert logs.outlook("gemini").due_soon == due


def test_gemini_keeps_only_the_newest_of_a_project(logs: Logs) -> None:
    logs.settings("gemini", {"general": {"sessionRetention": {"enabled": True, "maxCount": 2}}})
    for days in (1, 2, 3, 4):
        logs.gemini(days=days)
    assert logs.outlook("gemini").unstored_urgent == 2


@pytest.mark.parametrize("rules", [{"enabled": True, "maxAge": "soon"}, {"enabled": True, "maxCount": 0}])
def test_settings_that_gemini_refuses_make_it_keep_everything(logs: Logs, rules: dict[str, Any]) -> None:
    logs.settings("gemini", {"general": {"sessionRetention": rules}})
    logs.gemini(days=400)
    outlook = logs.outlook("gemini")
    assert outlook.due_soon == 0
    assert outlook.policy.problem is not None


def test_codex_has_no_clean_up(logs: Logs) -> None:
    logs.codex(days=400)
    assert logs.outlook("codex").due_soon == 0


def test_an_agent_without_logs_is_not_mentioned(logs: Logs) -> None:
    logs.codex(days=1)
    assert [item.agent for item in retention(logs.homes, [], {}, NOW)] == []


def test_a_log_that_vanished_meanwhile_is_passed_over(logs: Logs) -> None:
    logs.claude(days=25).path.unlink()
    assert logs.outlook("claude").due_soon == 0
