"""Commits that tools printed, where no git tells of one: the table of sightings bounds the time of a commit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aicx.corpus.catalog.database import Catalog
from aicx.corpus.catalog.sightings import SightedSubjects, nearest_sighting
from aicx.git.subjects import may_be_subject

if TYPE_CHECKING:
    from aicx.git.named import NamedCommits


def find_sighted(catalog: Catalog, text: str, subjects: SightedSubjects | None = None) -> list[NamedCommits]:
    """The commit whose subject is nearly ``text``, where the command that made it is in a log; often none.

    One that is only listed is left out: what is at work when a commit is first listed looks at it, and who made it
    worked at some time before.
    """
    seen = nearest_sighting(catalog, text, subjects) if may_be_subject(text) else None
    if seen is None or seen.made_in is None or seen.hash.startswith("#"):
        return []
    # Imported here: hardly a question is the subject of a commit, and git is not asked for the others.
    from aicx.git.history import HistoryCommit
    from aicx.git.named import NamedCommits

    at = seen.first_seen
    commit = HistoryCommit(seen.hash, (), "", "", at, at, seen.subject)
    return [NamedCommits("subject", text, 1.0, (commit,))]
