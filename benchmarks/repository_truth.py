"""Is each session filed under the repository it belongs to? `python -m benchmarks.repository_truth TRUTH HOME...`.

Each HOME is laid out as a home folder (`.claude/`, `.codex/`, `.gemini/`), is only read, and is stored into a scratch
corpus of its own. TRUTH is JSON lines: `session_id`, `repository` (a list, empty where it is not known) and `home`, the
name of a home (`--names` gives the names of the HOMEs in their order, where the folders are called otherwise).

A session is *wrong* when any of its chunks is filed under a repository that it does not belong to, *unclaimed* when
none is filed under any, and *right* otherwise. Sessions whose repository is not known are counted apart.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from aicx.corpus.catalog.query import open_catalog
from aicx.paths import NON_REPOSITORY, Layout
from benchmarks.redaction import wilson
from benchmarks.store import aicx, environment_for, measure

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
VERDICTS = ("right", "wrong", "unclaimed", "not stored")


def verdict(claimed: Iterable[str] | None, truth: Sequence[str]) -> str:
    """One of `VERDICTS`: ``claimed`` are the projects of the session's chunks, None where it has no chunk."""
    if claimed is None:
        return "not stored"
    repositories = {project.lower() for project in claimed if project != NON_REPOSITORY}
    if repositories - {repository.lower() for repository in truth}:
        return "wrong"
    return "right" if repositories else "unclaimed"


def claims(layout: Layout) -> dict[str, set[str]]:
    """Session id, as a UUID where it holds one -> the projects its chunks are filed under."""
    found: dict[str, set[str]] = {}
    with open_catalog(layout) as opened:
        for row in opened.catalog.rows("SELECT DISTINCT session_id, project FROM chunks"):
            found.setdefault(_plain(row["session_id"]), set()).add(row["project"])
    return found


def _plain(session_id: str) -> str:
    match = _UUID.search(session_id)
    return match[0] if match else session_id


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("truth", type=Path)
    parser.add_argument("homes", type=Path, nargs="+")
    parser.add_argument("--names", help="names of the homes in TRUTH, with commas; else those of the folders")
    parser.add_argument("--stored", type=Path, nargs="+", help="look at these stores in place of storing each home")
    parser.add_argument("--show", action="store_true", help="name each session that is not right")
    given = parser.parse_args(arguments)
    truth = [json.loads(line) for line in given.truth.read_text("utf-8").splitlines() if line.strip()]
    names = given.names.split(",") if given.names else [home.name for home in given.homes]
    total: Counter[str] = Counter()
    for number, (name, home) in enumerate(zip(names, given.homes, strict=True)):
        rows = [row for row in truth if row["home"] == name and row["repository"]]
        if not rows:
            parser.error(f"TRUTH has no session of a home {name!r}; --names says what the homes are called in it")
        unknown = sum(row["home"] == name for row in truth) - len(rows)
        with tempfile.TemporaryDirectory(prefix="aicx-repository-") as scratch:
            if given.stored:
                layout = Layout(given.stored[number])
            else:
                measure(aicx("store"), environment_for(home, Path(scratch)))
                layout = Layout(Path(scratch))
            counts = _score(rows, claims(layout), show=given.show)
        _print(name, counts)
        print(f"{name}: {unknown} more whose repository is not known")
        total += counts
    if len(names) > 1:
        _print("all", total)


def _score(rows: Iterable[dict[str, Any]], claimed: dict[str, set[str]], *, show: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in rows:
        found = claimed.get(_plain(row["session_id"]))
        counts[result := verdict(found, row["repository"])] += 1
        if show and result != "right":
            print(f"  {result}: {row['session_id']} is {row['repository']}, filed under {sorted(found or ())}")
    return counts


def _print(name: str, counts: Counter[str]) -> None:
    n = counts.total()
    parts = []
    for result in VERDICTS:
        low, high = wilson(counts[result], n)
        parts.append(f"{result} {counts[result]} ({counts[result] / n:.3f}, {low:.3f} to {high:.3f})")
    print(f"{name}: n {n}, {', '.join(parts)}")


if __name__ == "__main__":
    main()
