"""Settles the catalogue's facts about each session as a whole: its title, and whether a program ran it.

Both depend on other sessions too: a prompt that many share names none of them, and one that comes again and again, word
for word, is a program's. So they are settled at the end of each change, for the sessions that changed and those that
share a prompt or a title with them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import filterfalse, zip_longest
from typing import Any

from aicx import titles
from aicx.corpus.files import FORGOTTEN
from aicx.telling import count_telling, title_rules
from aicx.values import batches

# A prompt this long (in bytes) that opened as many sessions of a single prompt each was sent by a program.
_MIN_PROMPT, _MIN_RUNS = 200, 4
_WORKS = ("commit", "plan", "result", "files")  # what says most of what was done first
_TRUNKS = (None, "main", "master", "trunk", "develop", "HEAD")
# A prompt that gives a role says what the model is to be and not what was done; nor does one that a program repeats.
_ROLE = "you are "

AT_ONCE = 300  # sessions in one query
_ASKED = "WITH asked(agent, session_id) AS (VALUES {})"
_BEFORE = f"{_ASKED} SELECT base, prompt_key FROM asked JOIN sessions USING (agent, session_id)"
_PARTS = f"""{_ASKED} SELECT c.agent, c.session_id, n.*, c.title, c.branch, l.title AS late_title FROM asked
 CROSS JOIN chunks c USING (agent, session_id) LEFT JOIN names n ON n.chunk = c.rowid
 LEFT JOIN late_titles l USING (agent, session_id) WHERE +c.ignored=0 ORDER BY c.stream, c.number"""
_PUT = """INSERT OR REPLACE INTO sessions (agent, session_id, base, work, evidence, prompt_key, prompt_size, prompts,
 typed, title, automated_why) VALUES (?,?,?,?,?,?,?,?,?,?,?)"""


def settle(connection: sqlite3.Connection, sessions: Iterable[tuple[str, str]]) -> None:
    """Brings the rows of the named sessions up to date, and those of others whose title or state follows from them."""
    bases: set[str] = set()
    prompts: set[str] = set()
    for part in batches(sorted(sessions), AT_ONCE):
        marks, names = ",".join(["(?,?)"] * len(part)), [name for session in part for name in session]
        before = _rows(connection, _BEFORE.format(marks), names)
        chunks: dict[tuple[str, str], list[sqlite3.Row]] = {session: [] for session in part}
        for row in _rows(connection, _PARTS.format(marks), names):
            chunks[row["agent"], row["session_id"]].append(row)
        found = [_gather(*session, rows) for session, rows in chunks.items() if rows]
        known = [(one["base"], one["prompt_key"]) for one in before]
        for base, prompt in known + [(one["base"], one["prompt_key"]) for one in found]:
            bases |= {base} - {None}
            prompts |= {prompt} - {None}
        gone = [session for session, rows in chunks.items() if not rows]
        connection.executemany("DELETE FROM sessions WHERE agent=? AND session_id=?", gone)
        # A session without a prompt or a title is settled with this; the others below, with those like them.
        rows = [(*one.values(), one["base"], None if one["typed"] else one["evidence"]) for one in found]
        connection.executemany(_PUT, rows)
    for members in _alike(connection, "prompt_key", prompts):
        bases |= _settle_runs(connection, members)
    for members in _alike(connection, "base", bases):
        _settle_titles(connection, members)


def settle_all(connection: sqlite3.Connection) -> None:
    """Settles every session, for a catalogue that was filled without a commit."""
    rows = _rows(connection, "SELECT DISTINCT agent, session_id FROM chunks")
    settle(connection, [(row["agent"], row["session_id"]) for row in rows])


def _alike(connection: sqlite3.Connection, column: str, names: Iterable[str]) -> Iterator[list[sqlite3.Row]]:
    """The sessions that have each of some names in a column."""
    for part in batches(sorted(names), AT_ONCE):
        members: dict[str, list[sqlite3.Row]] = {}
        for row in _rows(connection, f"SELECT * FROM sessions WHERE {column} IN ({','.join('?' * len(part))})", part):
            members.setdefault(row[column], []).append(row)
        yield from members.values()


def _rows(connection: sqlite3.Connection, query: str, values: Sequence[str] = ()) -> list[sqlite3.Row]:
    cursor = connection.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(query, values).fetchall()


def _gather(agent: str, session_id: str, parts: Sequence[sqlite3.Row]) -> dict[str, Any]:
    """Joins the facts of a session's chunks."""
    # What was planned last before the person stopped the agent is not done.
    works = [
        (part["work"], part["work_from"])
        for part, after in zip_longest(parts, parts[1:])
        if part["work"] and not (part["work_from"] == "plan" and after and after["work_from"] == "stopped")
    ]
    prompted = [part["title"] for part in parts if part["prompts"] and part["title"]]
    topic, source = _topic(parts, prompted, works)
    is_given = source == "agent"
    # What was found last answers the prompt, where there is one; else what was found first is what it is about.
    is_one = sum(part["prompts"] or 0 for part in parts) < 2
    by_kind = ([one for one in works if one[1] == kind] for kind in _WORKS)
    work, work_from = next(
        (some[-1] if is_one and some[0][1] == "result" else some[0] for some in by_kind if some), (None, None)
    )
    if work_from == "commit":
        work = titles.best_subject(text for text, kind in works if kind == "commit") or work
    branch = next((part["branch"] for part in parts if part["branch"] not in _TRUNKS), None)
    if branch and source != "agent" and titles.points_at_branch(topic or ""):
        work, work_from = f"{branch}: {work}" if work and work_from != "files" else branch, work_from or "branch"
    # Sessions with one title, as forks have, are told apart by what was done or asked in each.
    if topic and (
        titles.names_number_alone(topic) or (source in ("agent", "prompt") and titles.names_no_object(topic))
    ):
        source = "thing"
    # A question, and what leans on something said before, tell a session apart no better than what was found.
    asked = [*filterfalse(titles.leans, prompted), work, *prompted]
    own = work if work_from in ("commit", "plan") else next(filter(None, asked), None)
    typed = sum(part["typed"] or 0 for part in parts)
    opened = next((part for part in parts if part["prompt_key"]), None)
    base = titles.name_of_session(topic, source, work, work_from) or next(
        (part["title"] for part in parts if part["title"]), None
    )
    if base and work_from == "result":  # it stands beside what was asked, where the base does not say it already
        work = titles.with_work(base, work) if base == topic else base
    return {
        "agent": agent,
        "session_id": session_id,
        "base": base,
        "work": own if typed and is_given else work,
        "evidence": next((part["automated_why"] for part in parts if part["automated_why"]), None),
        "prompt_key": opened["prompt_key"] if opened else None,
        "prompt_size": opened["prompt_size"] if opened else 0,
        "prompts": sum(part["prompts"] or 0 for part in parts),
        "typed": typed,
    }


def _topic(
    parts: Sequence[sqlite3.Row], prompted: Sequence[str], works: Sequence[tuple[str, str]]
) -> tuple[str | None, str | None]:
    """What a session was about, and where that is from (see `Naming`): its client's title, else what was asked."""
    given = titles.name_given(parts[0]["late_title"]) or next(
        (part["topic"] for part in reversed(parts) if part["topic_from"] == "agent"), None
    )
    topics = [
        (part["topic"], part["topic_from"]) for part in parts if part["topic_from"] not in (None, "agent", "none")
    ]
    topics = [one for one in dict.fromkeys(topics) if one[0] != FORGOTTEN]  # most chunks repeat the one before
    built = {kind for _, kind in works} & {"commit", "plan", "files"}
    # A client says what was built of a session that built nothing, and the person what was asked for. And it takes
    # the name of something that was quoted: of what was neither asked for nor done.
    if (
        given
        and not built
        and any(one[1] in ("prompt", "thing") for one in topics)
        and title_rules().made.search(given)
    ):
        given = None
    is_foreign = given and not titles.names_number_alone(given) and not titles.akin(given, (*prompted, *dict(works)))
    if is_foreign and prompted and "commit" in built:
        return prompted[0], "thing"
    if given:
        return given, "agent"
    # A prompt that says too little gives way to a later one that says more; what comes after that is another matter.
    topic, source = next(
        (one for one in topics if one[1] not in ("weak", "said")),
        max(topics, key=lambda one: (one[1] == "weak", count_telling(one[0])), default=(None, None)),
    )
    if topic and source in ("prompt", "thing", "weak") and topic in prompted:
        then = next(iter(prompted[prompted.index(topic) + 1 :]), "")
        topic = then if titles.takes_back(then, topic) and then not in dict(works) else topic
    return topic, source


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
            title = (one["work"] or title) if is_run else titles.with_work(title, one["work"])
        if title != one["title"]:
            _set(connection, one, "title", title)


def _set(connection: sqlite3.Connection, session: sqlite3.Row, column: str, value: str | None) -> None:
    connection.execute(
        f"UPDATE sessions SET {column}=? WHERE agent=? AND session_id=?",
        (value, session["agent"], session["session_id"]),
    )
