"""Every choice in ranking, in one place, so that a benchmark can switch each off and see what it was worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from aicx.values import dataclass

# What a hit in each field is worth. What people and agents said counts in full; reasoning and tool output, of which
# there is much more, count less; a whole name counts on top of its words.
FIELDS: Mapping[str, float] = {
    "header": 0.5,
    "said": 1.0,
    "thought": 0.7,
    "tool": 0.3,
    "header_names": 0.5,
    "said_names": 0.5,
    "thought_names": 0.3,
    "tool_names": 0.3,
}

# What all words of a question are worth beside a score by meaning, by kind of embedder: less where the model
# understands more, and least where it also compares tokens afterwards.
WORDS: Mapping[str, float] = {"contextual": 8.0, "contextual alone": 12.0, "static": 14.0}
# What the best found counts with ``share`` and ``standardise`` off: as much as a good document gets with them on.
BEST_BY_WORDS, BEST_BY_MEANING = 0.5, 3.0


@dataclass(frozen=True, slots=True)
class RankingParams:
    """How candidates become an order. The defaults are what `search` does; docs/benchmarks.md says why.

    Attributes:
        pool: how many candidates each retriever gives, at least; see `candidates`.
        fusion: sum of scores on scales of their own (see `share` and `standardise`), weighted sum of min-max normalised
            scores, or reciprocal ranks. What is looked up is always joined by the weighted sum.
        words: by kind of embedder, what it is worth that a document has all words of a question, in deviations of a
            score by meaning. Less where the model understands more.
        share: whether the lexical score counts as a share of the best score that the question could get; else as a
            share of the best one found.
        standardise: whether a score by meaning counts in deviations from the mean of all documents that fulfil the
            conditions; else from the lowest to the highest found.
        rerank: what a deviation of late interaction counts among the best answers.
        fields: weight of each field of the lexical index; a field without one is not searched.
        meaning: weight of the dense ranker from 0 to 1 in a weighted sum; words have the rest.
        meaning_in_lookup: the same for a question of names only (a path, a symbol, an error code), which is looked up
            rather than interpreted, and for one that stands somewhere word for word.
        verbatim: whether it is looked at if a question stands somewhere word for word.
        names_as_one: whether the words that a name splits into weigh together as much as one word.
        names_whole: whether a CamelCase or snake_case name that occurs whole is found whole, or with its words side by
            side, and not by one of them.
        words_as_names: whether a plain word is also looked for as a name whose capitals were not typed.
        lookup_all: in a question of names only, whether the words of a name count only where all of them are.
        lookup_name: in a question of names only, what a whole name is worth in any field.
        lookup_phrase: there, what the words of a name are worth side by side, as in ``foo_bar`` for ``fooBar``.
        subagent: factor for a subagent's chunk: whoever asked it to work is the better answer.
        session_shares: what a session's best chunks count for, best first; several good ones beat a lucky one.
        session_nearness: the power of how near each further chunk of a session comes to the best of all: several weak
            ones do not beat a good one.
        diversity: factor for each further chunk of a session already among the answers, when chunks are asked for.
        abstain: whether what only a ranker by meaning names has to be nearer than unrelated questions come, where words
            found nothing and in what is looked up.
        history: how many times its score is added to an answer that surely made the commit that a question names, by
            what a repository's history says; less where that is less sure. 0 asks no repository.
        sightings: whether the time of a commit that git does not know is taken from what tools printed into the logs.
        own_repository: the same for an answer of the repository that is asked in.
    """

    pool: int = 100
    fusion: Literal["standard", "weighted", "reciprocal"] = "standard"
    words: Mapping[str, float] = field(default_factory=lambda: dict(WORDS))
    share: bool = True
    standardise: bool = True
    rerank: float = 0.6
    fields: Mapping[str, float] = field(default_factory=lambda: dict(FIELDS))
    meaning: float = 0.3
    meaning_in_lookup: float = 0.02
    verbatim: bool = True
    names_as_one: bool = True
    names_whole: bool = True
    words_as_names: bool = True
    lookup_all: bool = True
    lookup_name: float = 3.0
    lookup_phrase: float = 2.0
    subagent: float = 0.8
    session_shares: tuple[float, ...] = (1.0, 0.5, 0.33)
    session_nearness: float = 2.0
    diversity: float = 0.9
    abstain: bool = True
    history: float = 8.0
    sightings: bool = True
    own_repository: float = 0.1

    def candidates(self, limit: int) -> int:
        """How many candidates of each retriever are ranked for ``limit`` answers: several of them fall to one."""
        return max(self.pool, 3 * limit)

    def weights(self, *, lookup: bool) -> dict[str, float]:
        """Returns the weight of each ranker's vote; ``lookup`` says that the question is looked up, not interpreted."""
        meaning = self.meaning_in_lookup if lookup else self.meaning
        return {"lexical": 1.0 - meaning, "scan": 1.0 - meaning, "dense": meaning}

    def standard_weights(self, kind: str) -> dict[str, float]:
        """The same where scores have scales; ``kind`` is that of the embedder."""
        return {"lexical": self.words[kind], "dense": 1.0}


DEFAULT_PARAMS = RankingParams()
