"""The stages of a search, in the order in which they run: retrieve, order, quote; history and team beside.

Here is the state that they pass on: its start, a share that it may ask included, what stages add, and its end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self

from aicx.corpus.files import Sidecar
from aicx.dates import lift_dates
from aicx.engine.kept_catalog import KeptCatalog
from aicx.engine.retrievers import Retrievers
from aicx.filters import Filters
from aicx.paths import Layout
from aicx.types import Candidate, Mode
from aicx.values import dataclass
from retrieval.decay import PROFILES, Decay, parse_decay
from retrieval.evidence import Evidence, Occurrences
from retrieval.excerpts import Tier
from retrieval.lines import ShortenedLine
from retrieval.params import DEFAULT_PARAMS, RankingParams
from retrieval.questions import Condition, Question, parse_question
from retrieval.ranking import Contribution, Fused, RankedAnswer, Scale

if TYPE_CHECKING:
    from aicx.corpus.places import LocalRepository
    from aicx.corpus.views.rank import Density
    from aicx.engine.history import FreshnessLook, Traced
    from aicx.git.named import NamedCommits


Group = Literal["chunk", "session"]
Sort = Literal["relevance", "newest", "oldest"]
# How many of the best answers are compared with the question token by token, and the most that may be.
RERANKED, MAX_RERANKED = 10, 50
# A question that is typed has no more words; of one that is pasted the first tell enough.
_MAX_NAMED = 12


@dataclass(frozen=True, slots=True)
class Shared:
    """The answer of one database of a share. ``rows`` are as those of the catalogue, with ``stored`` and ``member``.

    Every ranking has all candidates; ``found`` says which of them its retriever found itself.
    """

    rankings: Mapping[str, Sequence[Candidate]]
    found: Mapping[str, Set[str]]
    scales: Mapping[str, Scale]
    rows: Mapping[str, Mapping[str, Any]]
    occurrences: Occurrences
    verbatim: bool = False


@dataclass(frozen=True, slots=True)
class Meant:
    """The vector of a question, and the model that made it: one of another model says nothing to it."""

    vector: Any
    fingerprint: str
    model: str


class Team(Protocol):
    """A share, asked one question. ``ask`` returns at once; ``answer`` waits no longer than the user lets it.

    ``member`` is who asks.
    """

    @property
    def member(self) -> str: ...

    def ask(self, question: Question, filters: Filters, rules: RankingParams, limit: int) -> None: ...

    def answer(self, meant: Meant | None) -> tuple[Sequence[Shared], Sequence[str]]: ...


def is_shared(row: Any) -> bool:
    """Whether a row is of the share: rows of the catalogue are SQLite's own."""
    return isinstance(row, dict)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A question with everything that decides its answer, its own clock and the rules of ranking included.

    ``fold`` gives one answer a session, its best chunk, with the chunks that come before the last answer named under
    it; the order stays. ``min_score``, from 0 to 10, leaves out what `aicx search --worth` scores less. ``lift_dates``
    says whether "january 2026" in the text limits the answers to that month. ``automated`` is the factor for a chunk of
    a session that a program ran: its prompt comes again and again, and what a person asked is the better answer.
    ``place`` is a folder: sessions of the repository around it count more, and git is asked there what commits, files
    or branches the question names. None asks as from nowhere.
    ``rerank`` is how many of the best answers are compared with the question token by token, up to five times as many
    where their passages are short or the model is static; 0 for none. ``team`` is the share that is asked too.
    """

    text: str
    now: datetime
    filters: Filters = field(default_factory=Filters)
    mode: Mode = "auto"
    group: Group = "chunk"
    limit: int = 10
    sort: Sort = "relevance"
    fold: bool = False
    decay: Decay | None = PROFILES["off"]
    min_score: float = 0.0
    lift_dates: bool = True
    automated: float = 0.8
    place: Path | None = None
    rerank: int = RERANKED
    rules: RankingParams = DEFAULT_PARAMS
    team: Team | None = None

    def by_text_alone(self) -> Self:
        """The same question without what history says of commits, for who weighs that evidence apart."""
        return replace(self, place=None, rules=replace(self.rules, history=0.0, sightings=False))


STEER_DECAY = "gentle"


def steer_query(
    text: str,
    now: datetime,
    filters: Filters,
    limit: int,
    decay: str = STEER_DECAY,
    place: Path | None = None,
    team: Team | None = None,
) -> SearchQuery:
    """Raises UsageError for a decay that is none. A text that is only a date lists the newest, as without a text."""
    dated = lift_dates(text) if filters.date is None else None
    only_date = dated is not None and dated.days is not None and parse_question(dated.text).empty
    return SearchQuery(
        text=text,
        now=now,
        filters=filters,
        limit=limit,
        sort="newest" if only_date else "relevance",
        decay=parse_decay(decay),
        place=place,
        team=team,
    )


@dataclass(frozen=True, slots=True)
class QuotedReply:
    """The agent's reply in the end to what an answer quotes, and the later chunk of the session that holds it."""

    chunk: str
    ref: str  # its id as short as it may be written
    lines: tuple[ShortenedLine, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer: a chunk (the session's best one when grouped), why it is there, and enough to cite it."""

    rank: int
    score: float
    tier: Tier
    sidecar: Sidecar
    path: str
    lines: tuple[ShortenedLine, ...]
    votes: Mapping[str, Contribution]
    decay_factor: float
    ref: str = ""  # the chunk's id, as short as it may be written
    more: tuple[str, ...] = ()  # further chunks of the session, by the same kind of reference
    title: str | None = None  # of the session
    automated_why: str | None = None  # the evidence that a program ran the session
    runs: tuple[str, ...] = ()  # the sessions it speaks for: its own, and other runs of the same prompt
    chunks: int = 1  # how many chunks of the session matched, when grouped
    terms_found: int = 0  # of the question's words, names and phrases, this many are in the chunk
    terms_asked: int = 0
    own: float = 1.0  # the factor for the repository that is asked in
    history: Traced | None = None  # why the session is raised, where the question names a commit that it may have made
    history_factor: float = 1.0
    altered: bool = False  # the chunk was altered on disk since it was stored, and so may the lines be
    reply: QuotedReply | None = None  # where the lines only ask or announce, and a later chunk tells the outcome
    said: tuple[str, ...] = ()  # the chunk's texts without those of tools
    member: str | None = None  # who gave it to the share; None for one's own

    def density(self) -> Density:
        """How much of the chunk is worth reading, as `aicx search --worth` measures it."""
        return density_of(self.said)


@dataclass(frozen=True, slots=True)
class SearchReport:
    """The answers and how they were obtained. ``matched`` counts candidates before the limit.

    ``evidence`` says whether they have the question's words together, ``missing_words`` which of them occur nowhere,
    ``limited`` whether filters or a time in the question kept chunks from being searched.
    """

    query: SearchQuery
    hits: list[Hit]
    matched: int
    scanned: int
    evidence: Evidence = "strong"
    missing_words: tuple[str, ...] = ()
    limited: bool = False
    notes: list[str] = field(default_factory=list)
    oracle_status: Mapping[str, Any] = field(default_factory=dict)

    @property
    def evidence_note(self) -> str | None:
        """A sentence on what of a question was not found; None where there is nothing to say."""
        words = list(map(repr, self.missing_words[:_MAX_NAMED]))
        if len(self.missing_words) > _MAX_NAMED:
            words.append(f"{len(self.missing_words) - _MAX_NAMED} more")
        named = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
        missing = f"{named} {'occurs' if len(words) == 1 else 'occur'} nowhere" if words else ""
        missing += " within these limits" if words and self.limited else ""
        match self.evidence:
            case "none":
                return f"Nothing matches: {missing}." if missing else None
            case "weak" if missing:
                return f"{_capital(missing)}. Weak evidence: these answers have only other words of the question."
            case "weak":
                return "Weak evidence: no passage has the words of the question together, only some of them, or apart."
        return f"{_capital(missing)}; the answers have the other words." if missing else None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


# Never compared nor printed, and making the methods for that would take part of every cold start. Without slots, since
# every stage copies it.
@dataclass(frozen=True, eq=False, repr=False)
class SearchState:
    """The knowledge of a search after a stage. A stage returns a new one."""

    query: SearchQuery
    layout: Layout
    catalog: KeptCatalog
    retrievers: Retrievers
    question: Question
    where: tuple[Condition, ...] = ()
    rankings: Mapping[str, Sequence[Candidate]] = field(default_factory=dict)  # by retriever, best first
    freshness: Mapping[str, int | None] = field(
        default_factory=dict
    )  # by retriever, how many chunks it is behind; None: not known
    reasons: tuple[str, ...] = ()  # why something answered in another's place
    notes: tuple[str, ...] = ()
    indexed: int = 0
    scanned: int = 0
    cut: float | None = None  # the score at which candidates by words end, where further ones may have a phrase
    verbatim: bool = False  # the question occurs somewhere word for word
    occurrences: Occurrences | None = None  # of the question's words; None where no retriever by words answered
    together: float = 0.0  # the most of the question that stands in one passage of an answer
    near: float | None = None  # the noise threshold of the retriever by meaning
    nearest: float | None = None  # the score of its best candidate
    meant: bool = False  # models are only asked the words that they know
    scales: Mapping[str, Scale] | None = None  # by retriever, what its scores compare with
    documents: Mapping[str, Sequence[Fused]] = field(default_factory=dict)  # the candidates of each session
    reranked: int = 0  # how many of the best answers late interaction has put in order
    rows: Mapping[str, Any] = field(default_factory=dict)  # the catalogue's row of every candidate
    answers: Sequence[RankedAnswer] = ()
    place: LocalRepository | None = None  # the repository that is asked in
    look: FreshnessLook | None = None  # at git, while the indexes are searched
    named: tuple[NamedCommits, ...] = ()  # what the question names of the repository, as far as that tells of a time
    traced: Mapping[tuple[str, str], Traced] = field(default_factory=dict)  # by session
    runs: Mapping[str, Sequence[str]] = field(
        default_factory=dict
    )  # by an answer's best chunk, where there are several
    hits: tuple[Hit, ...] = ()
    unreadable: tuple[str, ...] = ()  # answers that could not be quoted, and why
    evidence: Evidence = "strong"


Stage = Callable[[SearchState], SearchState]


def density_of(said: Sequence[str]) -> Density:
    """How much of a chunk's texts is worth reading."""
    from aicx.corpus.views.rank import measure

    return measure("\n".join(said))


def session_of(row: Any) -> str:
    """The key by which chunks of one session are put together."""
    return f"{row['agent']}:{row['session_id']}"
