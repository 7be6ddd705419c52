"""The facts of every stored session, each of which is read once and again when it has changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.query import open_catalog
from aicx.corpus.places.stored import chunks_of
from aicx.evidence.kept import KeptParts, Key, part_stamps
from aicx.git import Roots, repository_of
from aicx.git.identity import find_repository
from aicx.paths import NON_REPOSITORY, Layout
from aicx.storage.derived import forgiving
from aicx.values import batches
from aicx.work.session_facts import SessionFacts, SessionPart, decode

if TYPE_CHECKING:
    from aicx.evidence import Step

Progress = Callable[[int, int], None]
# Sessions a transaction, and a worker's task, and what share of all that at least is: a killed run keeps what it had
# read, and a transaction waits for the disk.
_AT_ONCE, _SHARE = 20, 100
_WORTH_WORKERS = 60  # sessions from which on workers save more than it takes to start them
# Chunks of a long session that are read at once. What was done before the last of them, or the last two, is kept.
_STRETCH = 128
_MAX_NAMED = 300  # sessions in one query
# Of a chunk outside all repositories, its folder stands for one.
_CHUNKS = f"""SELECT c.agent, c.session_id, project, CASE project WHEN '{NON_REPOSITORY}' THEN coalesce(cwd, project)
 END AS place, path, cwd, branch, lane, sequence, s.title AS session_title, s.automated_why FROM chunks c
 LEFT JOIN sessions s ON s.agent=c.agent AND s.session_id=c.session_id
 WHERE c.session_id IN ({{}}) AND stream='' AND +ignored=0 ORDER BY number"""


def session_facts(
    layout: Layout, catalog: Catalog, where: str = "1", values: Sequence[str] = (), progress: Progress | None = None
) -> list[SessionFacts]:
    """The facts of those sessions that ``where``, a condition in SQL on chunks, holds for, the last ended first.

    Sessions that are new or changed since they were read last are read now; ``progress`` is called with how many of
    them have been read, and of how many.
    """
    return facts_of_parts(layout, catalog, part_stamps(catalog, where, values), progress)


def facts_of_parts(
    layout: Layout, catalog: Catalog, stamps: Mapping[Key, str], progress: Progress | None = None
) -> list[SessionFacts]:
    """As `session_facts`, of the sessions that ``stamps`` names as they are now."""
    with closing(KeptParts(layout, "facts")) as kept:
        known = _known(kept, stamps)
        for found in _reading(layout, catalog, kept, stamps, [key for key in stamps if key not in known], progress):
            known |= found
    return _newest_first(known)


def facts_so_far(
    layout: Layout, catalog: Catalog, where: str = "1", values: Sequence[str] = ()
) -> tuple[list[SessionFacts], int]:
    """As `session_facts` for who cannot wait: none is read, and how many have not been read as they are is told."""
    stamps = part_stamps(catalog, where, values)
    with closing(KeptParts(layout, "facts", create=False)) as kept:
        known = _known(kept, stamps)
    return _newest_first(known), len(stamps) - len(known)


def refresh_facts(layout: Layout, catalog: Catalog, progress: Progress | None = None, *, workers: int = 1) -> None:
    """Reads every session that is new or changed since it was read last, and drops those that are no longer stored.

    Where there are many, on several cores.
    """
    state = f"{catalog.identity} {catalog.sequence}"
    with closing(KeptParts(layout, "facts")) as kept:
        known: dict[Key, str] = {}
        with forgiving(kept.path):
            if kept.file.execute("SELECT state FROM meta").fetchone() == (state,):
                return
            known = kept.stamps()
        stamps = part_stamps(catalog, "1", ())
        missing = [key for key, stamp in stamps.items() if known.get(key) != stamp]
        for _ in _reading(layout, catalog, kept, stamps, missing, progress, workers):
            pass
        with forgiving(kept.path), kept.file:
            kept.file.execute("BEGIN IMMEDIATE")
            kept.drop([key for key in kept.stamps() if key not in stamps])
            kept.file.execute(
                "DELETE FROM briefs WHERE (agent, session_id) NOT IN (SELECT agent, session_id FROM facts)"
            )
            if kept.stamps() == stamps:  # another process may have written what it had read before
                kept.file.execute("UPDATE meta SET state=?", (state,))


def _newest_first(known: Mapping[Key, SessionFacts | None]) -> list[SessionFacts]:
    every = [facts for facts in known.values() if facts is not None]
    return sorted(every, key=lambda facts: (facts.ended_at, facts.session_id), reverse=True)


def _reading(
    layout: Layout,
    catalog: Catalog,
    kept: KeptParts,
    stamps: Mapping[Key, str],
    missing: Sequence[Key],
    progress: Progress | None,
    workers: int = 1,
) -> Iterator[dict[Key, SessionFacts | None]]:
    """Reads sessions, some at a time, and keeps what they say."""
    step = max(_AT_ONCE, len(missing) // _SHARE)
    before = kept.known({key: stamps[key] for key in missing}, former=True)
    groups = [*batches(missing, step)]
    tasks = [(layout, [(key, before.get(key, b"")) for key in keys]) for keys in groups]
    if workers > 1 and len(missing) >= _WORTH_WORKERS and catalog.identity:  # one made in memory is only here
        from aicx.corpus.ingest.workers import map_in_order  # imported here: most often little is missing

        readings = map_in_order(_read_apart, tasks, workers)
    else:
        readings = (_read_parts(layout, catalog, asked) for _, asked in tasks)
    done = 0
    for keys, read in zip(groups, readings, strict=True):
        rows = list(zip(keys, read, strict=True))
        kept.put((key, stamps[key], (facts.encode() if facts else b"") + begun) for key, (facts, begun) in rows)
        done += len(keys)
        if progress is not None:
            progress(done, len(missing))
        yield {key: facts for key, (facts, _) in rows}


def _read_apart(task: tuple[Layout, Sequence[tuple[Key, bytes]]]) -> list[tuple[SessionFacts | None, bytes]]:
    """Reads sessions in a worker, by the catalogue on disk."""
    layout, asked = task
    with open_catalog(layout) as opened:
        return _read_parts(layout, opened.catalog, asked)


def _read_parts(
    layout: Layout, catalog: Catalog, asked: Sequence[tuple[Key, bytes]]
) -> list[tuple[SessionFacts | None, bytes]]:
    chunks = chunks_of_parts(catalog, [key for key, _ in asked])
    return [_read(layout, catalog.identity, key, chunks[key], before) for key, before in asked]


def chunks_of_parts(catalog: Catalog, keys: Sequence[Key]) -> dict[Key, list[sqlite3.Row]]:
    """The chunks of sessions' parts in repositories, in order: the columns of ``_CHUNKS``."""
    found: dict[tuple[str, str], list[sqlite3.Row]] = {}
    named = list({session_id for _, session_id, _ in keys})
    for part in batches(named, _MAX_NAMED):
        for row in catalog.rows(_CHUNKS.format(",".join("?" * len(part))), part):
            found.setdefault((row["agent"], row["session_id"]), []).append(row)
    return {key: [row for row in found.get(key[:2], ()) if key[2] in (row["project"], row["place"])] for key in keys}


def _read(
    layout: Layout, identity: str, key: Key, rows: Sequence[sqlite3.Row], before: bytes
) -> tuple[SessionFacts | None, bytes]:
    """The facts of a session, and of a long one what is kept behind them: those of all but its end, to go on with.

    ``before`` is what was kept of it. A stretch is told in the same way whether more chunks follow by now or later.
    """
    agent, session_id, place = key
    # Imported here: most often there is nothing to read.
    from aicx.evidence import read_steps
    from aicx.evidence.calls import OtherRepositories
    from aicx.work.deriving import derive

    folders = [row["cwd"] for row in rows if row["cwd"]]
    # A working tree inside the repository may be in a folder of folders, as of a branch with a slash in its name.
    roots = Roots.of([*map(repository_of, folders), *folders])
    part = SessionPart(
        agent,
        session_id,
        place,
        next(iter(folders), None),
        next((row["branch"] for row in reversed(rows) if row["branch"]), None),
        next((row["lane"] for row in rows if row["lane"]), "primary"),
        bool(rows and rows[0]["automated_why"] is not None),
        rows[0]["session_title"] if rows else None,
    )
    paths, elsewhere = [row["path"] for row in rows], OtherRepositories(place, roots)

    def stamp(end: int) -> bytes:
        numbers = [row["sequence"] for row in rows[:end]]
        return f"{end} {identity} {min(numbers)} {max(numbers)} {part.folder!r} {roots.folders}".encode()

    def steps(begin: int, end: int) -> list[Step]:
        # A call whose answer is in the next chunk is read with that.
        asked = _waiting(read_steps(layout, paths[begin - 1 : begin])[0]) if begin else []
        found, _ = read_steps(layout, paths[begin:end])
        return [*asked, *(found[: len(found) - len(_waiting(found))] if end < len(paths) else found)]

    facts, begin = None, 0
    ends = range(_STRETCH, len(rows) - _STRETCH, _STRETCH)
    _, known, body = [*before.split(b"\n"), b"", b""][:3]
    if known and (end := int(known.partition(b" ")[0])) in ends and known == stamp(end):
        facts, begin = decode(body), end
    for end in ends[begin // _STRETCH :]:
        facts, begin = derive(part, steps(begin, end), elsewhere, facts), end
    begun = b"\n%b\n%b" % (stamp(begin), facts.encode()) if facts else b""
    return derive(part, steps(begin, len(paths)), elsewhere, facts), begun


def _waiting(steps: Sequence[Step]) -> list[Step]:
    """The calls at the end that nothing there answers."""
    return list(takewhile(lambda step: step.phase == "call", reversed(steps)))[::-1]


def _known(kept: KeptParts, stamps: Mapping[Key, str]) -> dict[Key, SessionFacts | None]:
    found: dict[Key, SessionFacts | None] = {}
    for key, body in kept.known(stamps).items():
        with suppress(ValueError, TypeError, LookupError):
            told = body.partition(b"\n")[0]
            found[key] = decode(told) if told else None
    return found


def facts_at(
    settings: Settings, folder: Path | None, progress: Callable[[int, int], None] | None = None
) -> tuple[list[SessionFacts], list[str]]:
    """The facts of the stored sessions, the last ended first, and notes on what could not be read.

    Raises NotFound where nothing is stored yet, or there is no such folder.
    """
    root = find_repository(folder).root if folder else None
    with open_catalog(settings.layout) as opened:
        where, values = chunks_of(opened.catalog, settings, root) if root else ("1", [])
        found = session_facts(settings.layout, opened.catalog, where, values, progress)
        return found, [*([opened.fallback_reason] if opened.fallback_reason else []), *opened.notes]


def refresh_all(settings: Settings, progress: Callable[[int, int], None] | None = None) -> None:
    """Reads every stored session that is new or changed, so that whoever asks next need not wait for it."""
    with open_catalog(settings.layout) as opened:
        refresh_facts(settings.layout, opened.catalog, progress, workers=settings.workers)
