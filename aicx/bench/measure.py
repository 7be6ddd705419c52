"""Measures one ranker over one dataset, in a process of its own: its memory is its own, and its failure too."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Protocol, runtime_checkable

from aicx.bench.cold import cold_seconds
from aicx.bench.dataset import DEPTH, Dataset, Query
from aicx.bench.rankers import (
    Labelling,
    Outside,
    QuestionFailed,
    Ranker,
    RankerAbsent,
    RankerFailed,
    RankerFolders,
    full_text,
    method_of,
)
from aicx.bench.variants import variant
from aicx.errors import AicxError, MissingExtra
from aicx.installation import spawning
from aicx.types import Document
from aicx.values import dataclass
from retrieval.evidence import Evidence

# Sessions are ranked by their best chunk, so more chunks are asked for than answers.
_CHUNKS = 100
_WARM_UP = 3
# Questions whose answers are weighed in tokens. Product rankers are asked once more for it, which takes its time.
_WEIGHED = 50
_CHARACTERS_A_TOKEN = 4
# A ranker that fails more than this share of the questions is not compared: its figures would be about its failures.
_FAILING = 0.1
_STATUS = Path("/proc/self/status")


@dataclass(frozen=True, slots=True)
class MeasureTask:
    """One ranker over one dataset. Indexes are kept below ``folder``.

    ``variants`` are names of it with a rule changed, each measured on the same index; without any it is as it is.
    """

    ranker: str
    dataset: Dataset
    folder: Path
    models: Path
    cold_runs: int = 5
    seconds: float = 1800.0  # after which the ranker is given up
    variants: Sequence[str] = ()

    @property
    def names(self) -> Sequence[str]:
        return self.variants or (self.ranker,)


@dataclass(slots=True)
class Measured:
    """The results by question: answers (best first, each once) and seconds. Times and sizes are sums over corpora.

    ``evidence`` is the label of each question's answers; None where the ranker labels none, or failed. ``failed`` are
    the questions that the ranker failed on, and why: they got no answer, which is not the choice to give none. With a
    ``failure`` nothing else counts.
    """

    answers: dict[str, list[str]] = field(default_factory=dict)
    evidence: dict[str, Evidence | None] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)
    build_seconds: float | None = None
    index_bytes: int = 0
    base_bytes: int = 0
    peak_bytes: int = 0
    cold: list[float] = field(default_factory=list)
    bare: list[float] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    failure: str | None = None


@runtime_checkable
class Excerpting(Protocol):
    """A ranker that hands over excerpts rather than whole documents."""

    def excerpts(self, query: Query, limit: int) -> Sequence[str]: ...


def measure(task: MeasureTask) -> list[Measured]:
    """Runs the task in another process, and gives what came out for each of its names.

    A ranker that fails, dies or takes too long gives failures, never an error.
    """
    context = spawning()
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(task, sender), daemon=True)
    process.start()
    sender.close()
    try:
        if not receiver.poll(task.seconds):
            return _failed(task, f"given up after {task.seconds:.0f} s")
        measured: list[Measured] = receiver.recv()
        return measured
    except EOFError:
        process.join()
        return _failed(task, f"its process died with exit code {process.exitcode}")
    finally:
        process.kill()
        process.join()
        receiver.close()


def run_here(task: MeasureTask) -> list[Measured]:
    """Runs the task in this process. Rules decide how an index is asked, so all variants ask the same one."""
    base_bytes = peak_memory()
    method = method_of(task.ranker)
    built = [
        method.build(task.ranker, documents, _place(task, corpus)) for corpus, documents in task.dataset.corpora.items()
    ]
    return [_ask(task, name, built, base_bytes) for name in task.names]


def _ask(task: MeasureTask, name: str, built: Sequence[float | None], base_bytes: int) -> Measured:
    dataset = task.dataset
    method = method_of(task.ranker)
    _, choices = variant(name)
    measured = Measured(base_bytes=base_bytes)
    rankers: dict[str, Ranker] = {}
    builds: list[float | None] = []
    for (corpus, documents), seconds in zip(dataset.corpora.items(), built, strict=True):
        place = _place(task, corpus)
        started = time.perf_counter()
        rankers[corpus] = method.open_ranker(task.ranker, documents, place, choices)
        builds.append(time.perf_counter() - started if method.IN_MEMORY else seconds)
        measured.index_bytes += sum(map(_size, method.index_paths(task.ranker, place)))
    measured.build_seconds = None if None in builds else sum(filter(None, builds))
    answering = Answering(dataset, rankers)
    for query in dataset.queries[:_WARM_UP]:
        _answers(answering, query, dataset, {})
    for query in dataset.queries:
        started = time.perf_counter()
        found, evidence = _answers(answering, query, dataset, measured.failed)
        measured.seconds[query.id] = time.perf_counter() - started
        measured.answers[query.id], measured.evidence[query.id] = found, evidence
        _check_failing(measured, len(dataset.queries))
    outside = [ranker for ranker in rankers.values() if isinstance(ranker, Outside)]
    # What others hand over is theirs to shape, and they were asked for more than a reader would ask them for.
    for query in dataset.queries[: _WEIGHED if len(task.names) == 1 and not outside else 0]:
        measured.tokens[query.id] = answering.tokens(query, measured.answers[query.id])
    measured.notes = list(dict.fromkeys(note for ranker in outside for note in ranker.notes()))
    if measured.failed:
        first, reason = next(iter(measured.failed.items()))
        count = f"{len(measured.failed)} of {len(dataset.queries)} questions"
        measured.notes.append(f"without an answer to {count}, on which it failed; the first of them, {first}: {reason}")
    measured.peak_bytes = max([peak_memory(), *(ranker.close() for ranker in outside)])
    # aicx itself starts from a store; over other documents its retrievers are measured under their own names.
    starts = not method.IN_MEMORY and (dataset.home is not None or not task.ranker.startswith("aicx"))
    if starts and task.cold_runs:
        asked = dataset.queries[: task.cold_runs]
        # What a rule costs is compared without the command line, which knows none of them.
        compared = name if name != task.ranker or len(task.names) > 1 else None
        places = (task.ranker, asked, lambda query: _place(task, query.corpus))
        measured.cold, measured.bare = cold_seconds(*places, compared)
    return measured


def _answers(
    answering: Answering, query: Query, dataset: Dataset, failed: dict[str, str]
) -> tuple[list[str], Evidence | None]:
    """The answers; none where the ranker fails, and then the question is written into ``failed``."""
    try:
        return answering.labelled(query)
    except QuestionFailed as error:
        failed[query.id] = _told(error, dataset)
        return [], None


def _check_failing(measured: Measured, questions: int) -> None:
    if len(measured.failed) > max(1, _FAILING * questions):
        last, reason = next(reversed(measured.failed.items()))
        asked = f"{len(measured.failed)} of the first {len(measured.answers)} questions"
        raise QuestionFailed(f"it failed on {asked}; the last of them, {last}: {reason}")


def _told(error: Exception, dataset: Dataset) -> str:
    """Describes a failure for the result.

    The sentence holds nothing of a private set, and a ranker's own words may quote it.
    """
    if isinstance(error, RankerFailed):
        return error.plain if dataset.private else error.message
    # What has to be installed is no text of anybody's.
    if dataset.private and not isinstance(error, MissingExtra | RankerAbsent):
        return type(error).__name__
    if isinstance(error, AicxError):
        return error.message + (f" (next: {error.hint})" if error.hint else "")
    return f"{type(error).__name__}: {error}"


class Answering:
    """Rankers over a dataset's corpora, asked in its terms: documents, or sessions where those are the answers."""

    def __init__(self, dataset: Dataset, rankers: Mapping[str, Ranker]) -> None:
        self._rankers = rankers
        self._sessions = dataset.answer == "session"
        self._answer_ids = {
            corpus: {document.id: dataset.answer_id(document) for document in documents}
            for corpus, documents in dataset.corpora.items()
        }
        self._corpora = dataset.corpora

    def answers(self, query: Query) -> list[str]:
        """The best answers, each once; a session stands where its best chunk does."""
        return self.labelled(query)[0]

    def labelled(self, query: Query) -> tuple[list[str], Evidence | None]:
        """The best answers with their label, where the ranker labels them."""
        ranker = self._rankers[query.corpus]
        by_chunk = self._sessions and not isinstance(ranker, Excerpting)
        asked = _CHUNKS if by_chunk else DEPTH + (query.exclude is not None)
        ids = self._answer_ids[query.corpus]
        ranked, evidence = (
            ranker.labelled(query, asked) if isinstance(ranker, Labelling) else (ranker.rank(query, asked), None)
        )
        found = dict.fromkeys(ids[hit.id] for hit in ranked)
        return [answer for answer in found if answer != query.exclude][:DEPTH], evidence

    def tokens(self, query: Query, answers: Sequence[str]) -> int:
        """About how many tokens a reader is handed: the excerpts, or the best document of each answer, whole."""
        ranker = self._rankers[query.corpus]
        if isinstance(ranker, Excerpting):
            return sum(map(len, ranker.excerpts(query, DEPTH))) // _CHARACTERS_A_TOKEN
        texts: dict[str, Document] = {}
        documents = {document.id: document for document in self._corpora[query.corpus]}
        for hit in ranker.rank(query, _CHUNKS if self._sessions else DEPTH):
            texts.setdefault(self._answer_ids[query.corpus][hit.id], documents[hit.id])
        return sum(len(full_text(texts[answer])) for answer in answers) // _CHARACTERS_A_TOKEN


def _send(task: MeasureTask, sender: Connection) -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        # Whoever started this may be killed, and would leave it measuring for nobody.
        threading.Thread(target=lambda: (wait([parent.sentinel]), os._exit(1)), daemon=True).start()
    try:
        measured = run_here(task)
    except Exception as error:  # noqa: BLE001 - whatever a ranker raises is its result, and named in the report
        measured = _failed(task, _told(error, task.dataset))
    sender.send(measured)


def _failed(task: MeasureTask, failure: str) -> list[Measured]:
    return [Measured(failure=failure) for _ in task.names]


def peak_memory() -> int:
    """The most memory this process has held so far, in bytes."""
    if _STATUS.exists():
        # What `getrusage` says includes the process this one was started from, as it was then.
        line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _place(task: MeasureTask, corpus: str) -> RankerFolders:
    return RankerFolders(task.folder / corpus, task.models, task.dataset.home)


def _size(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
