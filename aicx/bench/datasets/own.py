"""Your own corpus: questions mined from what is stored, without a model, so that rankers can be compared on it."""

from __future__ import annotations

from random import Random

from aicx.bench.dataset import Dataset, Query
from aicx.bench.mining import absent, dates, identifiers, reasks, subjects
from aicx.bench.mining.sessions import read_sessions
from aicx.bench.stores import stored_documents
from aicx.errors import NotFound
from aicx.paths import Layout

# Questions of each sort, at most: enough for narrow intervals, few enough for a coffee break.
_IDENTIFIERS, _SUBJECTS, _REASKS, _DATES, _ABSENT = 60, 100, 60, 40, 20


def load(layout: Layout, seed: int) -> Dataset:
    """What is stored in ``layout``. The same corpus and seed give the same questions."""
    sessions = read_sessions(layout)
    if len(sessions) < 2:
        raise NotFound("there are fewer than two stored sessions to tell apart", hint="aicx store")
    queries: list[Query] = []
    notes: list[str] = []

    def chance() -> Random:
        """A source of chance for each sort, so that more of one changes nothing in another."""
        return Random(seed)  # noqa: S311 - it draws questions, not keys

    mined = {
        "names that occur in one session": identifiers.mine(sessions, _IDENTIFIERS, chance()),
        "commits of repositories on this disk": subjects.mine(sessions, _SUBJECTS, chance()),
        "prompts that ask again": reasks.mine(sessions, _REASKS, chance()),
        "files on a day": dates.mine(sessions, _DATES, chance()),
        "what was never discussed": absent.mine(sessions, _ABSENT, chance()),
    }
    for name, found in mined.items():
        queries += found
        if not found:
            notes.append(f"none mined: {name}")
    return Dataset(
        "own", queries, {"all": stored_documents(layout.home)}, "session", layout.home, private=True, notes=notes
    )
