"""Which session goes on with which, where no log says it: told from what the sessions of a repository have in common.

Each kind of evidence has a weight, the probability that two sessions with it alone are one piece of work; several are
joined as if they were independent. The weights were set before anything was measured and are not fitted to any home.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import islice
from math import log, sqrt

import orjson

from aicx.evidence import Step
from aicx.fields import taken_from
from aicx.paths import NON_REPOSITORY
from aicx.refs import Ref
from aicx.sessions import Edge, EdgeType
from aicx.storage.typed import from_json
from aicx.text import plural
from aicx.types import PROMPTS
from aicx.values import dataclass
from aicx.work.session_facts import SessionFacts
from retrieval.analysis import analyze

# Branches on which work of every kind is done: to share one says nothing.
_COMMON_BRANCHES = frozenset({"main", "master", "trunk", "develop", "development", "dev", "default", "HEAD"})
_UUID = re.compile(r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])")
_HASH = re.compile(r"(?<![0-9A-Za-z_./#-])[0-9a-f]{7,40}(?![0-9A-Za-z_-])")
_FORGE = re.compile(
    r"https?://[^/\s]+/([\w.-]+/[\w.-]+)/(?:issues|pull|pulls|discussions|-/issues|-/merge_requests)/(\d+)"
)
_NUMBERED = re.compile(r"(?<![\w/.-])([\w.-]+/[\w.-]+)?#(\d{1,7})\b")
_SPOKEN = re.compile(r"\b(?:pr|pull request|issue|mr)\s+#?(\d{1,7})\b", re.IGNORECASE)
_MAX_PROMPT = 20_000  # characters of a prompt that are looked at, from its beginning and from its end
_MAX_EACH = 40
_ABBREVIATED = 7


@dataclass(frozen=True, slots=True)
class Sketch:
    """A session's part in one repository. ``asked`` and ``made`` are issues and pull requests as ``owner/name#12``."""

    agent: str
    session_id: str
    project: str
    started_at: str
    ended_at: str
    alone: bool  # a subagent's, or run by a program: it continues nothing by itself
    is_open: bool
    branches: tuple[str, ...]  # in the order in which it was last on them
    files: tuple[str, ...]
    words: tuple[str, ...]  # of its goal, stemmed
    asked: tuple[str, ...]
    made: tuple[str, ...]
    commits: tuple[str, ...]
    named: tuple[str, ...]  # ids and hashes in its first prompts

    @property
    def ref(self) -> str:
        return str(Ref.of_session(self.agent, self.session_id))

    def encode(self) -> bytes:
        return orjson.dumps(self)


def decode(body: bytes) -> Sketch:
    """The sketch of ``encode``. Raises ValueError, TypeError or LookupError for anything else."""
    return from_json(Sketch, orjson.loads(body))


def sketch_of(facts: SessionFacts, opening: Iterable[Step], branches: Iterable[str]) -> Sketch:
    """The sketch of a session from its facts, its first messages and all branches it was on."""
    prompts = [_ends(step.text) for step in opening if step.origin in PROMPTS]
    goal = " ".join(said.text for said in (facts.goal, facts.asked) if said is not None)
    text = "\n".join([*prompts, goal])
    commits = [ref.partition(":")[2] for said in facts.commits for ref in said.refs if ref.startswith("commit:")]
    # Digits and letters are mixed in all but a few hashes, and in no number or word.
    hashes = [found for found in _HASH.findall(text) if not (found.isdecimal() or found.isalpha())]
    return taken_from(
        facts,
        Sketch,
        alone=facts.lane == "subagent" or facts.automated,
        is_open=facts.state == "active",
        branches=_few(reversed([*_few(name for name in reversed([*branches]) if name not in _COMMON_BRANCHES)])),
        files=_few(facts.edited),
        words=_few(analyze(goal or facts.title or "").words),
        asked=_few(_issues(text, facts.project)),
        made=_few(issue for said in facts.pull_requests for issue in _issues(said.text, facts.project)),
        commits=_few(commit[:_ABBREVIATED] for commit in commits),
        named=_few([*_UUID.findall(text), *(found[:_ABBREVIATED] for found in hashes)]),
    )


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _MAX_PROMPT else f"{text[:_MAX_PROMPT]}\n{text[-_MAX_PROMPT:]}"


def _issues(text: str, project: str) -> list[str]:
    own = project if "/" in project and project != NON_REPOSITORY and not project.startswith("/") else ""
    found = [f"{name}#{number}" for name, number in _FORGE.findall(text)]
    found += (f"{name or own}#{number}" for name, number in _NUMBERED.findall(text))
    return found + [f"{own}#{number}" for number in _SPOKEN.findall(text)]


def _few(names: Iterable[str]) -> tuple[str, ...]:
    found: Sequence[str] = list(dict.fromkeys(names))
    return tuple(found[:_MAX_EACH])


NAMED, COMMIT, MADE, ASKED = 0.95, 0.9, 0.85, 0.7  # it names the session, a commit of it, its pull request, its issue
BRANCH = ((timedelta(days=2), 0.75), (timedelta(days=14), 0.6), (timedelta(days=60), 0.4))
LEFT_BRANCH = 0.5  # times the weight of a branch that one of them left for another: it was only checked out still
FILES, GOAL = 0.5, 0.7  # times how much is in common, and less with each week between the two
LEFT_OPEN = 0.2  # it was left open, and this one began within half a day
CONTINUES, RELATED = 0.6, 0.55  # from which confidence on there is an edge
_OPEN_WITHIN = timedelta(hours=12)
_SLACK = timedelta(minutes=10)  # by which the older may have ended after the newer began: its last words
_WEEK = timedelta(days=7)
_MAX_GAP = BRANCH[-1][0]
_MIN_COMMON = 0.3  # of goals or files; below, what two sessions share is what all of them do
_MIN_WORDS = 2  # "continue" alone is the goal of many
_MAX_SHARED = 12  # sessions that share a file, an issue or a word before it tells nothing
_MAX_CANDIDATES = 60  # older sessions compared with each, the latest ones
_MAX_RELATED = 3


@dataclass(frozen=True, slots=True)
class _FoundEdge:
    """Why two sessions belong together, the strongest reason first, and how likely it is."""

    older: int
    confidence: float
    reason: str
    follows: bool  # whether the newer took it up after it ended, rather than having the same subject


def derive_edges(sketches: Iterable[Sketch]) -> list[Edge]:
    """The edges between the sessions of one repository: for each at most one it continues, and few it is related to."""
    known = [one for one in sketches if not one.alone]
    known.sort(key=lambda one: (one.started_at, one.agent, one.session_id))
    compare = _Comparison(known)
    families = list(range(len(known)))  # each session's first ancestor by what it continues
    edges = []
    for newer in range(len(known)):
        found = [one for older in compare.candidates(newer) if (one := compare.pair(newer, older)) is not None]
        followed = [one for one in found if one.follows and one.confidence >= CONTINUES]
        best = max(followed, key=lambda one: (round(one.confidence, 1), known[one.older].ended_at), default=None)
        if best is not None:
            families[newer] = families[best.older]
            edges.append(_edge(known, newer, best, "continues"))
        others = [one for one in found if families[one.older] != families[newer] and one.confidence >= RELATED]
        others.sort(key=lambda one: (-one.confidence, -one.older))
        edges += (_edge(known, newer, one, "related") for one in others[:_MAX_RELATED])
    return edges


def _edge(known: Sequence[Sketch], newer: int, found: _FoundEdge, kind: EdgeType) -> Edge:
    one, older, likely = known[newer], known[found.older].ref, round(found.confidence, 2)
    return Edge(one.ref, older, kind, found.reason, likely, "derived", one.started_at)


class _Comparison:
    """The sessions of a repository, the oldest first, and which of them have what."""

    def __init__(self, known: Sequence[Sketch]) -> None:
        self._known = known
        self._starts = [datetime.fromisoformat(one.started_at) for one in known]
        self._ends = [datetime.fromisoformat(one.ended_at) for one in known]
        self._with: dict[tuple[str, str], list[int]] = defaultdict(list)
        for at, one in enumerate(known):
            for name, values in _marks(one).items():
                for value in values:
                    self._with[name, value].append(at)
        self._lengths = [sqrt(sum(self._weight("word", word) ** 2 for word in one.words)) for one in known]

    def candidates(self, newer: int) -> list[int]:
        """Older sessions that have something telling in common with one, the latest first."""
        one = self._known[newer]
        wanted = _marks(one)
        wanted.update(session=one.named, commit=one.named, made=(*one.asked, *one.made))
        found: set[int] = set()
        for name, values in wanted.items():
            for value in values:
                having = self._with.get((name, value), ())
                if name in ("branch", "session", "commit") or len(having) <= _MAX_SHARED:
                    low = bisect_left(having, newer)
                    found.update(having[max(0, low - _MAX_CANDIDATES) : low])
        return list(islice(sorted(found, reverse=True), _MAX_CANDIDATES))

    def pair(self, newer: int, older: int) -> _FoundEdge | None:
        one, other = self._known[newer], self._known[older]
        if one.ref == other.ref:
            return None
        gap = max(self._starts[newer] - self._ends[older], timedelta())
        said, (branch, stayed) = list(self._said(one, other)), self._branch(one, other, gap)
        reasons = [*said, *branch, *self._done(newer, older, gap)]
        if not reasons:
            return None
        after = self._starts[newer] >= self._ends[older] - _SLACK
        left_open = after and other.is_open and gap <= _OPEN_WITHIN
        if left_open:
            reasons.append((LEFT_OPEN, "that one was left open"))
        doubt = 1.0
        for weight, _ in reasons:
            doubt *= 1 - weight
        reasons.sort(key=lambda row: -row[0])
        when = f"it began {_length(gap)} after that one ended" if after else "both were at work at the same time"
        text = "; ".join([*(text for _, text in reasons[:3]), when])
        # The same request once more, of a session that was done, begins anew.
        return _FoundEdge(older, 1 - doubt, text, after and (bool(said) or stayed or left_open))

    def _said(self, one: Sketch, other: Sketch) -> Iterable[tuple[float, str]]:
        """Yields what the newer says of the older."""
        if other.session_id in one.named:
            yield NAMED, "its first prompt names that session"
        if set(one.named) & set(other.commits):
            yield COMMIT, "its first prompt names a commit of that one"
        if made := self._first("made", (set(one.asked) | set(one.made)) & set(other.made)):
            yield MADE, f"it is about {made}, which that one opened"
        elif asked := self._first("asked", set(one.asked) & set(other.asked)):
            yield ASKED, f"both were asked about {asked}"

    def _branch(self, one: Sketch, other: Sketch, gap: timedelta) -> tuple[list[tuple[float, str]], bool]:
        """The branch that both were on, and whether both stayed there."""
        shared = [name for name in one.branches if name in other.branches]
        weight = next((weight for within, weight in BRANCH if shared and gap <= within), None)
        if weight is None:
            return [], False
        stayed = one.branches[-1] in shared and other.branches[-1] in shared
        return [(weight * (1 if stayed else LEFT_BRANCH), f"both were on branch {shared[-1]}")], stayed

    def _done(self, newer: int, older: int, gap: timedelta) -> Iterable[tuple[float, str]]:
        """Yields what both changed and were asked for."""
        one, other = self._known[newer], self._known[older]
        if gap > _MAX_GAP:
            return
        near = 1 / (1 + gap / _WEEK)
        shared = [name for name in one.files if name in other.files]
        common = self._common("file", shared, one.files, other.files)
        if common >= _MIN_COMMON:
            yield FILES * common * near, f"{plural(len(shared), 'file')} edited in both"
        words = set(one.words) & set(other.words)
        telling = sum(len(self._with["word", word]) <= _MAX_SHARED for word in words)
        cosine = self._cosine(newer, older)
        if cosine >= _MIN_COMMON and telling >= _MIN_WORDS:
            yield GOAL * cosine * near, f"their goals share {plural(len(words), 'word')}"

    def _first(self, name: str, shared: Iterable[str]) -> str | None:
        """The most telling of what two sessions share, None where many have it."""
        rare = [value for value in shared if len(self._with[name, value]) <= _MAX_SHARED]
        return min(rare, key=lambda value: (len(self._with[name, value]), value), default=None)

    def _weight(self, name: str, value: str) -> float:
        return log((1 + len(self._known)) / len(self._with[name, value]))

    def _common(self, name: str, shared: Sequence[str], *both: Sequence[str]) -> float:
        """How much of the smaller of two sets both have, rare members counting more."""
        whole = min(sum(self._weight(name, value) for value in one) for one in both)
        return sum(self._weight(name, value) for value in shared) / whole if shared and whole else 0.0

    def _cosine(self, newer: int, older: int) -> float:
        shared = set(self._known[newer].words) & set(self._known[older].words)
        lengths = self._lengths[newer] * self._lengths[older]
        return sum(self._weight("word", word) ** 2 for word in shared) / lengths if lengths else 0.0


def _marks(one: Sketch) -> dict[str, Sequence[str]]:
    """Returns what a session is found by."""
    return {
        "session": (one.session_id,),
        "branch": one.branches,
        "file": one.files,
        "word": one.words,
        "asked": one.asked,
        "made": one.made,
        "commit": one.commits,
    }


def _length(gap: timedelta) -> str:
    minutes = int(gap.total_seconds() // 60)
    if minutes < 120:
        return plural(minutes, "minute")
    return plural(minutes // 60, "hour") if minutes < 48 * 60 else plural(gap.days, "day")
