"""`aicx task areas`: the parts of a repository, and what sessions did in each."""

from __future__ import annotations

from dataclasses import replace

from aicx import console, options
from aicx.commands.desk import open_desk
from aicx.work.areas import SCHEMA, AreaAnswer, AreasAnswer

_LISTS = (
    ("key_paths", "Files"),
    ("entry_points", "Begin at"),
    ("tests", "Tests"),
    ("commands", "Passed here"),
    ("fragile", "Fragile"),
)
_SHOWN = 3  # of each list; JSON has more


def command(limit: options.Limit = 5, repo: options.Repo = None) -> options.Answered:
    """List the parts of this repository that sessions changed, those that most sessions changed first.

    A part is a folder. Its purpose is what its README, docstring or manifest says. The rest is worked out from the
    stored sessions: the files that most of them changed and opened first, the tests that passed, and the files in
    which failures came up again.

    Example: aicx task areas --limit 3
    Example: aicx task areas
    """
    from aicx.work.areas import areas, purpose_of
    from aicx.work.facts_index import facts_at

    desk = open_desk(repo)
    with console.count_bar("Reading sessions") as bar:
        facts, notes = facts_at(desk.settings, desk.folder, lambda done, of: bar(done, of, ""))
    every = areas(facts)
    items = [replace(area, purpose=purpose_of(desk.place.root, area.id)) for area in every[:limit]]
    yield SCHEMA, AreasAnswer(items, len(every), notes)
    for item in items:
        _print(item)
    console.notify_notes(notes)
    if not items:
        console.notify("No stored session changed a file here. `aicx store` adds sessions.")


def _print(item: AreaAnswer) -> None:
    failures = f" · {console.plural(item.failures, 'failure')}" if item.failures else ""
    console.out(f"{console.style(item.id, bold=True)}  {console.plural(item.edited_in, 'session')}{failures}")
    if item.purpose:
        console.out(f"  {item.purpose}")
    for name, heading in _LISTS:
        if found := getattr(item, name)[:_SHOWN]:
            console.out(f"  {heading}: {', '.join(found)}")
