"""Other tools beside ours, each in its own environment: `peer:NAME` or `peer:NAME/MODE`; see `aicx bench peers`."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from aicx.bench.dataset import Query
from aicx.bench.rankers import DEFAULT_CHOICES, Choices, QuestionFailed, RankerFolders
from aicx.storage import replace_file
from aicx.types import Candidate, Document
from benchmarks.peers import Chosen, choose
from benchmarks.peers.environment import Environment, closed_environ, environment_of
from benchmarks.peers.forms import write_documents
from benchmarks.peers.worker import ASK_SECONDS, BUILD_SECONDS, OPEN_SECONDS, PeerFailed, Worker

IN_MEMORY = False

_SCRIPTS = Path(__file__).parent / "scripts"
_NOTE = "built.json"
# A document may have several passages, so more of them are asked for than documents are wanted.
_PASSAGES = 3


@dataclass(slots=True)
class PeerRanker:
    """A peer with its index open. ``ids`` says which document a number in its answers stands for."""

    chosen: Chosen
    start: Callable[[], Worker]  # a worker with the index open
    worker: Worker
    ids: Sequence[str]
    peak: int
    ask_seconds: float = ASK_SECONDS  # how long a question may take

    def rank(self, query: Query, limit: int) -> list[Candidate]:
        """The peer's order; its scores stay with it, since no two peers have one scale."""
        if not query.text.strip():
            return []
        try:
            numbers = self._numbers(query.text, limit)
        except PeerFailed as error:
            if self.worker.ended:
                self.worker = self.start()
            raise QuestionFailed(error.plain, error.said) from error
        return [Candidate(self.ids[number], 1 / rank) for rank, number in enumerate(numbers, start=1)]

    def _numbers(self, text: str, limit: int) -> list[int]:
        wanted = limit * _PASSAGES if self.chosen.peer.passages else limit
        answer = self.worker.ask({"do": "answer", "text": text, "limit": wanted}, self.ask_seconds)
        found = answer.get("found")
        if not isinstance(found, list):
            raise PeerFailed(f"{self.chosen.ranker} answered without saying what it found")
        for number in found:
            if not isinstance(number, int) or not 0 <= number < len(self.ids):
                raise PeerFailed(f"{self.chosen.ranker} answered with {number!r}, which is no document it was given")
        self.peak = max(self.peak, int(answer.get("peak", 0)))
        return list(dict.fromkeys(found))[:limit]

    def notes(self) -> list[str]:
        peer = self.chosen.peer
        how = "a process for each question" if peer.process_a_question else "one process for all questions"
        return [f"{peer.package} {peer.version}: {peer.modes[self.chosen.mode]}; {how}"]

    def close(self) -> int:
        self.worker.close()
        return self.peak


def build(name: str, documents: Sequence[Document], place: RankerFolders) -> float:
    """Has the peer index the documents, unless the same version has done so with the same documents before."""
    chosen = choose(name)
    environment = environment_of(chosen.peer, place.models.parent)
    environment.check()
    work = _work(chosen, place)
    version = _version(chosen, documents, place)
    note = _note(work)
    if note.get("version") == version:
        return float(note["seconds"])
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    ids = write_documents(chosen.peer.form, documents, work, sessions=place.home is not None)
    worker = _start(chosen, environment, work)
    try:
        started = time.perf_counter()
        answer = worker.ask({"do": "build", "work": str(work), "mode": chosen.mode}, BUILD_SECONDS)
        seconds = time.perf_counter() - started
    finally:
        worker.close()
    body = {"version": version, "seconds": seconds, "peak": int(answer.get("peak", 0)), "ids": ids}
    replace_file(work / _NOTE, json.dumps(body).encode())
    return seconds


def open_ranker(
    name: str, documents: Sequence[Document], place: RankerFolders, choices: Choices = DEFAULT_CHOICES
) -> PeerRanker:
    chosen = choose(name)
    environment = environment_of(chosen.peer, place.models.parent)
    environment.check()
    work = _work(chosen, place)
    note = _note(work)
    if not note:
        raise PeerFailed(f"{chosen.ranker} has no index in {work}")

    def start() -> Worker:
        worker = _start(chosen, environment, work)
        try:
            worker.ask({"do": "open", "work": str(work), "mode": chosen.mode}, OPEN_SECONDS)
        except PeerFailed:
            worker.close()
            raise
        return worker

    return PeerRanker(chosen, start, start(), note["ids"], note["peak"])


def index_paths(name: str, place: RankerFolders) -> Sequence[Path]:
    chosen = choose(name)
    return [_work(chosen, place) / folder for folder in chosen.peer.index]


def _start(chosen: Chosen, environment: Environment, work: Path) -> Worker:
    peer, home = chosen.peer, work / "home"
    for folder in (home, home / "tmp"):
        folder.mkdir(exist_ok=True)
    if peer.onnx_model:
        cache = home / ".cache" / "chroma" / "onnx_models" / "all-MiniLM-L6-v2"
        cache.mkdir(parents=True, exist_ok=True)
        if not (cache / "onnx").is_symlink():
            (cache / "onnx").symlink_to(environment.model, target_is_directory=True)
    program = environment.npm_prefix / "node_modules" / peer.package / "bin" / "aicx"
    more = {"PEER_PREFIX": str(environment.npm_prefix), "PEER_PROGRAM": str(program)}
    command = environment.command(_SCRIPTS / peer.script)
    return Worker(chosen.ranker, command, closed_environ(home, more), work)


def _work(chosen: Chosen, place: RankerFolders) -> Path:
    """Where the peer works: one folder for each of its modes."""
    return (place.folder / f"peer-{chosen.peer.name}-{chosen.mode}").resolve()


def _version(chosen: Chosen, documents: Sequence[Document], place: RankerFolders) -> str:
    """Changes whenever the peer, our script for it or a document does."""
    digest = sha256(f"{chosen.peer.requirement} {place.home is not None}".encode())
    for script in ("loop.py", chosen.peer.script):
        digest.update((_SCRIPTS / script).read_bytes())
    for document in documents:
        digest.update(f"{document.id}\0{document.version}\0".encode())
    return digest.hexdigest()


def _note(work: Path) -> dict[str, Any]:
    """What was noted when the peer had built its index to its end; empty where it has not."""
    try:
        found: dict[str, Any] = json.loads((work / _NOTE).read_bytes())
    except (OSError, ValueError):
        return {}
    return found
