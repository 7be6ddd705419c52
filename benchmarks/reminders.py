"""Replays what sessions asked, ran and edited: what hooks would have reminded them of, unasked.

    python -m benchmarks.reminders HOME… [--lane prompt] [--json]

HOME is a corpus, as `AICX_HOME` names one, after `aicx store`. Each prompt that somebody typed, each failed command and
each edit of its sessions is asked as a hook would ask, of an index that has only those sessions that had ended before.
Printed is how often it speaks, and what it says, for a reader to label by the rules of docs/readings.md.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from aicx.agents.unasked import question_in
from aicx.config import Settings, load_settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.evidence import Step, read_steps
from aicx.evidence.kept import part_stamps
from aicx.reminders.building import facts_of, keep_project, keep_turns, turns_of
from aicx.reminders.index import SCHEMA, Index, find_fix
from aicx.reminders.prompt import find_earlier
from aicx.reminders.saying import Line, of_decision, of_fix, of_turn
from aicx.sources.tools import changes_files
from aicx.text import instant, shorten
from aicx.types import PROMPTS
from aicx.work.session_facts import SessionFacts


@dataclass(frozen=True, slots=True)
class Asked:
    """One moment of a session at which a hook is called, and the line that it would have said; None for silence."""

    home: str
    session: str
    at: str
    lane: str
    text: str
    said: Line | None


def replay(home: Path) -> Iterator[Asked]:
    """The moments of every session of a corpus that a person led, in the order in which the sessions began."""
    settings = load_settings(corpus=home)
    with open_catalog(settings.layout) as opened:
        catalog = opened.catalog
        for project in sorted({key[2] for key in part_stamps(catalog)}):
            yield from _of_project(settings, catalog, home.name, project)


def _of_project(settings: Settings, catalog: Catalog, home: str, project: str) -> Iterator[Asked]:
    layout = settings.layout
    sessions = sorted(facts_of(layout, catalog, project).values(), key=lambda one: one.ended_at)
    waiting, over = list(sessions), list[SessionFacts]()
    told: set[tuple[str, str]] = set()
    moments = sorted((step.at, number, step) for number, one in enumerate(sessions) for step in _steps(settings, one))
    with closing(sqlite3.connect(":memory:")) as kept:
        kept.executescript(SCHEMA)
        index = Index(kept, project)
        for at, number, step in moments:
            asking = sessions[number]
            grown = False
            while waiting and waiting[0].ended_at < instant(at, "seconds"):
                one = waiting.pop(0)
                keep_turns(kept, (one.agent, one.session_id, project), turns_of(layout, catalog, one))
                over.append(one)
                grown = True
            if grown:
                keep_project(kept, project, over)
            for lane, text, found in _asked(index, asking.session_id, step):
                new = next((line for line in found if (asking.session_id, line.key) not in told), None)
                if new is not None:
                    told.add((asking.session_id, new.key))
                yield Asked(home, asking.session_id, instant(at, "seconds"), lane, text, new)


def _steps(settings: Settings, one: SessionFacts) -> list[Step]:
    with open_catalog(settings.layout) as opened:
        rows = opened.catalog.rows(
            "SELECT path FROM chunks WHERE agent=? AND session_id=? AND stream='' AND ignored=0 ORDER BY number",
            [one.agent, one.session_id],
        )
    return read_steps(settings.layout, [row["path"] for row in rows])[0]


def _asked(index: Index, session: str, step: Step) -> Iterator[tuple[str, str, list[Line]]]:
    if step.role == "user" and step.origin in PROMPTS and (asked := question_in(step.text)):
        found = [of_turn(turn) for turn in find_earlier(index, session, asked)[:3]]
        pasted = None if found else find_fix(index, session, asked)
        yield "prompt", step.text, [*found, *([of_fix(pasted)] if pasted else [])]
    elif step.phase == "result" and step.failed:
        fix = find_fix(index, session, step.text)
        yield "command", step.text, [of_fix(fix)] if fix else []
    elif step.phase == "call" and changes_files(step.tool, step.text):
        for path in step.files:
            decided = index.decided(path.replace("\\", "/"), session)
            yield "edit", path, [of_decision(path, one) for one in decided[:1]]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reminders", description=__doc__.splitlines()[0])
    parser.add_argument("homes", nargs="+", type=Path, metavar="HOME")
    parser.add_argument("--lane", choices=("prompt", "command", "edit"))
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    moments = [one for home in given.homes for one in replay(home) if given.lane in (None, one.lane)]
    spoken = [one for one in moments if one.said is not None]
    for one in spoken:
        if given.json:
            print(json.dumps(asdict(one) | {"said": one.said and one.said._asdict()}))
            continue
        assert one.said is not None
        print(f"[{one.home} {one.session[:8]} {one.at} {one.lane}] {shorten(one.text, 300)}")
        print(f"    {one.said.opening} {one.said.quoted} {one.said.ref}")
    asked = Counter(one.lane for one in moments)
    said = Counter(one.lane for one in spoken)
    if not given.json:
        for lane, count in asked.items():
            print(f"{lane}: speaks at {said[lane]} of {count:,}")


if __name__ == "__main__":
    main()
