"""Asks a share a question while one's own corpus is asked, and waits for it no longer than wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from aicx.config import Settings
from aicx.engine.stages import Meant, Shared
from aicx.filters import Filters
from aicx.share.limits import limits
from aicx.share.membership import Membership, need_membership
from aicx.share.rows import stored_text
from aicx.share.seals import Seal, read_seals
from aicx.share.shares import Awaited, databases, lacks, of_others, only_own, whole
from aicx.share.tables import TEXTS, VECTORS, Database, other_model
from aicx.share.words import SharedWords
from aicx.text import plural
from aicx.types import Candidate
from indexer.vector_table import sql_list
from retrieval.dense import SAMPLE, PassageSpan
from retrieval.mapped import DRAWS
from retrieval.params import RankingParams
from retrieval.questions import Question
from retrieval.ranking import Scale

_MIN_DEVIATION = 1e-3
_ROUNDS = 4
# Partitions of an index of vectors that are looked at, and how many more rows than wanted are compared exactly.
_PROBES, _REFINED = 32, 4
_COLUMNS = (
    *("key", "generation", "member", "chunk", "sidecar", "text", "spans", "session_title", "automated_why"),
    *("prompt_key", "idle", "started_at", "completed_at", *TEXTS),
)


class AskedShare:
    """A share, asked one question. Not asked again: every question makes one."""

    def __init__(self, membership: Membership, wait_seconds: float) -> None:
        self._membership = membership
        self._work = Awaited(wait_seconds)
        self._notes: list[str] = []
        self._asked: list[tuple[Database, AskedDatabase]] = []
        self._lacking = True

    @property
    def member(self) -> str:
        return self._membership.member

    def ask(self, question: Question, filters: Filters, rules: RankingParams, limit: int) -> None:
        """Begins to ask, in a thread: by words at once, by meaning when the question's vector is known."""
        wanted, lacking = limits(filters)
        self._lacking = bool(lacking)
        if lacking:
            self._notes.append(lacks(lacking))
            return
        self._work.begin(lambda: self._ask(question, wanted, limit, rules))

    def answer(self, meant: Meant | None) -> tuple[Sequence[Shared], Sequence[str]]:
        """What the share found by now, and notes. Where it is away, slow or too new, a note says so."""
        if self._lacking:
            return (), self._notes
        why_not = self._work.why_not()
        if meant is not None and why_not is None:
            self._work.begin(lambda: self._by_meaning(meant))
            why_not = self._work.why_not()
        if why_not is not None:
            return (), (only_own(why_not),)
        return [one.shared() for _, one in self._asked], tuple(self._notes)

    def _ask(self, question: Question, wanted: Sequence[str], limit: int, rules: RankingParams) -> None:
        for database in databases(self._membership, self._notes):
            with whole(self._membership, database, self._notes):
                asked = AskedDatabase(database, self._membership, question, wanted, limit, rules)
                asked.by_words()
                self._asked.append((database, asked))
        behind = sum(asked.unindexed for _, asked in self._asked)
        if behind:
            self._notes.append(f"{plural(behind, 'row')} of the share searched one by one: no index has them yet")

    def _by_meaning(self, meant: Meant) -> None:
        others: dict[str, None] = {}
        for database, asked in self._asked:
            if database.model.fingerprint != meant.fingerprint:
                others[database.model.name] = None
                continue
            with whole(self._membership, database, self._notes):
                asked.by_meaning(meant.vector)
        self._notes += [f"the share was asked by words alone: {other_model(name, meant.model)}" for name in others]


def asked_share(settings: Settings) -> AskedShare:
    """The share that a home is part of, for one question. Raises NotFound where it is part of none."""
    return AskedShare(need_membership(settings.layout), settings.team_wait_seconds)


class AskedDatabase:
    """One database of a share and what it found."""

    def __init__(
        self,
        database: Database,
        membership: Membership,
        question: Question,
        wanted: Sequence[str],
        limit: int,
        rules: RankingParams,
    ) -> None:
        self._where = " AND ".join([of_others(membership), *wanted])
        self._database, self._limit = database, limit
        self._rows: dict[str, dict[str, Any]] = {}
        self._rankings: dict[str, list[Candidate]] = {"lexical": []}
        self._found: dict[str, set[str]] = {"lexical": set()}
        self._scales: dict[str, Scale] = {}
        self._dead: set[str] = set()
        database.refresh(only_read=True)
        indexes = [index for index in database.chunks.list_indices() if index.columns[0] in ("said", VECTORS)]
        self._indexed = any(index.columns[0] == VECTORS for index in indexes)
        stats = [database.chunks.index_stats(index.name) for index in indexes]
        self.unindexed = max((one.num_unindexed_rows for one in stats if one), default=0)
        self._live: Mapping[str, Seal] = read_seals(database).generations()
        self._words = SharedWords(database.chunks, rules)
        self._question = self._words.prepared(question)
        self._query = self._words.query(self._question)
        self._verbatim = False

    def by_words(self) -> None:
        """The best rows by words, and whether any has the whole question side by side."""
        table = self._database.chunks
        if self._query is None:
            return
        found = self._filled(lambda where, _: table.search(self._query).where(where, prefilter=True), "_score")
        self._rankings["lexical"] = [Candidate(row["key"], row["_score"]) for row in found]
        self._found["lexical"] = {row["key"] for row in found}
        if (best := self._words.best_possible(self._question)) > 0:
            self._scales["lexical"] = Scale(0.0, best)
        if (sentence := self._words.sentence(self._question)) is not None:
            asked = table.search(sentence).where(self._where, prefilter=True).select(["key"]).limit(1)
            self._verbatim = asked.to_arrow().num_rows > 0

    def by_meaning(self, vector: Any) -> None:
        """The nearest rows, then every candidate's score by words and by meaning."""
        table = self._database.chunks

        def nearest(where: str, limit: int) -> Any:
            asked = table.search(vector, vector_column_name="vectors").distance_type("cosine")
            # For a large share, whose vectors have an index; where the filters leave little it looks at all of it.
            refined = max(1, self._limit * _REFINED // limit)
            asked = asked.minimum_nprobes(_PROBES).maximum_nprobes(0).refine_factor(refined)
            return asked.where(where, prefilter=True)

        near = {row["key"] for row in self._filled(nearest, "_distance", short=self._indexed)}
        self._found["dense"], by_words = near, self._found["lexical"]
        if (lacking := near - by_words) and self._query is not None and by_words:
            asked = table.search(self._query).where(f"key IN ({sql_list(sorted(lacking))})", prefilter=True)
            more = asked.select(["key", "_score"]).limit(len(lacking)).to_arrow().to_pylist()
            self._rankings["lexical"] += [Candidate(row["key"], row["_score"]) for row in more]
        self._rankings["dense"] = self._compared(vector, sorted(near | by_words))
        if (scale := self._spread(vector)) is not None:
            self._scales["dense"] = scale

    def row(self, key: str) -> Mapping[str, Any]:
        """A row that was found, as the share has it."""
        return self._rows[key]

    def shared(self) -> Shared:
        rows = {key: _as_row(row) for key, row in self._rows.items()}
        occurrences = self._words.occurrences(self._question)
        return Shared(self._rankings, self._found, self._scales, rows, occurrences, self._verbatim)

    def _filled(self, search: Any, score: str, *, short: bool = False) -> list[dict[str, Any]]:
        """The best rows of generations that count; further ones are asked for in place of those that do not.

        ``short``: what is asked looks for the nearest passages, which may be of fewer rows than are wanted.
        """
        limit = self._limit
        for _ in range(_ROUNDS):
            where = self._where
            if self._dead:
                where += f" AND generation NOT IN ({sql_list(sorted(self._dead))})"
            rows = search(where, limit).select([*_COLUMNS, score]).limit(limit).to_arrow().to_pylist()
            kept = [row for row in rows if row["generation"] in self._live][: self._limit]
            if len(kept) == self._limit:
                break
            if len(rows) < limit:
                if not short or limit > self._limit:
                    break
                limit *= _REFINED
            self._dead |= {row["generation"] for row in rows} - self._live.keys()
        self._rows.update((row["key"], row) for row in kept)
        return kept

    def _compared(self, vector: Any, keys: Sequence[str]) -> list[Candidate]:
        """The cosine of each row's nearest passage, and which one it is."""
        if not keys:
            return []
        rows = self._vectors(f"key IN ({sql_list(keys)})", ["key"])
        found = []
        for row in rows:
            scores = row["vectors"] @ vector
            best = int(scores.argmax())
            found.append(Candidate(row["key"], float(scores[best]), best))
            self._rows[row["key"]]["nearest"] = best
        return sorted(found, key=lambda one: (-one.score, one.id))

    def _spread(self, vector: Any) -> Scale | None:
        """Mean and deviation of the rows' best cosines: of all, or of a sample that is always the same."""
        import numpy as np

        count = self._database.chunks.count_rows(self._where)
        drawn = f" AND draw < {DRAWS * SAMPLE // count}" if count > SAMPLE else ""
        best = [(row["vectors"] @ vector).max() for row in self._vectors(f"{self._where}{drawn}", [])]
        if len(best) < 2:
            return None
        return Scale(float(np.mean(best)), max(_MIN_DEVIATION, float(np.std(best))))

    def _vectors(self, where: str, columns: Sequence[str]) -> list[dict[str, Any]]:
        """Rows that have vectors, each with them as a matrix."""
        import numpy as np

        # Whether a row has vectors would be read from all of them; where they are in its text is a small column.
        asked = self._database.chunks.search().where(f"({where}) AND spans IS NOT NULL")
        found = asked.select([*columns, "vectors"]).to_arrow()
        column = found["vectors"].combine_chunks()
        size = self._database.model.dimensions
        values = column.flatten().flatten().to_numpy(zero_copy_only=False).astype(np.float32).reshape(-1, size)
        ends = np.cumsum(np.array([len(one) for one in column], dtype=np.int64))
        pieces = np.split(values, ends[:-1]) if len(column) else []
        rows = found.select(list(columns)).to_pylist() if columns else [{} for _ in pieces]
        return [{**row, "vectors": piece} for row, piece in zip(rows, pieces, strict=True) if len(piece)]


def _as_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as the catalogue has it, with the text that it is quoted from."""
    stored = stored_text(row["sidecar"], row["text"])
    spans = orjson.loads(row["spans"] or "[]")
    nearest = row.get("nearest")
    fields = stored.sidecar.fields
    return {
        **{name: row[name] for name in ("chunk", "agent", "session_id", "parent_session", "lane", "project", "member")},
        **{name: row[name] for name in ("session_title", "automated_why", "prompt_key")},
        "idle": row["idle"],
        "id": row["key"],
        "path": "",
        "cwd": None,
        "started_at": fields["started_at"],
        "completed_at": fields["completed_at"],
        "stored": stored,
        "place": PassageSpan(*spans[nearest]) if nearest is not None and nearest < len(spans) else None,
    }
