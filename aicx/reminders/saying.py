"""Says what was found, unless the session was told before: quoted, short and fenced; and what rule names a file."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from aicx.brief import fenced, to_check
from aicx.reminders.index import Fix, Turn
from aicx.reminders.ledger import Said, claim
from aicx.text import shorten

if TYPE_CHECKING:
    from aicx.memory.assess import Assessment


# Together with its fences: 200 tokens, however a model counts them.
MAX_BYTES = 600
_LABELS = f", {to_check()}; `aicx show REF` opens a reference in [brackets]"
# What the opening and, in turn until all of it fits, a quotation are shortened to.
_MAX_OPENING = 160
_ROOM = (320, 240, 180, 130, 90, 60, 40)


def reminder(opening: str, quoted: list[tuple[str, str]], ref: str) -> str:
    """Three lines: a fence that says what it is, one line of history, and the fence that ends it.

    ``quoted`` are words before a quotation and the quotation; ``ref`` is where to read on.
    """
    for room in _ROOM:
        parts = [f"{before} “{_plain(text, room)}”".lstrip() for before, text in quoted if text]
        # The opening may name a file, and a file may be called anything.
        body = f"{_plain(opening, _MAX_OPENING)} {' '.join(parts)} [{ref}]"
        text = fenced(body, _LABELS)
        if len(text.encode("utf-8", "replace")) <= MAX_BYTES:
            break
    return text


def _plain(text: str, limit: int) -> str:
    """A quotation on one line, without what nobody sees and without the sign that would end it."""
    return shorten(text.replace("”", '"'), limit)


_BUSY_SECONDS = 0.15
_OPENINGS = {"asked": "Asked", "tried": "Tried", "decided": "Decided"}
_MAX_NAMED = 3


class Line(NamedTuple):
    """A reminder before it is said: its lane and kind, what it rests on, and its words.

    ``key`` is what is said once a session, ``chunk`` None for what no chunk holds.
    """

    lane: str
    kind: str
    key: str
    ref: str
    opening: str
    quoted: list[tuple[str, str]]
    files: str = ""
    chunk: str | None = None


def of_turn(turn: Turn) -> Line:
    """An earlier turn and what came of it; of each session one is told."""
    opening = f"{_OPENINGS[turn.kind]} on {turn.at[:10]} in a session of {turn.agent}:"
    quoted = [("", turn.asked), ("and it came to", turn.came)]
    key, ref = f"{turn.agent}:{turn.session}", f"chunk:{turn.chunk}"
    return Line("prompt", turn.kind, key, ref, opening, quoted, chunk=turn.chunk)


def of_fix(fix: Fix) -> Line:
    """A failure and what ended it."""
    files, ran = fix.files.split("\n")[:_MAX_NAMED], fix.ran.split("\n")[:_MAX_NAMED]
    opening = f"Failed before, last on {fix.at[:10]} in a session of {fix.agent}:"
    quoted = [("", fix.message)]
    quoted += [("and passed after a change of", ", ".join(files))] if fix.files else []
    quoted += [("and after" if fix.files else "and passed after", " and ".join(ran))] if fix.ran else []
    return Line("command", "broken", fix.id, f"chunk:{fix.chunk}", opening, quoted, fix.files, fix.chunk)


def of_decision(path: str, decided: Turn) -> Line:
    """A decision that names a file."""
    opening = f"Decided about {path} on {decided.at[:10]} in a session of {decided.agent}:"
    ref = f"chunk:{decided.chunk}"
    return Line("edit", "decided", f"file:{path}", ref, opening, [("", decided.asked)], path, decided.chunk)


def say(home: str, agent: str, session: str, project: str, lines: Sequence[Line]) -> str:
    """The first of ``lines`` that is new to a session of a repository; empty where none is.

    Raises sqlite3.Error where nothing can be written down.
    """
    told = [line for line in lines if line.chunk is None or _is_stored(home, line.chunk)]
    at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    wanted = [Said(agent, session, line.key, line.lane, line.kind, at, line.ref, project, line.files) for line in told]
    place = claim(os.path.join(home, "agents"), wanted)  # noqa: PTH118 - as the ledger has it
    if place is None:
        return ""
    line = told[place]
    return reminder(line.opening, line.quoted, line.ref)


def _is_stored(home: str, chunk: str) -> bool:
    """Whether a chunk is in the corpus and not hidden by `.aicxignore`: it may have gone since the index was made."""
    catalog = Path(home) / "catalog.sqlite"
    if not catalog.exists():
        return False
    asking = sqlite3.connect(f"file:{quote(str(catalog))}?mode=ro", uri=True, timeout=_BUSY_SECONDS)
    try:
        row = asking.execute("SELECT path, ignored FROM chunks WHERE id=?", [chunk]).fetchone()
    finally:
        asking.close()
    if row is None or row[1]:
        return False
    if not (Path(home) / ".aicxignore").exists():
        return True
    # Imported here: most homes hide nothing.
    from aicx.corpus.catalog.query import ignore_matcher
    from aicx.paths import Layout

    return not ignore_matcher(Layout(Path(home)))(row[0])


_MAX_RECORD = 100_000
# Instructions from files are read by the agent itself.
_KINDS = ("policy", "procedure", "decision", "preference", "fact", "failure")


def rule_for(home: str, folder: str, path: str) -> Line | None:
    """The strongest accepted record that names the file ``path`` of the repository at ``folder``; None for none."""
    if not any(_naming(os.path.join(home, "memory"), path)):  # noqa: PTH118
        return None
    # Imported here: records that name the file being edited are rare, and what may be believed takes a while to derive.
    from aicx.config import load_settings
    from aicx.memory.policy_records import of_records, policy_in
    from aicx.memory.reading import Memory, find_scope

    settings = load_settings(corpus=Path(home))
    scope = find_scope(settings, Path(folder))
    policy = of_records(policy_in(settings, scope), settings, scope)
    with Memory(settings, scope, datetime.now(UTC), policy) as memory:
        found = [one for one in memory.assessed() if one.baseline and one.record.kind in _KINDS and _names(one, path)]
    best = min(found, key=lambda one: (one.tier, -one.record.created_at.timestamp()), default=None)
    if best is None:
        return None
    record = best.record
    opening = f"Accepted {record.kind} about {path}:"
    return Line("edit", "rule", f"file:{path}", record.ref, opening, [("", record.statement)], path)


def _names(assessed: Assessment, path: str) -> bool:
    """Whether a record rests on the file, or its statement names it by its path or its name."""
    record = assessed.record
    if any(anchor.path == path for anchor in record.anchors):
        return True
    words = record.statement.replace("`", " ").replace("'", " ").replace('"', " ").split()
    named = {word.strip(".,;:()[]") for word in words}
    return path in named or path.rsplit("/", 1)[-1] in named


def _naming(memory: str, path: str) -> Iterator[str]:
    """The files of the memory in which the name of a file comes up: most often none, and then nothing else is read."""
    name = os.fsencode(path.rsplit("/", 1)[-1])
    for folder, _, files in os.walk(memory):
        for file in files:
            if file.endswith((".md", ".json")):
                whole = os.path.join(folder, file)  # noqa: PTH118
                with open(whole, "rb") as stream:  # noqa: PTH123
                    if name in stream.read(_MAX_RECORD):
                        yield whole
