"""Asks a share for the sessions of other members that a commit, a file or a number has to do with."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from aicx.corpus.catalog.sightings import ABBREVIATED
from aicx.corpus.places.standing import LocalRepository
from aicx.engine.history import around
from aicx.paths import NON_REPOSITORY
from aicx.why.candidates import AFTER, BEFORE, hash_words
from aicx.why.report import CommitQuery
from aicx.why.target import WhyTarget

if TYPE_CHECKING:
    from aicx.share.sessions import SharedSessions

_MAX_COMMITS, _MAX_HASHES = 3, 4


def ask_team(
    team: SharedSessions, place: LocalRepository, target: WhyTarget, wanted: Sequence[CommitQuery], limit: int
) -> None:
    """Begins to ask for those that name one of the commits or the number, or touched the files shortly before."""
    from aicx.share.rows import shared_name  # imported here, as below: most are part of no share
    from aicx.share.sessions import AboutPlace

    names = [place.project] if place.project else [shared_name(NON_REPOSITORY, folder) for folder in place.folders]
    first = wanted[:_MAX_COMMITS]
    hashes = [name for one in first for name in one.hashes[:_MAX_HASHES]]
    files = dict.fromkeys(path for one in first for path in one.files)
    if target.path is not None and not files:
        files = dict.fromkeys([target.path])
    number = target.number
    named = number.in_logs if number else re.compile(b"|".join(one[:ABBREVIATED].encode() for one in hashes))
    team.ask(
        AboutPlace(
            names,
            files=list(files),
            windows=around([at for one in first for at in one.times], BEFORE, AFTER),
            text=number.words if number else " ".join(word for name in hashes for word in hash_words(name)),
            named=named,
            limit=limit,
        )
    )
