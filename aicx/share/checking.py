"""What a share holds, by member, and whether every seal has the rows that it names."""

from __future__ import annotations

from collections import Counter
from typing import Annotated

from aicx.share.indexes import VECTORS
from aicx.share.rows import digest_of, row_digest
from aicx.share.seals import Seal, Sealed, read_seals
from aicx.share.tables import CHUNKS, WORDS, Database, read_rows, reading
from aicx.values import dataclass


@dataclass(frozen=True, slots=True)
class MemberPart:
    """What one machine of a member shares."""

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
    """What each machine shares, by name."""
    found: dict[tuple[str, str], list[Seal]] = {}
    for seal in seals.live.values():
        found.setdefault((seal.member, seal.machine), []).append(seal)
    return [
        MemberPart(member, machine, len(own), sum(one.rows for one in own), max(one.pushed_at for one in own))
        for (member, machine), own in sorted(found.items())
    ]


def count_unindexed(database: Database) -> int:
    """How many rows an index has not taken in; they are searched one by one."""
    with reading(database.uri):
        names = [index.name for index in database.chunks.list_indices() if index.columns[0] in (*WORDS, VECTORS)]
        stats = [database.chunks.index_stats(name) for name in names]
    return max((one.num_unindexed_rows for one in stats if one is not None), default=0)


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
