"""Records of a memory to be measured on, and the questions that are mined from them: by topic words and in other words.

A question asks for the one record that holds. Its words are those of ``about``, which sets no record apart from others
about the same subject, so that only what became of them does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from random import Random
from typing import Literal

from aicx.bench.dataset import Query
from aicx.bench.mining.absent import TOPICS, is_elsewhere
from aicx.bench.mining.synonyms import SYNONYMS
from aicx.evidence.texts import words
from aicx.memory.record import Kind
from aicx.values import dataclass
from retrieval.analysis import STOP_WORDS, analyze

# The repository that is asked in, another one, and when.
HERE, ELSEWHERE = "acme/widgets", "acme/gadgets"
NOW = datetime(2026, 6, 1, tzinfo=UTC)
TOPIC_WORDS = "topic words"
_TOLD = 4  # words of a question by topic words
_MAX_WORDS = 10  # words of a question in other words
_REPLACED = 2  # at least; with fewer it is no question in other words

# What became of a record. ``guidance`` is none: it is a line of an instruction file.
Fate = Literal["accepted", "candidate", "replaced", "rejected", "archived", "expired", "guidance"]


@dataclass(frozen=True, slots=True)
class BenchRecord:
    """A record, or a line of an instruction file. ``right`` is whether it is what holds about its subject.

    ``about`` is what it says without what sets it apart from others on the same subject.
    """

    id: str
    kind: Kind
    topic: str
    statement: str
    about: str
    at: datetime
    fate: Fate = "accepted"
    repository: str = HERE
    right: bool = False


def mine(records: Sequence[BenchRecord], random: Random) -> list[Query]:
    """The questions about every record that is right. Those in other words count; those by topic words are apart."""
    common = Counter(word for one in records for word in {*told(one.about)})
    found: list[Query] = []
    for one in records:
        if not one.right:
            continue
        relevant = {one.id: 1}
        if said := paraphrase(one.about):
            found.append(Query(f"words-{one.id}", said, relevant, now=NOW))
        if topic := topic_words(one.about, common, random):
            found.append(Query(f"topic-{one.id}", topic, relevant, now=NOW, part=TOPIC_WORDS))
    return found


def mine_absent(records: Iterable[BenchRecord], limit: int) -> list[Query]:
    """At most ``limit`` questions about other trades, of whose words no record has more than half."""
    held = [frozenset(analyze(one.statement).words) for one in records]
    texts = [topic for topic in TOPICS if is_elsewhere(topic, held)][:limit]
    return [Query(f"absent-{number}", text, type="negative", now=NOW) for number, text in enumerate(texts)]


def topic_words(about: str, common: Mapping[str, int], random: Random) -> str:
    """The rarest words of a statement in any order; empty where it has too few that tell anything."""
    every = sorted({*told(about)}, key=lambda word: (common[word], word))[:_TOLD]
    random.shuffle(every)
    return " ".join(every) if len(every) == _TOLD else ""


def paraphrase(about: str) -> str:
    """A statement's telling words with every one replaced that has a synonym; empty where too few have."""
    said = told(about)[:_MAX_WORDS]
    other = [SYNONYMS.get(word, word) for word in said]
    return " ".join(other) if sum(map(str.__ne__, said, other)) >= _REPLACED else ""


def told(text: str) -> list[str]:
    """The words of a text that tell something, in their order and each once, in small letters."""
    return [word for word in dict.fromkeys(map(str.lower, words(text))) if word not in STOP_WORDS and len(word) > 1]
