"""Settles the catalogue's facts about each session as a whole: its title, and whether a program ran it.

Both depend on other sessions too: a prompt that many share names none of them, and one that comes again and again, word
for word, is a program's. So they are settled at the end of each change, for the sessions that changed and those that
share a prompt or a title with them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from aicx.corpus.files.sidecar import FORGOTTEN
from aicx.telling import count_telling
from aicx.titles import name_given, name_of_session, names_number_alone, points_at_branch, with_work

# The title that was given to a session from outside its log, by agent and id.
LateTitle = Callable[[str, str], str | None]
# A prompt this long (in bytes) that opened as many sessions of a single prompt each was sent by a program.
_MIN_PROMPT, _MIN_RUNS = 200, 4
_WORKS = ("commit", "plan", "result", "files")  # what says most of what was done first
_TRUNKS = (None, "main", "master", "trunk", "develop", "HEAD")
# A prompt that gives a role says what the model is to be and not what was done; nor does one that a program repeats.
_ROLE = "you are "

_PARTS = """SELECT n.*, c.title, c.branch FROM chunks c LEFT JOIN names n ON n.chunk = c.rowid
 WHERE c.agent=? AND c.session_id=? AND c.ignored=0 ORDER BY c.stream, c.number"""


def settle(connection: sqlite3.Connection, sessions: Iterable[tuple[str, str]], late_title: LateTitle) -> None:
    """Brings the rows of the named sessions up to date, and those of others whose title or state follows from them."""
    bases: set[str] = set()
    prompts: set[str] = set()
    for agent, session_id in sorted(sessions):
        for row in _rows(
            connection, "SELECT base, prompt_key FROM sessions WHERE agent=? AND session_id=?", (agent, session_id)
        ):
            _note(row["base"], row["prompt_key"], bases, prompts)
        found = _gather(connection, agent, session_id, late_title)
        if found is None:
            connection.execute("DELETE FROM sessions WHERE agent=? AND session_id=?", (agent, session_id))
            continue
        _note(found["base"], found["prompt_key"], bases, prompts)
        names = ", ".join(found)
        marks = ", ".join("?" * len(found))
        # A session without a prompt or a title is settled with this; the others below, with those like them.
        connection.execute(
            f"INSERT OR REPLACE INTO sessions ({names}, title, automated_why) VALUES ({marks}, ?, ?)",
            (*found.values(), found["base"], None if found["typed"] else found["evidence"]),
        )
    for key in sorted(prompts):
        bases |= _settle_runs(connection, _rows(connection, "SELECT * FROM sessions WHERE prompt_key=?", (key,)))
    for base in sorted(bases):
        _settle_titles(connection, _rows(connection, "SELECT * FROM sessions WHERE base=?", (base,)))


def settle_all(connection: sqlite3.Connection, late_title: LateTitle) -> None:
    """Settles every session, for a catalogue that was filled without a commit."""
    rows = _rows(connection, "SELECT DISTINCT agent, session_id FROM chunks")
    settle(connection, [(row["agent"], row["session_id"]) for row in rows], late_title)


def _rows(connection: sqlite3.Connection, query: str, values: Sequence[str] = ()) -> list[sqlite3.Row]:
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(query, values).fetchall()


def _note(base: str | None, prompt_key: str | None, bases: set[str], prompts: set[str]) -> None:
    if base:
        bases.add(base)
    if prompt_key:
        prompts.add(prompt_key)


def _gather(
    connection: sqlite3.Connection, agent: str, session_id: str, late_title: LateTitle
) -> dict[str, Any] | None:
    """Joins the facts of a session's chunks; None where no chunk is left."""
    parts = _rows(connection, _PARTS, (agent, session_id))
    if not parts:
        return None
    given = name_given(late_title(agent, session_id)) or next(
        (part["topic"] for part in reversed(parts) if part["topic_from"] == "agent"), None
    )
    topics = [
        (part["topic"], part["topic_from"]) for part in parts if part["topic_from"] not in (None, "agent", "none")
    ]
    topics = [one for one in dict.fromkeys(topics) if one[0] != FORGOTTEN]  # most chunks repeat the one before
    # A prompt that says too little gives way to a later one that says more; what comes after that is another matter.
    topic, source = (
        (given, "agent")
        if given
        else next(
            (one for one in topics if one[1] not in ("weak", "said")),
            max(topics, key=lambda one: (one[1] == "weak", count_telling(one[0])), default=(None, None)),
        )
    )
    works = [(part["work"], part["work_from"]) for part in parts if part["work"]]
    # What was found last answers the prompt, where there is one; else what was found first is what it is about.
    is_one = sum(part["prompts"] or 0 for part in parts) < 2
    by_kind = ([one for one in works if one[1] == kind] for kind in _WORKS)
    work, work_from = next(
        (some[-1] if is_one and some[0][1] == "result" else some[0] for some in by_kind if some), (None, None)
    )
    branch = next((part["branch"] for part in parts if part["branch"] not in _TRUNKS), None)
    if branch and source != "agent" and points_at_branch(topic or ""):
        work, work_from = f"{branch}: {work}" if work and work_from != "files" else branch, work_from or "branch"
    # Sessions with one title, as forks have, are told apart by what was done or asked in each.
    if given and names_number_alone(given):
        source = "thing"
    own = work if work_from == "commit" else next((part["title"] for part in parts if part["prompts"]), None)
    typed = sum(part["typed"] or 0 for part in parts)
    opened = next((part for part in parts if part["prompt_key"]), None)
    base = name_of_session(topic, source, work, work_from) or next(
        (part["title"] for part in parts if part["title"]), None
    )
    if base and work_from == "result":  # it stands beside what was asked, where the base does not say it already
        work = with_work(base, work) if base == topic else base
    return {
        "agent": agent,
        "session_id": session_id,
        "base": base,
        "work": own if typed and given else work,
        "evidence": next((part["automated_why"] for part in parts if part["automated_why"]), None),
        "prompt_key": opened["prompt_key"] if opened else None,
        "prompt_size": opened["prompt_size"] if opened else 0,
        "prompts": sum(part["prompts"] or 0 for part in parts),
        "typed": typed,
    }


def _settle_runs(connection: sqlite3.Connection, members: Sequence[sqlite3.Row]) -> set[str]:
    """Marks which of the sessions with one first prompt a program ran; returns the titles of those that changed."""
    alone = [one for one in members if one["prompts"] == 1 and one["prompt_size"] >= _MIN_PROMPT]
    changed = set()
    for one in members:
        why = None if one["typed"] else one["evidence"]
        if why is None and one in alone and len(alone) >= _MIN_RUNS:
            why = f"the same prompt began {len(alone)} sessions of one prompt each"
        if why != one["automated_why"]:
            _set(connection, one, "automated_why", why)
            changed.add(one["base"])
    return changed - {None}


def _settle_titles(connection: sqlite3.Connection, members: Sequence[sqlite3.Row]) -> None:
    """Tells sessions with one title apart by what was done in each."""
    for one in members:
        title = one["base"]
        if len(members) > 1:
            is_run = one["automated_why"] is not None or title.lower().startswith(_ROLE)
            title = (one["work"] or title) if is_run else with_work(title, one["work"])
        if title != one["title"]:
            _set(connection, one, "title", title)


def _set(connection: sqlite3.Connection, session: sqlite3.Row, column: str, value: str | None) -> None:
    connection.execute(
        f"UPDATE sessions SET {column}=? WHERE agent=? AND session_id=?",
        (value, session["agent"], session["session_id"]),
    )
