"""A family of many sessions: made in time, in bounded memory, and no larger than its limits allow."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from aicx.packs.making import make
from aicx.packs.query import PackQuery
from aicx.text import instant
from aicx.work.session_facts import SessionFacts
from tests.packs.builders import PackPlace
from tests.work.facts import facts, failure, ran, said

pytestmark = pytest.mark.slow

NOW = datetime(2026, 6, 1, tzinfo=UTC)
_WORDS = [
    "gasket",
    "pump",
    "lexer",
    "export",
    "token",
    "refresh",
    "reader",
    "writer",
    "schema",
    "queue",
    "retry",
    "cache",
]


def sessions(count: int) -> list[SessionFacts]:
    """Sessions of the size that real ones have: about 6 KB of facts each."""
    return [_session(number) for number in range(count)]


def _session(number: int) -> SessionFacts:
    at = NOW - timedelta(hours=number + 1)
    one, other = _WORDS[number % 12], _WORDS[number // 12 % 12]
    fields: dict[str, Any] = {
        "goal": said(f"Fix the {one} of the {other} in release {number}"),
        "progress": said(f"The {one} works, and the {other} is next. " * 5),
        "commits": tuple(said(f"Fix the {one} of {other}, part {part} of {number}") for part in range(4)),
        "decisions": tuple(said(f"Keep the {one} because the {word} needs it") for word in _WORDS[:6]),
        "edited": tuple(f"src/{one}/{word}_{number % 50}.py" for word in _WORDS),
        "commands": tuple(f"pytest tests/{word} -k {number}" for word in _WORDS * 3),
        "failures": tuple(failure(f"{word}-{number % 40}", message=f"{word} is wrong") for word in _WORDS[:4]),
        "tests": (ran(f"pytest tests/{one}"),),
        "state": "active" if number % 7 == 0 else "completed",
        "next": (said(f"Write the changelog of {number}"),),
    }
    ended = instant(at, "seconds")
    return replace(
        facts(f"{number:08x}", **fields), started_at=instant(at - timedelta(hours=1), "seconds"), ended_at=ended
    )


@pytest.fixture
def made(place: PackPlace, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Mapping[str, Any]]:
    """Makes the pack of so many sessions."""
    place.session("aaaa", "Fix it", "src/export.py")
    place.store()

    def make_of(count: int) -> Mapping[str, Any]:
        monkeypatch.setattr("aicx.packs.gathering.session_facts", lambda *_: known[:count])
        return make(place.settings, "family", PackQuery(place.repo, NOW, scope="family")).pack

    known = sessions(800)
    return make_of


def test_five_hundred_sessions_take_less_than_three_seconds(made: Callable[[int], Mapping[str, Any]]) -> None:
    begin = time.process_time()
    assert len(made(500)["owners"]) == 500
    assert time.process_time() - begin < 3


def test_memory_beside_the_facts_is_bounded(made: Callable[[int], Mapping[str, Any]]) -> None:
    tracemalloc.start()
    try:
        made(500)
        _, few = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        pack = made(800)
        _, many = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (len(pack["owners"]), pack["left_out"]["owners"]) == (500, 300)
    assert many < few + 500_000  # bytes
