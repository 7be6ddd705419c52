"""How fast other tools keep and search the same logs: `python -m benchmarks.peers_speed --home FOLDER [--install]`.

FOLDER is laid out as a home folder (`.claude/`, `.codex/`, `.gemini/`) and only read: the tools work on copies of its
logs. All are measured in turns within one run, so that what else the machine does hits all alike; a figure is the
median of the turns. A peer that reads agents' logs begins from them, as aicx does; one that takes documents begins
from the texts that aicx has stored, so that reading and redacting the logs is not in its time. `aicx bench peers` tells
of each.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from subprocess import SubprocessError

from aicx import console
from aicx.bench.dataset import Query
from aicx.bench.rankers import RankerFolders
from aicx.bench.stores import settings_for, stored_documents
from aicx.config import load_settings
from aicx.engine.search import Searcher, SearchQuery
from aicx.errors import AicxError
from aicx.telling import telling_words
from benchmarks.peers import METHOD, PEERS, Peer, peer_named
from benchmarks.peers.environment import Environment, closed_environ, environment_of
from benchmarks.peers.install import TORCH, install
from benchmarks.peers.ranker import build, open_ranker
from benchmarks.store import aicx, copies_of, environment_for, measure, measure_isolated, scratch

_ROOT = str(Path(__file__).resolve().parent.parent)
_QUESTIONS = 12
_WORDS, _LOOKED_AT = 4, 4000  # words of a question, and characters of a text that they are from
_FOUND = 10

Figures = dict[str, float]
# Measures a tool once, in a folder of its own; gets the logs, the home in which aicx has stored them, and questions.
Turn = Callable[[Path, Path, Path, Sequence[str]], Figures]


def ours(folder: Path, logs: Path, _: Path, questions: Sequence[str]) -> Figures:
    """aicx from the logs to an answer, by words."""
    environment = environment_for(logs, folder / "aicx")
    kept = measure_isolated(aicx("store", "--json"), environment)
    again = measure(aicx("store"), environment)
    cold = [measure(aicx("search", "--mode", "lexical", "-n", str(_FOUND), one), environment) for one in questions[:3]]
    warm = []
    with Searcher(settings_for(folder / "aicx")) as searcher:
        for one in questions:
            started = time.perf_counter()
            searcher.search(SearchQuery(one, datetime.now(UTC), mode="lexical", limit=_FOUND))
            warm.append(time.perf_counter() - started)
    return _figures(kept.wall, kept.cpu, kept.memory, [run.wall for run in cold], warm[1:]) | {"again s": again.wall}


def from_logs(environment: Environment, folder: Path, logs: Path, _: Path, questions: Sequence[str]) -> Figures:
    """A program that reads the logs of its HOME, started for each question."""
    home = folder / "home"
    copies_of(logs, 1, home)
    (home / "tmp").mkdir()
    program = str(environment.npm_prefix / "node_modules" / environment.peer.package / "bin" / "aicx")
    environ = closed_environ(home, {"AICX_NO_MUTATION_WARN": "1"})
    kept = measure_isolated([program, "index", "--json"], environ | {"PYTHONPATH": _ROOT})
    again = measure([program, "index", "--json"], environ)
    asked = [program, "search", "--json", "--limit", str(_FOUND), "--"]
    cold = [measure([*asked, one], environ).wall for one in questions]
    return _figures(kept.wall, kept.cpu, kept.memory, cold, []) | {"again s": again.wall}


def from_documents(environment: Environment, folder: Path, _: Path, stored: Path, questions: Sequence[str]) -> Figures:
    """A tool that takes documents: its index of what is stored, and its answers from one process."""
    name = f"{METHOD}:{environment.peer.name}"
    place = RankerFolders(folder / "work", environment.folder.parent.parent.parent / "models")
    place.folder.mkdir()
    kept = build(name, stored_documents(stored), place)
    started = time.perf_counter()
    ranker = open_ranker(name, [], place)
    try:
        seconds = []
        for one in questions:
            ranker.rank(Query(one, one), _FOUND)
            seconds.append(time.perf_counter() - started)
            started = time.perf_counter()
    finally:
        peak = ranker.close()
    return _figures(kept, None, peak / 1e6, seconds[:1], seconds[1:])


def _figures(kept: float, cpu: float | None, memory: float, cold: Sequence[float], warm: Sequence[float]) -> Figures:
    found = {"keep s": kept, "peak MB": memory}
    if cpu is not None:
        found["keep, CPU s"] = cpu
    for name, seconds in (("cold ms", cold), ("warm ms", warm)):
        if seconds:
            found[name] = 1000 * statistics.median(seconds)
    return found


def questions_of(stored: Path) -> list[str]:
    """Questions made of words of the stored texts, a few of each; the same corpus gives the same."""
    documents = stored_documents(stored)
    step = max(1, len(documents) // _QUESTIONS)
    texts = ("\n".join(part.text for part in one.parts)[:_LOOKED_AT] for one in documents[::step])
    plain = (filter(str.isalnum, telling_words(text)) for text in texts)  # some peers take other signs for syntax
    picked = (sorted(words, key=lambda word: (-len(word), word)) for words in plain)
    return [" ".join(words[:_WORDS]) for words in picked if len(words) >= _WORDS][:_QUESTIONS]


def tools(chosen: Sequence[Peer], aicx_home: Path, *, fetch: bool) -> tuple[dict[str, Turn], list[str]]:
    """What measures each tool that is installed, and why others are not measured."""
    found: dict[str, Turn] = {"aicx": ours}
    left: list[str] = []
    for peer in chosen:
        environment = environment_of(peer, aicx_home)
        try:
            if fetch and not peer.unfit and environment.state() != "installed":
                install(environment, TORCH, console.notify)
            environment.check()
        except AicxError as error:
            left.append(f"{peer.name}: {error.message}" + (f" (next: {error.hint})" if error.hint else ""))
            continue
        measured_by = from_logs if peer.form == "logs" else from_documents
        found[peer.name] = partial(measured_by, environment)
    return found, left


def compare(logs: Path, turns: Mapping[str, Turn], runs: int) -> tuple[dict[str, list[Figures]], list[str]]:
    """The figures of every tool, a turn each, and what failed."""
    found: dict[str, list[Figures]] = defaultdict(list)
    failed: list[str] = []
    with scratch() as folder:
        stored = folder / "stored"
        measure(aicx("store"), environment_for(logs, stored))
        questions = questions_of(stored)
        for turn in range(runs):
            for name, measured in turns.items():
                place = folder / f"{turn}-{name}"
                place.mkdir()
                console.notify(f"turn {turn + 1} of {runs}: {name}")
                try:
                    found[name].append(measured(place, logs, stored, questions))
                except (AicxError, OSError, SubprocessError) as error:
                    failed.append(f"{name}: {error}")
    return found, failed


_COLUMNS = ("keep s", "keep, CPU s", "again s", "cold ms", "warm ms", "peak MB")


def table(found: Mapping[str, Sequence[Figures]]) -> str:
    """A row a tool: medians, and the times as multiples of aicx's."""
    medians = {
        name: {column: statistics.median(values) for column in _COLUMNS if (values := _each(turns, column))}
        for name, turns in found.items()
    }
    mine = medians.get("aicx", {})
    lines = ["".join([f"{'':<16}", *(f"{column:>22}" for column in _COLUMNS)])]
    for name, figures in medians.items():
        cells = []
        for column in _COLUMNS:
            value = figures.get(column)
            compared = value is not None and name != "aicx" and mine.get(column)
            times = f" ({value / mine[column]:.2f}x)" if value is not None and compared else ""
            cells.append(f"{'-' if value is None else f'{value:,.2f}'}{times}")
        lines.append("".join([f"{name:<16}", *(f"{cell:>22}" for cell in cells)]))
    return "\n".join(lines)


def _each(turns: Sequence[Figures], column: str) -> list[float]:
    return [turn[column] for turn in turns if column in turn]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--peers", default="", help="names with commas; by default all that can be compared")
    parser.add_argument("--install", action="store_true", help="install those that are not, from the package indexes")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    names = [name for name in arguments.peers.split(",") if name]
    chosen = [peer_named(name) for name in names] if names else [peer for peer in PEERS.values() if not peer.unfit]
    turns, left = tools(chosen, load_settings().layout.home, fetch=arguments.install)
    found, failed = compare(arguments.home.resolve(), turns, arguments.runs)
    print(table(found))
    for line in (*left, *failed):
        print(f"not measured: {line}")


if __name__ == "__main__":
    main()
