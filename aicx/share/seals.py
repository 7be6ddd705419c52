"""Seals: the rows of the table ``sessions``, each of which says that a generation of a session is whole, or is gone;
what they say together, and whether the rows are those that they name.

A push appends the rows of a generation and then its seal, so a reader never sees half a session. Only one machine
writes seals with its key, so ``sequence`` orders them without any clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Annotated, Any
from uuid import uuid4

from aicx.share.tables import (
    CHUNKS,
    LEASE,
    Database,
    committed,
    find_table,
    lease_table,
    read_rows,
    reading,
    write_rows,
)
from aicx.values import dataclass
from indexer.vector_table import sql_list


@dataclass(frozen=True, slots=True)
class Seal:
    """One seal. ``version`` is that of the table of rows from which on it has all of them; ``source`` changes with what
    the session was made of. With ``deleted_at`` it is a tombstone: its member wants the session hidden everywhere, and
    ``source`` is the generation that has to go."""

    key: str
    member: str
    machine: str
    agent: str
    session_id: str
    generation: str
    sequence: int
    rows: int = 0
    digest: str = ""
    source: str = ""
    version: int = 0
    pushed_at: str = ""
    deleted_at: str | None = None


# What the row of a deletion is called in the table of upkeep.
_STALE = "stale "
# In the address of a row the number of its fragment is above these bits.
_FRAGMENT = 32
_COLUMNS = tuple(Seal.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class Sealed:
    """The seals of a database together, as of one state of it."""

    newest: Mapping[str, Seal]  # by key, whatever it says
    live: Mapping[str, Seal]  # by key, what a reader of the rows may see
    hidden: frozenset[tuple[str, str, str]]  # member, agent and session of every tombstone

    def generations(self) -> dict[str, Seal]:
        """The generations that a reader may see."""
        return {seal.generation: seal for seal in self.live.values()}

    def of(self, own: str) -> dict[str, Seal]:
        """The newest seals of a machine."""
        return {key: seal for key, seal in self.newest.items() if f"{seal.member}/{seal.machine}" == own}


def read_seals(database: Database) -> Sealed:
    """The seals as they are now, compared with the rows as the database was last refreshed."""
    with reading(database.uri):
        committed(database.sessions.checkout_latest)
        rows = read_rows(database.sessions, _COLUMNS)
        version = int(database.chunks.version)
    return sealed((Seal(**row) for row in rows), version)


def sealed(seals: Iterable[Seal], version: int) -> Sealed:
    """Returns what seals say, in whichever order they come, to a reader of the rows in that version."""
    newest: dict[str, Seal] = {}
    visible: dict[str, Seal] = {}
    for seal in seals:
        for known in (newest, visible) if seal.version <= version else (newest,):
            if seal.key not in known or _order(seal) > _order(known[seal.key]):
                known[seal.key] = seal
    hidden = frozenset((one.member, one.agent, one.session_id) for one in newest.values() if one.deleted_at)
    live = {
        key: seal
        for key, seal in visible.items()
        if seal.generation and not seal.deleted_at and (seal.member, seal.agent, seal.session_id) not in hidden
    }
    return Sealed(newest, live, hidden)


def write_seals(database: Database, seals: Sequence[Seal]) -> None:
    """Appends seals in one commit. A seal that is written twice says the same."""
    write_rows(database.sessions, [{name: getattr(seal, name) for name in _COLUMNS} for seal in seals])


def drop_superseded(database: Database, own: str, newest: Mapping[str, Seal]) -> None:
    """Deletes a machine's seals but for the newest of each key and the one before, which a reader may still go by."""
    member, _, machine = own.partition("/")
    with reading(database.uri):
        rows = read_rows(database.sessions, ("key", "sequence"), owned(member, machine))
        old = {row["key"] for row in rows if row["sequence"] < newest[row["key"]].sequence - 1}
        for key in sorted(old):
            condition = f"key = {sql_list([key])} AND sequence < {newest[key].sequence - 1}"
            committed(partial(database.sessions.delete, condition))


def drop_rows(database: Database, where: str) -> None:
    """Deletes rows so that no file of the newest state holds them: what else is in their files is written anew first.

    A deletion alone only marks a row. Killed between the two, it is done again, as the rows are still there. What the
    indexes have of them goes with the next upkeep. A service does all this by itself once a row is deleted.
    """
    with reading(database.uri):
        committed(database.chunks.checkout_latest)
        if database.is_service:
            committed(partial(database.chunks.delete, where))
            return
        found = committed(database.chunks.search().where(where).with_row_id(True).select(["draw"]).to_arrow)
        if not found.num_rows:
            return
        mark_stale(database)
        for fragment in sorted({row >> _FRAGMENT for row in found["_rowid"].to_pylist()}):
            inside = f"_rowid >= {fragment << _FRAGMENT} AND _rowid < {(fragment + 1) << _FRAGMENT} AND NOT ({where})"
            committed(partial(database.chunks.update, where=inside, values_sql={"draw": "draw"}))
        committed(partial(database.chunks.delete, where))
        mark_stale(database)  # again, for an upkeep that came before the deletion


def owned(member: str, machine: str) -> str:
    """The condition for the rows of a machine."""
    return f"member = {sql_list([member])} AND machine = {sql_list([machine])}"


def _order(seal: Seal) -> tuple[int, str]:
    return seal.sequence, seal.generation


def mark_stale(database: Database) -> None:
    """Records that rows are deleted for good, until the indexes are made anew: also by another machine."""
    import pyarrow as pa

    row = pa.table({"name": [f"{_STALE}{uuid4().hex}"], "holder": [""], "beat": [""]})
    with reading(database.uri):
        committed(lambda: lease_table(database).add(row))


def read_stale(database: Database) -> list[str]:
    """The marks of deletions that the indexes still have something of."""
    table = find_table(database.connection, database.uri, LEASE)
    if table is None:
        return []
    with reading(database.uri):
        return [row["name"] for row in read_rows(table, ("name",), f"starts_with(name, '{_STALE}')")]


def row_digest(sidecar: str, text: str) -> str:
    """The checksum of what a row quotes."""
    return sha256(f"{sidecar}\0{text}".encode()).hexdigest()


def digest_of(rows: Iterable[Mapping[str, Any]]) -> str:
    """The digest of a generation: of its rows in any order."""
    return sha256("\n".join(sorted(f"{row['key']} {row['sha256']}" for row in rows)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class MemberPart:
    """The part of a share that is of one machine of a member."""

    member: str
    machine: str
    sessions: int
    chunks: int
    pushed_at: Annotated[str, "time of its last push, by its own clock"]


@dataclass(frozen=True, slots=True)
class Unsound:
    """A session whose rows are not those that its seal names."""

    key: Annotated[str, "member, machine, agent and session"]
    reason: str


def list_parts(seals: Sealed) -> list[MemberPart]:
    """Returns what each machine shares, by name."""
    found: dict[tuple[str, str], list[Seal]] = {}
    for seal in seals.live.values():
        found.setdefault((seal.member, seal.machine), []).append(seal)
    return [
        MemberPart(member, machine, len(own), sum(one.rows for one in own), max(one.pushed_at for one in own))
        for (member, machine), own in sorted(found.items())
    ]


def verify_database(database: Database) -> tuple[int, int, list[Unsound]]:
    """How many sessions and rows were compared with their seals, and which do not agree."""
    database.refresh(only_read=True)
    seals = read_seals(database)
    live = seals.generations()
    rows: dict[str, list[dict[str, str]]] = {generation: [] for generation in live}
    with reading(database.uri):
        for row in read_rows(database.chunks, ("key", "generation", "sha256", "sidecar", "text")):
            if row["generation"] in rows:
                true = row["sha256"] == row_digest(row["sidecar"], row["text"])
                rows[row["generation"]].append({"key": row["key"], "sha256": row["sha256"] if true else "altered"})
    unsound = [
        Unsound(seal.key, reason)
        for generation, seal in sorted(live.items(), key=lambda item: item[1].key)
        if (reason := _why_unsound(seal, rows[generation])) is not None
    ]
    return len(live), sum(map(len, rows.values())), unsound


def _why_unsound(seal: Seal, rows: list[dict[str, str]]) -> str | None:
    twice = [key for key, count in Counter(row["key"] for row in rows).items() if count > 1]
    if twice:
        return f"{len(twice)} keys more than once in {CHUNKS}"
    if len(rows) != seal.rows:
        return f"{len(rows)} of {seal.rows} rows"
    if any(row["sha256"] == "altered" for row in rows):
        return "a text is not the one that was pushed"
    return None if digest_of(rows) == seal.digest else "its digest is another"
