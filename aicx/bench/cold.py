"""How long a question takes from nothing: a new process that opens an index on disk and answers once.

`python -m aicx.bench.cold` is that process. aicx over a store is measured as its command line, unless a rule of it is
changed, or to be compared with one that is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from aicx.bench.dataset import DEPTH, Query
from aicx.bench.rankers import RankerFolders, method_of

# Methods that are measured as the command line over a store.
_COMMANDS = ("aicx", "why")


def cold_seconds(
    ranker: str, queries: Sequence[Query], place_of: Callable[[Query], RankerFolders], variant: str | None = None
) -> tuple[list[float], list[float]]:
    """Seconds for each question, and for a bare interpreter started just before it.

    With ``variant``, the ranker's name with a rule changed or none, the command line is not used.
    """
    cold: list[float] = []
    bare: list[float] = []
    for query in queries:
        place = place_of(query)
        bare.append(_timed([sys.executable, "-P", "-c", "pass"], None, os.environ))
        if variant is None and place.home is not None and ranker.startswith(_COMMANDS):
            from aicx.bench.rankers.product import home_of

            command = [sys.executable, "-P", "-m", "aicx", *_words(ranker, query)]
            cold.append(_timed(command, None, os.environ | {"AICX_HOME": str(home_of(ranker, place))}))
        elif ranker.startswith("peer:"):
            cold.append(_peer_seconds(ranker, query, place))
        else:
            folders = {"folder": place.folder, "models": place.models, "home": place.home, "place": query.place}
            where = {name: str(path) if path else None for name, path in folders.items()}
            names = {"ranker": ranker, "variant": variant or ranker}
            asked = json.dumps({**names, "text": query.text, "target": query.target, **where})
            # -P: a folder of the user's named as one of our packages must not be imported in its place.
            cold.append(_timed([sys.executable, "-P", "-m", "aicx.bench.cold"], asked, os.environ))
    return cold, bare


def _words(ranker: str, query: Query) -> list[str]:
    """The command line that asks what a ranker of ours was asked."""
    if ranker.startswith("why"):
        return ["why", "--repo", str(query.place), "--json", "--", str(query.target)]
    return ["search", "--group", "session", "--json", "--", query.text]


def _peer_seconds(ranker: str, query: Query, place: RankerFolders) -> float:
    """Another tool's process from its start to its first answer; none of ours is started for it."""
    started = time.perf_counter()
    opened: Any = method_of(ranker).open_ranker(ranker, (), place)
    if opened.chosen.peer.process_a_question:  # what was opened so far is our script, which starts the tool
        started = time.perf_counter()
    try:
        opened.rank(query, DEPTH)
        return time.perf_counter() - started
    finally:
        opened.close()


def _timed(command: Sequence[str], said: str | None, environ: Mapping[str, str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, input=said, capture_output=True, text=True, check=True, env=environ)
    return time.perf_counter() - started


def _answer_once() -> None:
    from aicx.bench.variants import variant

    asked = json.load(sys.stdin)
    folders = {name: Path(path) if (path := asked[name]) else None for name in ("home", "place")}
    place = RankerFolders(Path(asked["folder"]), Path(asked["models"]), folders["home"])
    _, choices = variant(asked["variant"])
    ranker = method_of(asked["ranker"]).open_ranker(asked["ranker"], (), place, choices)
    query = Query("cold", asked["text"], target=asked["target"], place=folders["place"])
    json.dump([hit.id for hit in ranker.rank(query, DEPTH)], sys.stdout)


if __name__ == "__main__":
    _answer_once()
