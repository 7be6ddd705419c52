"""`aicx.search/1`: the passages that answer a question."""

from __future__ import annotations

from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from aicx.fields import OPTIONAL, taken_from
from aicx.values import dataclass
from retrieval.ranking import Contribution

if TYPE_CHECKING:
    from aicx.engine.search import Hit, SearchReport
    from aicx.engine.stages import Team

SCHEMA = "aicx.search/1"


@dataclass(frozen=True, slots=True)
class Made:
    """Why a session is raised: it worked before a commit that the question names, and touched some of its files."""

    by: Annotated[str, "what names the commit: `subject`, `hash`, `number`, `tag`, `branch` or `file`"]
    commit: Annotated[str, "its hash"]
    factor: Annotated[float, "what its score was multiplied by"]
    hours_before: Annotated[float, "hours from its work to the commit"]
    touched: Annotated[int, "files of the commit that it edited"]
    files: Annotated[int, "files of the commit, or the one file or branch that is named"]


@dataclass(frozen=True, slots=True)
class NamedCommit:
    """A commit that the question names."""

    by: Annotated[str, "as above"]
    name: Annotated[str, "the name in the question; the whole question where `by` is `subject`"]
    commit: Annotated[str, "its hash"]
    at: Annotated[str, "its author's date"]


@dataclass(frozen=True, slots=True)
class Reply:
    """The agent's words in the end, from a later chunk of the session."""

    id: str
    ref: str
    lines: Annotated[list[str], "up to two of its lines"]


@dataclass(frozen=True, slots=True)
class SearchItem:
    """One answer to a question."""

    rank: Annotated[int, "from 1"]
    score: Annotated[float, "the fused score, comparable within one answer only"]
    tier: Annotated[
        str,
        "how well the text fits the words: `exact` (all of them), `partial`, `nearest` (none of them: matched by"
        " meaning, or by the header)",
    ]
    id: str
    ref: str
    session_id: str
    agent: str
    project: str
    date: str
    started_at: str
    kind: str
    title: str | None
    chunk_title: str | None
    branch: str | None
    cwd: str | None
    lane: str | None
    path: str
    chunks: Annotated[int, "how many chunks of the session matched, with `--group session`; else 1"]
    terms_found: Annotated[int, "how many of the question's words, names and phrases are in the chunk or its header"]
    terms_asked: Annotated[int, "how many of them there are"]
    matches: Annotated[list[str], "up to three lines that match the question and say most about it"]
    reply: Annotated[
        Reply | None,
        "the agent's last message before the next prompt, where that is in a later chunk; else null",
    ]
    altered: bool
    density: Annotated[str, "how much of the chunk is worth reading, as in `search --worth`, such as `56%`"]
    density_score: Annotated[float, "its `score` in `search --worth`"]
    label: str
    decay_factor: Annotated[float, "the factor for age; 1 without `--decay`"]
    place_factor: Annotated[float, "the factor for the repository that you are in; 1 elsewhere and with `--everywhere`"]
    history: Annotated[Made | None, "the commit that raised it, where the question names one; else null"]
    contributions: Annotated[dict[str, Contribution], "by retriever"]
    automated: bool
    automated_why: str | None
    runs: int
    run_ids: list[str]
    member: Annotated[
        str | None,
        "with `--team`: who gave it to the share, or yourself; what others wrote is theirs",
    ] = field(default=None, metadata=OPTIONAL)


@dataclass(frozen=True, slots=True)
class StatedMatch:
    """A statement about the question from the end of a session, made with `aicx finalize`. Nobody checked it."""

    ref: Annotated[str, "reference of the statement, which `aicx show` opens"]
    by: Annotated[str, "agent, `person`, or program that `aicx run` ran"]
    at: str
    age: Annotated[str, "how long ago, as `2 hours ago`"]
    project: str | None
    lines: Annotated[list[str], "what of it is about the question, such as `next: …` or `decided (candidate): …`"]


@dataclass(frozen=True, slots=True)
class IndexFreshness:
    """How far an index is behind."""

    behind: Annotated[int | None, "number of chunks missing in the index or no longer stored; null if unknown"]


@dataclass(frozen=True, slots=True)
class SearchStatus:
    """How the answers came about: which retrievers took part, what served in another's place, what was stale."""

    source_layer: Annotated[str, "`layer_1_canonical_corpus`"]
    backend: Annotated[
        str,
        "`hybrid` (several retrievers), `lexical`, `content_semantic` (dense alone) or `filesystem_scan`; `none` where"
        " nothing is stored yet",
    ]
    rankers: Annotated[
        list[str], "the retrievers used: `lexical`, `dense`, `scan`; `date` if the question was only a date"
    ]
    index_kind: Annotated[str, "`canonical_chunks` or `none`"]
    fallback_reason: Annotated[str | None, "the retriever that could not answer, and the reason; or null"]
    store_root: Annotated[str, "the corpus's folder"]
    indexed_count: Annotated[int, "chunks in the catalogue"]
    scanned_count: Annotated[int, "chunks read because an index was missing"]
    freshness: Annotated[dict[str, IndexFreshness], "by retriever"]
    stale_or_unknown: Annotated[bool, "whether a retriever was missing, or an index behind"]
    near_threshold: Annotated[
        float | None, "the noise threshold for an answer without a word in common; null without the dense retriever"
    ]
    nearest: Annotated[float | None, "the score (cosine) of the nearest passage; null without the dense retriever"]
    reranked: Annotated[int, "how many of the best answers late interaction has put in order"]
    candidate_count: Annotated[int, "number of candidates"]
    source_paths_verified: Annotated[bool, "whether every returned path exists"]
    place: Annotated[str | None, "the repository that you are in, which counts a little more; or null"]
    history: Annotated[list[NamedCommit], "commits of it that the question names"]


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """The passages that answer a question."""

    query: str
    results: int
    matched: Annotated[int, "number of candidates before `--limit`"]
    scanned: Annotated[int, "chunks read because the index was missing"]
    evidence: str
    missing_words: Annotated[
        list[str], "words and names of the question, as typed, that occur in none of the chunks searched"
    ]
    evidence_note: Annotated[
        str | None,
        "both in a sentence, which the command line, MCP and the dashboard show; null when there is nothing to say",
    ]
    items: Annotated[list[SearchItem], "best first"]
    notes: Annotated[
        list[str],
        "also the time that a question was limited to, and what was searched for in place of a misspelt word",
    ]
    oracle_status: SearchStatus
    stated: Annotated[list[StatedMatch] | None, "statements of sessions' ends about it, at most three"] = field(
        default=None, metadata=OPTIONAL
    )


def search_answer(report: SearchReport, stated: list[StatedMatch] | None = None) -> SearchAnswer:
    home = Path(report.oracle_status["store_root"])
    return taken_from(
        report,
        SearchAnswer,
        query=report.query.text,
        results=len(report.hits),
        missing_words=list(report.missing_words),
        items=[_item(hit, home, report.query.team) for hit in report.hits],
        oracle_status=search_status(report),
        stated=stated or None,
    )


def search_status(report: SearchReport) -> SearchStatus:
    freshness = {name: IndexFreshness(**index) for name, index in report.oracle_status["freshness"].items()}
    history = [NamedCommit(**named) for named in report.oracle_status["history"]]
    return SearchStatus(**{**report.oracle_status, "freshness": freshness, "history": history})


def _made(hit: Hit) -> Made | None:
    found = hit.history
    if found is None:
        return None
    hours = round(found.gap.total_seconds() / 3600, 1)
    return Made(found.kind, found.commit, round(hit.history_factor, 4), hours, found.touched, found.files)


def _item(hit: Hit, home: Path, team: Team | None) -> SearchItem:
    fields, density = hit.sidecar.fields, hit.density()
    return taken_from(
        hit,
        SearchItem,
        score=round(hit.score, 6),
        id=hit.sidecar.id,
        session_id=hit.sidecar.session_id,
        agent=hit.sidecar.agent,
        project=hit.sidecar.project,
        date=fields["date"],
        started_at=fields["started_at"],
        kind=fields["kind"],
        chunk_title=fields.get("title"),
        branch=fields.get("branch"),
        cwd=fields.get("cwd"),
        lane=fields.get("lane"),
        path=str(home / hit.path) if hit.member is None else "",
        matches=[line.text for line in hit.lines],
        reply=Reply(hit.reply.chunk, hit.reply.ref, [line.text for line in hit.reply.lines]) if hit.reply else None,
        density=f"{density.share:.0%}",
        density_score=density.score,
        label=density.label,
        decay_factor=round(hit.decay_factor, 4),
        place_factor=round(hit.own, 4),
        history=_made(hit),
        contributions={
            name: Contribution(vote.rank, round(vote.score, 4), round(vote.worth, 6))
            for name, vote in hit.votes.items()
        },
        automated=hit.automated_why is not None,
        runs=len(hit.runs),
        run_ids=list(hit.runs) if len(hit.runs) > 1 else [],
        member=hit.member or (team.member if team else None),
    )
