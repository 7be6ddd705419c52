"""What the start and the end of sessions survive: many of them, damage, clocks, hostile names, and git in any state."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from aicx.config import load_settings
from aicx.lifecycle.identity import Asker
from aicx.lifecycle.prepare import prepare
from aicx.work.attempt import Attempt
from aicx.work.attempts import attempt_of, attempts_in, begin
from aicx.work.codec import decode, encode
from aicx.work.place import find_place
from tests.lifecycle.conftest import Place

NOW = datetime(2026, 4, 1, 12, tzinfo=UTC)


def _attempts(place: Place) -> list[Path]:
    return list(place.user.corpus.glob("work/*/attempts/*.json"))


def test_two_thousand_attempts_make_no_start_slow(place: Place) -> None:
    def seconds(session: str) -> float:
        begun = time.process_time()
        place.prepare(session, "--task", "Fix the login")
        return time.process_time() - begun

    seconds("warm")
    alone = min(seconds(f"s{number}") for number in range(3))
    [file, *_] = _attempts(place)
    record = decode(file.read_bytes(), file.stem)
    for number in range(2000):
        name = f"{number:012x}"
        file.with_name(f"{name}.json").write_bytes(encode(replace(record, id=name)))
    assert min(seconds(f"t{number}") for number in range(3)) < 2 * alone + 0.1


def test_the_last_attempt_is_the_last_also_where_the_clock_was_set_back(place: Place) -> None:
    settings, where = load_settings(), find_place(load_settings(), place.repository.folder)
    for number in range(30):
        begin(settings, where, f"goal {number}", Attempt("claude", f"s{number}"), NOW, source="prepare")
    last = begin(settings, where, "the last", Attempt("claude", "last"), NOW - timedelta(days=900), source="prepare")
    os.utime(settings.layout.work / where.repo_id / "attempts" / f"{last.id}.json", (1, 1))
    assert [one.goal for one in attempts_in(settings, where.folders, 3)] == ["the last", "goal 29", "goal 28"]


def test_a_damaged_attempt_is_left_as_it_is_and_the_session_gets_another(place: Place) -> None:
    place.prepare("s1")
    [file] = _attempts(place)
    file.write_bytes(b"{")
    found = place.prepare("s1")
    assert file.read_bytes() == b"{"
    assert len(_attempts(place)) == 2
    assert found["attempt"] != f"task:{file.stem}"


def test_two_starts_of_one_session_at_once_are_one_attempt(place: Place) -> None:
    settings, now = load_settings(), datetime.now(UTC)
    threads = [
        threading.Thread(target=prepare, args=(settings, place.repository.folder, Asker("claude", "s1"), now))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(_attempts(place)) == 1


def test_without_a_session_id_the_last_attempt_of_the_agent_that_has_not_ended_is_meant(place: Place) -> None:
    settings, where = load_settings(), find_place(load_settings(), place.repository.folder)
    for agent in ("codex", "claude", "gemini"):
        begin(settings, where, agent, Attempt(agent, None), NOW, source="prepare")
    found = attempt_of(settings, where, "claude", None)
    assert found is not None
    assert found.goal == "claude"
