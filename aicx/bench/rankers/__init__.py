"""Rankers behind one small protocol: one module a method, imported when it is asked for.

A ranker is named by its method and, after a colon, what it works with: ``fts5``, ``dense:minilm``, ``weighted:static``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from aicx.bench.dataset import Query
from aicx.errors import AicxError, UsageError
from aicx.types import Candidate, Document
from aicx.values import dataclass
from retrieval.evidence import Evidence
from retrieval.params import DEFAULT_PARAMS, RankingParams

if TYPE_CHECKING:
    from aicx.memory.recall.asking import RecallQuery
    from aicx.why.ranking import Weights


class Ranker(Protocol):
    """Something that puts documents in an order for a question."""

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        """The best documents, best first; fewer, or none, when it has nothing to say."""
        ...


class RankerFailed(AicxError):
    """A ranker failed. ``said`` are its own words; they may quote what it was asked, so ``plain`` does without them."""

    def __init__(self, plain: str, said: str = "") -> None:
        super().__init__(f"{plain}: {said}" if said else plain)
        self.plain, self.said = plain, said


class RankerAbsent(AicxError):
    """The program or library that the ranker runs is not installed, or not in the version that is measured."""


class QuestionFailed(RankerFailed):
    """A ranker has no answer to one question because it failed. It may still answer the next."""


@runtime_checkable
class Outside(Protocol):
    """A ranker that runs in a process other than the one that measures it."""

    def notes(self) -> Sequence[str]:
        """Returns notes for a reader of its figures: version, mode, how it was asked."""
        ...

    def close(self) -> int:
        """Ends its process, and says the most memory that has held, in bytes."""
        ...


@runtime_checkable
class Labelling(Protocol):
    """A ranker that says how far its answers have what was asked."""

    def labelled(self, query: Query, limit: int) -> tuple[list[Candidate], Evidence]:
        """Ranks as `rank` does, and returns the label of the answers too."""
        ...


@dataclass(frozen=True, slots=True)
class RankerFolders:
    """Where a ranker keeps its index, where exported models lie, and the AICX_HOME when the corpus is a stored one."""

    folder: Path
    models: Path
    home: Path | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """How a ranker of ours is to rank; others have no use for it.

    ``group``, ``decay`` and ``automated``, the factor for sessions that a program ran, are for aicx over a store.

    ``lift_dates``: whether a date in the question limits the answers, for aicx over whatever has days. ``why``: what
    each signal of `aicx why` is worth, ``recall``: how the memory is asked; None for their own choice. ``in_place``:
    whether the search is asked in the repository that the question is about, where one is at hand.
    """

    rules: RankingParams = DEFAULT_PARAMS
    group: Literal["session", "chunk"] = "session"
    decay: str = "off"
    automated: float = 0.8
    lift_dates: bool = True
    why: Weights | None = None
    recall: RecallQuery | None = None
    in_place: bool = False


DEFAULT_CHOICES = Choices()
# After an embedder's name: with windows as long as its model takes in, not as long as they serve best.
LONG = "/long"


class Method(Protocol):
    """The functions that a module of this package offers. ``name`` is the ranker's whole name."""

    IN_MEMORY: bool  # no index on disk: every new process builds it again, and needs the documents for it

    def build(self, name: str, documents: Sequence[Document], place: RankerFolders) -> float | None:
        """Writes the index below ``place``, and says how long the whole of it took, now or when it was first written.

        None where that is unknown, or where it works in memory.
        """
        ...

    def index_paths(self, name: str, place: RankerFolders) -> Sequence[Path]:
        """The files and folders of the index."""
        ...

    def open_ranker(
        self, name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
    ) -> Ranker:
        """The ranker on its index; only a method that works in memory looks at ``documents``."""
        ...


@runtime_checkable
class Choosing(Protocol):
    """A method whose names say more than the embedder: what they mean can be checked before anything is built."""

    def choose(self, name: str) -> object:
        """Raises UsageError where ``name`` means nothing."""
        ...


METHODS: Mapping[str, str] = {
    "grep": "aicx.bench.rankers.grep",
    "rank-bm25": "aicx.bench.rankers.reference",
    "bm25-analysed": "aicx.bench.rankers.reference",
    "fts5": "aicx.bench.rankers.fts5",
    "lexical": "aicx.bench.rankers.lexical",
    "dense": "aicx.bench.rankers.dense",
    "rrf": "aicx.bench.rankers.fusion",
    "weighted": "aicx.bench.rankers.fusion",
    "aicx": "aicx.bench.rankers.product",
    "why": "aicx.bench.rankers.why",
    "memory": "aicx.bench.rankers.memory",
    "peer": "benchmarks.peers.ranker",
}


def method_of(name: str) -> Method:
    """The module behind the ranker called ``name``."""
    method = name.partition(":")[0]
    if method not in METHODS:
        raise UsageError(f"there is no ranker {name!r}", hint=f"choose from {', '.join(METHODS)}")
    try:
        module: Method = import_module(METHODS[method])
    except ModuleNotFoundError as error:
        if error.name != "benchmarks":
            raise
        raise UsageError(
            f"{name!r} is measured from a checkout of aicx, not from an installed package",
            hint="in the checkout: make bench, then .venv/bin/aicx bench peers",
        ) from error
    return module


def check_name(name: str) -> None:
    """Says whether there is a ranker called ``name``, before anything is built for it."""
    method = method_of(name)
    if isinstance(method, Choosing):
        method.choose(name)


def open_ranker(
    name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
) -> Ranker:
    """The ranker called ``name`` over ``documents``, its index built below ``place`` first."""
    method = method_of(name)
    method.build(name, documents, place)
    return method.open_ranker(name, documents, place, choices)


def full_text(document: Document) -> str:
    """All of a document as one text, its header first: what methods without fields see."""
    texts = [document.header, *(part.text for part in document.parts)]
    return "\n".join(text for text in texts if text)
