"""The homes that are damaged: invented logs, stored and embedded with a small model, and command lines on them."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

_SESSIONS = 24
NOUNS = ("gasket", "valve", "washer", "flange", "pump", "bearing", "nozzle", "manifold", "piston", "rotor", "filter")
VERBS = ("leaks", "rattles", "rusts", "sticks", "overheats", "vibrates", "cracks", "drips", "whistles", "jams")
_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Home:
    """A user's home with logs, and the corpus made of them."""

    user: Path
    corpus: Path

    @property
    def environ(self) -> dict[str, str]:
        return {"HOME": str(self.user), "AICX_HOME": str(self.corpus), "PATH": os.environ["PATH"], "TERM": "dumb"}

    def copied(self, folder: Path) -> Home:
        """The same logs with a copy of the corpus, whose times are recorded as its own."""
        shutil.copytree(self.corpus, folder)
        copy = Home(self.user, folder)
        _check(copy.run("store"))
        return copy

    def run(self, *arguments: str) -> Done:
        """One command line, in a process of its own."""
        return forked(self, lambda: command_line(arguments))


@dataclass(frozen=True, slots=True)
class Done:
    """How a process ended; ``code`` is negative for a signal."""

    code: int
    out: str
    err: str


def forked(home: Home, work: Callable[[], int]) -> Done:
    """``work`` in a process of its own, forked from this one, which has imported everything: damage may end it."""
    with tempfile.TemporaryDirectory(prefix="aicx-damage-") as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            code = 99
            try:
                for path, handle in ((out, 1), (err, 2)):
                    os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), handle)
                os.environ.update(home.environ)
                code = work()
                sys.stdout.flush()
                sys.stderr.flush()
            except BaseException:  # noqa: BLE001 - a traceback here is one that a person would see
                traceback.print_exc()
            finally:
                os._exit(code)
        give_up = time.monotonic() + _SECONDS
        while (ended := os.waitpid(child, os.WNOHANG))[0] == 0:
            if time.monotonic() > give_up:
                os.kill(child, signal.SIGKILL)
            time.sleep(0.005)
        code = os.waitstatus_to_exitcode(ended[1])
        return Done(code, out.read_text("utf-8", "replace"), err.read_text("utf-8", "replace"))


def command_line(arguments: Sequence[str]) -> int:
    """`aicx`, with the small model made where the real one would be distilled for half a minute."""
    import indexer.distill
    from aicx.cli import run as aicx

    def distill(name: str, load: object, models_dir: Path, *_: object, **__: object) -> Path:
        return write_model(models_dir / "static-tiny")

    indexer.distill.distill = distill
    return aicx(arguments)


def prepare() -> None:
    """Imports what the commands need, and nothing that starts a thread, which a forked process would lack."""
    for name in (
        "aicx.cli",
        "aicx.commands.search",
        "aicx.commands.store",
        "aicx.commands.doctor",
        "tantivy",
        "aicx.commands.steer",
        "aicx.engine.vector_index",
        "indexer.vectors",
        "indexer.lexical",
        "lancedb",
        "retrieval.dense",
        "retrieval.lexical",
        "retrieval.embedders.static",
        "tokenizers",
        "numpy",
    ):
        import_module(name)
    warnings.simplefilter("ignore")
    gc.collect()
    gc.freeze()  # a collection in a forked process would write to every object, and so copy the memory of this one


def make_home(folder: Path) -> Home:
    """A home with invented logs, stored and embedded with a small model."""
    home = Home(folder / "user", folder / "corpus")
    logs = home.user / ".claude" / "projects" / "-srv-orbit"
    logs.mkdir(parents=True)
    for number in range(_SESSIONS):
        session = f"{number:08x}-0000-4000-8000-000000000001"
        rows = [_row(session, number, turn, text) for turn, text in enumerate(_texts(number))]
        (logs / f"{session}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = sorted(logs.iterdir())
    for path in files[_SESSIONS // 2 :]:
        path.rename(path.with_suffix(".later"))
    for _ in range(2):  # so that each index has more than one part
        _check(home.run("store"))
        _check(home.run("index", "--embedder", "static"))
        for path in logs.glob("*.later"):
            path.rename(path.with_suffix(".jsonl"))
    repository = folder / "orbit"
    repository.mkdir()
    for noun in NOUNS:
        (repository / f"{noun}.py").write_text(f"def replace_{noun}():\n    return {noun!r}\n")
    _check(home.run("map", "refresh", "--repo", str(repository)))
    return home


def _texts(number: int) -> list[str]:
    noun, verb = NOUNS[number % len(NOUNS)], VERBS[number % len(VERBS)]
    other = NOUNS[(number * 7 + 3) % len(NOUNS)]
    return [
        f"The {noun} of machine {number} {verb}. Why?",
        f"The {other} beside it is worn; replace_{other}() in src/{noun}.py says so. " * 3,
        f"Replace the {other} and look at the {noun} again.",
    ]


def _row(session: str, number: int, turn: int, text: str) -> dict[str, Any]:
    role = "assistant" if turn == 1 else "user"
    return {
        "type": role,
        "uuid": f"{session[:8]}-{turn:04d}-4000-8000-000000000002",
        "sessionId": session,
        "cwd": "/srv/orbit",
        "timestamp": f"2026-03-{1 + number % 28:02d}T10:{turn:02d}:00.000Z",
        "message": {"role": role, "content": [{"type": "text", "text": text}] if turn == 1 else text},
    }


def write_model(folder: Path) -> Path:
    """A static model of random directions, as the indexer writes one; the same every time."""
    if folder.exists():
        return folder
    import numpy as np
    from tokenizers import Tokenizer, models, pre_tokenizers

    from indexer.distill import RECIPE
    from retrieval.embedders import PACKAGED

    folder.mkdir(parents=True)
    words = sorted(
        {word.strip(".,;?()").lower() for number in range(_SESSIONS) for word in " ".join(_texts(number)).split()}
    )
    vocabulary = {word: place for place, word in enumerate(["[UNK]", *words])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(folder / "tokenizer.json"))
    table = np.random.default_rng(7).normal(size=(len(vocabulary), 32)).astype(np.float32)
    np.save(folder / "table.npy", table)
    fields = {"schema": "aicx.model/1", "format": "static", "name": PACKAGED, "quantized": False, "dimensions": 32}
    more = {"max_tokens": 64, "fingerprint": "tiny", "weights": "table.npy", "weighting": {"recipe": RECIPE}}
    (folder / "model.json").write_text(json.dumps(fields | more))
    return folder


def _check(done: Done) -> None:
    if done.code:
        raise RuntimeError(done.err)
