"""What the actions of `aicx failures` share: their bar, and how a failure is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from aicx import console
from aicx.text import shorten
from aicx.work.failures import FailureItem, with_code


@contextmanager
def reading() -> Iterator[Callable[[int, int], None]]:
    """How far the reading of what sessions did has come, as a bar."""
    with console.count_bar("Reading sessions") as bar:
        yield lambda done, of: bar(done, of, "")


def print_line(item: FailureItem) -> None:
    """Two lines: what failed, by the name of its test where it has one, and how it stands."""
    style = console.style
    open_ = item.status == "open"
    place = f"{item.file}:{item.line}" if item.file and item.line else item.file or ""
    test = f"{shorten(item.test, 100)}: " if item.test and item.test not in item.message else ""
    what = test + " ".join(with_code(item.code, shorten(item.message, 140)))
    console.out_table([(style(item.status, fg="red" if open_ else "green"), style(what, bold=True))], (10,))
    often = console.plural(item.occurrences, "time")
    within = f" in {console.plural(len(item.sessions), 'session')}" if len(item.sessions) > 1 else ""
    facts = [item.id, item.toolchain, place, f"{often}{within}, last {console.when(item.last_at)}"]
    console.out(f"          {' · '.join(filter(None, facts))}")
