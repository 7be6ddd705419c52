"""How cost grows with history: `python -m benchmarks.scale [--chunks 1000,10000] [--models FOLDER]`.

Invented sessions of a seeded generator are stored and asked at each size, and the growth exponent says how: 1 is in
proportion, 0 not at all. With --models, a folder that holds the static model (`AICX_HOME/models` after `aicx index`),
the vector index is measured too. Every size is stored anew in a temporary folder, about 10 KB a chunk.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path

from aicx.bench.stores import settings_for
from aicx.engine.search import Searcher, SearchQuery
from benchmarks.store import aicx, environment_for, measure, measure_isolated, median_wall, scratch

_SEED = 20260301
_SYLLABLES = [start + vowel for start in "b d f g k l m n p r s t v st tr".split() for vowel in "aeiou"]  # noqa: SIM905
_WORDS = 20_000
_START = datetime(2020, 1, 1, tzinfo=UTC)
# Some thirty chunks: turns of a question, an answer and what a tool said, at about the lengths real logs have.
_TURNS = 30
_LENGTHS = {"user": 40, "assistant": 220, "tool": 420}
_ASKED = 200
_TRIED = 3


class Writer:
    """Makes up sessions. Words are as unequally common as in a language (Zipf); each session has its own few names."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        made = {"".join(self.random.choices(_SYLLABLES, k=self.random.randint(2, 4))) for _ in range(3 * _WORDS)}
        self.words = self.random.sample(sorted(made), _WORDS)
        self.weights = list(accumulate(1 / rank for rank in range(1, _WORDS + 1)))

    def text(self, length: int) -> str:
        words = self.random.choices(self.words, cum_weights=self.weights, k=length)
        return " ".join(word + ("." if place % 12 == 11 else "") for place, word in enumerate(words))

    def name(self) -> str:
        return "_".join(self.random.sample(self.words, 3))

    def question(self) -> str:
        """A few words; common ones, which have the most to be ranked, among them."""
        return self.text(self.random.randint(2, 6))

    def session(self, home: Path, number: int) -> None:
        """Writes one log of Claude Code's form, a day after the one before; twenty projects take turns."""
        session = f"{number:08x}-0000-4000-8000-00000000beef"
        project = f"/work/project{number % 20}"
        names = [self.name() for _ in range(5)]
        lines: list[str] = []
        for turn in range(_TURNS):
            at = f"{_START + timedelta(hours=2 * number, minutes=turn):%Y-%m-%dT%H:%M:%S}.000Z"
            name = self.random.choice(names)
            call = f"toolu_{number}_{turn}"
            answer = [
                {"type": "text", "text": f"{self.text(_LENGTHS['assistant'])} {name}"},
                {"type": "tool_use", "id": call, "name": "Read", "input": {"file_path": f"{project}/{name}.py"}},
            ]
            output = [{"type": "tool_result", "tool_use_id": call, "content": self.text(_LENGTHS["tool"])}]
            for kind, content in (("user", self.text(_LENGTHS["user"])), ("assistant", answer), ("user", output)):
                body = {"role": kind, "id": f"msg_{number}_{turn}", "content": content}
                common = {"uuid": f"{number}-{turn}-{len(lines)}", "sessionId": session, "cwd": project}
                lines.append(json.dumps({"type": kind, "timestamp": at, "message": body, **common}))
        folder = home / ".claude" / "projects" / f"-work-project{number % 20}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{session}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


def figures_at(chunks: int, models: Path | None) -> dict[str, float]:
    """What a corpus of at least so many chunks costs: seconds, MB of the largest process, bare interpreters."""
    writer = Writer(_SEED)
    with scratch() as folder:
        home, corpus = folder / "home", folder / "aicx"
        environment = environment_for(home, corpus)
        # The first sessions say how many chunks one makes; the corpus itself is stored in one go.
        for number in range(_TRIED):
            writer.session(home, number)
        tried = measure(aicx("store", "--json"), environment_for(home, folder / "tried"))
        for number in range(_TRIED, math.ceil(chunks * _TRIED / json.loads(tried.output)["chunks_written"])):
            writer.session(home, number)
        found = {}
        stored = measure_isolated(aicx("store", "--json"), environment)
        found["store s"], found["store, peak MB"] = stored.wall, stored.memory
        found["chunks"] = json.loads(stored.output)["chunks_written"]
        found["store, nothing new s"] = median_wall(aicx("store"), environment, 3)
        if models is not None:
            (corpus / "models").symlink_to(models.resolve())
            indexed = measure_isolated(aicx("index", "--embedder", "static"), environment)
            found["index s"], found["index, peak MB"] = indexed.wall, indexed.memory
            status = measure(aicx("index", "status", "--json"), environment)
            found["passages"] = json.loads(status.output)["passages"]
        for name, arguments in (("steer", ("steer",)), ("search", ("search", "--mode", "lexical", writer.question()))):
            pairs = [
                measure(aicx(*arguments), environment).wall / measure([sys.executable, "-c", "pass"], environment).wall
                for _ in range(7)
            ]
            found[f"{name}, cold / bare"] = statistics.median(pairs)
        found |= _warm(corpus, writer, "lexical")
        if models is not None:
            found |= _warm(corpus, writer, "hybrid")
    return found


def _warm(corpus: Path, writer: Writer, mode: str) -> dict[str, float]:
    seconds = []
    with Searcher(settings_for(corpus)) as searcher:
        for number in range(_ASKED + 5):
            asked = SearchQuery(writer.question(), _START, mode="lexical" if mode == "lexical" else "hybrid")
            started = time.perf_counter()
            searcher.search(asked)
            if number >= 5:  # the first ones open what the others find open
                seconds.append(1000 * (time.perf_counter() - started))
    slow = statistics.quantiles(seconds, n=20)[-1]
    return {f"{mode} search, warm p50 ms": statistics.median(seconds), f"{mode} search, warm p95 ms": slow}


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The power of the size with which a cost grows: the slope through the points on logarithmic scales."""
    return statistics.linear_regression([math.log(size) for size in sizes], [math.log(cost) for cost in costs]).slope


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", default="1000,10000", help="sizes, such as 1000,10000,100000")
    parser.add_argument("--models", type=Path, help="a folder that holds the static model")
    arguments = parser.parse_args()
    found = [figures_at(int(size), arguments.models) for size in arguments.chunks.split(",")]
    sizes = [figures["chunks"] for figures in found]
    print("".join([f"{'chunks':<30}", *(f"{size:>12,.0f}" for size in sizes), f"{'exponent':>12}"]))
    if arguments.models is not None:
        print("".join([f"{'passages':<30}", *(f"{figures['passages']:>12,.0f}" for figures in found)]))
    for name in (name for name in found[0] if name not in ("chunks", "passages")):
        costs = [figures[name] for figures in found]
        growth = f"{exponent(sizes, costs):>12.2f}" if len(costs) > 1 else ""
        print("".join([f"{name:<30}", *(f"{cost:>12.2f}" for cost in costs), growth]))


if __name__ == "__main__":
    main()
