"""Embedders as workers of a build open them, some of which kill their worker once. The flag is a file in the corpus."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import tests.embedder  # noqa: F401  adds the embedder for tests where a worker runs
from aicx.engine.embedder_choice import Choice
from aicx.share import build
from retrieval.embedders import Embedder
from tests.share.ray_nodes import SECOND

_SECONDS_UNTIL_KILLED = 120
_open = build.open_here


def opened(corpus: Path, choice: Choice) -> Embedder:
    return _open(corpus, choice)


def killed_before_embedding(corpus: Path, choice: Choice) -> Embedder:
    _kill_once(corpus)
    return _open(corpus, choice)


def killed_after_writing(corpus: Path, choice: Choice) -> Embedder:
    """The worker dies when the files of its fragment are there and nobody was told of them."""
    from lance_ray import LanceFragmentWriter

    write = LanceFragmentWriter.__call__

    def written(self: Any, batch: Any) -> Any:
        found = write(self, batch)
        _kill_once(corpus)
        return found

    LanceFragmentWriter.__call__ = written
    return _open(corpus, choice)


def killed_with_its_machine(corpus: Path, choice: Choice) -> Embedder:
    """The second machine of a cluster dies, Ray's own process on it included; work on the first waits for that."""
    import ray

    if ray.util.get_node_ip_address() == SECOND:
        _kill_once(corpus, os.getppid())
    ends = time.monotonic() + _SECONDS_UNTIL_KILLED
    while not (corpus / "killed").exists():
        assert time.monotonic() < ends, "nothing was done on the second machine"
        time.sleep(0.1)
    return _open(corpus, choice)


class _KilledMidway:
    """An embedder whose worker dies when it is asked for the third time."""

    def __init__(self, embedder: Embedder, corpus: Path) -> None:
        self._embedder, self._corpus, self._asked = embedder, corpus, 0

    def embed_passages(self, texts: Any) -> Any:
        self._asked += 1
        if self._asked == 3:
            _kill_once(self._corpus)
        return self._embedder.embed_passages(texts)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)


def killed_midway(corpus: Path, choice: Choice) -> Any:
    return _KilledMidway(_open(corpus, choice), corpus)


def failing(corpus: Path, choice: Choice) -> Embedder:
    from aicx.errors import AicxError

    raise AicxError("the model is gone", hint="bring it back")


def _kill_once(corpus: Path, *also: int) -> None:
    flag = corpus / "killed"
    if corpus.exists() and not flag.exists():  # a worker outlives the test that killed another
        flag.write_text(str(os.getpid()))
        for process in (*also, os.getpid()):
            os.kill(process, signal.SIGKILL)
