"""What the tests of search share: invented corpora with their indexes, and short ways to ask."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aicx.engine.embedder_choice import Choice
from aicx.engine.lexical_index import refresh_lexical
from aicx.engine.search import Searcher, SearchQuery, SearchReport, search
from aicx.engine.vector_index import build_vectors
from tests.corpus.builders import Home
from tests.parts import require

NOW = datetime(2026, 3, 20, tzinfo=UTC)
MODES = ("lexical", "dense", "hybrid", "scan", "auto")


def ignore(_: object) -> None:
    pass


def keep(user: Home) -> None:
    """What `aicx store` does."""
    user.store()
    refresh_lexical(user.settings, ignore)


def embed(user: Home, *, rebuild: bool = False) -> Any:
    """What `aicx index` does, with the embedder for tests; skips the test where its libraries are missing."""
    require("semantic")
    return build_vectors(user.settings, Choice("test"), rebuild=rebuild, on_progress=ignore, notify=ignore)


def copied(user: Home, root: Path) -> Home:
    """A corpus of its own, like the one given: making one takes far longer than copying it."""
    copy = Home(root)
    shutil.copytree(user.root, copy.root, dirs_exist_ok=True)
    shutil.copytree(user.corpus, copy.corpus)
    return copy


def ready_for(mode: str, user: Home) -> Home:
    """The corpus, its vectors made where the mode needs them."""
    if mode in ("dense", "hybrid"):
        embed(user)
    return user


def ask(asked: Home | Searcher, text: str, **fields: Any) -> SearchReport:
    query = SearchQuery(text, **{"now": NOW, **fields})
    return search(asked.settings, query) if isinstance(asked, Home) else asked.search(query)


def ids(report: SearchReport) -> list[str]:
    return [hit.sidecar.id for hit in report.hits]


def found(asked: Home | Searcher, text: str, **fields: Any) -> list[str]:
    """The ids of the answers, best first."""
    return ids(ask(asked, text, **fields))
