"""Commits with their repositories at hand: find the session that made one, asked for by its hash as `aicx why` is.

The file is that of `commits`, of which all informative rows count: it makes no difference to git whether a subject
stands in a log. A ranker that looks for text is asked with the subject.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from aicx.bench.dataset import COUNTED, Dataset
from aicx.bench.datasets import commits
from aicx.bench.stores import Notify


def load(path: Path, user_home: Path, cache: Path, notify: Notify, repositories: Path) -> Dataset:
    """The commits of a file that are in ``repositories``, over all sessions of a home folder."""
    found = commits.load(path, user_home, cache, notify, repositories, name="why", part=_part)
    queries = [query for query in found.queries if query.target]
    lost = len(found.queries) - len(queries)
    notes = [*found.notes, *([f"{lost} commits left out: they are in none of the repositories"] if lost else [])]
    return replace(found, queries=queries, notes=notes)


def _part(row: Mapping[str, Any]) -> str:
    return COUNTED if row["informative"] else commits.UNINFORMATIVE
