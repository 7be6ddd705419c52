"""What of a stored session tells whether it goes on with another: a few hundred bytes, made once from its facts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import orjson

from aicx.evidence.transcript import Step
from aicx.fields import taken_from
from aicx.paths import NON_REPOSITORY
from aicx.refs import Ref
from aicx.storage.typed import from_json
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
        named=_few([*_UUID.findall(text), *(found[:_ABBREVIATED] for found in _HASH.findall(text) if _is_hash(found))]),
    )


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _MAX_PROMPT else f"{text[:_MAX_PROMPT]}\n{text[-_MAX_PROMPT:]}"


def _is_hash(found: str) -> bool:
    """Whether digits and letters are mixed, as in all but a few hashes and in no number or word."""
    return not found.isdecimal() and not found.isalpha()


def _issues(text: str, project: str) -> list[str]:
    own = project if "/" in project and project != NON_REPOSITORY and not project.startswith("/") else ""
    found = [f"{name}#{number}" for name, number in _FORGE.findall(text)]
    found += (f"{name or own}#{number}" for name, number in _NUMBERED.findall(text))
    return found + [f"{own}#{number}" for number in _SPOKEN.findall(text)]


def _few(names: Iterable[str]) -> tuple[str, ...]:
    found: Sequence[str] = list(dict.fromkeys(names))
    return tuple(found[:_MAX_EACH])
