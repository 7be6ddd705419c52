"""What the actions of `aicx failures` share: the patterns of a place, and how one is printed."""

from __future__ import annotations

from pathlib import Path

from aicx import console
from aicx.config import Settings
from aicx.text import first_of, shorten
from aicx.work.facts_index import facts_at
from aicx.work.failure_items import FailureItem
from aicx.work.failures import Pattern, patterns
from aicx.work.session_facts import Try


def patterns_at(settings: Settings, folder: Path | None) -> tuple[list[Pattern], list[str]]:
    """The failures of the repository that ``folder`` is in, or of all, the last reported first; and notes."""
    with console.count_bar("Reading sessions") as bar:
        facts, notes = facts_at(settings, folder, lambda done, of: bar(done, of, ""))
    return patterns(facts), notes


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


def with_code(code: str | None, message: str) -> list[str]:
    """An error's code and message; the message alone where it says the code itself."""
    return [code, message] if code and not message.startswith(code) else [message]


def told(one: Try, session: str = "") -> str:
    """What was done, in words. Where nothing is known of it, that the command passed in ``session``."""
    edits = f"edited {first_of(one.files, 3)}" if one.files else ""
    runs = f"ran {first_of((f'`{command}`' for command in one.commands), 3)}" if one.commands else ""
    nothing = "nothing was changed" if one.read_all else f"seen to pass in {session}"
    return "; ".join(filter(None, (edits, runs))) or nothing
