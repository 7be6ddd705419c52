"""The public Python API, as `aicx.open` gives it: a corpus that is searched, listed, shown and resumed from."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Self, TypedDict, Unpack

from aicx.config import Settings, load_settings
from aicx.corpus.catalog.filters import parse_filters, parse_instant
from aicx.corpus.catalog.query import steer
from aicx.corpus.views.show import ChunkFound as ChunkFound
from aicx.corpus.views.show import ListFound as ListFound
from aicx.corpus.views.show import SessionFound as SessionFound
from aicx.corpus.views.show import ShowAnswer, show
from aicx.engine.search import RERANKED, Group, Mode, Searcher, SearchQuery, Sort
from aicx.engine.search_answer import SearchAnswer, search_answer
from aicx.engine.stages import STEER_DECAY, steer_query
from aicx.engine.steer_answer import SteerAnswer, ranked_answer, steer_answer
from aicx.errors import AicxError as AicxError
from aicx.fields import to_fields as to_fields
from aicx.filters import NAMES, Filters
from aicx.resume import ResumeQuery
from aicx.resume.brief.output import json_brief, markdown_brief
from aicx.resume.report import ResumeReport
from aicx.resume.run import resume
from aicx.values import dataclass
from aicx.why.answer import WhyAnswer, answer_why
from aicx.why.run import WhyQuery
from aicx.work.stated_search import search_and_stated
from retrieval.decay import parse_decay

Texts = str | Sequence[str]


class Where(TypedDict, total=False):
    """The limits of a question, each as its option on the command line. Of several texts any matches.

    These are the rows of `aicx.filters.FILTERS`, written out for type checkers.
    """

    project: Texts
    agent: Texts
    kind: Texts
    session: Texts
    exclude_session: Texts
    lane: Texts
    run_id: Texts
    prompt_id: Texts
    date: str
    since: str
    until: str
    hours: float
    branch: Texts
    file: Texts
    model: Texts
    tool: Texts
    failed: bool
    automated: bool
    workflow_phase: Texts
    frontmatter_mode: Texts
    skill_code: Texts
    min_token_usage: int
    min_findings_count: int


@dataclass(frozen=True, slots=True)
class Brief:
    """A brief for a new session, as `aicx resume` gives it, free of secrets. A ``budget`` is in tokens."""

    settings: Settings
    report: ResumeReport

    def markdown(self, budget: int = 2_000) -> str:
        """The brief for people and agents."""
        return markdown_brief(self.settings, self.report, budget).text.decode()

    def json(self, budget: int = 6_000) -> str:
        """The brief as `aicx resume --json` prints it."""
        return json_brief(self.settings, self.report, budget).text.decode()


class Corpus:
    """A stored history. Indexes stay open between questions; it is not for several threads at once.

    Every method raises an `aicx.AicxError`, which has a message and often a hint.
    """

    def __init__(self, home: str | PathLike[str] | None = None) -> None:
        """``home`` is the corpus's folder: else AICX_HOME, else ``~/.aicx``."""
        self._settings = load_settings(corpus=Path(home) if home is not None else None)
        self._searcher = Searcher(self._settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes what was opened; a later question opens it again."""
        self._searcher.close()

    def search(
        self,
        question: str,
        *,
        limit: int = 10,
        mode: Mode = "auto",
        group: Group = "chunk",
        sort: Sort = "relevance",
        decay: str = "off",
        min_score: float = 0.0,
        repo: str | PathLike[str] | None = None,
        rerank: int = RERANKED,
        **where: Unpack[Where],
    ) -> SearchAnswer:
        """The passages that answer a question, as `aicx search` finds them.

        ``decay``: off, gentle, strong, or days. ``min_score``, from 0 to 10, leaves out what ranks lower.
        ``repo`` is a folder of the repository that counts more, as the current one does on the command line.
        ``rerank``: how many of the best answers are compared with the question token by token, 0 for none.
        """
        now = datetime.now(UTC)
        query = SearchQuery(
            text=question,
            now=now,
            filters=_filters(where, now),
            mode=mode,
            group=group,
            limit=limit,
            sort=sort,
            decay=parse_decay(decay),
            min_score=min_score,
            place=Path(repo) if repo is not None else None,
            rerank=rerank,
        )
        return search_answer(*search_and_stated(self._settings, query, self._searcher.search))

    def steer(
        self,
        question: str = "",
        *,
        limit: int = 20,
        decay: str = STEER_DECAY,
        repo: str | PathLike[str] | None = None,
        **where: Unpack[Where],
    ) -> SteerAnswer:
        """Chunks by what is known of them, newest first, as `aicx steer` lists them.

        With a question, those that are about it, by words, meaning and age; ``decay`` and ``repo`` as in `search`.
        """
        now = datetime.now(UTC)
        filters = _filters(where, now)
        if not question.strip():
            return steer_answer(steer(self._settings.layout, filters, limit))
        place = Path(repo) if repo is not None else None
        return ranked_answer(self._searcher.search(steer_query(question, now, filters, limit, decay, place)))

    def show(self, ref: str, *, limit: int = 20, full: bool = False, verify: bool = False) -> ShowAnswer:
        """One chunk, one session, or what has to do with a file or a commit, as `aicx show` does."""
        return show(self._settings.layout, ref, limit, full=full, verify=verify)

    def resume(
        self,
        folder: str | PathLike[str] | None = None,
        *,
        project: Texts | None = None,
        task: str = "",
        mode: Mode = "auto",
        decay: str = "gentle",
        since: str | None = None,
        exclude_session: Texts = (),
    ) -> Brief:
        """Tells what a new session in a repository should know, by its folder (else the current one) or its projects.

        Of several projects the first names the brief, and the sessions of all count. ``decay`` is as in `search`.
        """
        now = datetime.now(UTC)
        projects, excluded = _several(project), _several(exclude_session)
        query = ResumeQuery(
            now=now,
            task=task,
            folder=Path(folder) if folder is not None else None if projects else Path.cwd(),
            project=projects[0] if projects else None,
            also=projects[1:],
            mode=mode,
            decay=parse_decay(decay),
            since=parse_instant(since, now) if since else None,
            exclude_session=excluded,
        )
        return Brief(self._settings, resume(self._settings, query))

    def why(self, target: str, folder: str | PathLike[str] | None = None, *, limit: int = 5) -> WhyAnswer:
        """The sessions that made a commit, a file or a line of a repository, and their reason, as `aicx why` does.

        ``folder`` is one of the repository's, else the current one.
        """
        place = Path(folder) if folder is not None else Path.cwd()
        return answer_why(self._settings, WhyQuery(target, datetime.now(UTC), place, limit))


def _several(given: Texts | None) -> tuple[str, ...]:
    return tuple(filter(None, (given,) if isinstance(given, str) else given or ()))


def _filters(where: Where, now: datetime) -> Filters:
    if unknown := where.keys() - set(NAMES):
        raise TypeError(f"no such filter: {', '.join(sorted(unknown))}")
    return parse_filters(now, **where)
