"""Scores who spoke against a reading by eye.

    python -m benchmarks.readings HOME

HOME is laid out as a home folder (`.claude/`, `.codex/`, `.gemini/`) and stored into a corpus of its own. The readings
in `results/readings/typed.jsonl` hold the key of a message and a label a row, and no text. What is derived of sessions
is read by the rules of `docs/readings.md`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aicx.config import Settings, load_settings
from aicx.corpus.catalog.query import Opened, open_catalog
from aicx.corpus.files.read import load_sidecar
from aicx.corpus.ingest.report import StoreRequest
from aicx.corpus.ingest.run import store
from benchmarks.redaction import wilson

READINGS = Path(__file__).parent / "results" / "readings"


def share(name: str, right: int, count: int) -> str:
    """A line with a proportion, its base and its 95 % interval."""
    if not count:
        return f"{name}: nothing was read"
    low, high = wilson(right, count)
    return f"{name}: {right / count:.3f} ({right} of {count}, 95 % {low:.3f} to {high:.3f})"


def origin_lines(readings: Iterable[dict[str, Any]], origins: dict[str, str]) -> Iterator[str]:
    """Precision and recall of what counts as typed, and how often the origin is exactly the one that was read."""
    found = [(row["label"], origins[row["key"]]) for row in readings if row["key"] in origins]
    typed = [pair for pair in found if pair[0] == "typed"]
    told = [pair for pair in found if pair[1] == "typed"]
    yield share("precision of typed", sum(label == "typed" for label, _ in told), len(told))
    yield share("recall of typed", sum(origin == "typed" for _, origin in typed), len(typed))
    yield share("origin as read", sum(label == origin for label, origin in found), len(found))
    for (label, origin), count in Counter(pair for pair in found if pair[0] != pair[1]).most_common():
        yield f"  read as {label}, stored as {origin}: {count}"


@contextmanager
def stored_home(description: str | None) -> Iterator[tuple[Settings, Opened]]:
    """The corpus of the home that the command line names, stored anew and gone afterwards."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", type=Path, metavar="HOME")
    home = parser.parse_args().home.absolute()
    with TemporaryDirectory() as corpus:
        settings = load_settings({"HOME": str(home)}, corpus=Path(corpus))
        store(settings, StoreRequest(), lambda done, total, label: None, lambda line: None)
        with open_catalog(settings.layout) as opened:
            if not opened.catalog.rows("SELECT 1 FROM chunks LIMIT 1"):
                parser.error(f"{home} has no logs of agents; HOME is laid out as a home folder (.claude/, .codex/, …)")
            yield settings, opened


def main() -> None:
    with stored_home(__doc__) as (settings, opened):
        paths = [row["path"] for row in opened.catalog.rows("SELECT path FROM chunks")]
        messages = (message for path in paths for message in load_sidecar(settings.layout, path).messages)
        origins = {message["key"]: message["origin"] for message in messages}
    for line in origin_lines(read("typed"), origins):
        print(line)


def read(name: str) -> list[dict[str, Any]]:
    """The rows of one set of readings."""
    return [json.loads(line) for line in (READINGS / f"{name}.jsonl").read_text("utf-8").splitlines()]


if __name__ == "__main__":
    main()
