"""The retrievers of one corpus: opened when first asked, and kept open for the next question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from aicx.config import Settings
from aicx.corpus.catalog import Catalog
from aicx.corpus.catalog.filters import conditions
from aicx.corpus.views import documents
from aicx.engine.index_manifest import lexical_freshness, of_this_version, read_manifest
from aicx.engine.vector_files import FIX, require_sound_vectors
from aicx.errors import AicxError, CorpusDamaged, NotFound
from aicx.filters import Filters
from aicx.panics import panics_as_damage
from aicx.storage.derived import find_damage
from aicx.types import Candidate
from retrieval.evidence import Occurrences
from retrieval.params import RankingParams
from retrieval.questions import Condition, Question, correct, widen

if TYPE_CHECKING:
    from aicx.engine.vector_search import OpenVectors
    from retrieval.lexical import LexicalSearcher


class FoundByWords(NamedTuple):
    """Candidates of the BM25 index, which holds ``size`` chunks and is ``behind`` by so many (None: not known).

    Without an index, of all chunks, of which ``size`` were looked at.
    """

    candidates: list[Candidate]
    behind: int | None
    size: int
    verbatim: bool  # the question occurs somewhere word for word
    question: Question  # as it was asked, with what was probably meant by words that occur nowhere
    occurrences: Occurrences


class FoundByMeaning(NamedTuple):
    """Candidates of the vector index, which is ``behind`` by so many chunks (None: not known)."""

    candidates: list[Candidate]
    behind: int | None
    near: float | None  # the noise threshold: what only meaning names has to score more
    held: int | None  # of the chunks that fulfil the conditions, those it holds; None where it lacks none


class LexicalRetriever:
    """The BM25 index, opened anew when it was built anew."""

    def __init__(self, settings: Settings) -> None:
        self._layout = settings.layout
        self._open: tuple[object, LexicalSearcher] | None = None

    def retrieve(
        self, question: Question, where: Sequence[Condition], limit: int, rules: RankingParams, catalog: Catalog
    ) -> FoundByWords:
        """At most ``limit`` candidates. Raises NotFound where there is no index, CorpusDamaged for a damaged one."""
        exists, behind = lexical_freshness(self._layout, catalog)
        if not exists:
            raise NotFound(f"there is no lexical index in {self._layout.lexical_index}", hint="aicx store")
        manifest = read_manifest(self._layout)["lexical"]
        if not of_this_version(manifest):
            raise CorpusDamaged("the lexical index was made by another version of aicx", hint="aicx store")
        # Also of one that is open: its files are read when they are needed.
        if reason := find_damage(self._layout.lexical_index):
            raise CorpusDamaged(f"the lexical index is damaged: {reason}", hint="aicx store")
        with panics_as_damage("the lexical index", "aicx doctor --fix"):
            searcher = self._opened((manifest.get("sequence"), behind, catalog.identity))
            # A word alone does not tell its language, and text in another one is found by that one's stems.
            question = widen(question, searcher.unknown(question, rules))
            meant = correct(question, searcher.misspelt(question, rules))
            candidates = searcher.search(meant, where, limit, rules)
            verbatim = rules.verbatim and searcher.holds(meant, where, rules)
            occurrences = searcher.occurrences(meant, where, rules)
            return FoundByWords(candidates, behind, searcher.size, verbatim, meant, occurrences)

    @property
    def open(self) -> LexicalSearcher:
        """The index as `retrieve` asked it, which comes first."""
        assert self._open is not None, "retrieve comes first"
        return self._open[1]

    def _opened(self, made: object) -> LexicalSearcher:
        if self._open is None or self._open[0] != made:
            from retrieval.lexical import LexicalSearcher

            self._open = made, LexicalSearcher(self._layout.lexical_index)
        return self._open[1]


class DenseRetriever:
    """The vector index and its model, opened anew when it is of another make."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open: tuple[object, OpenVectors] | None = None

    @property
    def wanted(self) -> bool:
        """Whether the user ever asked for a vector index; nothing semantic happens before."""
        return bool(read_manifest(self._settings.layout).get("vectors"))

    def retrieve(
        self, text: str, where: Sequence[Condition], limit: int, catalog: Catalog, *, only_known: bool
    ) -> FoundByMeaning:
        """At most ``limit`` candidates.

        Raises an AicxError with the next step where the index cannot answer. ``only_known`` leaves out words that the
        model does not know as words.
        """
        made = read_manifest(self._settings.layout).get("vectors")
        try:
            return self._retrieve(made, text, where, limit, catalog, only_known=only_known)
        except AicxError:
            again = read_manifest(self._settings.layout).get("vectors")
            if again == made:
                raise
        # A new index took the place of this one while it was asked.
        return self._retrieve(again, text, where, limit, catalog, only_known=only_known)

    def _retrieve(
        self, made: object, text: str, where: Sequence[Condition], limit: int, catalog: Catalog, *, only_known: bool
    ) -> FoundByMeaning:
        require_sound_vectors(self._settings)
        with panics_as_damage("the vector index", FIX):
            vectors = self._opened(made)
            asked = vectors.known_words(text) if only_known else text
            behind = vectors.behind(catalog)
            held = None if behind == 0 else vectors.searcher.held(where)
            return FoundByMeaning(vectors.nearest(asked, where, limit), behind, vectors.near, held)

    @property
    def open(self) -> OpenVectors:
        """The index as `retrieve` asked it, which comes first."""
        assert self._open is not None, "retrieve comes first"
        return self._open[1]

    def _opened(self, made: object) -> OpenVectors:
        from aicx.engine.vector_search import OpenVectors

        if self._open is None or self._open[0] != made:
            self._open = made, OpenVectors(self._settings)
        return self._open[1]


class ScanRetriever:
    """Reads every chunk that the filters let through."""

    def __init__(self, settings: Settings) -> None:
        self._layout = settings.layout

    def retrieve(self, question: Question, filters: Filters, limit: int, catalog: Catalog) -> FoundByWords:
        """At most ``limit`` candidates."""
        from retrieval.scan import scan

        where, values, _ = conditions(filters, catalog)
        rows = catalog.rows(f"SELECT id FROM chunks WHERE {where} ORDER BY id", values)
        ids = [row["id"] for row in rows]
        candidates, occurrences, asked = scan(documents(self._layout, catalog, ids), question, limit)
        read = catalog.rows("SELECT count(*) AS n FROM chunks WHERE ignored=0")[0]["n"]
        return FoundByWords(candidates, 0, read, False, asked, occurrences)


class Retrievers:
    """All of them, over one corpus."""

    def __init__(self, settings: Settings) -> None:
        self.lexical = LexicalRetriever(settings)
        self.dense = DenseRetriever(settings)
        self.scan = ScanRetriever(settings)
