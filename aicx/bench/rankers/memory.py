"""`aicx search --in memory` over the records of a set: ``memory`` by words, ``memory:static`` by meaning too.

The records are proposed, accepted, superseded and put away as a person would have it, each at its own time. With an
embedder the corpus beside them is a session that says what they state, and has a vector index made by it.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from aicx.bench.dataset import Query
from aicx.bench.datasets.memory import records_of
from aicx.bench.mining.records import HERE, NOW, BenchRecord
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, QuestionFailed, RankerFolders, dense
from aicx.bench.stores import settings_for, untold
from aicx.config import Settings
from aicx.corpus.ingest.report import StoreRequest
from aicx.corpus.ingest.run import store
from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.vector_index import build_vectors
from aicx.errors import UsageError
from aicx.memory.deciding import Decider, Desk, decide, supersede
from aicx.memory.proposing import Draft, propose
from aicx.memory.reading import Scope
from aicx.memory.recall.asking import RecallQuery
from aicx.memory.recall.meaning import embed_statements
from aicx.memory.recall.run import Recaller
from aicx.memory.record import Adoption, Source, Validity
from aicx.memory.writing import changing
from aicx.types import Candidate, Document
from retrieval.evidence import Evidence

IN_MEMORY = False
_BY = "Ada"
_REFS, _SECONDS = "refs.json", "seconds.txt"
_SESSION = "5d1f6f0e-3b0c-4c57-9f53-0d6c2a1b7e90"


class Recalling:
    """Asks the memory that `build` made, and names the document behind each reference."""

    def __init__(
        self, name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
    ) -> None:
        folder = _folder(name, place)
        self._refs: Mapping[str, str] = json.loads((folder / _REFS).read_text())
        self.recaller, self._scope = Recaller(settings_in(folder)), Scope(HERE, folder / "widgets")
        self._choices = choices

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        return self.labelled(query, limit)[0]

    def labelled(self, query: Query, limit: int) -> tuple[list[Candidate], Evidence]:
        try:
            answer = self.recaller.recall(self._asked(query, limit))
        except UsageError:  # nothing is left to look for
            return [], "none"
        for one in answer.degraded:
            raise QuestionFailed(f"{one.lane} did not answer in full: {one.note}")
        found = [Candidate(self._refs[one.ref], one.score.final if one.score else 0.0) for one in answer.entries]
        return found, "none" if not found else "strong" if answer.method.sufficient else "weak"

    def excerpts(self, query: Query, limit: int) -> list[str]:
        return [one.statement or "" for one in self.recaller.recall(self._asked(query, limit)).entries]

    def _asked(self, query: Query, limit: int) -> RecallQuery:
        asked = RecallQuery(query.text, query.now, self._scope, limit)
        rules = self._choices.recall or asked
        return replace(rules, text=asked.text, now=asked.now, scope=asked.scope, limit=limit)


open_ranker = Recalling


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> float:
    """Raises QuestionFailed where the documents are not the records of a memory."""
    folder, embedder = _folder(name, place), name.partition(":")[2]
    if not (folder / _SECONDS).exists():
        shutil.rmtree(folder, ignore_errors=True)
        try:
            records = records_of(documents)
        except KeyError as error:
            raise QuestionFailed("the documents of this set are not records of a memory") from error
        started = time.perf_counter()
        refs = fill(folder, records)
        if embedder:
            add_vectors(folder, [one.statement for one in records], embedder, place.models)
        (folder / _REFS).write_text(json.dumps(refs))
        (folder / _SECONDS).write_text(str(time.perf_counter() - started))
    return float((folder / _SECONDS).read_text())


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    return (_folder(name, place) / "home",)


def settings_in(folder: Path) -> Settings:
    """Settings for the memory that `fill` made in ``folder``."""
    return settings_for(folder / "home", folder / "user")


def fill(folder: Path, records: Sequence[BenchRecord]) -> dict[str, str]:
    """Makes a memory of ``records`` in ``folder``, and a repository beside it; reference -> a record's own id."""
    (folder / "widgets").mkdir(parents=True)
    guidance = [one for one in records if one.fate == "guidance"]
    (folder / "widgets" / "CLAUDE.md").write_text("".join(f"- {one.statement}.\n" for one in guidance))
    refs = {f"live:claude:CLAUDE.md#L{number}": one.id for number, one in enumerate(guidance, 1)}
    stated = [one for one in records if one.fate != "guidance"]
    settings = settings_in(folder)
    made = propose(settings, Scope(HERE), map(_draft, stated), NOW, untold)
    kept = {one.id: record for one, (record, _) in zip(stated, made, strict=True)}
    with changing(settings, NOW, untold) as change:
        for one in sorted(stated, key=lambda one: one.at):
            if one.fate not in ("candidate", "rejected"):
                change.now = one.at  # a record's clock starts when it was accepted
                change.put(replace(kept[one.id], adoption=Adoption("adopted", _BY, one.at)), "accepted", _BY)
        change.publish()
    desk = Desk(settings, Scope(HERE), NOW, untold)
    for one in stated:
        ref = kept[one.id].ref
        match one.fate:
            case "rejected":
                decide(desk, ref, "reject", Decider(_BY))
            case "archived":
                decide(desk, ref, "archive", Decider(_BY))
            case "replaced":
                supersede(desk, ref, kept[one.id.rpartition("-")[0]].ref, Decider(_BY))
    return refs | {record.ref: own for own, record in kept.items()}


def _draft(one: BenchRecord) -> Draft:
    until = one.at + timedelta(days=30) if one.fate == "expired" else None
    evidence = [f"session:claude:{_SESSION}"]
    return Draft(
        one.statement,
        one.kind,
        one.topic,
        Source("human"),
        one.repository,
        evidence=evidence,
        validity=Validity(until=until),
        observed_at=one.at,
        by=_BY,
    )


def add_vectors(folder: Path, said: Sequence[str], embedder: str, models: Path) -> None:
    """A corpus in which ``said`` was said, its vector index, and the vectors of the records."""
    log = folder / "user" / ".claude" / "projects" / "widgets" / f"{_SESSION}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_text("".join(json.dumps(_said(number, one)) + "\n" for number, one in enumerate(said)))
    settings = settings_in(folder)
    store(settings, StoreRequest(), untold, untold)
    models.mkdir(parents=True, exist_ok=True)
    settings.layout.models.symlink_to(models.resolve())
    refresh_lexical(settings, untold)
    build_vectors(settings, dense.choice_of(embedder), rebuild=False, on_progress=untold, notify=untold)
    embed_statements(settings)


def _said(number: int, text: str) -> dict[str, object]:
    return {
        "type": "user",
        "uuid": f"u-{number}",
        "timestamp": (NOW - timedelta(minutes=5000 - number)).isoformat(),
        "cwd": "/widgets",
        "sessionId": _SESSION,
        "message": {"role": "user", "content": text},
    }


def _folder(name: str, place: RankerFolders) -> Path:
    return place.folder / name.replace(":", "-").replace("/", "-")
