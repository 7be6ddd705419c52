"""Your own corpus: questions mined from what is stored, without a model, so that rankers can be compared on it."""

from __future__ import annotations

from pathlib import Path
from random import Random

from aicx.bench.dataset import Dataset, Query
from aicx.bench.mining import read_sessions
from aicx.bench.mining.questions import mine_absent, mine_dates, mine_identifiers, mine_reasks
from aicx.bench.mining.repositories import mine_changes, mine_controls, mine_subjects, read_history
from aicx.bench.stores import stored_documents
from aicx.errors import NotFound
from aicx.paths import Layout

# Questions of each sort, at most: enough for narrow intervals, few enough for a coffee break.
_IDENTIFIERS, _SUBJECTS, _BEGUN, _REASKS, _DATES, _ABSENT, _NEVER = 60, 100, 60, 60, 40, 20, 30


def load(layout: Layout, seed: int, repositories: Path | None = None) -> Dataset:
    """Makes a dataset of the sessions that are stored in ``layout``.

    The same corpus, repositories and seed give the same questions.

    Repositories are where the sessions worked, or in ``repositories`` by owner and name.
    """
    sessions = read_sessions(layout)
    if len(sessions) < 2:
        raise NotFound("there are fewer than two stored sessions to tell apart", hint="aicx store")
    queries: list[Query] = []
    notes: list[str] = []

    def chance() -> Random:
        """A source of chance for each sort, so that more of one changes nothing in another."""
        return Random(seed)  # noqa: S311 - it draws questions, not keys

    history = read_history(sessions, repositories)
    mined = {
        "names that occur in one session": mine_identifiers(sessions, _IDENTIFIERS, chance()),
        "commits of repositories on this disk": mine_subjects(history, sessions, _SUBJECTS, chance()),
        "files and symbols that these commits began": mine_changes(history, sessions, _BEGUN, chance()),
        "prompts that ask again": mine_reasks(sessions, _REASKS, chance()),
        "files on a day": mine_dates(sessions, _DATES, chance()),
        "what was never discussed": mine_absent(sessions, _ABSENT, chance()),
        "what the repositories never had": mine_controls(history, sessions, _NEVER, chance()),
    }
    for name, found in mined.items():
        queries += found
        if not found:
            notes.append(f"none mined: {name}")
    return Dataset(
        "own", queries, {"all": stored_documents(layout.home)}, "session", layout.home, private=True, notes=notes
    )
