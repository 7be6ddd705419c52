"""The watermarks of logs: what every log looked like when it was read, so that one that is unchanged is not opened."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.session_facts import AT_ONCE
from aicx.sources.items import LogFile, LogIdentity
from aicx.values import batches

# Raised whenever the readers of logs tell people from programs, or sessions from their parts, by other rules.
READ_BY = "2"
_READING = "reading"


def was_read_as_now(catalog: Catalog) -> bool:
    """Whether every log was last read by the rules of today, so that an unchanged one says nothing new."""
    known = catalog.meta(_READING)
    return known == READ_BY or (known is None and not catalog.rows("SELECT 1 FROM sources LIMIT 1"))


def note_reading(catalog: Catalog) -> None:
    """Says that every log was read by the rules of today."""
    catalog.set_meta(_READING, READ_BY)


def fingerprints(catalog: Catalog) -> dict[str, str]:
    """Path of every log read so far -> its fingerprint then."""
    return dict(catalog.connection.execute("SELECT path, fingerprint FROM sources"))


def session_paths(catalog: Catalog, agent: str, sessions: Sequence[str]) -> dict[str, list[str]]:
    """Every log known to hold a part of each of these sessions."""
    found: dict[str, list[str]] = {session_id: [] for session_id in sessions}
    for part in batches(sessions, AT_ONCE):
        where = f"agent=? AND session_id IN ({','.join('?' * len(part))})"
        for row in catalog.rows(f"SELECT session_id, path FROM sources WHERE {where}", [agent, *part]):
            found[row["session_id"]].append(row["path"])
    return found


def problems_of(catalog: Catalog, path: str) -> list[str]:
    """Returns what could not be read of a log, in its order."""
    rows = catalog.rows("SELECT problems FROM sources WHERE path=? AND problems IS NOT NULL", (path,))
    return list(orjson.loads(rows[0]["problems"])) if rows else []


def drop_places(catalog: Catalog) -> None:
    """Forgets where reading of each log stopped, so that every log which changes is read whole."""
    catalog.connection.execute("DROP TABLE IF EXISTS places_read")


def record_source(
    catalog: Catalog, log: LogFile, identity: LogIdentity, problems: Sequence[str], name: str = ""
) -> None:
    """Sets the watermark of a log: unchanged since, it need not be read again.

    ``name`` takes the place of a path that holds a secret.
    """
    if name and name != str(log.path):
        catalog.connection.execute("DELETE FROM sources WHERE path=?", (str(log.path),))
    told = orjson.dumps(list(problems)).decode() if problems else None
    row = (name or str(log.path), log.agent, log.format, log.size, log.fingerprint, identity.session_id, told)
    catalog.connection.execute("INSERT OR REPLACE INTO sources VALUES (?,?,?,?,?,?,?)", row)
