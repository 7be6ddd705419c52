"""Makes the index of reminders from stored sessions: those parts of them that are new or changed are read again."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.evidence import Step, read_steps
from aicx.evidence.conversation import exchanges
from aicx.evidence.kept import Key, part_stamps
from aicx.evidence.patterns import reading_version
from aicx.evidence.statements import decisions, is_announcement, weigh
from aicx.evidence.texts import sentences
from aicx.paths import NON_REPOSITORY, Layout
from aicx.refs import session_in
from aicx.reminders.index import (
    MAX_TEXT,
    SCHEMA,
    VERSION,
    Turn,
    asked_of_forge,
    commit_name,
    file_name,
    files_in,
    names_in,
    needle_of,
    normal,
    path_word,
    wording,
)
from aicx.sources.tools import changes_files
from aicx.storage.derived import forgiving, open_derived
from aicx.text import instant, shorten
from aicx.values import batches
from aicx.work.facts_index import chunks_of_parts, session_facts
from aicx.work.failures import Pattern, patterns
from aicx.work.session_facts import SessionFacts

# Of a report, how far it is read, how much of it is kept, and of one sentence.
_MAX_OUTCOME, _MAX_REPORT, _MAX_CAME = 12_000, 2_400, 320
# Fewer signs say nothing of what came of a question.
_MIN_CAME = 40
_NEVER = "~"  # later than any instant
_MAX_DECISIONS = 20  # of a session
_NEW = 0  # the id of a turn before it is kept
_AT_ONCE = 50  # parts a transaction: a killed run keeps what it had read


def refresh_reminders(settings: Settings) -> None:
    """Brings the index up to date with what is stored. Raises NotFound where nothing is."""
    layout = settings.layout
    with open_catalog(layout) as opened, closing(_open(layout)) as kept, forgiving(layout.reminders):
        catalog = opened.catalog
        state = f"{catalog.identity} {catalog.sequence}"
        if kept.execute("SELECT state FROM meta").fetchone() == (state,):
            return
        stamps = part_stamps(catalog)
        known = {tuple(row[:3]): row[3] for row in kept.execute("SELECT agent, session, project, stamp FROM parts")}
        changed = [key for key, stamp in stamps.items() if known.get(key) != stamp]
        gone = [key for key in known if key not in stamps]
        facts = {project: facts_of(layout, catalog, project) for project in {key[2] for key in (*changed, *gone)}}
        for some in batches(changed, _AT_ONCE):
            with kept:
                for key in some:
                    _drop(kept, key)
                    keep_turns(kept, key, turns_of(layout, catalog, facts[key[2]].get(key)))
                    kept.execute("INSERT INTO parts VALUES(?,?,?,?)", (*key, stamps[key]))
        with kept:
            for key in gone:
                _drop(kept, key)
            for project, sessions in facts.items():
                keep_project(kept, project, list(sessions.values()))
            kept.execute("DELETE FROM places")
            kept.executemany("INSERT OR IGNORE INTO places VALUES(?,?)", _places(catalog))
            kept.execute("UPDATE meta SET state=?", (state,))


def _open(layout: Layout) -> sqlite3.Connection:
    return open_derived(layout.reminders, reading_version(VERSION), SCHEMA)


def _places(catalog: Catalog) -> list[tuple[str, str]]:
    """The folders that sessions worked in, and their repositories; where two have one folder, it is of the later."""
    rows = catalog.rows(
        "SELECT cwd, project FROM chunks WHERE cwd!='' AND ignored=0 AND project!=? GROUP BY cwd, project"
        " ORDER BY max(started_at) DESC",
        [NON_REPOSITORY],
    )
    return [(row["cwd"], row["project"]) for row in rows]


def facts_of(layout: Layout, catalog: Catalog, project: str) -> dict[Key, SessionFacts]:
    """The sessions of a repository that a person asked; what a program asked, or an agent another, is nobody's."""
    where = f"project=? OR (project='{NON_REPOSITORY}' AND coalesce(cwd, project)=?)"
    found = session_facts(layout, catalog, where, [project, project])
    return {
        (one.agent, one.session_id, one.project): one
        for one in found
        if not one.automated and one.lane == "primary" and one.project == project
    }


def turns_of(layout: Layout, catalog: Catalog, facts: SessionFacts | None) -> Iterator[Turn]:
    """Yields what a session asked and what came of it, and what was decided in it or given up."""
    if facts is None:
        return
    key = (facts.agent, facts.session_id, facts.project)
    steps, _ = read_steps(layout, [row["path"] for row in chunks_of_parts(catalog, [key])[key]])
    yield from _asked(steps, facts)
    known = _by_name((*facts.edited, *facts.opened))
    for said in decisions(steps, _MAX_DECISIONS):
        paths = frozenset(path_word(_resolved(path, known)) for path in files_in(said.text))
        yield _decision(facts, "decided", instant(said.step.at, "seconds"), said.step.chunk, said.text, paths)
    for line in facts.given_up:
        if (chunk := _chunk(line.refs)) is not None:
            yield _decision(facts, "tried", line.at, chunk, line.text)


def _decision(
    facts: SessionFacts, kind: str, at: str, chunk: str, text: str, paths: frozenset[str] = frozenset()
) -> Turn:
    own = wording(text, facts.project).every
    return Turn(_NEW, facts.agent, facts.session_id, kind, at, chunk, text, "", own, paths)


def _asked(steps: Sequence[Step], facts: SessionFacts) -> Iterator[Turn]:
    """Yields what was asked by itself, and what came of it until the next such question."""
    found: list[tuple[str, Step, list[str]]] = []
    for prompt, outcome, _ in exchanges(steps):
        weight = weigh(prompt.text) if prompt else None
        if prompt is not None and weight is not None and weight.level > 1:
            found.append((weight.text, prompt, []))
        # What follows a "yes" or a "commit it" came of the question before.
        if found and outcome is not None:
            found[-1][2].append(outcome.text)
    made = sorted(_made(steps, facts))
    begins = [*(instant(prompt.at, "seconds") for _, prompt, _ in found), _NEVER]
    for (asked, prompt, outcomes), begin, end in zip(found, begins, begins[1:], strict=False):
        came = _came(outcomes)
        if not came:
            continue
        more = wording(came, facts.project, _MAX_REPORT).every.union(name for at, name in made if begin <= at < end)
        own = wording(asked, facts.project).every
        text = " ".join(asked[:MAX_TEXT].split())
        yield Turn(_NEW, facts.agent, facts.session_id, "asked", begin, prompt.chunk, text, came, own, more)


def _made(steps: Sequence[Step], facts: SessionFacts) -> Iterator[tuple[str, str]]:
    """Yields what a session changed, looked at on the forge, committed and opened there: when, and by what name."""
    for step in steps:
        if step.phase != "call":
            continue
        at = instant(step.at, "seconds")
        if changes_files(step.tool, step.text):
            yield from ((at, file_name(path)) for path in step.files)
        else:
            yield from ((at, name) for name in asked_of_forge(step.text[:MAX_TEXT], facts.project))
    for commit in facts.commits:
        yield from ((commit.at, commit_name(ref.partition(":")[2])) for ref in commit.refs if ref.startswith("commit:"))
    for opened in facts.pull_requests:
        yield from ((opened.at, name) for name in names_in(opened.text, facts.project))


def _came(outcomes: Iterable[str]) -> str:
    """Returns what an agent's words report, a sentence a line, without questions and announcements; may be empty."""
    lines, room = list[str](), _MAX_REPORT
    for said in (sentence.text for outcome in outcomes for sentence in sentences(outcome[:_MAX_OUTCOME])):
        if said.endswith(("?", ":")) or is_announcement(said):
            continue
        lines.append(shorten(said, _MAX_CAME))
        room -= len(lines[-1])
        if room < 0:
            break
    return "\n".join(lines) if _MAX_REPORT - room >= _MIN_CAME else ""


def _chunk(refs: Iterable[str]) -> str | None:
    """The chunk that a statement is from, by its id."""
    return next((ref.partition(":")[2] for ref in refs if ref.startswith("chunk:")), None)


def keep_turns(kept: sqlite3.Connection, key: Key, turns: Iterable[Turn]) -> None:
    project = key[2]
    every: set[str] = set()
    for turn in turns:
        words = turn.own | turn.more
        every |= words
        row = (project, *turn[1:8], "\n".join(sorted(turn.own)), "\n".join(sorted(turn.more)))
        made = kept.execute(
            "INSERT INTO turns(project, agent, session, kind, at, chunk, asked, came, own, more)"
            " VALUES(?,?,?,?,?,?,?,?,?,?)",
            row,
        ).lastrowid
        kept.executemany("INSERT INTO finds VALUES(?,?,?)", [(project, word, made) for word in words])
    kept.executemany(
        "INSERT INTO spread VALUES(?,?,1) ON CONFLICT DO UPDATE SET sessions=sessions+1",
        [(project, word) for word in every],
    )


def _drop(kept: sqlite3.Connection, key: Key) -> None:
    """Takes a part of a session out, with what its words count for."""
    agent, session, project = key
    of_part = "project=? AND agent=? AND session=?"
    turns = f"(SELECT id FROM turns WHERE {of_part})"
    values = (project, agent, session)
    words = kept.execute(f"SELECT DISTINCT word FROM finds WHERE turn IN {turns}", values).fetchall()
    kept.executemany(
        "UPDATE spread SET sessions=sessions-1 WHERE project=? AND word=?", [(project, word) for (word,) in words]
    )
    kept.execute("DELETE FROM spread WHERE project=? AND sessions<1", (project,))
    kept.execute(f"DELETE FROM finds WHERE turn IN {turns}", values)
    kept.execute(f"DELETE FROM turns WHERE {of_part}", values)
    kept.execute(f"DELETE FROM parts WHERE {of_part}", values)


def keep_project(kept: sqlite3.Connection, project: str, sessions: Sequence[SessionFacts]) -> None:
    """Writes which failures of a repository ended, which is known by all of its sessions."""
    kept.execute("DELETE FROM fixes WHERE project=?", (project,))
    kept.executemany(
        "INSERT OR IGNORE INTO fixes VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
        [(project, *row) for one in patterns(sessions) if (row := _fix(one)) is not None],
    )


def _fix(pattern: Pattern) -> tuple[str, ...] | None:
    """A failure with what resolved it, as a row; None where nothing is known that did, or its message is too short."""
    helped, last = pattern.helped, pattern.last
    needle = needle_of(last.message)
    named = session_in(helped.session) if helped else None
    if helped is None or needle is None or named is None:
        return None
    must = normal(last.test or (last.file or "").rsplit("/", 1)[-1])
    by = helped.by
    return (
        pattern.id, *named, by.ref.partition(":")[2], by.at, last.message, needle, must, last.command,
        "\n".join(by.files), "\n".join(by.commands),
    )  # fmt: skip


def _resolved(path: str, known: Mapping[str, Sequence[str]]) -> str:
    """The file that a session named, as the one that it opened or changed where there is one such."""
    same = [one for one in known.get(file_name(path), ()) if one == path or one.endswith(f"/{path}")]
    return same[0] if len(same) == 1 else path


def _by_name(paths: Iterable[str]) -> Mapping[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path in dict.fromkeys(paths):
        found[file_name(path)].append(path)
    return found
