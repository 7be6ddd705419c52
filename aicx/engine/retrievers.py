"""The rankers that can answer here: opened when first asked, kept open, and asked again without being opened again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from aicx.api.filters import Filters
from aicx.config import Settings
from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.filters import conditions
from aicx.corpus.views.documents import documents
from aicx.engine.damage import FIX, require_sound_vectors
from aicx.engine.index_manifest import lexical_freshness, of_this_version, read_manifest
from aicx.errors import AicxError, CorpusDamaged, NotFound
from aicx.panics import panics_as_damage
from aicx.paths import Layout
from aicx.storage.checksums import find_damage
from aicx.types import Candidate
from retrieval.conditions import Condition
from retrieval.params import Rules
from retrieval.questions import Question, parse_question

if TYPE_CHECKING:
    from aicx.engine.vector_index import DenseLeg
    from retrieval.lexical import LexicalSearcher

Mode = Literal["auto", "lexical", "dense", "hybrid", "scan"]


@dataclass(slots=True)
class Ranked:
    """What the rankers gave, and what the answer has to say of how it came about."""

    rankings: dict[str, Sequence[Candidate]] = field(default_factory=dict)
    freshness: dict[str, dict[str, int | None]] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    indexed: int = 0
    scanned: int = 0
    verbatim: bool = False  # the question stands somewhere word for word
    misspelt: list[tuple[str, str, str]] = field(default_factory=list)  # asked, what is like it, a chunk that has that
    near: float | None = None  # how near the dense ranker's candidate has to be to answer on its own
    nearest: float | None = None  # how near its best one was

    def status(self, layout: Layout) -> dict[str, Any]:
        """The part of ``oracle_status`` that the rankers answer for."""
        names = sorted(self.rankings)
        backend = "hybrid" if len(names) > 1 else {"scan": "filesystem_scan", "dense": "content_semantic"}.get(names[0])
        return {
            "source_layer": "layer_1_canonical_corpus",
            "backend": backend or names[0],
            "rankers": names,
            "index_kind": "none" if names == ["scan"] else "canonical_chunks",
            "fallback_reason": "; ".join(self.reasons) or None,
            "store_root": str(layout.home),
            "indexed_count": self.indexed,
            "scanned_count": self.scanned,
            "freshness": self.freshness,
            "stale_or_unknown": bool(self.reasons) or any(leg["behind"] != 0 for leg in self.freshness.values()),
            "near_threshold": self.near,
            "nearest": self.nearest,
        }


class Legs:
    """Every ranker of one corpus. Notices when an index is built anew or the vector index is of another make."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lexical: tuple[object, LexicalSearcher] | None = None
        self._dense: tuple[object, DenseLeg] | None = None

    def rank(
        self,
        question: Question,
        where: Sequence[Condition],
        limit: int,
        *,
        deep: int,
        mode: Mode,
        rules: Rules,
        catalog: Catalog,
        filters: Filters,
    ) -> Ranked:
        """At most ``limit`` candidates of each ranker, ``deep`` of one by words; a scan where no index can be read.

        A ranker that was asked for by name and cannot answer is an error, not a fallback.
        """
        ranked = Ranked()

        def attempt(leg: Callable[[], None], instead: Callable[[AicxError], str], *errors: type[AicxError]) -> None:
            try:
                leg()
            except errors as error:
                if mode != "auto":
                    raise
                ranked.reasons.append(instead(error))

        if mode in ("auto", "lexical", "hybrid"):
            attempt(
                lambda: self._ask_lexical(question, where, deep, rules, catalog, ranked),
                lambda error: f"{error.message}; every chunk was read instead (next: {error.hint})",
                NotFound,
                CorpusDamaged,
            )
        if mode in ("dense", "hybrid") or (mode == "auto" and self._wants_meaning()):
            attempt(
                lambda: self._ask_dense(question, where, limit, catalog, ranked),
                lambda error: f"answered without meaning: {error.message} (next: {error.hint or 'aicx index'})",
                AicxError,
            )
        if "lexical" not in ranked.rankings and mode in ("auto", "scan"):
            ranked.rankings["scan"] = self._scan(catalog, question, filters, deep)
            ranked.freshness["scan"] = {"behind": 0}
            ranked.scanned = catalog.rows("SELECT count(*) AS n FROM chunks WHERE ignored=0")[0]["n"]
        return ranked

    def start_of(self, chunk: str, ranked: Ranked) -> tuple[int, int] | None:
        """Where in a chunk its nearest passage begins: which of its texts, and the character there."""
        found = [item for item in ranked.rankings.get("dense", ()) if item.id == chunk]
        if not found or self._dense is None:
            return None
        return self._dense[1].start_of(found[0])

    def _wants_meaning(self) -> bool:
        """Whether the operator ever asked for a vector index; nothing semantic happens before."""
        return bool(read_manifest(self._settings.layout).get("vectors"))

    def _ask_lexical(
        self,
        question: Question,
        where: Sequence[Condition],
        limit: int,
        rules: Rules,
        catalog: Catalog,
        ranked: Ranked,
    ) -> None:
        layout = self._settings.layout
        state = lexical_freshness(layout, catalog)
        if not state.exists:
            raise NotFound(f"there is no lexical index in {layout.lexical_index}", hint="aicx store")
        manifest = read_manifest(layout)["lexical"]
        if not of_this_version(manifest):
            raise CorpusDamaged("the lexical index was made by another version of aicx", hint="aicx store")
        # Also of one that is open: its files are read when they are needed.
        if reason := find_damage(layout.lexical_index):
            raise CorpusDamaged(f"the lexical index is damaged: {reason}", hint="aicx store")
        made = (manifest.get("sequence"), state.behind, catalog.identity)
        with panics_as_damage("the lexical index", "aicx doctor --fix"):
            self._search_lexical(question, where, limit, rules, made, ranked)
        ranked.freshness["lexical"] = {"behind": state.behind}

    def _search_lexical(
        self,
        question: Question,
        where: Sequence[Condition],
        limit: int,
        rules: Rules,
        made: object,
        ranked: Ranked,
    ) -> None:
        if self._lexical is None or self._lexical[0] != made:
            from retrieval.lexical import LexicalSearcher

            self._lexical = made, LexicalSearcher(self._settings.layout.lexical_index)
        searcher = self._lexical[1]
        candidates = searcher.search(question, where, limit, rules)
        verbatim = rules.verbatim and searcher.holds(question, where, rules)
        misspelt: list[tuple[str, str, str]] = []
        for asked, term in searcher.misspelt(question, rules):
            holding = searcher.search(parse_question(term), where, 1, rules)
            misspelt += [(asked, term, candidate.id) for candidate in holding]
        # All or nothing: what meets damage on the way does not answer.
        ranked.rankings["lexical"], ranked.verbatim, ranked.misspelt = candidates, verbatim, misspelt
        ranked.indexed = searcher.size

    def _ask_dense(
        self, question: Question, where: Sequence[Condition], limit: int, catalog: Catalog, ranked: Ranked
    ) -> None:
        made = read_manifest(self._settings.layout).get("vectors")
        require_sound_vectors(self._settings)
        with panics_as_damage("the vector index", FIX):
            self._search_dense(question, where, limit, catalog, made, ranked)

    def _search_dense(
        self,
        question: Question,
        where: Sequence[Condition],
        limit: int,
        catalog: Catalog,
        made: object,
        ranked: Ranked,
    ) -> None:
        from aicx.engine.vector_index import DenseLeg

        if self._dense is None or self._dense[0] != made:
            self._dense = made, DenseLeg(self._settings)
        leg = self._dense[1]
        # Where no word stands in any chunk, only what the model knows as a word can mean something.
        unheard_of = not ranked.rankings.get("lexical", [None])
        candidates = leg.search(question.text, where, limit, only_known=unheard_of)
        ranked.rankings["dense"] = candidates
        ranked.freshness["dense"] = {"behind": leg.behind(catalog)}
        ranked.near = leg.near
        ranked.nearest = candidates[0].score if candidates else None

    def _scan(self, catalog: Catalog, question: Question, filters: Filters, limit: int) -> list[Candidate]:
        from retrieval.scan import scan

        where, values, _ = conditions(filters, catalog)
        rows = catalog.rows(f"SELECT id FROM chunks WHERE {where} ORDER BY id", values)
        ids = [row["id"] for row in rows]
        return scan(documents(self._settings.layout, catalog, ids), question, limit)
