"""What every script here shares: requests on standard input, answers on standard output, a line of JSON each.

Runs under the interpreter of a peer's environment, so it uses the standard library only. A script calls `serve` with
two functions: one builds the index, one opens it and gives back a function that answers.
"""

from __future__ import annotations

import json
import os
import queue
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# A question and how many answers -> numbers of documents, best first.
Ask = Callable[[str, int], list[int]]
_KILOBYTE = 1 if sys.platform == "darwin" else 1024


class Place:
    """The folder a peer works in: the documents as they were written for it, and its index."""

    def __init__(self, work: str, mode: str) -> None:
        self.work = Path(work)
        self.mode = mode
        self.documents = self.work / "documents"
        self.index = self.work / "index"

    def lines(self) -> Iterator[dict[str, Any]]:
        """The documents where they are written as lines: number and text."""
        with (self.work / "documents.jsonl").open(encoding="utf-8") as file:
            yield from map(json.loads, file)


def number_of(path: str) -> int:
    """The number of a document from the name of its file."""
    return int(Path(path).stem)


def serve(build: Callable[[Place], None], opened: Callable[[Place], Ask]) -> None:
    """Answers requests until there are none any more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever the peer prints must not stand between the answers
    requests: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_read, args=(requests,), daemon=True).start()
    ask: Ask | None = None
    while True:
        request = json.loads(requests.get())
        try:
            if request["do"] == "build":
                build(Place(request["work"], request["mode"]))
                answer: dict[str, Any] = {}
            elif request["do"] == "open":
                ask = opened(Place(request["work"], request["mode"]))
                answer = {}
            else:
                assert ask is not None, "it is opened before it is asked"
                answer = {"found": ask(request["text"], request["limit"])}
        except Exception as error:  # noqa: BLE001 - whatever the peer raises is its answer
            answer = {"error": f"{type(error).__name__}: {error}"[:500]}
        answers.write(json.dumps(answer | {"peak": _peak()}) + "\n")
        answers.flush()


def _read(requests: queue.Queue[str]) -> None:
    """Hands on the requests; where they end, nobody is left to answer, whatever the peer is doing."""
    for line in sys.stdin:
        requests.put(line)
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def _peak() -> int:
    """The most memory this process, or one it has started and waited for, has held."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return max(own, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) * _KILOBYTE
