"""Ranks the chunks of a project by how much of each is worth reading: decisions, reasons and results.

Word lists that are data (`aicx/data/density.json`) say what is. Lines are compared without case and after list marks. A
line is signal when it begins with one of `starts` or holds one of `contains`, unless it begins with a time, as the
lines of a log do; `high_value` lines weigh more; after an `echo` (documentation of a skill or command, echoed into a
chat) all is noise. What begins as `opening` says asks or announces: it counts, and is shown last of what was found. For
another language add words to the lists, no code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

import orjson

from aicx.corpus.catalog.query import MetadataAnswer, fold_runs, run_key, steer, told
from aicx.corpus.files.read import read_chunk
from aicx.corpus.views import to_document
from aicx.errors import CorpusDamaged, NotFound
from aicx.filters import Filters
from aicx.paths import Layout
from aicx.text import shorten
from aicx.values import dataclass

# Not by importlib.resources, which takes longer to import than the lists to read.
_DENSITY = Path(__file__).parents[2] / "data" / "density.json"
STRICT_SCORE = 5
_MAX_SENTENCES, _SENTENCE_LENGTH = 3, 240
# Of a chunk's row, as it is.
_TAKEN = ("id", "title", "chunk_title", "session_id", "automated_why", "prompt_key", "project", "date")
# More chunks than this in the window are ranked newest first.
MAX_RANKED = 10_000


def rank_chunks(
    layout: Layout,
    project: str,
    *,
    since: datetime | None,
    agents: tuple[str, ...] = (),
    strict: bool,
    top: int,
    automated: bool = False,
) -> MetadataAnswer:
    """At most ``top`` chunks of a project; with ``strict`` only those that score `STRICT_SCORE` and more.

    Of the runs of one prompt the best is listed, with ``automated`` each.
    """
    found = steer(layout, Filters(project=(project,), agent=agents, since=since, automated=True), MAX_RANKED)
    items: list[dict[str, Any]] = []
    for item in found.items:
        try:
            stored = read_chunk(layout, item["path"].removeprefix(f"{layout.home}/"))
            document = to_document(stored.sidecar, stored.markdown)
        except (CorpusDamaged, NotFound, LookupError, TypeError, ValueError, AttributeError):
            continue  # `doctor` names it
        # What tools printed says little of how much was decided, and there is far more of it than of anything else.
        density = measure("\n".join(part.text for part in document.parts if part.field != "tool"))
        if strict and density.score < STRICT_SCORE:
            continue
        items.append(
            {
                "file": item["path"],
                **{name: item[name] for name in _TAKEN},
                "timestamp": item["started_at"],
                "kind": item["kind"],
                "agent": item["agent"],
                **{name: getattr(density, name) for name in ("score", "label", "signal", "noise", "total")},
                "density": f"{density.share:.0%}",
                "sentences": [shorten(line, _SENTENCE_LENGTH) for line in density.telling[:_MAX_SENTENCES]],
                "altered": stored.altered,
            }
        )
    items.sort(key=lambda item: (-item["score"], -item["signal"], item["id"]))
    key_of = (lambda item: None) if automated else run_key
    folded = fold_runs(items, lambda item: str(item["session_id"]), key_of, top)
    ranked = [
        {name: value for name, value in item.items() if name != "prompt_key"} | told(item, sessions)
        for item, sessions in folded
    ]
    return replace(found, items=ranked)


Label = Literal["HIGH", "MEDIUM", "LOW", "NOISE", "EMPTY"]

_LIST_MARKS = "-*>0123456789. "
_MARKS = "-*> "
# A line of a pasted log is what a program printed, however often it has "failed" in it.
_LOGGED = re.compile(r"\W*(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d\b")
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')*]*\s+(?=[^\sa-z])")
# A shorter sentence ("All tests pass.") says little by itself.
_SHORT = 24
# Score 0 to 10: most for the share of signal lines, some for what weighs most and for sheer amount, less for noise.
_DENSITY_WORTH, _MAX_DENSITY = 10.0, 6.0
# One good line out of one is no dense chunk.
_MIN_LINES = 8
_HIGH_VALUE_WORTH = 2
_MANY_LINES = ((15, 2), (8, 1))
_NOISE_COSTS = ((0.7, 3), (0.5, 2), (0.3, 1))
_LABELS: tuple[tuple[float, Label], ...] = ((8, "HIGH"), (5, "MEDIUM"), (3, "LOW"))


@dataclass(frozen=True, slots=True)
class Density:
    """The kinds of lines in a text, and the rating they make: ``score`` from 0 to 10."""

    score: float
    label: Label
    signal: int
    noise: int
    total: int
    telling: tuple[str, ...] = ()  # the sentences that make lines signal, those that weigh most first

    @property
    def share(self) -> float:
        return self.signal / self.total if self.total else 0.0


def measure(text: str) -> Density:
    """The density of what was said, line by line."""
    words = _lists()
    signal = noise = total = 0
    high = echoing = False
    telling: dict[str, tuple[bool, bool, bool]] = {}  # whether it opens, weighs little, is short
    for written in text.splitlines():
        line = written.lower()
        plain = line.strip().lstrip(_LIST_MARKS)
        if not plain:
            continue
        total += 1
        echoing = echoing or words["echo"](plain)
        if echoing or words["noise"](line.strip()):
            noise += 1
        elif words["signal"](plain) and not _LOGGED.match(written):
            signal += 1
            high = high or words["high_value"](plain)
            for said in _SENTENCE_END.split(written.strip(_MARKS)):
                one = said.lower()
                if words["signal"](one):
                    opens, weighs = bool(words["opening"](one)), words["high_value"](one)
                    telling.setdefault(said, (opens, not weighs, len(said) < _SHORT))
    if total == 0:
        return Density(0.0, "EMPTY", 0, 0, 0)
    score = min(_DENSITY_WORTH * signal / max(total, _MIN_LINES), _MAX_DENSITY) + (_HIGH_VALUE_WORTH if high else 0)
    score += next((worth for lines, worth in _MANY_LINES if signal >= lines), 0)
    score -= next((cost for share, cost in _NOISE_COSTS if noise / total > share), 0)
    score = round(min(10.0, max(0.0, score)), 1)
    label: Label = next((label for least, label in _LABELS if score >= least), "NOISE")
    # What only asks or announces is shown where nothing else is to be had.
    best = [said for said, (opens, *_) in telling.items() if not opens] or list(telling)
    return Density(score, label, signal, noise, total, tuple(sorted(best, key=telling.__getitem__)))


@cache
def _lists() -> dict[str, Callable[[str], bool]]:
    """Whether a line begins with or holds words of a list, by its name."""

    def pattern(starts: Sequence[str] = (), contains: Sequence[str] = ()) -> Callable[[str], bool]:
        first = tuple(starts)
        return lambda line: line.startswith(first) or any(map(line.__contains__, contains))

    lists = orjson.loads(_DENSITY.read_bytes())
    return {name: pattern(**words) for name, words in lists.items()}
