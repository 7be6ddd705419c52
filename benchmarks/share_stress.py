"""Pushes and searches one share from many processes at once, on an S3 server of this machine, and counts what is lost.

    python benchmarks/share_stress.py FOLDER [SECONDS] [PUSHERS] [READERS]

Every pusher rewrites its own sessions again and again, each generation of another size, and is killed now and then;
every reader looks at all sessions the whole time. A pusher also looks after the share where that is due, one at a time;
earlier states that are older than GRACE go, and who was killed at it is followed after PATIENCE. Printed at the end:
pushes, readings, upkeep, half sessions that a reader saw (there must be none), sessions lost, and what `verify` says.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import sys
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

from aicx.paths import Layout
from aicx.share.membership import Membership
from aicx.share.seals import (
    Seal,
    digest_of,
    drop_superseded,
    owned,
    read_seals,
    row_digest,
    verify_database,
    write_seals,
)
from aicx.share.tables import Database, VectorModel, committed, create_database, open_database, read_rows, write_rows
from aicx.share.upkeep import is_due, maintain
from aicx.text import instant

GRACE, PATIENCE = timedelta(seconds=60), timedelta(seconds=10)
SESSIONS = 2  # of each pusher
MODEL = VectorModel("none", "none", 4)


def opened(uri: str) -> Database:
    found = open_database(uri)
    assert found is not None, f"there is no share at {uri}"
    return found


def rows_of(number: int, session: int, generation: str, count: int) -> list[dict[str, Any]]:
    """The rows of a session, each of which says how many there are."""
    rows = []
    for place in range(count):
        text = f"pusher {number} session {session} row {place} of {count}"
        row = {"key": f"m{number}/x/claude:{session}#{place:03}", "generation": generation, "member": f"m{number}"}
        row |= {"machine": "x", "chunk": f"claude:{number}-{session}:{place:03}", "sidecar": "{}", "text": text}
        row |= {"sha256": row_digest("{}", text), "agent": "claude", "session_id": f"{number}-{session}", "said": text}
        rows.append(row)
    return rows


def push_once(database: Database, number: int, turn: int) -> None:
    """One push of all sessions of a pusher, as `aicx share push` does it."""
    own = read_seals(database).of(f"m{number}/x")
    made = []
    for session in range(SESSIONS):
        key = f"m{number}/x/claude:{session}"
        known = own.get(key)
        generation, count = f"{number}-{session}-{turn}-{os.getpid()}-{random.random()}", 2 + turn % 5
        rows = rows_of(number, session, generation, count)
        version = committed(partial(write_rows, database.chunks, rows), once=True)
        sequence = known.sequence + 1 if known else 1
        made.append(
            Seal(
                *(key, f"m{number}", "x", "claude", f"{number}-{session}", generation, sequence),
                *(count, digest_of(rows), "", version, instant(datetime.now(UTC))),
            )
        )
    committed(lambda: write_seals(database, made))
    database.refresh()
    live = {seal.generation for seal in read_seals(database).of(f"m{number}/x").values()}
    where = owned(f"m{number}", "x")
    left = {row["generation"] for row in read_rows(database.chunks, ("generation",), where)} - live
    if left:
        names = ", ".join(f"'{name}'" for name in sorted(left))
        committed(lambda: database.chunks.delete(f"{where} AND generation IN ({names})"))
    drop_superseded(database, f"m{number}/x", read_seals(database).of(f"m{number}/x"))


def pusher(uri: str, folder: Path, number: int, seconds: float, together: Any, out: Any) -> None:
    turn = kept_up = 0
    membership = Membership(uri, f"m{number}", "x")
    layout = Layout(folder / f"m{number}")
    layout.home.mkdir(parents=True, exist_ok=True)
    database = opened(uri)
    together.wait()
    until = time.time() + seconds
    while time.time() < until:
        try:
            push_once(database, number, turn)
            turn += 1
            if is_due(database, unindexed=16, pieces=8):  # so that it comes often
                left = maintain(layout, membership, database, grace=GRACE, patience=PATIENCE)
                kept_up += left is None
                out.put(("left", number, left))
        except Exception as error:  # noqa: BLE001  counted, and shown at the end
            out.put(("error", number, str(error)[:300]))
    out.put(("pushed", number, (turn, kept_up)))


def reader(uri: str, number: int, seconds: float, together: Any, out: Any) -> None:
    readings = half = missing = 0
    known: set[str] = set()
    database = opened(uri)
    together.wait()
    until = time.time() + seconds
    while time.time() < until:
        try:
            database.refresh()
            live = read_seals(database).generations()
            rows: dict[str, list[dict[str, Any]]] = {generation: [] for generation in live}
            for row in read_rows(database.chunks, ("key", "sha256", "generation", "text")):
                if row["generation"] in rows:
                    rows[row["generation"]].append(row)
        except Exception as error:  # noqa: BLE001
            out.put(("error", -number, str(error)[:300]))
            continue
        readings += 1
        half += sum(len(rows[name]) != seal.rows or digest_of(rows[name]) != seal.digest for name, seal in live.items())
        seen = {seal.key for seal in live.values()}
        missing += len(known - seen)
        known |= seen
    out.put(("read", number, (readings, half, missing)))


def run(uri: str, folder: Path, seconds: float, pushers: int, readers: int, *, kills: bool = True) -> dict[str, Any]:
    """Everything at once for so long; returns what came of it."""
    create_database(uri, MODEL)
    # LanceDB is not for processes that were forked from one in which it has worked; in this one it is imported.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.share_stress", "lancedb"])
    out = context.Queue()
    together = context.Barrier(pushers + readers + 1)
    work = [
        context.Process(target=pusher, args=(uri, folder, number, seconds, together, out)) for number in range(pushers)
    ]
    work += [
        context.Process(target=reader, args=(uri, number, seconds, together, out)) for number in range(1, readers + 1)
    ]
    for process in work:
        process.start()
    killed = 0
    together.wait()
    until = time.time() + seconds
    while time.time() < until:
        time.sleep(min(2.0, seconds / 10))
        if kills and killed < pushers // 4:
            work[killed].kill()
            killed += 1
    found: dict[str, Any] = dict.fromkeys(("pushes", "kept up", "readings", "half", "missing"), 0)
    found |= {"errors": [], "left": {}}
    expected = pushers + readers - killed
    while expected:
        kind, number, value = out.get(timeout=300)
        if kind == "error":
            found["errors"].append((number, value))
            continue
        if kind == "left":
            found["left"][str(value)] = found["left"].get(str(value), 0) + 1
            continue
        expected -= 1
        names = ("pushes", "kept up") if kind == "pushed" else ("readings", "half", "missing")
        for name, count in zip(names, value, strict=True):
            found[name] += count
    for process in work:
        process.join()
    # Who was killed comes back, and puts right what it left.
    for number in range(killed):
        push_once(opened(uri), number, 1)
    sessions, rows, unsound = verify_database(opened(uri))
    every = len(read_rows(opened(uri).chunks, ("key",)))
    found |= {"killed": killed, "sessions": sessions, "rows": rows, "rows left over": every - rows}
    return found | {"unsound": [one.key for one in unsound]}


def main() -> None:
    from tests.share.stores import s3_server

    folder = Path(sys.argv[1])
    seconds, pushers, readers = (
        float(sys.argv[2]) if len(sys.argv) > 2 else 120.0,
        *map(int, sys.argv[3:5] or (16, 16)),
    )
    with s3_server():
        found = run("s3://team/stress", folder, seconds, pushers, readers)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
