"""Search: stages that ask every available retriever and fuse their results into answers with an explanation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from aicx.config import Settings
from aicx.corpus.catalog import DAMAGED
from aicx.corpus.catalog.query import Opened
from aicx.engine.kept_catalog import KeptCatalog
from aicx.engine.retrievers import Retrievers
from aicx.engine.stages import MAX_RERANKED as MAX_RERANKED
from aicx.engine.stages import RERANKED as RERANKED
from aicx.engine.stages import Group as Group
from aicx.engine.stages import Hit as Hit
from aicx.engine.stages import SearchQuery as SearchQuery
from aicx.engine.stages import SearchReport as SearchReport
from aicx.engine.stages import SearchState, Stage, history, order, quote, retrieve, team
from aicx.engine.stages import Sort as Sort
from aicx.text import instant
from aicx.types import Mode as Mode
from retrieval.questions import parse_question

if TYPE_CHECKING:
    from aicx.corpus.catalog import Catalog
    from aicx.corpus.places import LocalRepository

READ: tuple[Stage, ...] = (
    retrieve.lift_date,  # "january 2026" becomes a filter
    retrieve.parse,  # words, names, phrases
    team.ask,  # where a share is asked too
)
ANSWER: tuple[Stage, ...] = (
    history.begin,  # git looks for what the question names
    retrieve.limit,  # filters become conditions of the indexes
    retrieve.by_words,
    retrieve.by_meaning,
    retrieve.by_reading,  # where no index answers by words
    retrieve.look_up,  # what the catalogue says of each candidate
    history.widen,  # the time of the commits that it names
    retrieve.keep_phrases,
    retrieve.keep_telling,
    retrieve.drop_noise,
    retrieve.complete,  # each candidate scored by each retriever
    team.join,  # what the share gives is a candidate from here on
    order.fuse,  # one ranking out of several, of sessions
    order.rerank,  # the best compared with the question token by token
    order.unfold,  # chunks, where chunks are asked for
    history.raise_makers,  # who may have made those commits
    order.prefer_own,
    order.prefer_recent,
    order.fold_same_prompts,  # one answer for all runs of a prompt
    order.spread_sessions,
    order.sort_by_time,
    quote.quote,
    quote.say_corrections,
    quote.judge,
)
# For a question that is nothing but a date.
LIST: tuple[Stage, ...] = (order.list_by_date, order.fold_same_prompts, order.sort_by_time, quote.quote, quote.judge)


def search(settings: Settings, query: SearchQuery) -> SearchReport:
    """Answers one question; see `Searcher.search`. For several, keep a `Searcher`."""
    with Searcher(settings) as searcher:
        return searcher.search(query)


def nothing_found(settings: Settings, query: SearchQuery, why: str) -> SearchReport:
    """The report of a question that was asked of no corpus, which says why."""
    state = SearchState(
        query, settings.layout, KeptCatalog(settings.layout), Retrievers(settings), parse_question(""), reasons=(why,)
    )
    return SearchReport(query, [], 0, 0, "none", oracle_status=_status(state))


class Searcher:
    """A corpus that is asked again and again: what was opened for one question serves the next.

    It sees what is stored and indexed while it is open. Not for several threads at once.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._layout = settings.layout
        self._catalog = KeptCatalog(settings.layout)
        self._retrievers = Retrievers(settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the catalogue; a later question opens it again."""
        self._catalog.close()

    def search(self, query: SearchQuery) -> SearchReport:
        """Answers a question from the corpus.

        Raises UsageError for a question that leaves nothing to look for, NotFound when nothing is stored yet. An index
        that is missing or damaged is never silently passed over: the report names the retriever that served instead.
        """
        try:
            return self._search(query, self._catalog.refresh())
        except DAMAGED:  # where nothing was recorded it may only show now; from here on the sidecars answer
            return self._search(query, self._catalog.refresh(without=True))

    def _search(self, query: SearchQuery, opened: Opened) -> SearchReport:
        state = SearchState(
            query,
            self._layout,
            self._catalog,
            self._retrievers,
            parse_question(""),
            reasons=(opened.fallback_reason,) if opened.fallback_reason else (),
            notes=tuple(opened.notes),
            place=self._place(query, opened.catalog),
        )
        for stage in READ:
            state = stage(state)
        for stage in LIST if state.question.empty else ANSWER:
            state = stage(state)
        return SearchReport(
            query,
            list(state.hits),
            len(state.answers),
            state.scanned,
            state.evidence,
            state.occurrences.missing if state.occurrences else (),
            bool(state.where),
            list(state.notes),
            _status(state),
        )

    def _place(self, query: SearchQuery, catalog: Catalog) -> LocalRepository | None:
        """The repository that is asked in."""
        if query.place is None:
            return None
        from aicx.corpus.places import find_place

        return find_place(catalog, self._settings.user_home, query.place)


def _status(state: SearchState) -> dict[str, Any]:
    """How the answers came about: the fields of ``oracle_status``."""
    names = sorted(state.rankings)
    backend = {"scan": "filesystem_scan", "dense": "content_semantic"}.get(names[0], names[0]) if names else "none"
    return {
        "source_layer": "layer_1_canonical_corpus",
        "backend": "hybrid" if len(names) > 1 else backend,
        "rankers": names,
        "index_kind": "none" if names in ([], ["scan"]) else "canonical_chunks",
        "fallback_reason": "; ".join(state.reasons) or None,
        "store_root": str(state.layout.home),
        "indexed_count": state.indexed,
        "scanned_count": state.scanned,
        "freshness": {name: {"behind": behind} for name, behind in state.freshness.items()},
        "stale_or_unknown": bool(state.reasons) or any(behind != 0 for behind in state.freshness.values()),
        "near_threshold": state.near,
        "nearest": state.nearest,
        "reranked": state.reranked,
        "candidate_count": len(state.answers),
        "source_paths_verified": not state.unreadable,
        "place": state.place.name if state.place else None,
        "history": [
            {"by": item.kind, "name": item.name, "commit": commit.hash, "at": instant(commit.committed_at)}
            for item in state.named
            for commit in item.commits
        ],
    }
