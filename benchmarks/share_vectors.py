"""What the index of vectors of a share finds of what an exact search finds, and what a question by meaning costs.

    python -m benchmarks.share_vectors FOLDER [CHUNKS] [NEARNESS]

Makes an invented share of one member in FOLDER: chunks of 75 passages with 256 dimensions, around 300 subjects. The
higher NEARNESS (by default 1), the more alike are the passages of a chunk. Then another member asks 20 questions,
before and after upkeep made the index.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from aicx.paths import Layout
from aicx.share.asking import AskedDatabase
from aicx.share.membership import Membership
from aicx.share.seals import Seal, write_seals
from aicx.share.tables import Database, VectorModel, create_database
from aicx.share.upkeep import maintain
from indexer.vectors import draw_of
from retrieval.params import RankingParams
from retrieval.questions import parse_question

PASSAGES, SIZE, SUBJECTS, QUESTIONS, POOL = 75, 256, 300, 20, 100
_SIDECAR = '{"started_at": "2026-03-01T10:00:00Z", "completed_at": "2026-03-01T10:00:00Z"}'
READER = Membership("there", "bob", "y")


def directions(chosen: np.random.Generator, *shape: int) -> Any:
    found = chosen.normal(size=(*shape, SIZE))
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def fill(database: Database, subjects: Any, chunks: int, nearness: float, chosen: np.random.Generator) -> None:
    import pyarrow as pa

    for first in range(0, chunks, 512):
        count = min(512, chunks - first)
        centres = subjects[chosen.integers(SUBJECTS, size=count)] + directions(chosen, count)
        vectors = nearness * centres[:, None] + directions(chosen, count, PASSAGES)
        vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
        values = pa.FixedSizeListArray.from_arrays(pa.array(vectors.astype(np.float16).ravel()), SIZE)
        keys = [f"ada/x/{first + number}" for number in range(count)]
        columns = {
            "key": keys,
            "member": ["ada"] * count,
            "generation": ["all"] * count,
            "sidecar": [_SIDECAR] * count,
            "text": ["said"] * count,
            "spans": [str([[0, 0, 1]] * PASSAGES)] * count,
            "draw": list(map(draw_of, keys)),
            "vectors": pa.ListArray.from_arrays(pa.array(np.arange(count + 1) * PASSAGES, pa.int32()), values),
        }
        arrays = [columns.get(name, pa.nulls(count)) for name in database.chunks.schema.names]
        database.chunks.add(pa.table(dict(zip(database.chunks.schema.names, arrays, strict=True))))
    write_seals(database, [Seal("ada/x/all", "ada", "x", "claude", "all", "all", 1, chunks)])


def ask(database: Database, vectors: Any) -> tuple[list[list[str]], float, float]:
    """The chunks that each question finds, and the milliseconds of CPU and of clock that one takes."""
    found, spent, passed = [], 0.0, 0.0
    for vector in vectors:
        asked = AskedDatabase(database, READER, parse_question("flange"), [], POOL, RankingParams())
        asked.by_words()
        cpu, clock = time.process_time(), time.monotonic()
        asked.by_meaning(vector)
        spent, passed = spent + time.process_time() - cpu, passed + time.monotonic() - clock
        found.append([one.id for one in asked.shared().rankings["dense"]])
    return found, spent / len(vectors) * 1000, passed / len(vectors) * 1000


def recall(found: list[list[str]], true: list[list[str]], limit: int) -> float:
    return float(np.mean([len({*a[:limit]} & {*b[:limit]}) / limit for a, b in zip(found, true, strict=True)]))


def main(arguments: list[str]) -> None:
    folder, chosen = Path(arguments[0]), np.random.default_rng(7)
    chunks, nearness = int(arguments[1]) if arguments[1:] else 4000, float(arguments[2]) if arguments[2:] else 1.0
    subjects = directions(chosen, SUBJECTS)
    database = create_database(str(folder / "share"), VectorModel("invented", "invented", SIZE))
    fill(database, subjects, chunks, nearness, chosen)
    vectors = subjects[chosen.integers(SUBJECTS, size=QUESTIONS)] + directions(chosen, QUESTIONS)
    vectors = (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)
    exact, cpu, clock = ask(database, vectors)
    print(f"{chunks * PASSAGES:,} passages one by one: {cpu:.0f} ms of CPU a question, {clock:.0f} by the clock")
    spent = time.process_time()
    assert maintain(Layout(folder), READER, database, passages=1) is None
    print(f"upkeep with the index: {time.process_time() - spent:.1f} s of CPU")
    found, cpu, clock = ask(database, vectors)
    print(f"by the index: {cpu:.0f} ms of CPU a question, {clock:.0f} by the clock")
    print(", ".join(f"of the nearest {limit}: {recall(found, exact, limit):.1%}" for limit in (1, 10, 50, POOL)))


if __name__ == "__main__":
    main(sys.argv[1:])
