"""Threads that answer: as many as are needed, each with its own searcher."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from aicx.servers.http import processes as module
from aicx.servers.http.processes import Busy, Workers


class Recorded:
    """Stands in for a searcher, and remembers which thread it was opened and closed in."""

    opened: list[Recorded] = []  # noqa: RUF012 - emptied by the fixture

    def __init__(self, settings: Any) -> None:
        self.thread = threading.get_ident()
        self.closed = threading.Event()
        self.opened.append(self)

    def __enter__(self) -> Recorded:
        return self

    def __exit__(self, *_: object) -> None:
        assert threading.get_ident() == self.thread
        self.closed.set()


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> Iterator[Workers]:
    monkeypatch.setattr(module, "Searcher", Recorded)
    Recorded.opened.clear()
    workers = Workers(None, most=2, waiting=1)  # type: ignore[arg-type]
    yield workers
    workers.close()
    assert all(searcher.closed.wait(5) for searcher in Recorded.opened)


def test_one_question_after_the_other_needs_one_thread(two: Workers) -> None:
    async def ask() -> set[Any]:
        return {await two.run(lambda searcher: searcher) for _ in range(5)}

    assert asyncio.run(ask()) == set(Recorded.opened)
    assert len(Recorded.opened) == 1


def test_two_questions_at_once_have_a_searcher_each(two: Workers) -> None:
    both = threading.Barrier(2)

    def meet(searcher: Any) -> int:
        both.wait(5)
        assert searcher.thread == threading.get_ident()
        return threading.get_ident()

    async def ask() -> list[int]:
        return await asyncio.gather(two.run(meet), two.run(meet))

    assert len(set(asyncio.run(ask()))) == 2


def test_more_wait_and_still_more_are_turned_away(two: Workers) -> None:
    go = threading.Event()

    async def ask() -> list[Any]:
        asked = [asyncio.ensure_future(two.run(lambda _: go.wait(5))) for _ in range(4)]
        await asyncio.sleep(0.1)
        go.set()
        return await asyncio.gather(*asked, return_exceptions=True)

    *answered, refused = asyncio.run(ask())
    assert answered == [True, True, True]
    assert isinstance(refused, Busy)
    assert len(Recorded.opened) == 2


def test_what_goes_wrong_belongs_to_whoever_asked(two: Workers) -> None:
    async def ask() -> str:
        with pytest.raises(ZeroDivisionError):
            await two.run(lambda _: 1 // 0)
        return await two.run(lambda _: "still answering")

    assert asyncio.run(ask()) == "still answering"


def test_a_question_that_is_given_up_while_it_waits_is_never_asked(two: Workers) -> None:
    go = threading.Event()
    asked: list[str] = []

    async def ask() -> None:
        running = [asyncio.ensure_future(two.run(lambda _: go.wait(5))) for _ in range(2)]
        await asyncio.sleep(0.05)
        waiting = asyncio.ensure_future(two.run(lambda _: asked.append("asked")))
        await asyncio.sleep(0.05)
        waiting.cancel()
        await asyncio.sleep(0)
        go.set()
        await asyncio.gather(*running)
        await two.run(lambda _: None)

    asyncio.run(ask())
    assert asked == []
