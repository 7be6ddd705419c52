"""F19: what a hook gives to an agent: JSON with the context and the digest of the pack, or nothing."""

from __future__ import annotations

import json
import os
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from aicx.packs.making import HOOK_BUDGET, hook_output
from aicx.storage.lock import writer_lock
from tests.packs.builders import DAY, PackPlace

pytestmark = pytest.mark.slow

NOW = datetime(2026, 3, 10, 12, 20, tzinfo=UTC)


def output(place: PackPlace, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(place.text("task", "--hook", *arguments))
    return found


def test_the_output_is_hook_json_with_context_and_artifact(worked: PackPlace) -> None:
    found = output(worked)
    assert list(found) == ["hookSpecificOutput"]
    inner = found["hookSpecificOutput"]
    assert set(inner) == {"hookEventName", "additionalContext", "metadata"}
    assert inner["hookEventName"] == "SessionStart"
    digest = inner["metadata"]["task_continuity_artifact"]
    assert worked.object(digest)["task"]["title"] == "Fix the export of empty files"
    assert f"Pack: {digest}" in inner["additionalContext"]
    assert "- Change the writer" in inner["additionalContext"]
    assert len(inner["additionalContext"].encode()) <= 4 * HOOK_BUDGET


def test_sessions_that_begin_in_one_hour_have_one_pack(worked: PackPlace) -> None:
    def digest(minutes: int) -> str:
        found = hook_output(worked.settings, worked.repo, NOW + timedelta(minutes=minutes))
        assert found is not None
        artifact: str = found["hookSpecificOutput"]["metadata"]["task_continuity_artifact"]
        return artifact

    assert digest(0) == digest(30) != digest(60)


def test_without_a_task_it_prints_nothing(place: PackPlace) -> None:
    assert place.text("task", "--hook") == ""
    assert not (place.home / "cas").exists()


def test_what_hides_the_corpus_leaves_it_out(worked: PackPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    path = worked.settings.layout.forgetting
    path.write_bytes(b"{}")
    assert hook_output(worked.settings, worked.repo, NOW) is None
    path.unlink()
    assert hook_output(worked.settings, worked.repo / "nowhere", NOW) is None
    assert hook_output(worked.settings, worked.repo, NOW) is not None


def test_where_the_time_is_over_it_is_left_out(worked: PackPlace) -> None:
    assert hook_output(worked.settings, worked.repo, NOW, seconds=0.0) is None


def test_no_session_is_read_for_a_hook(worked: PackPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("a session was read")

    for extra in ("", "-wal", "-shm"):
        (worked.home / "index" / f"work.sqlite{extra}").unlink(missing_ok=True)
    worked.session("eeee", "Fix the export again", "src/export.py", seconds=5 * DAY)
    monkeypatch.setattr("aicx.evidence.read_steps", fail)
    found = hook_output(worked.settings, worked.repo, NOW)
    assert found is not None
    digest = found["hookSpecificOutput"]["metadata"]["task_continuity_artifact"]
    pack = worked.object(digest)
    assert pack["sessions"] == []
    assert "not read yet: 4 sessions" in pack["remarks"]


def test_a_git_that_hangs_and_a_lock_that_is_held_cost_a_hook_little(
    worked: PackPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = worked.settings
    with writer_lock(settings.layout.locks, 1, lambda _: None, name="cas"):
        begin = time.monotonic()
        assert hook_output(settings, worked.repo, NOW) is None
        assert time.monotonic() - begin < 1.5
    slow = worked.folder / "bin"
    slow.mkdir()
    (slow / "git").write_text("#!/bin/sh\nexec sleep 20\n")
    (slow / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{slow}:{os.environ['PATH']}")
    begin = time.monotonic()
    hook_output(settings, worked.repo, NOW)
    assert time.monotonic() - begin < 1.7
